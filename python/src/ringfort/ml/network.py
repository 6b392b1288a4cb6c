# SPDX-License-Identifier: Apache-2.0
"""Neural networks of dense layers on encrypted rows. The activation functions are the polynomials of
docs/functions.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..encrypted import EncryptedArray, relu, sigmoid, tanh
from ..values import numbers_of
from .linear import Affine, labels_of

__all__ = ["ACTIVATIONS", "Layer", "Network"]

_WIDER = 1.25  # the end of a domain is this number times the largest absolute input for the examples
_SMALLEST = 0.5  # smallest end of a domain


@dataclass(frozen=True)
class Activation:
    plain: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    # The arguments are the array, the end of the domain, and the error.
    encrypted: Callable[[EncryptedArray, float, float], EncryptedArray]


ACTIVATIONS = {
    "identity": Activation(lambda z: z, lambda z, end, error: z),
    "logistic": Activation(
        lambda z: 0.5 + 0.5 * np.tanh(0.5 * z), lambda z, end, error: sigmoid(z, (-end, end), error)
    ),
    "tanh": Activation(np.tanh, lambda z, end, error: tanh(z, (-end, end), error)),
    "relu": Activation(lambda z: np.maximum(z, 0), lambda z, end, error: relu(z, (-end, end), error)),
}


@dataclass(frozen=True, eq=False, repr=False)
class Layer:
    """A dense layer. activation: a name in ACTIVATIONS. end: the domain of the activation function is -end .. end."""

    affine: Affine
    activation: str
    end: float


@dataclass(frozen=True, eq=False, repr=False)
class Network:
    """A network of layers. The last layer has no activation function. error: the error of each activation function. For
    relu, it is relative to the end of the domain."""

    layers: tuple[Layer, ...]
    classes: NDArray[Any] | None
    error: float

    @classmethod
    def of_layers(
        cls,
        affine: list[Affine],
        activation: str,
        classes: NDArray[Any] | None,
        examples: NDArray[np.float64],
        error: float,
    ) -> Network:
        """Makes a network from affine layers.

        examples: rows in the clear. They determine the domain of each activation function, -end .. end. ``end`` is 1.25
        times the largest absolute value of the inputs of the function for the examples, and at least 0.5.
        """
        layers, values = [], examples
        for index, each in enumerate(affine):
            values = values @ each.weights + each.offset
            is_last = index == len(affine) - 1
            name = "identity" if is_last else activation
            layers.append(
                Layer(replace(each, column=not is_last), name, max(_SMALLEST, _WIDER * float(np.abs(values).max())))
            )
            values = ACTIVATIONS[name].plain(values)
        return cls(tuple(layers), classes, error)

    def __call__(self, x: EncryptedArray) -> EncryptedArray:
        """Returns the encrypted outputs of the last layer. All inputs of activation functions must be in the domains.
        This cannot be checked. If an input is outside its domain, the decrypted result is wrong, or ``decrypt`` refuses
        it.

        Errors: InvalidArgument, and those of the activation functions.
        """
        for layer in self.layers:
            x = layer.affine(x)
            if layer.activation != "identity":
                error = self.error * (layer.end if layer.activation == "relu" else 1)
                x = ACTIVATIONS[layer.activation].encrypted(x.assume(magnitude=layer.end), layer.end, error)
        return x

    def labels(self, scores: ArrayLike) -> NDArray[Any]:
        """Returns predictions from decrypted outputs. Errors: InvalidArgument (an output is masked or not finite)."""
        return labels_of(numbers_of("scores", scores), self.classes)

    def __repr__(self) -> str:
        sizes = [self.layers[0].affine.features, *(layer.affine.weights.shape[1] for layer in self.layers)]
        return f"Network({' -> '.join(map(str, sizes))}, {self.layers[0].activation})"
