# SPDX-License-Identifier: Apache-2.0
"""Tests logistic regression on encrypted records. Compares weights, scores and probabilities with computations in the
clear."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from sklearn import datasets, linear_model
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ringfort as rf
from ringfort.errors import DepthExhausted, InvalidArgument
from ringfort.logreg import LogisticRegression, Plan, Records, Scaling, Sigmoid

SMALL = {"n": 2048, "insecure": "a test"}


def steps_in_the_clear(plan: Plan, rows: np.ndarray, y: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """Computes in doubles the weights at which ringfort.logreg.model takes gradients, and the final weights."""
    odd = sum(c * np.polynomial.Polynomial([0, 1]) ** (2 * i + 1) for i, c in enumerate(plan.sigmoid.odd_coefficients))
    weights = before = np.zeros(rows.shape[1])
    points = []
    for step in plan.steps:
        points.append(weights + step.momentum * (weights - before))
        gradient = (y - 0.5 - odd(rows @ points[-1])) @ rows
        before, weights = weights, points[-1] + plan.step_rate / plan.samples * gradient
    return points, weights


def clear_weights(plan: Plan, rows: np.ndarray, y: np.ndarray) -> np.ndarray:
    return steps_in_the_clear(plan, rows, y)[1]


def sums_of(plan: Plan, rows: np.ndarray, y: np.ndarray) -> list[tuple[float, float]]:
    """Returns two numbers for each gradient: the largest margin (the absolute value of a row times the weights), and
    the largest sum of ``width`` successive slots. The sum may begin at any slot.
    """
    found = []
    for w in steps_in_the_clear(plan, rows, y)[0]:
        wide = np.pad(rows * w, ((0, 0), (0, plan.width - rows.shape[1]))).ravel()
        sums = np.convolve(np.concatenate([wide, wide]), np.ones(plan.width))
        found.append((np.abs(rows @ w).max(), np.abs(sums[plan.width : -plan.width]).max()))
    return found


def records(samples: int, features: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    y = np.arange(samples) % 2
    return rng.normal(size=(samples, features)) + 1.5 * y[:, None], y


def bound(model: LogisticRegression) -> float:
    return model.plan.unit * 2.0**-model.weights.precision_bits


def trained(samples: int, features: int, context: dict[str, object], **options: object) -> tuple[object, ...]:
    x, y = records(samples, features)
    rows = Scaling.of(x).rows(x)
    plan = Plan(Records.of(rows, y), **options)
    ctx = plan.context(**context)
    keys = plan.keygen(ctx)
    model = LogisticRegression(plan).fit(*plan.encrypt(ctx, rows, y, keys.public))
    return plan, ctx, keys, rows, y, model


@pytest.mark.parametrize("degree", [3, 5, 7])
@pytest.mark.parametrize("iterations", [1, 2, 3])
def test_weights_are_within_their_bound_of_the_steps_in_the_clear(degree, iterations):
    plan, _, keys, rows, y, model = trained(24, 3, SMALL, iterations=iterations, sigmoid=Sigmoid(degree))
    found = plan.decrypt_weights(model.weights, keys)
    expected = clear_weights(plan, rows, y)
    assert np.abs(found - expected).max() <= bound(model) < np.abs(expected).max() / 4
    assert np.linalg.norm(expected) <= plan.steps[-1].norm * (1 + 1e-9)


def test_scores_and_probabilities_are_those_of_the_weights():
    for result in ("scores", "probabilities"):
        plan, ctx, keys, rows, y, model = trained(16, 2, SMALL, result=result, sigmoid=Sigmoid(7, 8.0))
        fresh = plan.encrypt_rows(ctx, rows[:5], keys.public)
        margins = rows[:5] @ clear_weights(plan, rows, y)
        if result == "scores":
            found, expected = model.decision_function(fresh), margins / plan.score_unit
        else:
            found, expected = model.predict_proba(fresh)[:, 0], 1 / (1 + np.exp(-margins))
        error = 2.0**-found.precision_bits + (plan.sigmoid.error if result == "probabilities" else 0)
        assert np.abs(found.decrypt(keys)[:5] - expected).max() <= error < 0.1


@pytest.mark.parametrize(("features", "trusted"), [(32, True), (300, True), (30, False)])
def test_scores_of_many_features_fit_the_lowest_level(features, trusted):
    x, y = records(64, features)
    rows = Scaling.of(x).rows(x)
    plan = Plan(Records(64, features), result="scores")
    ctx = plan.context(**SMALL)
    keys = plan.keygen(ctx)
    of_x, of_y = plan.encrypt(ctx, rows, y, keys.public)
    given = rf.loads(rf.dumps(x=of_x, y=of_y), ctx, keys=keys.public, trust_bound=trusted)
    model = LogisticRegression(plan).fit(given["x"], given["y"])
    found = model.decision_function(plan.encrypt_rows(ctx, rows[:3], keys.public))
    expected = rows[:3] @ clear_weights(plan, rows, y) / plan.score_unit
    assert np.abs(found.decrypt(keys)[:3] - expected).max() <= 2.0**-found.precision_bits < 2.0**-10


@pytest.mark.parametrize("iterations", [2, 3, 5])
def test_no_margin_leaves_its_bound(iterations):
    x, y = records(60, 4)
    rows = Scaling.of(x).rows(x)
    for given in (Records.of(rows, y), Records(60, 4)):
        plan = Plan(given, iterations=iterations)
        for (margin, window), step in zip(sums_of(plan, rows, y), plan.steps, strict=True):
            assert margin <= step.margin * (1 + 1e-9) <= plan.sigmoid.interval * (1 + 1e-6)
            assert window <= step.window * (1 + 1e-9)


@pytest.mark.parametrize("device", ["emu:0,checks=off", "pim", "rpu"])
def test_other_devices_compute_the_same_ciphertexts(device):
    short = {"primes": {"bits": 30, "form": "c*2^16+1"}} if device == "pim" else {}
    x, y = records(6, 1)
    rows = Scaling.of(x).rows(x)
    plan = Plan(Records.of(rows, y), sigmoid=Sigmoid(3))
    ctx = plan.context(**{**SMALL, "n": 1024, **short})
    keys = plan.keygen(ctx)
    ex, ey = plan.encrypt(ctx, rows, y, keys.public)
    on_cpu = LogisticRegression(plan).fit(ex, ey).weights
    elsewhere = LogisticRegression(plan).fit(ex.to(device), ey.to(device)).weights
    assert elsewhere.device == device
    assert np.array_equal(on_cpu.decrypt_raw(keys), elsewhere.decrypt_raw(keys))


@pytest.mark.parametrize(("samples", "features"), [(2, 1), (3, 7), (600, 1), (40, 300)])
def test_few_and_many_records_keep_their_bounds(samples, features):
    plan, _, keys, rows, y, model = trained(samples, features, SMALL)
    expected = clear_weights(plan, rows, y)
    assert np.abs(plan.decrypt_weights(model.weights, keys) - expected).max() <= bound(model) < np.abs(expected).max()


def test_real_records_are_classified_as_in_the_clear():
    """Uses scikit-learn's records of tumours: 569 records of 30 features. 455 records are for training, and 114 for
    tests."""
    data = datasets.load_breast_cancer()
    train, test = folds(data)[0]
    scaling = Scaling.of(data.data[train])
    rows, y = scaling.rows(data.data[train]), data.target[train]
    plan = Plan(Records.of(rows, y))
    ctx = plan.context()
    assert not ctx.insecure
    keys = plan.keygen(ctx)
    model = LogisticRegression(plan).fit(*plan.encrypt(ctx, rows, y, keys.public))
    found, expected = plan.decrypt_weights(model.weights, keys), clear_weights(plan, rows, y)
    assert np.abs(found - expected).max() <= bound(model) < 1e-3
    fresh = scaling.rows(data.data[test])
    assert np.array_equal(fresh @ found > 0, fresh @ expected > 0)


def test_two_steps_classify_as_well_as_the_regression_of_another_library():
    """Compares mean accuracies over four partitions into five folds, because the accuracies of two partitions differ by
    about one percentage point."""
    data = datasets.load_breast_cancer()
    ours, theirs = [], []
    for train, test in folds(data):
        scaling = Scaling.of(data.data[train])
        rows, y = scaling.rows(data.data[train]), data.target[train]
        weights = clear_weights(Plan(Records.of(rows, y)), rows, y)
        ours.append(((scaling.rows(data.data[test]) @ weights > 0) == (data.target[test] == 1)).mean())
        known = make_pipeline(StandardScaler(), linear_model.LogisticRegression(max_iter=1000))
        theirs.append(known.fit(data.data[train], y).score(data.data[test], data.target[test]))
    assert np.mean(ours) >= np.mean(theirs) - 0.005


@pytest.mark.parametrize("seed", range(10))
def test_no_model_of_records_that_tell_little_is_worse_than_none(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(200, 5))
    y = (rng.random(200) < 1 / (1 + np.exp(-0.2 * x[:, 0]))).astype(float)
    rows = Scaling.of(x).rows(x)
    margins = rows @ clear_weights(Plan(Records.of(rows, y)), rows, y) * (2 * y - 1)
    assert np.logaddexp(0, -margins).mean() < np.log(2) + 0.01


PROGRAM = str(Path(__file__).resolve().parents[2] / "apps" / "logreg" / "train.py")


@pytest.mark.parametrize(("argument", "code", "said"), [("--help", 0, "usage:"), ("abacus", 2, "no device 'abacus'")])
def test_the_program_checks_its_argument_first(capsys, monkeypatch, argument, code, said):
    monkeypatch.setattr("sys.argv", [PROGRAM, argument])
    with pytest.raises(SystemExit) as left:
        runpy.run_path(PROGRAM, run_name="__main__")
    assert left.value.code == code
    assert said in "".join(capsys.readouterr())


def test_the_program_trains_on_the_records(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", [PROGRAM, "cpu"])
    runpy.run_path(PROGRAM, run_name="__main__")
    printed = capsys.readouterr().out
    accuracies = [float(word) for word in re.findall(r"^accuracy.* (\d\.\d+)$", printed, re.MULTILINE)]
    assert len(accuracies) == 2
    assert accuracies[0] >= accuracies[1] - 0.005


def folds(data: object) -> list[tuple[np.ndarray, np.ndarray]]:
    orders = [np.random.default_rng(seed).permutation(len(data.target)) for seed in range(4)]
    return [(np.setdiff1d(order, order[k::5]), order[k::5]) for order in orders for k in range(5)]


@pytest.mark.parametrize("degree", [3, 5, 7])
def test_polynomials_are_the_best_of_their_degree_in_the_mean(degree):
    sigmoid = Sigmoid(degree, 8.0)
    s = np.linspace(-8, 8, 4001)
    powers = np.stack([s**k for k in range(1, degree + 1, 2)], axis=1)
    fitted = np.linalg.lstsq(powers, 1 / (1 + np.exp(-s)) - 0.5, rcond=None)[0]
    assert np.abs(fitted - sigmoid.odd_coefficients).max() < 2e-3
    distance = np.abs(powers @ sigmoid.odd_coefficients + 0.5 - 1 / (1 + np.exp(-s))).max()
    assert distance == pytest.approx(sigmoid.error, rel=1e-2)


@pytest.mark.parametrize("value", [0.1, 1e3, -3e-200])
def test_a_constant_column_has_no_influence(value):
    """The rounded mean of equal numbers may differ from these numbers. Scaling must not take this difference for a
    standard deviation."""
    x = np.column_stack([np.arange(20.0), np.full(20, value)])
    rows = Scaling.of(x).rows(np.column_stack([x[:, 0], np.full(20, value * (1 + 1e-12))]))
    assert np.abs(rows - Scaling.of(x).rows(x)).max() < 1e-3


def test_records_beyond_the_range_of_doubles_are_refused():
    with pytest.raises(InvalidArgument, match="exceed the range of doubles"):
        Scaling.of([[1e300, 1], [-1e300, 2]])


def test_rows_have_norm_at_most_one():
    x, _ = records(50, 7)
    x[3] *= 1e6
    rows = Scaling.of(x).rows(x)
    assert rows.shape == (50, 8)
    assert np.linalg.norm(rows, axis=1).max() <= 1 + 1e-12
    assert np.abs(rows).max() <= 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samples": 0}, "samples is 0"),
        ({"features": 1 << 15}, "features is 32768"),
        ({"length": 0.6}, "length is 0.6"),
        ({"reach": -1.0}, "reach is -1"),
        ({"spread": 1.1}, "spread is 1.1"),
    ],
)
def test_facts_that_no_records_have_are_refused(options, message):
    with pytest.raises(InvalidArgument, match=message):
        Records(**{"samples": 10, "features": 2, **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"iterations": 65}, "iterations is 65"),
        ({"result": "loss"}, "result is 'loss'"),
        ({"rate": 1000.0}, "margins might leave the interval"),
        ({"records": 7}, "records is"),
        ({"sigmoid": 7}, "sigmoid is"),
    ],
)
def test_plans_that_cannot_be_kept_are_refused(options, message):
    with pytest.raises(InvalidArgument, match=message):
        Plan(**{"records": Records(10, 2), **options})


def test_other_arrays_and_contexts_are_refused():
    plan, ctx, keys, rows, y, model = trained(8, 2, SMALL)
    with pytest.raises(InvalidArgument, match="call fit"):
        _ = LogisticRegression(plan).weights
    with pytest.raises(InvalidArgument, match="as many as the plan has samples: 8"):
        plan.encrypt(ctx, rows[:7], y[:7], keys.public)
    with pytest.raises(InvalidArgument, match="labels other than 0 and 1"):
        plan.encrypt(ctx, rows, y + 1, keys.public)
    with pytest.raises(InvalidArgument, match="norm above 1"):
        plan.encrypt_rows(ctx, 3 * rows, keys.public)
    with pytest.raises(DepthExhausted, match="scores"):
        model.decision_function(plan.encrypt_rows(ctx, rows, keys.public))
    with pytest.raises(InvalidArgument, match="need depth"):
        plan.keygen(rf.Context(depth=1, **SMALL))
    with pytest.raises(InvalidArgument, match="of this plan"):
        plan.decrypt_weights(plan.encrypt_rows(ctx, rows, keys.public), keys)


class Table:
    """Has the members of a DataFrame that scaling reads."""

    def __init__(self, values, columns):
        self.values, self.columns = values, columns

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)


def test_records_with_larger_facts_than_those_of_the_plan_are_refused():
    table, labels = np.random.default_rng(5).normal(size=(32, 3)), np.arange(32) % 2
    scaling = Scaling.of(table)
    plan = Plan(Records.of(scaling.rows(table), labels))
    context = plan.context(n=1024, insecure="a test")
    keys = plan.keygen(context)
    plan.encrypt(context, scaling.rows(table), labels, keys)
    with pytest.raises(InvalidArgument, match=r"a larger (length|reach|window|spread) than"):
        plan.encrypt(context, scaling.rows(table + 2), np.ones(32), keys)


def test_records_with_columns_in_another_order_are_refused():
    table = np.random.default_rng(5).normal(size=(8, 2))
    scaling = Scaling.of(Table(table, ["age", "dose"]))
    assert np.array_equal(scaling.rows(Table(table, ["age", "dose"])), scaling.rows(table))
    with pytest.raises(InvalidArgument, match="in this order: age, dose"):
        scaling.rows(Table(table[:, ::-1], ["dose", "age"]))
