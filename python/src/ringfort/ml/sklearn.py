# SPDX-License-Identifier: Apache-2.0
"""Converts fitted models of scikit-learn to models for encrypted rows. Reads the attributes of the models, and does not
import scikit-learn.

These attributes are public, except ``_label_binarizer``. The module tests the name of a class, because attributes of
the same name have another meaning in other classes. For example, a Poisson regression has the attributes of a linear
regression, but predicts an exponential.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidArgument, Unsupported
from ..values import matrix_of, numbers_of, positive
from .linear import Affine, Clusters, Linear, Projection, require_columns
from .network import ACTIVATIONS, Network

__all__ = ["from_sklearn"]

Model = Linear | Projection | Clusters | Network
_SUPPORTED = (
    "linear models and classifiers, PCA, KMeans, MLPClassifier, MLPRegressor, scalers before them in a Pipeline"
)
_REGRESSIONS = {
    *("LinearRegression", "Ridge", "RidgeCV", "Lasso", "LassoCV", "ElasticNet", "ElasticNetCV", "Lars", "LarsCV"),
    *("LassoLars", "LassoLarsCV", "LassoLarsIC", "OrthogonalMatchingPursuit", "OrthogonalMatchingPursuitCV"),
    *("BayesianRidge", "ARDRegression", "HuberRegressor", "TheilSenRegressor", "QuantileRegressor", "SGDRegressor"),
    *("PassiveAggressiveRegressor", "LinearSVR", "MultiTaskLasso", "MultiTaskLassoCV", "MultiTaskElasticNet"),
    "MultiTaskElasticNetCV",
}
_CLASSIFIERS = {
    *("LogisticRegression", "LogisticRegressionCV", "RidgeClassifier", "RidgeClassifierCV", "SGDClassifier"),
    *("Perceptron", "PassiveAggressiveClassifier", "LinearSVC", "LinearDiscriminantAnalysis"),
}
_PROJECTIONS = {"PCA", "IncrementalPCA"}
_CLUSTERINGS = {"KMeans", "MiniBatchKMeans"}
_NETWORKS = {"MLPClassifier", "MLPRegressor"}
_MODELS = _REGRESSIONS | _CLASSIFIERS | _PROJECTIONS | _CLUSTERINGS | _NETWORKS


def from_sklearn(model: Any, *, examples: ArrayLike | None = None, error: float = 0.02) -> Model:
    """Converts a fitted model to a function of encrypted rows.

    examples: rows in the clear, only for neural networks. They determine the domain of each activation, -end .. end.
    ``end`` is 1.25 times the largest absolute value of the inputs of the activation for the examples, and at least 0.5.
    error: the largest error of an activation. For relu, it is relative to ``end``.

    If the model was fitted to a DataFrame, and the rows have column names, these must be the names in the DataFrame, in
    the same order. Errors: InvalidArgument (the model is not fitted, or a network has no examples), Unsupported.
    """
    scalers, last = _steps(model)
    name = type(last).__name__
    if name not in _MODELS:
        raise Unsupported(f"{name} is not a model of scikit-learn that this library knows", f"it knows {_SUPPORTED}")
    if not any(key.endswith("_") and key[0] != "_" for key in vars(last)):
        raise InvalidArgument(f"the model {name} is not fitted", "call model.fit(x, y) first")
    _refuse_several_labels(last)
    names = _names_of_features((*scalers, last)[0])
    if name in _NETWORKS:
        affine = [Affine(_numbers(w), _numbers(b)) for w, b in zip(last.coefs_, last.intercepts_, strict=True)]
        require_columns("examples", _columns_of(examples), names)
        affine[0] = replace(affine[0], names=names)
        return _network(scalers, last, affine, examples, positive("error", error, 0))
    linear = _linear(last)
    for scaler in reversed(scalers):
        linear = type(linear)(linear.affine.after_scaling(*_scaling(scaler)), *_classes_of(linear))
    return type(linear)(replace(linear.affine, names=names), *_classes_of(linear))


def _names_of_features(step: Any) -> tuple[str, ...] | None:
    """Returns the column names of the DataFrame to which ``step``, the first step of a pipeline, was fitted. Returns
    None if it was fitted to another kind of table."""
    names = getattr(step, "feature_names_in_", None)
    return None if names is None else tuple(map(str, names))


def _columns_of(examples: Any) -> tuple[str, ...] | None:
    return tuple(map(str, examples.columns)) if hasattr(examples, "columns") else None


def _steps(model: Any) -> tuple[list[Any], Any]:
    """Splits a pipeline into its scalers and its model."""
    steps = [step for _, step in model.steps] if hasattr(model, "steps") else [model]
    return [step for step in steps[:-1] if step not in (None, "passthrough")], steps[-1]


def _refuse_several_labels(model: Any) -> None:
    """Refuses a classifier that can give several labels to a row. Errors: Unsupported."""
    kind = getattr(getattr(model, "_label_binarizer", None), "y_type_", "")
    if type(model).__name__ in (_CLASSIFIERS | {"MLPClassifier"}) and str(kind).startswith("multilabel"):
        raise Unsupported("the classifier gives a row several labels", "train one classifier for each label")


def _linear(model: Any) -> Linear | Projection | Clusters:
    name = type(model).__name__
    if name in _PROJECTIONS:
        weights = _numbers(model.components_).T
        if model.whiten:
            weights = weights / _deviations(model)
        return Projection(Affine(weights, -_numbers(model.mean_) @ weights, column=True))
    if name in _CLUSTERINGS:
        centres = _numbers(model.cluster_centers_)
        return Clusters(Affine(centres.T, -0.5 * (centres**2).sum(axis=1)))
    coefficients = _numbers(model.coef_)
    weights = np.atleast_2d(coefficients).T
    offset = np.broadcast_to(_numbers(model.intercept_), (weights.shape[1],))
    classes = np.asarray(model.classes_) if name in _CLASSIFIERS else None
    is_column = name in _REGRESSIONS and coefficients.ndim == 2
    return Linear(Affine(weights, offset.copy(), column=is_column), classes)


def _deviations(model: Any) -> NDArray[np.float64]:
    """Returns the standard deviations of the components, by which whitening divides. Errors: Unsupported (a deviation
    is zero)."""
    found = np.sqrt(np.maximum(_numbers(model.explained_variance_), 0))
    if np.any(found < np.finfo(np.float64).eps):
        raise Unsupported(
            f"{type(model).__name__} with whiten=True divides by the deviation of a component without variance",
            "fit it with fewer components, and without constant features",
        )
    return found


def _classes_of(linear: Linear | Projection | Clusters) -> tuple[Any, ...]:
    return (linear.classes,) if isinstance(linear, Linear) else ()


def _scaling(scaler: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the factor and the shift of each feature in a scaler. Errors: Unsupported."""
    name = type(scaler).__name__
    if name not in ("StandardScaler", "RobustScaler", "MinMaxScaler", "MaxAbsScaler"):
        raise Unsupported(f"the pipeline has {name} before the model", f"this library knows {_SUPPORTED}")
    if getattr(scaler, "clip", False):
        raise Unsupported(f"{name} has clip=True, which is not a linear function", "fit the pipeline with clip=False")
    if name == "MinMaxScaler":
        return _numbers(scaler.scale_), _numbers(scaler.min_)
    size = scaler.n_features_in_
    scale = np.ones(size) if scaler.scale_ is None else _numbers(scaler.scale_)
    if name == "StandardScaler":  # mean_ exists even if the scaler does not subtract it
        centre = scaler.mean_ if scaler.with_mean else None
    else:
        centre = getattr(scaler, "center_", None)
    return 1 / scale, np.zeros(size) if centre is None else -_numbers(centre) / scale


def _network(scalers: list[Any], model: Any, affine: list[Affine], examples: Any, error: float) -> Network:
    if model.activation not in ACTIVATIONS:
        raise Unsupported(f"the activation {model.activation} is not supported", "use relu, tanh, logistic or identity")
    last = model.out_activation_  # softmax and logistic are omitted, because they do not change the predicted label
    if last not in ("identity", "softmax", "logistic"):
        raise Unsupported(f"the activation {last} of the output is not supported", "train with the loss squared_error")
    if examples is None:
        raise InvalidArgument("a network has no examples", "give rows: rf.ml.from_sklearn(model, examples=X)")
    rows = matrix_of("examples", examples)
    for scaler in reversed(scalers):
        affine = [affine[0].after_scaling(*_scaling(scaler)), *affine[1:]]
    if rows.shape[1] != affine[0].features:
        raise InvalidArgument(f"examples have {rows.shape[1]} features", f"the model has {affine[0].features}")
    classes = getattr(model, "classes_", None)
    return Network.of_layers(affine, model.activation, None if classes is None else np.asarray(classes), rows, error)


def _numbers(values: Any) -> NDArray[np.float64]:
    return numbers_of("a parameter of the model", values)
