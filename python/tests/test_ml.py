# SPDX-License-Identifier: Apache-2.0
"""Tests that models of scikit-learn on encrypted rows give the predictions of scikit-learn on the same rows in the
clear."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from sklearn import (
    cluster,
    cross_decomposition,
    datasets,
    decomposition,
    linear_model,
    neural_network,
    preprocessing,
    svm,
)
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline

import ringfort as rf
from ringfort.errors import InvalidArgument, Unsupported

RNG = np.random.default_rng(3)
CANCER, DIGITS, DIABETES = datasets.load_breast_cancer(), datasets.load_digits(), datasets.load_diabetes()
SMALL = {"n": 4096, "insecure": "a test"}


def scores_of(model, rows):
    ctx = rf.Context(depth=1, precision=24, magnitude=16, **SMALL)
    keys = ctx.keygen()
    largest = float(np.abs(rows).max())
    return model(ctx.encrypt(rows, keys, magnitude=largest)).decrypt(keys)


@pytest.mark.parametrize(
    "model",
    [
        linear_model.LinearRegression(),
        linear_model.Ridge(),
        make_pipeline(preprocessing.StandardScaler(), linear_model.Lasso(alpha=0.5)),
        make_pipeline(preprocessing.MinMaxScaler(), linear_model.LinearRegression(fit_intercept=False)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_regressions_predict_the_same_numbers(model):
    model.fit(DIABETES.data, DIABETES.target / 100)
    rows = DIABETES.data[:40]
    read = rf.ml.from_sklearn(model)
    assert np.allclose(read.labels(scores_of(read, rows)), model.predict(rows), atol=1e-4)


@pytest.mark.parametrize(
    "model",
    [
        linear_model.LogisticRegression(C=0.1),
        linear_model.RidgeClassifier(),
        svm.LinearSVC(C=0.01),
        LinearDiscriminantAnalysis(),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("data", [CANCER, DIGITS], ids=["two classes", "ten classes"])
def test_classifiers_predict_the_same_classes(model, data):
    keep = data.data.std(axis=0) > 1e-9
    pipe = make_pipeline(preprocessing.RobustScaler(quantile_range=(5, 95)), model)
    rows = np.clip(preprocessing.StandardScaler().fit_transform(data.data[:, keep]), -4, 4)
    pipe.fit(rows[:400], data.target[:400])
    read = rf.ml.from_sklearn(pipe)
    found = scores_of(read, rows[400:450])
    assert np.abs(found - pipe.decision_function(rows[400:450])).max() < 1e-3
    assert np.array_equal(read.labels(found), pipe.predict(rows[400:450]))


def test_components_and_clusters_are_those_of_the_models():
    rows = preprocessing.StandardScaler().fit_transform(CANCER.data)[:60]
    for whiten in (False, True):
        pca = decomposition.PCA(4, whiten=whiten).fit(rows)
        assert np.allclose(scores_of(rf.ml.from_sklearn(pca), rows), pca.transform(rows), atol=1e-4)
    k_means = cluster.KMeans(3, n_init=1, random_state=0).fit(rows)
    read = rf.ml.from_sklearn(k_means)
    assert np.array_equal(read.labels(scores_of(read, rows)), k_means.predict(rows))


@pytest.mark.parametrize("activation", ["tanh", "identity"])
def test_networks_predict_nearly_the_same_outputs(activation):
    rows = np.clip(preprocessing.StandardScaler().fit_transform(CANCER.data), -4, 4)
    model = neural_network.MLPClassifier((6,), activation=activation, alpha=1, max_iter=1000, random_state=1)
    model.fit(rows[:400], CANCER.target[:400])
    read = rf.ml.from_sklearn(model, examples=rows[:400], error=0.005)
    program = rf.compile(read, rf.like((20, 30), magnitude=4), precision=1)
    ctx = program.context()
    keys = ctx.keygen(program.plan)
    (x,) = program.encrypt(ctx, keys, rows[400:420])
    scores = program(x)
    found = scores.decrypt(keys)
    expected = rows[400:420]
    for index, (weights, offset) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        expected = expected @ weights + offset
        if index == 0:
            expected = np.tanh(expected) if activation == "tanh" else expected
    assert np.abs(found - expected[:, 0]).max() <= 2.0**-scores.precision_bits <= 0.5
    assert np.mean(read.labels(found) == model.predict(rows[400:420])) >= 0.95


@pytest.mark.parametrize(("stride", "padding"), [(1, "valid"), (2, "valid"), (1, "same"), (3, "same")])
@pytest.mark.parametrize("kernel", [(3, 3), (1, 2), (4, 1)])
def test_convolutions_are_those_of_windows(stride, padding, kernel):
    images, taps = RNG.uniform(-1, 1, (3, 6, 5)), RNG.uniform(-1, 1, kernel)
    ctx = rf.Context(depth=2, **SMALL)
    keys = ctx.keygen()
    found = rf.ml.conv2d(ctx.encrypt(images, keys), taps, stride=stride, padding=padding)
    if padding == "same":
        around = [((size - 1) // 2, size // 2) for size in kernel]
        images = np.pad(images, [(0, 0), *around])
    windows = sliding_window_view(images, kernel, axis=(1, 2))
    expected = np.einsum("nijkl,kl->nij", windows, taps)[:, ::stride, ::stride]
    assert found.shape == expected.shape
    assert np.abs(found.decrypt(keys) - expected).max() < 1e-4


def test_a_convolution_takes_one_level_if_rows_are_powers_of_two():
    ctx = rf.Context(depth=1, **SMALL)
    keys = ctx.keygen()
    digits = DIGITS.images[:5] / 16
    edges = np.array([[1.0, 0, -1], [2, 0, -2], [1, 0, -1]]) / 8
    found = rf.ml.conv2d(ctx.encrypt(digits, keys, magnitude=1), edges)
    expected = np.einsum("nijkl,kl->nij", sliding_window_view(digits, (3, 3), axis=(1, 2)), edges)
    assert found.depth_left == 0
    assert np.abs(found.decrypt(keys) - expected).max() < 1e-4


def test_what_cannot_be_read_or_computed_is_refused():
    fitted = linear_model.Ridge().fit(DIABETES.data, DIABETES.target)
    read = rf.ml.from_sklearn(fitted)
    with pytest.raises(InvalidArgument, match="not fitted"):
        rf.ml.from_sklearn(linear_model.Ridge())
    for model in (svm.SVC().fit(CANCER.data, CANCER.target), object(), 3):
        with pytest.raises(Unsupported, match="it knows linear models"):
            rf.ml.from_sklearn(model)
    poly = make_pipeline(preprocessing.PolynomialFeatures(), linear_model.Ridge()).fit(DIABETES.data, DIABETES.target)
    with pytest.raises(Unsupported, match="PolynomialFeatures"):
        rf.ml.from_sklearn(poly)
    network = neural_network.MLPRegressor(hidden_layer_sizes=(2,), max_iter=3000, solver="lbfgs").fit(
        DIABETES.data, DIABETES.target
    )
    for examples in (None, [], [[np.nan] * 10], [[1.0, 2.0]]):
        with pytest.raises(InvalidArgument, match="examples"):
            rf.ml.from_sklearn(network, examples=examples)
    with pytest.raises(InvalidArgument, match="has no examples") as caught:
        rf.ml.from_sklearn(network)
    assert "examples=X" in caught.value.fix
    ctx = rf.Context(depth=1, **SMALL)
    keys = ctx.keygen()
    with pytest.raises(InvalidArgument, match="10 features"):
        read(ctx.encrypt(np.ones((2, 3)), keys))
    with pytest.raises(InvalidArgument, match="encrypt it"):
        read(np.ones((2, 10)))
    image = ctx.encrypt(np.ones((4, 4)), keys)
    for kernel, options, message in (
        (np.ones(3), {}, r"kernel is an array of shape \(3,\)"),
        (np.ones((5, 1)), {}, "does not fit"),
        (np.ones((2, 2)), {"stride": 0}, "stride is 0"),
        (np.ones((2, 2)), {"padding": "full"}, "padding is"),
    ):
        with pytest.raises(InvalidArgument, match=message):
            rf.ml.conv2d(image, kernel, **options)
    with pytest.raises(InvalidArgument, match="encrypted images"):
        rf.ml.conv2d(np.ones((4, 4)), np.ones((2, 2)))


MIXED = RNG.normal(1, 2, (60, 4))
AMOUNTS = np.exp(MIXED @ [0.2, -0.3, 0.1, 0.05])
SEVERAL = np.stack([MIXED[:, 0] > 1, MIXED[:, 1] > 0, MIXED[:, 2] > 2], axis=1).astype(int)


@pytest.mark.parametrize(
    "scaler",
    [
        preprocessing.StandardScaler(with_mean=False),
        preprocessing.StandardScaler(with_std=False),
        preprocessing.StandardScaler(with_mean=False, with_std=False),
        preprocessing.RobustScaler(with_centering=False),
        preprocessing.MaxAbsScaler(),
    ],
    ids=repr,
)
@pytest.mark.parametrize(
    "model",
    [
        linear_model.LinearRegression(),
        neural_network.MLPRegressor(hidden_layer_sizes=(3,), activation="identity", max_iter=50),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scalers_do_what_they_were_told(scaler, model):
    pipe = make_pipeline(scaler, model).fit(MIXED, MIXED @ [1, -2, 0.5, 0.3])
    read = rf.ml.from_sklearn(pipe, examples=MIXED)
    layers = [layer.affine for layer in read.layers] if hasattr(read, "layers") else [read.affine]
    found = MIXED
    for layer in layers:
        found = found @ layer.weights + layer.offset
    assert np.allclose(found[:, 0], pipe.predict(MIXED))


@pytest.mark.parametrize(
    ("model", "target", "message"),
    [
        (linear_model.PoissonRegressor(), AMOUNTS, "PoissonRegressor"),
        (linear_model.GammaRegressor(), AMOUNTS, "GammaRegressor"),
        (linear_model.TweedieRegressor(power=1.5), AMOUNTS, "TweedieRegressor"),
        (cross_decomposition.PLSRegression(2), AMOUNTS, "PLSRegression"),
        (cluster.BisectingKMeans(8), None, "BisectingKMeans"),
        (decomposition.TruncatedSVD(2), None, "TruncatedSVD"),
        (linear_model.RidgeClassifier(), SEVERAL, "several labels"),
        (neural_network.MLPClassifier(hidden_layer_sizes=(3,), max_iter=20), SEVERAL, "several labels"),
        (make_pipeline(preprocessing.MinMaxScaler(clip=True), linear_model.Ridge()), AMOUNTS, "clip"),
        (make_pipeline(preprocessing.Binarizer(), linear_model.Ridge()), AMOUNTS, "Binarizer"),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else "",
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_models_that_predict_something_else_are_refused(model, target, message):
    model.fit(MIXED, target)
    with pytest.raises(Unsupported, match=message):
        rf.ml.from_sklearn(model, examples=MIXED)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_an_output_that_is_an_exponential_is_refused():
    model = neural_network.MLPRegressor(hidden_layer_sizes=(3,), max_iter=20).fit(MIXED, AMOUNTS)
    model.out_activation_ = "exp"  # the value for loss="poisson", which only newer versions of scikit-learn have
    with pytest.raises(Unsupported, match="exp"):
        rf.ml.from_sklearn(model, examples=MIXED)


def test_convolutions_whose_matrix_takes_gigabytes_are_refused():
    ctx = rf.Context(depth=1, **SMALL)
    images = ctx.encrypt(np.zeros((256, 128)), ctx.keygen(rotations=[]))
    with pytest.raises(InvalidArgument, match="cut the images"):
        rf.ml.conv2d(images, np.ones((3, 3)))


class Frame:
    """Has the members of a DataFrame that encryption reads."""

    def __init__(self, values, columns):
        self.values, self.columns = values, list(columns)

    def to_numpy(self):
        return self.values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)

    def __getitem__(self, name):
        return self.values[:, self.columns.index(name)]


@pytest.mark.parametrize(
    "model",
    [
        linear_model.LinearRegression(),
        make_pipeline(preprocessing.StandardScaler(), linear_model.LinearRegression()),
        decomposition.PCA(2),
        neural_network.MLPRegressor(hidden_layer_sizes=(3,), activation="identity", random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_columns_in_another_order_than_the_features_are_refused(model):
    names, rows = ("age", "dose", "visits"), RNG.uniform(-1, 1, (30, 3))
    model.fit(rows, rows @ [1.0, -2.0, 4.0])
    first = model.steps[0][1] if hasattr(model, "steps") else model
    first.feature_names_in_ = np.array(names, object)  # fit() sets it for a DataFrame
    read = rf.ml.from_sklearn(model, examples=Frame(rows, names))
    ctx = rf.Context(depth=3, magnitude=16, **SMALL)
    keys = ctx.keygen()
    in_order = read(ctx.encrypt(Frame(rows, names), keys)).decrypt(keys)
    assert np.allclose(in_order, read(ctx.encrypt(rows, keys)).decrypt(keys), atol=1e-2)
    for columns in (("dose", "age", "visits"), ("age", "dose", "weight")):
        with pytest.raises(InvalidArgument, match="choose them in this order: age, dose, visits"):
            read(ctx.encrypt(Frame(rows, columns), keys))
    if isinstance(model, neural_network.MLPRegressor):
        with pytest.raises(InvalidArgument, match="the columns of examples"):
            rf.ml.from_sklearn(model, examples=Frame(rows, names[::-1]))


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (decomposition.PCA(n_components=1), None),
        (make_pipeline(preprocessing.StandardScaler(), decomposition.PCA(n_components=1, whiten=True)), None),
        (linear_model.LinearRegression(), DIABETES.target[:60, None] / 100),
        (linear_model.LinearRegression(), DIABETES.target[:60] / 100),
        (linear_model.MultiTaskLasso(alpha=0.01), DIABETES.target[:60, None] / 100),
        (svm.LinearSVR(), DIABETES.target[:60] / 100),
        (linear_model.RidgeClassifier(), DIABETES.target[:60] > 150),
    ],
)
def test_one_output_has_the_shape_of_the_model(model, target):
    rows = DIABETES.data[:60, :4] * 10
    model.fit(rows, target)
    steps = dict(getattr(model, "named_steps", {}))
    last = list(steps.values())[-1] if steps else model
    kind = next(name for name in ("transform", "decision_function", "predict") if hasattr(last, name))
    expected = getattr(model, kind)(rows[:5])
    found = scores_of(rf.ml.from_sklearn(model), rows[:5])
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() < 1e-3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_network_may_have_layers_of_one_neuron():
    rows, target = DIABETES.data[:40, :3] * 10, DIABETES.target[:40] / 100
    model = neural_network.MLPRegressor(hidden_layer_sizes=(1, 2), activation="identity", max_iter=50, random_state=1)
    model.fit(rows, target)
    network = rf.ml.from_sklearn(model, examples=rows)
    ctx = rf.Context(depth=4, precision=24, magnitude=16, **SMALL)
    keys = ctx.keygen()
    found = network(ctx.encrypt(rows[:4], keys)).decrypt(keys)
    assert found.shape == (4,)
    assert np.abs(found - model.predict(rows[:4])).max() < 1e-2


def test_whitening_of_a_component_without_variance_is_refused():
    rows = RNG.uniform(-1, 1, (20, 3))
    rows[:, 1] = 1.5
    with pytest.raises(Unsupported, match="a component without variance"):
        rf.ml.from_sklearn(decomposition.PCA(whiten=True).fit(rows))
    rf.ml.from_sklearn(decomposition.PCA(n_components=2, whiten=True).fit(rows))


def test_convolutions_of_integers_have_kernels_of_integers():
    ctx = rf.Context("int", depth=2, range=(-9, 9), **SMALL)
    keys = ctx.keygen()
    images, kernel = RNG.integers(-9, 10, (4, 4)), np.array([[1, -2], [3, 4]])
    expected = np.einsum("ijkl,kl->ij", sliding_window_view(images, kernel.shape), kernel)
    x = ctx.encrypt(images, keys)
    assert np.array_equal(rf.ml.conv2d(x, kernel).decrypt(keys), expected)
    with pytest.raises(InvalidArgument, match="float64 do not fit a context of integers"):
        rf.ml.conv2d(x, kernel / 2)
