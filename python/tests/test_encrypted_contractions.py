# SPDX-License-Identifier: Apache-2.0
"""Compares einsum, stacks of matrices, products over axes, linear filters and covariances with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from clear_slots import ClearKeys, clear_array

import ringfort as rf
from ringfort import errors
from ringfort.encrypted.packing.layout import Slots

RNG = np.random.default_rng(13)
A, B, CUBE, V, W = (RNG.uniform(-1, 1, shape) for shape in ((4, 6), (6, 4), (2, 3, 6), (6,), (4,)))
SQUARE = RNG.uniform(-1, 1, (4, 4))
MASKED = np.ma.array([1.0, 2.0, 4.0, 5.0], mask=[0, 1, 0, 0])

EINSUMS = [  # the subscripts, and the names of the operands; a capital letter names a plain operand
    ("ij->ji", "a"),
    ("ii->i", "s"),
    ("ii", "s"),
    ("ij->", "a"),
    ("ij->j", "a"),
    ("kij->ji", "c"),
    ("ij,jk->ik", "a B"),
    ("ij,jk", "A b"),
    ("ij,jk->ki", "a b"),
    ("ji,jk->ik", "b B"),
    ("ij,kj->ik", "a A"),
    ("ij,ij->i", "a a"),
    ("ij,ij->", "a A"),
    ("ij,j->i", "a v"),
    ("ij,j->ij", "a V"),
    ("i,ij->j", "w a"),
    ("i,j->ij", "v W"),
    ("i,j->ji", "v w"),
    ("bij,bkj->bik", "c C"),
    ("bij,bkj->bik", "c c"),
    ("bij,jk->bik", "c B"),
    ("bij,jk->bki", "c B"),
    ("...j,jk->...k", "c B"),
    ("...j->j...", "c"),
    ("ij,jk,kl->il", "a B A"),
    ("ij,jk,k->i", "a B w"),
    ("ij,ij,j->i", "a A v"),
    ("ii,ij->j", "s A"),
    ("ij,jk,k", "A B w"),
]
NAMED = {"a": A, "b": B, "c": CUBE, "v": V, "w": W, "s": SQUARE}

SAME = {
    "tensordot": lambda x: np.tensordot(x["a"], B, 1),
    "tensordot of two axes": lambda x: np.tensordot(x["c"], CUBE, ([0, 2], [0, 2])),
    "tensordot of none": lambda x: np.tensordot(x["v"], W, 0),
    "tensordot of two encrypted": lambda x: np.tensordot(x["a"], x["a"], axes=((1,), (1,))),
    "inner": lambda x: np.inner(x["a"], A),
    "inner of two encrypted": lambda x: np.inner(x["a"], x["a"]),
    "dot with a cube": lambda x: np.dot(x["a"], np.swapaxes(CUBE, 1, 2)),
    "kron": lambda x: np.kron(x["s"], np.array([[1.0, 2.0], [0.5, -1.0]])),
    "kron of a vector": lambda x: np.kron([1.0, -1.0], x["v"]),
    "kron of two encrypted": lambda x: np.kron(x["w"], x["w"]),
    "cube @ plain cube": lambda x: x["c"] @ np.swapaxes(CUBE, 1, 2),
    "table @ plain cube": lambda x: x["a"] @ np.swapaxes(CUBE, 1, 2),
    "vector @ plain cube": lambda x: x["v"] @ np.swapaxes(CUBE, 1, 2),
    "plain cube @ cube": lambda x: np.swapaxes(CUBE, 1, 2) @ x["c"],
    "plain cube @ table": lambda x: CUBE @ x["b"],
    "plain cube @ vector": lambda x: CUBE @ x["v"],
    "cube @ one plain matrix": lambda x: x["c"] @ B[None],
    "cube of cubes @ cube": lambda x: x["c"][None] @ np.swapaxes(CUBE, 1, 2)[:, None],
    "cube @ cube": lambda x: x["c"][:, :, :3] @ x["c"],
    "vector @ cube": lambda x: x["v"][:3] @ x["c"],
    "matrix power": lambda x: np.linalg.matrix_power(x["s"], 2),
    "prod": lambda x: np.prod(x["w"]),
    "prod of a table": lambda x: x["a"].prod(),
    "prod of rows": lambda x: np.prod(x["a"], axis=1, keepdims=True),
    "prod of columns": lambda x: np.prod(x["a"], axis=0),
    "prod over the middle": lambda x: np.prod(x["c"], axis=1),
    "prod over two axes": lambda x: np.prod(x["c"], axis=(0, 1)),
    "prod of one": lambda x: np.prod(x["a"][:1], axis=0),
    "prod after a sum": lambda x: np.prod(x["c"].sum(axis=2), axis=1),
    "cumprod": lambda x: np.cumprod(x["v"]),
    "cumprod of rows": lambda x: np.cumprod(x["a"], axis=1),
    "cumprod of columns": lambda x: x["s"].cumprod(axis=0),
    "multiply.reduce": lambda x: np.multiply.reduce(x["a"]),
    "multiply.accumulate": lambda x: np.multiply.accumulate(x["w"]),
    "convolve": lambda x: np.convolve(x["v"], [1.0, -2.0, 0.5]),
    "convolve same": lambda x: np.convolve([1.0, -2.0, 0.5], x["v"], "same"),
    "convolve valid": lambda x: np.convolve(x["v"], W, mode="valid"),
    "convolve two encrypted": lambda x: np.convolve(x["v"], x["w"]),
    "convolve two encrypted, same": lambda x: np.convolve(x["w"], x["v"], "same"),
    "convolve two encrypted, valid": lambda x: np.convolve(x["v"], x["w"], "valid"),
    "correlate": lambda x: np.correlate(x["v"], W),
    "correlate full": lambda x: np.correlate(x["w"], V, "full"),
    "gradient": lambda x: np.gradient(x["v"], 0.5),
    "gradient of rows": lambda x: np.gradient(x["a"], [0.0, 1.0, 1.5, 2.0, 3.0, 5.0], axis=1, edge_order=2),
    "gradient of columns": lambda x: np.gradient(x["a"], axis=0),
    "gradient of a cube": lambda x: np.stack(np.gradient(x["c"], 0.5, axis=(2, 1))),
    "gradient of square rows": lambda x: np.gradient(x["s"], [0.0, 1.0, 1.5, 2.0], axis=1),
    "cross": lambda x: np.cross(x["c"][0, :, :3], CUBE[1, :, :3]),
    "cov": lambda x: np.cov(x["a"]),
    "cov of columns": lambda x: np.cov(x["c"][0], rowvar=False, bias=True),
    "cov of three": lambda x: np.cov(x["c"][0], ddof=0),
    "cov of a vector": lambda x: np.cov(x["v"]),
}
if hasattr(np, "trapezoid"):  # NumPy 2
    SAME["trapezoid"] = lambda x: np.trapezoid(x["a"], dx=0.5)
    SAME["trapezoid over columns"] = lambda x: np.trapezoid(x["a"], [0.0, 1.0, 1.5, 4.0], axis=0)
    SAME["trapezoid over backward places"] = lambda x: np.trapezoid(x["w"], np.array([4, 3, 2, 0], np.uint8))
    SAME["vecdot"] = lambda x: np.vecdot(x["a"], A)


def operands(names, arrays):
    return [NAMED[name.lower()] if name.isupper() else arrays[name] for name in names.split()]


def cases():
    yield from SAME.items()
    for subscripts, names in EINSUMS:
        yield (
            f"{subscripts} of {names}",
            lambda x, subscripts=subscripts, names=names: np.einsum(subscripts, *operands(names, x)),
        )


CASES = dict(cases())


@pytest.mark.parametrize("slots", [Slots(256), Slots(64, 2), Slots(16)], ids=["one orbit", "two orbits", "small"])
@pytest.mark.parametrize("name", CASES)
def test_products_have_numpys_values_and_shapes(name, slots):
    keys = ClearKeys()
    arrays = {key: clear_array(values, slots, keys) for key, values in NAMED.items()}
    found = CASES[name](arrays)
    expected = CASES[name](NAMED)
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found.decrypt(keys), expected, atol=1e-12)


@pytest.fixture(scope="module", params=["real", "complex"])
def party(request):
    ctx = rf.Context(request.param, depth=6, magnitude=1, n=16384 if request.param == "real" else 0)
    return ctx, ctx.keygen()


ENCRYPTED = [
    *("ij,jk->ki of a b", "bij,bkj->bik of c C", "ij,kj->ik of a A", "tensordot of two axes", "kron"),
    *("cube @ plain cube", "plain cube @ cube", "cube @ cube", "prod of a table", "prod of rows", "prod of columns"),
    *("cumprod of rows", "convolve", "convolve two encrypted", "cov", "cov of columns", "cross"),
]


@pytest.mark.parametrize("name", ENCRYPTED)
def test_products_of_ciphertexts_are_within_their_own_bound(party, name):
    ctx, keys = party
    turn = 1 if ctx.dtype.kind == "f" else np.exp(0.5j)
    values = {key: array * turn for key, array in NAMED.items()}
    with rf.debug(keys):  # compares each result with NumPy's, within its bound
        found = CASES[name]({key: ctx.encrypt(array, keys, magnitude=1) for key, array in values.items()})
    expected = CASES[name](values)
    assert np.abs(found.decrypt(keys) - expected).max() <= 2.0 ** -(found.precision_bits + 1) + 1e-12


LEVELS = {
    "prod of 24 elements": (5, lambda x: x["a"].prod()),
    "prod of rows": (3, lambda x: np.prod(x["a"], axis=1)),
    "cumprod of 6": (4, lambda x: np.cumprod(x["v"])),
    "cov": (3, lambda x: np.cov(x["a"])),
    "stacks": (1, lambda x: x["c"] @ np.swapaxes(CUBE, 1, 2)),
    "convolve": (1, lambda x: np.convolve(x["v"], [1.0, -1.0])),
    "inner of two encrypted": (2, lambda x: np.inner(x["a"], x["a"])),
    "einsum without moves": (1, lambda x: np.einsum("bij,jk->bik", x["c"], B)),
}


@pytest.mark.parametrize("name", LEVELS)
def test_products_take_the_stated_levels(party, name):
    ctx, keys = party
    levels, function = LEVELS[name]
    found = function({key: ctx.encrypt(array, keys, magnitude=1) for key, array in NAMED.items()})
    assert found.depth_left == 6 - levels


def test_products_of_small_values_keep_their_magnitude(party):
    ctx, keys = party
    assert ctx.encrypt(V, keys, magnitude=1).prod().magnitude == pytest.approx(1)


def test_products_of_integers_have_their_range():
    ctx = rf.Context("int", depth=3, range=(-4, 4))
    keys = ctx.keygen()
    x = ctx.encrypt([[2, -3, 4], [1, 1, -4]], keys)
    assert list(np.prod(x, axis=0).decrypt(keys)) == [2, -3, -16]
    assert list(x.prod(axis=1).decrypt(keys)) == [-24, -4]
    assert np.array_equal(np.cumprod(ctx.encrypt([2, -3, 4], keys)).decrypt(keys), [2, -6, -24])
    assert np.array_equal(np.einsum("ij,kj->ik", x, [[1, 0, 2]]).decrypt(keys), [[10], [-7]])
    with pytest.raises(errors.RangeExceeded, match="prod"):
        (x * 1000).prod(axis=1)
    with pytest.raises(errors.Unsupported, match="covariances of integers"):
        np.cov(x)


REFUSED = {
    "subscripts that do not fit": (lambda x: np.einsum("ij,jk->ik", x["a"]), "2 lists"),
    "lengths that differ": (lambda x: np.einsum("ij,ik->jk", x["a"], x["b"]), "lengths 4 and 6"),
    "an index from nowhere": (lambda x: np.einsum("ij->ik", x["a"]), "as numpy.einsum writes"),
    "too few letters": (lambda x: np.einsum("i->i", x["a"]), "each axis"),
    "lists of indices": (lambda x: np.einsum(x["a"], [0, 1]), "as numpy.einsum writes"),
    "axes that do not fit": (lambda x: np.tensordot(x["a"], x["b"], 5), "two lists"),
    "a fraction of axes": (lambda x: np.tensordot(x["a"], B, 1.5), "two lists"),
    "a whole float of axes": (lambda x: np.tensordot(x["a"], B, np.float64(1)), "two lists"),
    "a text of axes": (lambda x: np.tensordot(x["a"], B, "1"), "two lists"),
    "fractions as axes": (lambda x: np.tensordot(x["a"], B, ([1.2], [0.7])), "two lists"),
    "texts as axes": (lambda x: np.tensordot(x["a"], B, (["1"], ["0"])), "two lists"),
    "flags as axes": (lambda x: np.tensordot(x["a"], B, ([True], [False])), "two lists"),
    "a large kron": (lambda x: np.kron(x["a"], np.ones((600, 600))), "elements"),
    "no matrix": (lambda x: np.linalg.matrix_power(x["a"], 2), "square"),
    "a power of zero": (lambda x: np.linalg.matrix_power(x["s"], 0), "1 or more"),
    "a convolution of tables": (lambda x: np.convolve(x["a"], V), "two vectors"),
    "a mode that is none": (lambda x: np.convolve(x["v"], W, "all"), '"full"'),
    "correlation with encrypted": (lambda x: np.correlate(V, x["w"]), "convolve"),
    "an axis of cov": (lambda x: np.cov(x["c"]), "a vector or a matrix"),
    "too few values": (lambda x: np.cov(x["a"], ddof=6), "more values"),
    "bias as None": (lambda x: np.cov(x["a"], bias=None), "True or False"),
    "gradient of one place": (lambda x: np.gradient(x["v"][:1], np.array([0.5]), edge_order=2), "numpy's function"),
    "encrypted places": (lambda x: np.gradient(x["v"], x["v"]), "plain distances"),
    "places for two axes": (lambda x: np.gradient(x["s"], W), "one array for each axis"),
    "no axis": (lambda x: np.gradient(x["a"], axis=()), "one for each axis"),
    "masked places": (lambda x: np.gradient(x["w"], MASKED), "a distance as numbers"),
    "a masked distance": (lambda x: np.gradient(x["w"], np.ma.array(2.0, mask=True)), "a distance as numbers"),
    "complex distances": (lambda x: np.gradient(x["w"], 1j), "a distance as numbers"),
    "a product that does not fit": (lambda x: x["c"] @ np.ones((3, 6, 2)), "broadcast"),
}


if hasattr(np, "trapezoid"):  # NumPy 2
    REFUSED |= {
        "distances along another axis": (lambda x: np.trapezoid(x["a"], dx=[1.0, 2.0, 3.0], axis=0), "one number"),
        "distances of a column": (
            lambda x: np.trapezoid(x["w"].reshape(4, 1), dx=[1.0, 2.0, 3.0], axis=0),
            "one number",
        ),
        "too many distances": (lambda x: np.trapezoid(x["w"], dx=np.ones(7)), "one number"),
        "a masked dx": (lambda x: np.trapezoid(x["w"], dx=np.ma.array(2.0, mask=True)), "dx as numbers"),
        "an infinite dx": (lambda x: np.trapezoid(x["w"], dx=np.inf), "dx has values"),
        "masked places of an integral": (lambda x: np.trapezoid(x["w"], MASKED), "x as numbers"),
        "complex places": (lambda x: np.trapezoid(x["w"], x=W * 1j), "x as numbers"),
        "places of text": (lambda x: np.trapezoid(x["w"], x=["a", "b", "c", "d"]), "x as numbers"),
        "vecdot of other lengths": (lambda x: np.vecdot(x["a"], np.ones((4, 1))), "the same length"),
        "vecdot of a number": (lambda x: np.vecdot(x["v"], 1.0), "the same length"),
    }


@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (-1, 0), (0, -1), (1, -2), (-1, -2)])
@pytest.mark.parametrize("spacing", [(), (0.5,), (1.0, 2.0), (0.5, "places")])
def test_gradients_have_the_order_of_their_axes(axes, spacing):
    x = clear_array(A, Slots(256), keys := ClearKeys())
    positions = np.arange(A.shape[axes[1]]) ** 1.5
    given = [positions if distance == "places" else distance for distance in spacing]
    found, expected = np.gradient(x, *given, axis=axes), np.gradient(A, *given, axis=axes)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.decrypt(keys), other, atol=1e-12)


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_arguments_are_refused_with_advice(name):
    keys = ClearKeys()
    attempt, told = REFUSED[name]
    with pytest.raises(errors.Error, match=told):
        attempt({key: clear_array(values, Slots(256), keys) for key, values in NAMED.items()})
