# SPDX-License-Identifier: Apache-2.0
"""Compares functions that move, cut, pad and join arrays with those of NumPy, on slots in the clear and encrypted."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from clear_slots import ClearKeys, clear_array

import ringfort as rf
from ringfort import errors
from ringfort.encrypted.packing.layout import Layout, Slots
from ringfort.encrypted.packing.ways import Move, sampled_cost
from ringfort.encrypted.verbs.operands import numpys

RNG = np.random.default_rng(12)
TABLE, CUBE, ROW = RNG.uniform(-2, 2, (4, 6)), RNG.uniform(-2, 2, (2, 3, 4)), RNG.uniform(-2, 2, 6)

SAME = {
    "append": lambda x, c, v: np.append(x, v),
    "append rows": lambda x, c, v: np.append(x, TABLE, axis=0),
    "append to plain": lambda x, c, v: np.append(ROW, v),
    "insert": lambda x, c, v: np.insert(v, 2, 0.5),
    "insert many": lambda x, c, v: np.insert(v, [0, 3, 3], [7.0, 8.0, 9.0]),
    "insert column": lambda x, c, v: np.insert(x, 1, v[:4], axis=1),
    "insert into plain": lambda x, c, v: np.insert(TABLE, 0, v, axis=0),
    "block": lambda x, c, v: np.block([[x, TABLE], [np.zeros((4, 6)), x]]),
    "block of one list": lambda x, c, v: np.block([v, np.ones(2), v]),
    "dstack": lambda x, c, v: np.dstack([x, x]),
    "pad": lambda x, c, v: np.pad(x, 1),
    "pad with constants": lambda x, c, v: np.pad(x, ((1, 0), (0, 2)), constant_values=((3, 0), (0, -1))),
    "pad a cube": lambda x, c, v: np.pad(c, ((0, 0), (1, 1), (2, 0)), mode="constant"),
    "pad edge": lambda x, c, v: np.pad(v, (2, 1), mode="edge"),
    "pad reflect": lambda x, c, v: np.pad(x, 1, mode="reflect"),
    "pad wrap": lambda x, c, v: np.pad(x, (0, 3), "wrap"),
    "split": lambda x, c, v: np.split(x, 2),
    "split at": lambda x, c, v: np.split(v, [1, 4]),
    "array_split": lambda x, c, v: np.array_split(x, 4, axis=1),
    "hsplit": lambda x, c, v: np.hsplit(x, 3),
    "vsplit": lambda x, c, v: np.vsplit(x, [1, 2]),
    "dsplit": lambda x, c, v: np.dsplit(c, 2),
    "diag of a vector": lambda x, c, v: np.diag(v, -2),
    "diag of a matrix": lambda x, c, v: np.diag(x, 1),
    "diagflat": lambda x, c, v: np.diagflat(x[:2, :2]),
    "triu": lambda x, c, v: np.triu(x, 1),
    "tril of a cube": lambda x, c, v: np.tril(c),
    "trace": lambda x, c, v: np.trace(x, -1),
    "atleast_1d": lambda x, c, v: np.atleast_1d(v.sum()),
    "atleast_2d": lambda x, c, v: np.atleast_2d(v),
    "atleast_3d": lambda x, c, v: np.atleast_3d(x),
    "atleast of several": lambda x, c, v: np.atleast_2d(x, v),
    "rollaxis": lambda x, c, v: np.rollaxis(c, 2),
    "resize": lambda x, c, v: np.resize(v, (2, 5)),
    "take_along_axis": lambda x, c, v: np.take_along_axis(x, np.array([[0, 5], [1, 1], [2, 0], [3, 4]]), axis=1),
    "sliding_window_view": lambda x, c, v: np.lib.stride_tricks.sliding_window_view(v, 3),
    "ediff1d": lambda x, c, v: np.ediff1d(x),
    "nansum": lambda x, c, v: np.nansum(x, axis=0),
    "nanmean": lambda x, c, v: np.nanmean(x),
    "nancumsum": lambda x, c, v: np.nancumsum(v),
    "add.reduce": lambda x, c, v: np.add.reduce(x, axis=1),
    "add.accumulate": lambda x, c, v: np.add.accumulate(x),
    "multiply.outer": lambda x, c, v: np.multiply.outer(v, v[:2]),
    "multiply.outer with a table": lambda x, c, v: np.multiply.outer(v[:2], TABLE),
    "add.outer": lambda x, c, v: np.add.outer(v, [1.0, 2.0]),
    "subtract.outer": lambda x, c, v: np.subtract.outer([1.0, 2.0], v),
    "x.squeeze()": lambda x, c, v: x[:, None].squeeze(),
    "x.squeeze() of no axis": lambda x, c, v: x.squeeze(),
    "x.squeeze(1)": lambda x, c, v: x[None, :, None].squeeze(2),
    "x.swapaxes()": lambda x, c, v: c.swapaxes(0, 1),
    "x.take()": lambda x, c, v: x.take([3, 0], axis=1),
    "x.compress()": lambda x, c, v: x.compress([True, False, True], axis=0),
    "x.repeat()": lambda x, c, v: v.repeat(2),
    "x.diagonal()": lambda x, c, v: x.diagonal(1),
    "x.trace()": lambda x, c, v: x.trace(),
    "x.ravel('F')": lambda x, c, v: x.ravel("F"),
    "x.astype()": lambda x, c, v: x.astype(float),
    "x.T": lambda x, c, v: x.T,
    "matrix_transpose": lambda x, c, v: np.swapaxes(c, -1, -2),
}


def each_part(found, expected):
    """Yields pairs of an encrypted array and the array of NumPy with the same values."""
    if isinstance(expected, (list, tuple)):
        assert isinstance(found, (list, tuple))
        assert len(found) == len(expected)
        yield from zip(found, expected, strict=True)
    else:
        yield found, expected


@pytest.mark.parametrize("slots", [Slots(64), Slots(32, 2), Slots(16)], ids=["one orbit", "two orbits", "small"])
@pytest.mark.parametrize("name", SAME)
def test_functions_have_numpys_values_and_shapes(name, slots):
    keys = ClearKeys()
    arrays = [clear_array(values, slots, keys) for values in (TABLE, CUBE, ROW)]
    for found, expected in each_part(SAME[name](*arrays), SAME[name](TABLE, CUBE, ROW)):
        assert found.shape == np.shape(expected)
        np.testing.assert_allclose(found.decrypt(keys), expected, atol=1e-12)


@pytest.fixture(scope="module")
def party():
    ctx = rf.Context(depth=3, magnitude=2)
    return ctx, ctx.keygen()


@pytest.mark.parametrize("name", [name for name in SAME if name not in ("x.T", "nancumsum")])
def test_functions_compute_on_ciphertexts_within_their_own_bound(party, name):
    ctx, keys = party
    with rf.debug(keys):  # compares each result with NumPy's, within its bound
        found = SAME[name](*(ctx.encrypt(values, keys) for values in (TABLE, CUBE, ROW)))
    for array, expected in each_part(found, SAME[name](TABLE, CUBE, ROW)):
        bound = 2.0 ** -(array.precision_bits + 1) + 1e-12
        assert np.abs(array.decrypt(keys) - expected).max() <= bound


def test_a_constant_beside_elements_does_not_raise_their_magnitude(party):
    ctx, keys = party
    x = ctx.encrypt([0.5, -0.5], keys, magnitude=1)
    assert np.pad(x, 1, constant_values=1).magnitude == 1
    assert np.append(x, 1.5).magnitude == 1.5
    assert np.concatenate([x, x]).magnitude == 1


def test_a_constant_beside_elements_of_a_file_adds_to_their_magnitude(party, tmp_path):
    ctx, keys = party
    rf.save(tmp_path / "x.rfc", x=ctx.encrypt([0.5, -0.5], keys, magnitude=1))
    x = rf.load(tmp_path / "x.rfc", ctx, keys=keys.public)["x"]
    padded = np.pad(x, (0, 1), constant_values=1)  # no mask clears the slot of the constant, so magnitudes add up
    assert padded.magnitude == 2
    assert np.abs(padded.decrypt(keys) - [0.5, -0.5, 1]).max() < 1e-5


def test_padded_integers_have_a_range_that_holds_zero_and_the_constants():
    ctx = rf.Context("int", depth=1, range=(3, 9))
    keys = ctx.keygen()
    x = ctx.encrypt([3, 9], keys)
    assert list(np.pad(x, 1).decrypt(keys)) == [0, 3, 9, 0]
    assert list(np.append(x, [20]).decrypt(keys)) == [3, 9, 20]
    assert np.append(x, [20])._interval == (3, 20)
    assert np.array_equal(np.diag(x).decrypt(keys), np.diag([3, 9]))


def test_no_encrypted_value_is_nan_or_infinite(party):
    ctx, keys = party
    x = ctx.encrypt(TABLE, keys)
    for function in (np.isnan, np.isinf, np.isfinite, np.isrealobj, np.iscomplexobj):
        assert np.array_equal(function(x), function(TABLE))


def test_constants_like_an_encrypted_array_are_plain(party):
    ctx, keys = party
    x = ctx.encrypt(TABLE, keys)
    for function in (np.zeros_like, np.ones_like, lambda a: np.full_like(a, 2.5), lambda a: np.ones_like(a, dtype=int)):
        found = function(x)
        assert type(found) is np.ndarray
        assert np.array_equal(found, function(TABLE))
        assert found.dtype == function(TABLE).dtype
        found[0] = 1  # the array is writable
    assert np.abs((x + np.ones_like(x)).decrypt(keys) - TABLE - 1).max() < 1e-5


METHODS = sorted(
    name
    for name in set(dir(np.ndarray)) & set(dir(np))
    if not name.startswith("_") and callable(getattr(np.ndarray, name)) and name != "std"  # std needs magnitudes
)


@pytest.mark.parametrize("name", METHODS)
def test_a_function_that_needs_no_argument_is_a_method_too(name):
    x = clear_array(TABLE, Slots(16))
    try:
        expected = getattr(np, name)(x)
    except (TypeError, errors.Error):
        pytest.skip("refused, or needs arguments")
    assert getattr(x, name)().shape == expected.shape


def test_scattered_moves_are_refused_by_a_sample(party, monkeypatch):
    ctx, keys = party
    x = ctx.encrypt(np.zeros((256, 512)), keys)
    monkeypatch.setattr("ringfort.encrypted.packing.ways.Move.ways", None)  # this property would count all moves
    for scattered in (
        lambda: np.take(x, RNG.integers(0, x.size, 1 << 18)),
        lambda: x.reshape(-1)[RNG.permutation(x.size)],
        lambda: x.T + 0,
    ):
        with pytest.raises(errors.Unsupported, match="would take at least"):
            scattered()


@pytest.mark.parametrize("slots", [Slots(64), Slots(32, 2)])
def test_a_sample_of_moves_costs_at_most_all_of_them(slots):
    for shape, other in (((5, 7), (35,)), ((3, 4, 5), (12, 5)), ((100,), (10, 10))):
        source, target = Layout.of_shape(shape, slots), Layout.of_shape(other, slots)
        element = RNG.integers(-1, source.size, target.size)
        whole = Move(source, target, element).cost
        assert sampled_cost(source, target, element, np.arange(target.size)) == whole
        assert sampled_cost(source, target, element, np.arange(0, target.size, 3)) <= whole


def test_many_parts_are_refused_before_any_work(party):
    ctx, keys = party
    x = ctx.encrypt(TABLE, keys)
    with pytest.raises(errors.Unsupported, match="moves"):
        np.stack([x] * 3000)


@pytest.mark.parametrize("error", [AttributeError, IndexError, OverflowError, TypeError, ValueError, ZeroDivisionError])
def test_errors_of_numpys_functions_have_a_code(error):
    def function(numbers):
        raise error("of NumPy")

    with pytest.raises(errors.InvalidArgument, match="of NumPy"):
        numpys("numpy.f", function, np.arange(3))


def test_a_missing_argument_is_asked_for(party):
    ctx, keys = party
    x = ctx.encrypt(TABLE, keys)
    with pytest.raises(errors.Unsupported, match=r"numpy\.where.*missing.*give all arguments"):
        np.where(x)
    with pytest.raises(errors.Unsupported, match=r"numpy\.sum does not take where.*leave the other options out"):
        np.sum(x, where=TABLE > 0)


ADVICE = {
    "an encrypted index": (lambda x: x[x[0], 0], r"encrypted index.*indicator @ x"),
    "nanmax": (lambda x: np.nanmax(x), "larger of encrypted values"),
    "nanargmax": (lambda x: np.nanargmax(x), r"ringfort\.argmax"),
    "nanmedian": (lambda x: np.nanmedian(x), "larger of encrypted values"),
    "digitize": (lambda x: np.digitize(x, [1]), "indicator of each bin"),
    "fft": (lambda x: np.fft.fft(x), r"use x @ numpy\.fft\.fft\(numpy\.eye"),
    "~": (lambda x: ~x, "1 - x"),
    "logical_not": (lambda x: np.logical_not(x), "1 - x"),
    "degrees": (lambda x: np.degrees(x), r"180 / numpy\.pi"),
    "lstsq": (lambda x: np.linalg.lstsq(x, x), "normal equations"),
    "a name like no other": (lambda x: np.roots(x[0]), "write it with operators"),
    "a name in another module": (lambda x: np.linalg.trace(x), r"that do: numpy\.trace$"),
    "a ufunc of a user": (lambda x: np.frompyfunc(abs, 1, 1)(x), "^abs"),
}


@pytest.mark.parametrize("name", ADVICE)
def test_what_does_not_work_gets_advice_that_fits(name):
    work, told = ADVICE[name]
    with pytest.raises(errors.Unsupported, match=told) as caught:
        work(clear_array(TABLE, Slots(64), ClearKeys()))
    assert "similar" not in caught.value.fix or name == "a name in another module"


def test_advice_for_numpys_log_is_an_argument_that_it_takes(party):
    ctx, keys = party
    with pytest.raises(errors.InvalidArgument, match=r"x\.assume\(low=0\.5\)$"):
        np.log(ctx.encrypt(TABLE, keys))


@pytest.mark.parametrize(
    "work",
    [
        lambda x: np.array_split(x, 10**9),
        lambda x: np.split(x, 10**9, axis=1),
        lambda x: np.ones_like(x, shape=(10**7, 10**7)),
        lambda x: np.full_like(x, 2, shape=10**13),
    ],
)
def test_huge_arguments_are_refused_before_they_take_memory(party, work):
    ctx, keys = party
    x = ctx.encrypt(TABLE, keys)
    tracemalloc.start()
    try:
        with pytest.raises((errors.InvalidArgument, errors.Unsupported)):
            work(x)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("function", [np.split, np.array_split, np.hsplit, np.vsplit])
def test_a_number_of_parts_that_is_not_positive_is_refused(party, function):
    ctx, keys = party
    for sections in (0, -1, np.int8(0)):
        with pytest.raises(errors.InvalidArgument, match=r"as the number of parts; give 1 \.\. "):
            function(ctx.encrypt(TABLE, keys), sections)


def test_triangles_beyond_the_matrix(party):
    ctx, keys = party
    x = ctx.encrypt(TABLE, keys)
    for k in (10**30, -(10**30)):
        assert np.allclose(np.tril(x, k).decrypt(keys), TABLE if k > 0 else 0 * TABLE, atol=1e-5)
