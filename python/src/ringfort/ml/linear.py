# SPDX-License-Identifier: Apache-2.0
"""Linear models on encrypted rows. A model is one product with a plain matrix and one addition. It takes one of the
levels that an array's ``depth_left`` counts. A scaler before the model costs nothing, because it becomes part of the
matrix and of the addition."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..encrypted import EncryptedArray
from ..errors import InvalidArgument
from ..values import kind_of, numbers_of

__all__ = ["Clusters", "Linear", "Projection", "require_columns", "require_rows"]

Matrix = NDArray[np.float64]


def require_rows(x: EncryptedArray, features: int) -> None:
    """Refuses an argument that is not an encrypted array with ``features`` numbers on the last axis. Errors:
    InvalidArgument."""
    if not isinstance(x, EncryptedArray):
        raise InvalidArgument(f"x is {kind_of(x)}", "encrypt it: ctx.encrypt(rows, keys)")
    if x.ndim < 1 or x.shape[-1] != features:
        raise InvalidArgument(f"x has the shape {x.shape}", f"the model has {features} features on the last axis")


def require_columns(what: str, columns: tuple[str, ...] | None, features: tuple[str, ...] | None) -> None:
    """Refuses columns that differ from the features of the model in their names or in their order. Errors:
    InvalidArgument."""
    if columns is not None and features is not None and columns != features:
        raise InvalidArgument(
            f"the columns of {what} are not the features of the model, in their order",
            "choose them in this order: " + ", ".join(features),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Affine:
    """The function x @ weights + offset. weights: a matrix, features x outputs. names: the names of the features, if
    the model knows them.

    column: the shape of the result of a model with one output. True means a column, (rows, 1). False means a vector.
    """

    weights: Matrix
    offset: Matrix
    names: tuple[str, ...] | None = None
    column: bool = False

    @property
    def features(self) -> int:
        return self.weights.shape[0]

    def after_scaling(self, factor: Matrix, shift: Matrix) -> Affine:
        """Returns the function that maps x to self(x * factor + shift)."""
        return replace(self, weights=self.weights * factor[:, None], offset=self.offset + shift @ self.weights)

    def __call__(self, x: EncryptedArray) -> EncryptedArray:
        require_rows(x, self.features)
        require_columns("x", x.columns, self.names)
        if self.weights.shape[1] == 1:
            scores = x @ self.weights[:, 0] + float(self.offset[0])
            return scores.reshape(*scores.shape, 1) if self.column else scores
        return x @ self.weights + self.offset

    def bound(self, magnitude: float) -> float:
        """Returns a bound on the results if |x| <= magnitude for all elements of x."""
        return float(np.max(np.abs(self.weights).sum(axis=0) * magnitude + np.abs(self.offset)))


@dataclass(frozen=True, eq=False, repr=False)
class Linear:
    """A regression or a classifier. If ``classes`` is None, it is a regression, and its scores are predictions. If not,
    it is a classifier, and its scores are the decision function."""

    affine: Affine
    classes: NDArray[Any] | None = None

    def __call__(self, x: EncryptedArray) -> EncryptedArray:
        """Returns encrypted scores. For a regression, they have the shape of scikit-learn's predictions. For a
        classifier, they have the shape of its decision function.

        Errors: InvalidArgument, DepthExhausted.
        """
        return self.affine(x)

    def labels(self, scores: ArrayLike) -> NDArray[Any]:
        """Returns predictions from decrypted scores. Errors: InvalidArgument (a score is masked or not finite)."""
        return labels_of(numbers_of("scores", scores), self.classes)

    def __repr__(self) -> str:
        what = "regression" if self.classes is None else f"classifier of {len(self.classes)} classes"
        return f"Linear({self.affine.features} features, {what})"


@dataclass(frozen=True, eq=False, repr=False)
class Projection:
    """Principal component analysis: maps rows to components."""

    affine: Affine

    def __call__(self, x: EncryptedArray) -> EncryptedArray:
        return self.affine(x)

    def __repr__(self) -> str:
        return f"Projection({self.affine.features} features to {self.affine.weights.shape[1]})"


@dataclass(frozen=True, eq=False, repr=False)
class Clusters:
    """Computes a score for each row x and each of several centres: <centre, x> - |centre|^2 / 2. The centre nearest to
    x has the largest score."""

    affine: Affine

    def __call__(self, x: EncryptedArray) -> EncryptedArray:
        return self.affine(x)

    def labels(self, scores: ArrayLike) -> NDArray[Any]:
        """Returns the number of the nearest centre for each row. scores: decrypted. Errors: InvalidArgument."""
        found = numbers_of("scores", scores)
        return np.argmax(found, axis=-1) if self.affine.weights.shape[1] > 1 else np.zeros(found.shape, np.int64)

    def __repr__(self) -> str:
        return f"Clusters({self.affine.features} features, {self.affine.weights.shape[1]} centres)"


def labels_of(scores: NDArray[Any], classes: NDArray[Any] | None) -> NDArray[Any]:
    if classes is None:
        return scores
    if len(classes) == 2:
        return classes[(scores > 0).astype(np.int64)]
    return classes[np.argmax(scores, axis=-1)]
