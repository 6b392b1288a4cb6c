# SPDX-License-Identifier: Apache-2.0
"""Tests that masked values are refused. They may be inside every type that NumPy converts, such as other sequences and
objects with ``__array__``."""

from collections import deque

import numpy as np
import pytest

import ringfort as rf
from ringfort.ml.linear import Affine, Clusters, Linear
from ringfort.ml.network import Network
from ringfort.statistics import Study, encrypt, keygen

TINY = {"n": 64, "insecure": "a test"}


class Converted:
    """An object that NumPy converts to the array in it. Libraries that read files return such objects."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        if isinstance(self.array, Exception):
            raise self.array
        return self.array


class Indexed:
    """An object without a base class that NumPy treats as a sequence."""

    def __init__(self, *items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, at):
        return self.items[at]


@pytest.mark.parametrize("kind", ["a deque", "a sequence", "an object", "objects in a list", "a deque of objects"])
def test_masked_values_behind_other_types_are_refused(kind):
    keys = keygen(Study({"a": (0, 99)}, "means", uploads=4, records=3), **TINY)
    context = rf.Context("int", depth=1, range=(-99, 99), **TINY)
    own = context.keygen()
    x, transform = context.encrypt([1, 1, 1], own), rf.ring.Ntt(4, 17)

    def wrapped(array):
        each = [array[at : at + 1].reshape(()) for at in range(array.size)]
        return {
            "a deque": lambda: deque(each),
            "a sequence": lambda: Indexed(*each),
            "an object": lambda: Converted(array),
            "objects in a list": lambda: [Converted(array)],
            "a deque of objects": lambda: deque([Converted(array)]),
        }[kind]()

    masked, four = wrapped(np.ma.array([30, 40, 99], mask=[0, 1, 0])), np.arange(4, dtype=np.uint64)
    for work in (
        lambda: encrypt({"a": masked}, keys),
        lambda: context.encrypt(masked, own),
        lambda: x + masked,
        lambda: np.where(masked, x, x),
        lambda: transform.forward(wrapped(np.ma.array(four, mask=[0, 1, 0, 0]))),
    ):
        with pytest.raises(rf.InvalidArgument, match="masked values"):
            work()
    plain = wrapped(np.ma.array([30, 40, 99]))  # nothing is masked
    if np.ndim(plain) == 1:  # NumPy makes a table of one row from a list of one object
        encrypt({"a": plain}, keys)
    assert context.encrypt(plain, own).decrypt(own).reshape(-1).tolist() == [30, 40, 99]
    assert transform.forward(wrapped(np.ma.array(four))).reshape(-1).tolist() == transform.forward(four).tolist()


@pytest.mark.parametrize("error", [ValueError("no"), TypeError("no"), np.ma.MaskError("no")])
def test_objects_that_cannot_be_converted_are_refused(error):
    keys = keygen(Study({"a": (0, 99)}, "means", uploads=4, records=3), **TINY)
    with pytest.raises(rf.InvalidArgument, match="Converted"):
        encrypt({"a": Converted(error)}, keys)


def test_masked_labels_of_a_training_are_refused():
    rows = rf.logreg.Scaling.of(table := np.arange(12.0).reshape(6, 2) % 5).rows(table)
    labels = np.ma.array([0, 1, 0, 1, 1, 0], mask=[0, 0, 1, 0, 0, 0])
    for given in (labels, labels[:, None], list(labels), Indexed(*labels)):
        with pytest.raises(rf.InvalidArgument, match="y is"):
            rf.logreg.Records.of(rows, given)
    plan = rf.logreg.Plan(rf.logreg.Records.of(rows, labels.filled(0)))
    context = plan.context(**TINY)
    with pytest.raises(rf.InvalidArgument, match="y is"):
        plan.encrypt(context, rows, labels, plan.keygen(context))


CHOICES = {
    "compress": lambda x, masked: x.compress(masked),
    "an index": lambda x, masked: x[masked],
    "an index of booleans": lambda x, masked: x[masked.astype(bool)],
    "an index among others": lambda x, masked: x[masked, ...],
    "take": lambda x, masked: np.take(x, masked),
    "repeat": lambda x, masked: np.repeat(x, masked),
    "delete": lambda x, masked: np.delete(x, masked),
    "the end of a slice": lambda x, masked: x[: masked[1:2].reshape(())],
    "widths": lambda x, masked: np.pad(x, masked[:2]),
    "widths of axes": lambda x, masked: np.pad(x, {0: masked[:2]}),
    "places": lambda x, masked: np.insert(x, masked, 5),
    "a constant": lambda x, masked: np.full_like(x, masked),
}


@pytest.mark.parametrize("name", CHOICES)
def test_masked_places_and_conditions_are_refused(name):
    context = rf.Context("int", depth=1, range=(0, 9), **TINY)
    x, masked = context.encrypt([1, 2, 3], context.keygen()), np.ma.array([1, 0, 1], mask=[0, 1, 0])
    with pytest.raises(rf.InvalidArgument, match="masked values"):
        CHOICES[name](x, masked)


def test_masked_coefficients_and_scores_are_refused():
    context, masked = rf.Context(depth=2, **TINY), np.ma.array([1.0, -2.0, 3.0], mask=[0, 1, 0])
    series = np.polynomial.Polynomial([1.0, 2.0])
    series.coef = masked  # the constructor of NumPy itself removes the mask of coefficients
    with pytest.raises(rf.InvalidArgument, match="masked values"):
        rf.polynomial(context.encrypt([0.5], context.keygen()), series)
    weights, classes = Affine(np.ones((2, 3)), np.zeros(3)), np.array(["a", "b", "c"])
    for model in (Linear(weights, classes), Clusters(weights), Network((), classes, 0.1)):
        assert model.labels([masked.data]).shape == (1,)
        for scores in (masked[None], [masked], Indexed(masked)):
            with pytest.raises(rf.InvalidArgument, match="scores is"):
                model.labels(scores)
