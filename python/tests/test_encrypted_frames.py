# SPDX-License-Identifier: Apache-2.0
"""Tests the encryption of DataFrames, the decryption to DataFrames, and the operations that keep the names of
columns."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors

NAMES = ("age", "income", "visits")
VALUES = np.random.default_rng(4).uniform(0, 2, (6, 3))


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


class DeferringFrame(Frame):
    """Has an operator as in pandas: it returns NotImplemented if the other operand has a higher priority."""

    __pandas_priority__ = 4000

    def __add__(self, other):
        if getattr(other, "__pandas_priority__", 0) > self.__pandas_priority__:
            return NotImplemented
        raise ValueError("Unable to coerce list")


@pytest.fixture(scope="module")
def party():
    ctx = rf.Context(depth=3, magnitude=2)
    return ctx, ctx.keygen()


@pytest.fixture
def x(party):
    ctx, keys = party
    return ctx.encrypt(Frame(VALUES, NAMES), keys)


KEPT = {
    "number": (lambda x: 2 * x + 1, NAMES),
    "row": (lambda x: x - VALUES.mean(axis=0), NAMES),
    "array of the same names": (lambda x: x * x, NAMES),
    "power": (lambda x: x**2, NAMES),
    "choice": (lambda x: np.where(VALUES > 1, x, 0), NAMES),
    "sum": (lambda x: x.sum(axis=0), NAMES),
    "mean": (lambda x: np.mean(x, 0, keepdims=True), NAMES),
    "variance": (lambda x: np.var(x, axis=0), NAMES),
    "running sum": (lambda x: x.cumsum(axis=0), NAMES),
    "rows": (lambda x: x[1:4], NAMES),
    "mask of rows": (lambda x: x[VALUES[:, 0] > 1], NAMES),
    "one row": (lambda x: x[2], NAMES),
    "columns": (lambda x: x[["visits", "age"]], ("visits", "age")),
    "columns by number": (lambda x: x[:, 1:], NAMES[1:]),
    "columns in reverse": (lambda x: np.flip(x, axis=1), NAMES[::-1]),
    "repeated rows": (lambda x: np.repeat(x, 2, axis=0), NAMES),
    "joined rows": (lambda x: np.concatenate([x, VALUES, x[:2]]), NAMES),
    "parts": (lambda x: np.split(x, 2)[1], NAMES),
    "plain matrix": (lambda x: np.ones((2, 6)) @ x, NAMES),
    "differences of rows": (lambda x: np.diff(x, axis=0), NAMES),
    "second differences of rows": (lambda x: np.diff(x, 2, 0), NAMES),
    "groups of rows": (lambda x: rf.group_by(x, [0, 1, 0, 1, 1, 0]).mean(), NAMES),
    "promise": (lambda x: x.assume(magnitude=2), NAMES),
    "device": (lambda x: x.to("ref").cpu(), NAMES),
    "same keys": (lambda x: x.with_keys(x._session.keys), NAMES),
    "compressed rows": (lambda x: x.compress(VALUES[:, 0] > 1, axis=0), NAMES),
    "compressed columns": (lambda x: x.compress([True, False, True], axis=1), NAMES[::2]),
    "appended rows": (lambda x: np.append(x, VALUES, axis=0), NAMES),
    "appended elements": (lambda x: np.append(x, VALUES), None),
    "inserted rows": (lambda x: np.insert(x, 1, 0.0, axis=0), NAMES),
    "inserted columns": (lambda x: np.insert(x, 1, 0.0, axis=1), None),
    "rows around": (lambda x: np.pad(x, ((1, 2), (0, 0))), NAMES),
    "a row and a column around": (lambda x: np.pad(x, 1), None),
    "rows of each column": (lambda x: np.take_along_axis(x, np.array([[0, 1, 2]]), axis=0), NAMES),
    "slopes along columns": (lambda x: np.gradient(x, axis=0), NAMES),
    "slopes along rows": (lambda x: np.gradient(x, axis=1), None),
    "triangle": (lambda x: np.triu(x), NAMES),
    "powers": (lambda x: np.polyval([1, 2], x), NAMES),
    "polynomial": (lambda x: rf.polynomial(x, np.polynomial.Polynomial([1, 2])), NAMES),
    "function of the library": (lambda x: rf.exp(x, domain=(-2, 2), error=0.5), NAMES),
    "function of two": (lambda x: rf.compare(x, x, domain=(-4, 4), error=0.9, gap=3.9), NAMES),
    "function of two tables": (lambda x: rf.compare(x.assume(magnitude=2), x, (-4, 4), 0.9, 3.9), NAMES),
    "column": (lambda x: x["income"], None),
    "sum of rows": (lambda x: x.sum(axis=1), None),
    "sum of all": (lambda x: x.sum(), None),
    "running sum of rows": (lambda x: np.cumsum(x, axis=1), None),
    "matrix": (lambda x: x @ np.ones((3, 3)), None),
    "transposed": (lambda x: x.T, None),
    "other shape": (lambda x: x.reshape(9, 2), None),
    "moved to the next place": (lambda x: np.roll(x, 1), ("visits", "age", "income")),
    "columns exchanged in one row": (lambda x: np.eye(3)[::-1] @ x[0], None),
    "sums of columns of one row": (lambda x: np.ones((2, 3)) @ x.mean(axis=0), None),
    "second differences of columns": (lambda x: np.diff(x, 2), None),
    "differences of columns in stacks": (lambda x: np.diff(x.reshape(2, 3, 3), 1), None),
    "groups of columns": (lambda x: rf.group_by(x[0], [0, 1, 2]).sum(), None),
    "joined columns": (lambda x: np.concatenate([x, x], axis=1), None),
    "other names": (lambda x: x + x[["visits", "age", "income"]], None),
    "all elements": (lambda x: x[:, :1] * np.ones(3), None),
    "rows of elements without names": (lambda x: np.concatenate([x[:3], x[:3].T]), None),
    "appended elements without names": (lambda x: np.append(x, x[:3].T, axis=0), None),
    "a stack with elements without names": (lambda x: np.stack([x[:3], x[:3].T]), None),
    "an inserted row without names": (lambda x: np.insert(x, 1, x[:3, 0], axis=0), None),
    "a choice of elements without names": (lambda x: np.where(VALUES > 1, x, x[:, :1] * np.ones(3)), None),
    "a sum with elements without names": (lambda x: x[:3] + x[:3].T, NAMES),
}


@pytest.mark.parametrize("name", KEPT)
def test_names_stay_where_every_element_keeps_its_column(x, name):
    function, expected = KEPT[name]
    assert function(x).columns == expected
    assert x.columns == NAMES


def test_columns_are_chosen_by_name(party, x):
    _, keys = party
    for key, number in (("age", 0), ("visits", 2), (["visits", "age"], [2, 0])):
        found = x[key]
        assert found.shape == VALUES[:, number].shape
        assert np.abs(found.decrypt(keys) - VALUES[:, number]).max() <= 2.0 ** -(found.precision_bits + 1)
    with pytest.raises(errors.InvalidArgument, match=r"no column 'weight'.*age, income, visits"):
        x["weight"]
    with pytest.raises(errors.InvalidArgument, match="no names of columns"):
        x.T["age"]


def test_names_are_shown_but_neither_saved_nor_pickled(party, x, tmp_path):
    assert "columns=age, income, visits" in repr(x)
    assert "visits" in x._repr_html_()
    rf.save(tmp_path / "x.rfc", x=x)
    assert rf.load(tmp_path / "x.rfc", x._session.keys.context, keys=x._session.keys)["x"].columns is None
    assert pickle.loads(pickle.dumps(x)).columns is None


def test_frames_without_usable_names_give_arrays_without_names(party):
    ctx, keys = party
    for columns in ((0, 1, 2), ("a", "a", "b")):
        assert ctx.encrypt(Frame(VALUES, columns), keys).columns is None
    texts = Frame(np.array([["a", 1.0], ["b", 2.0]], dtype=object), ["town", "age"])
    with pytest.raises(errors.InvalidArgument, match="column 'town' has values that are not numbers"):
        ctx.encrypt(texts, keys)


def test_arrays_of_objects_that_are_numbers_are_encrypted(party):
    """A table of pandas with columns of several dtypes is such an array."""
    ctx, keys = party
    mixed = np.array([[True, 0.5, 1], [False, np.float32(0.25), np.int64(2)]], dtype=object)
    x = ctx.encrypt(Frame(mixed, NAMES), keys)
    assert x.columns == NAMES
    for found in (x, ctx.encrypt(mixed, keys), ctx.encrypt(np.zeros((2, 3)), keys) + mixed):
        assert np.abs(found.decrypt(keys) - mixed.astype(float)).max() < 1e-4
    for value in (None, "1.5", 1j):
        with pytest.raises(errors.InvalidArgument, match=r"missing values|complex"):
            ctx.encrypt(np.array([1.5, value], dtype=object), keys)
    exact = rf.Context("int", depth=1, modular=True)
    owner = exact.keygen(rotations=[])
    counts = np.array([True, np.int64(-3), 7], dtype=object)
    np.testing.assert_array_equal(exact.encrypt(counts, owner).decrypt(owner), [1, -3, 7])
    with pytest.raises(errors.InvalidArgument, match="dtype float64 do not fit a context of integers"):
        exact.encrypt(mixed, owner)


def test_frames_of_pandas_with_several_dtypes_are_encrypted(party):
    pandas = pytest.importorskip("pandas")
    ctx, keys = party
    frame = pandas.DataFrame({"age": [0.5, 1.5], "member": [True, False], "visits": [1, 2]})
    for table in (frame, frame.convert_dtypes()):
        x = ctx.encrypt(table, keys)
        assert x.columns == ("age", "member", "visits")
        assert np.abs(x.decrypt(keys) - frame.astype(float).to_numpy()).max() < 1e-4
    missing = frame.convert_dtypes()
    missing.loc[0, "visits"] = pandas.NA
    with pytest.raises(errors.InvalidArgument, match=r"column 'visits' has values that.*missing values"):
        ctx.encrypt(missing, keys)


def test_a_frame_without_pandas_is_refused_with_advice(party, x, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(errors.Unsupported, match="pip install pandas"):
        x.decrypt_frame(party[1])


def test_an_operator_that_defers_as_pandas_does_gives_an_encrypted_array(party, x):
    found = DeferringFrame(VALUES, NAMES) + x
    assert found.columns == NAMES
    assert np.abs(found.decrypt(party[1]) - 2 * VALUES).max() < 1e-4


def test_a_frame_of_pandas_may_be_the_left_operand(party):
    pandas = pytest.importorskip("pandas")
    ctx, keys = party
    frame = pandas.DataFrame(VALUES, columns=NAMES)
    x, v = ctx.encrypt(frame, keys), ctx.encrypt(VALUES[:, 0], keys)
    for found, wanted in (
        (frame + x, 2 * VALUES),
        (frame - 2 * x, -VALUES),
        (frame * x, VALUES**2),
        (frame["age"] + v, 2 * VALUES[:, 0]),
        (frame["age"] * v, VALUES[:, 0] ** 2),
    ):
        assert isinstance(found, rf.EncryptedArray)
        assert np.abs(found.decrypt(keys) - wanted).max() < 1e-4
    assert (frame + x).columns == NAMES
    for refused in (lambda: frame < x, lambda: frame @ x.T):
        with pytest.raises(rf.Error):
            refused()


def test_pandas_frames_go_in_and_come_out(party):
    pandas = pytest.importorskip("pandas")
    ctx, keys = party
    frame = pandas.DataFrame(VALUES, columns=NAMES).assign(count=[1, 2, 1, 0, 1, 2])
    x = ctx.encrypt(frame, keys)
    assert x.columns == (*NAMES, "count")
    found = (x[x.columns.index("age") :: 2] * 2).decrypt_frame(keys)
    pandas.testing.assert_frame_equal(found, (2 * frame[::2]).reset_index(drop=True).astype(float), atol=1e-4)
    means = (x - frame.mean()).mean(axis=0).decrypt_frame(keys)
    assert list(means.index) == list(frame.columns)
    assert np.abs(means).max() < 1e-4
    assert x["income"].decrypt_frame(keys).shape == (6,)
    with pytest.raises(errors.InvalidArgument, match="no table"):
        x.reshape(2, 3, 4).decrypt_frame(keys)


class Series:
    """Has the members of a Series that operations read."""

    def __init__(self, values, index):
        self.values, self.index = np.asarray(values, float), list(index)

    def to_numpy(self):
        return self.values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)


def test_plain_tables_with_their_columns_in_another_order_are_refused(x, party):
    _, keys = party
    reversed_names = NAMES[::-1]
    for other in (Frame(VALUES[:, ::-1], reversed_names), Series([3, 2, 1], reversed_names)):
        for operation in (np.add, np.subtract, np.multiply):
            with pytest.raises(errors.InvalidArgument, match="another order"):
                operation(x, other)
        with pytest.raises(errors.InvalidArgument, match="another order"):
            np.where(VALUES > 1, x, other)
        with pytest.raises(errors.InvalidArgument, match="another order"):
            x += other
    for other in (
        Frame(VALUES, NAMES),
        Series([1, 2, 3], NAMES),
        Frame(VALUES, ("a", "b", "c")),
        Frame(VALUES, (0, 1, 2)),
    ):
        assert np.allclose((x + other).decrypt(keys), VALUES + np.asarray(other), atol=1e-4)


WRONG_ROW, WRONG_TABLE = Series([3, 2, 1], NAMES[::-1]), Frame(VALUES[:, ::-1], NAMES[::-1])
IN_ANOTHER_ORDER = {
    "a keyword": lambda x: np.average(x, axis=1, weights=WRONG_ROW),
    "a keyword of a product": lambda x: np.dot(x, b=WRONG_ROW),
    "a keyword of a sum over axes": lambda x: np.tensordot(x, b=WRONG_ROW, axes=1),
    "values to append": lambda x: np.append(x, values=WRONG_TABLE, axis=0),
    "values to insert": lambda x: np.insert(x, 0, values=WRONG_ROW, axis=0),
    "a list": lambda x: np.concatenate([x, WRONG_TABLE]),
    "a list by keyword": lambda x: np.concatenate(arrays=(x, WRONG_TABLE)),
    "lists in a list": lambda x: np.block([[x], [WRONG_TABLE]]),
    "a list of rows": lambda x: x * [WRONG_ROW] * 6,
    "a condition": lambda x: np.where(Frame(VALUES > 1, NAMES[::-1]), x, 0),
    "a mask of columns": lambda x: x[:, Series([True, False, True], NAMES[::-1])],
    "the larger of two": lambda x: rf.maximum(x, WRONG_TABLE, domain=(-4, 4), error=0.5),
    "the smaller of two": lambda x: rf.minimum(x, y=WRONG_TABLE, domain=(-4, 4), error=0.5),
    "a comparison": lambda x: rf.compare(x, WRONG_TABLE, domain=(-4, 4)),
    "a comparison the other way": lambda x: rf.compare(WRONG_TABLE, x, domain=(-4, 4)),
}


@pytest.mark.parametrize("name", IN_ANOTHER_ORDER)
def test_columns_in_another_order_are_refused_wherever_they_are(x, name):
    with pytest.raises(errors.InvalidArgument, match="another order"):
        IN_ANOTHER_ORDER[name](x)


class Rows(Frame):
    """A frame with names of rows."""

    def __init__(self, values, columns, index):
        super().__init__(values, columns)
        self.index = list(index)


def test_factors_with_their_rows_in_another_order_are_refused(x):
    weights = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    swapped, same = (Rows(weights, ["one", "two"], names) for names in (NAMES[::-1], NAMES))
    by_row = Rows(weights.T, NAMES[::-1], ["one", "two"])
    for product in (
        lambda w: x @ w,
        lambda w: np.dot(x, w),
        lambda w: np.tensordot(x, w, 1),
        lambda w: np.einsum("ij,jk->ik", x, w),
        lambda w: x.mean(axis=0) @ w,
        lambda w: np.matmul(x, w),
    ):
        with pytest.raises(errors.InvalidArgument, match="in another order"):
            product(swapped)
        assert product(same).shape[-1] == 2
    with pytest.raises(errors.InvalidArgument, match="in another order"):
        np.inner(x, by_row)
    numbered = Rows(VALUES, NAMES, range(6))
    assert (x + numbered).columns == NAMES
