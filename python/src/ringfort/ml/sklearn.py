# SPDX-License-Identifier: Apache-2.0
"""Reads fitted models of scikit-learn by their public attributes; does not import scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidArgument, Unsupported
from ..values import matrix_of, numbers_of, positive
from .linear import Affine, Clusters, Linear, Projection
from .network import ACTIVATIONS, Network

__all__ = ["from_sklearn"]

Model = Linear | Projection | Clusters | Network
_SUPPORTED = (
    "linear models and classifiers, PCA, KMeans, MLPClassifier, MLPRegressor, scalers before them in a Pipeline"
)


def from_sklearn(model: Any, *, examples: ArrayLike | None = None, error: float = 0.02) -> Model:
    """Returns a fitted model as a function of encrypted rows.

    examples: rows for networks: a quarter beyond their largest values, activations have their domain. error: of an
    activation, for relu relative to the domain. Errors: InvalidArgument (not fitted, no examples), Unsupported.
    """
    scalers, last = _steps(model)
    if hasattr(last, "coefs_"):
        affine = [Affine(_numbers(w), _numbers(b)) for w, b in zip(last.coefs_, last.intercepts_, strict=True)]
        return _network(scalers, last, affine, examples, positive("error", error, 0))
    made = _linear(last)
    for scaler in reversed(scalers):
        made = type(made)(made.affine.after_scaling(*_scaling(scaler)), *_classes_of(made))
    return made


def _steps(model: Any) -> tuple[list[Any], Any]:
    """Returns the steps of a pipeline: scalers and the model."""
    steps = [step for _, step in model.steps] if hasattr(model, "steps") else [model]
    return [step for step in steps[:-1] if step not in (None, "passthrough")], steps[-1]


def _linear(model: Any) -> Linear | Projection | Clusters:
    if hasattr(model, "components_") and hasattr(model, "explained_variance_"):
        weights = _numbers(model.components_).T
        if model.whiten:
            weights = weights / np.sqrt(_numbers(model.explained_variance_))
        return Projection(Affine(weights, -_numbers(model.mean_) @ weights))
    if hasattr(model, "cluster_centers_") and hasattr(model, "inertia_"):
        centres = _numbers(model.cluster_centers_)
        return Clusters(Affine(centres.T, -0.5 * (centres**2).sum(axis=1)))
    if hasattr(model, "coef_") and hasattr(model, "intercept_") and not hasattr(model, "support_vectors_"):
        weights = np.atleast_2d(_numbers(model.coef_)).T
        offset = np.broadcast_to(_numbers(model.intercept_), (weights.shape[1],))
        classes = getattr(model, "classes_", None)
        return Linear(Affine(weights, offset.copy()), None if classes is None else np.asarray(classes))
    name = type(model).__name__
    if hasattr(model, "get_params") and not any(key.endswith("_") and key[0] != "_" for key in vars(model)):
        raise InvalidArgument(f"the model {name} is not fitted", "call model.fit(x, y) first")
    raise Unsupported(f"no model of scikit-learn that this library knows: {name}", f"it knows {_SUPPORTED}")


def _classes_of(made: Linear | Projection | Clusters) -> tuple[Any, ...]:
    return (made.classes,) if isinstance(made, Linear) else ()


def _scaling(scaler: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns factor and shift of a scaler of features."""
    if hasattr(scaler, "data_min_") and hasattr(scaler, "min_"):  # MinMaxScaler
        return _numbers(scaler.scale_), _numbers(scaler.min_)
    if hasattr(scaler, "scale_"):  # StandardScaler, RobustScaler, MaxAbsScaler
        size = scaler.n_features_in_
        scale = np.ones(size) if scaler.scale_ is None else _numbers(scaler.scale_)
        centre = getattr(scaler, "mean_", getattr(scaler, "center_", None))
        return 1 / scale, np.zeros(size) if centre is None else -_numbers(centre) / scale
    raise Unsupported(f"a pipeline with {type(scaler).__name__} before the model", f"this library knows {_SUPPORTED}")


def _network(scalers: list[Any], model: Any, affine: list[Affine], examples: Any, error: float) -> Network:
    if model.activation not in ACTIVATIONS:
        raise Unsupported(f"the activation {model.activation}", "use relu, tanh, logistic or identity")
    rows = matrix_of("examples", examples)
    for scaler in reversed(scalers):
        affine = [affine[0].after_scaling(*_scaling(scaler)), *affine[1:]]
    if rows.shape[1] != affine[0].features:
        raise InvalidArgument(f"examples have {rows.shape[1]} features", f"the model has {affine[0].features}")
    classes = getattr(model, "classes_", None)
    return Network.of_layers(affine, model.activation, None if classes is None else np.asarray(classes), rows, error)


def _numbers(values: Any) -> NDArray[np.float64]:
    return numbers_of("a parameter of the model", values)
