# SPDX-License-Identifier: Apache-2.0
"""Compares functions that are composed of other operations (verbs/composed.py) with NumPy's functions. Also tests the
advice about functions that encrypted arrays do not have.
"""

import inspect
import operator
import tracemalloc

import numpy as np
import pytest
from clear_slots import ClearKeys, clear_array

import ringfort as rf
from ringfort import errors
from ringfort.encrypted.packing.layout import Slots
from ringfort.encrypted.verbs import operands
from ringfort.errors import InvalidArgument, Unsupported

RNG = np.random.default_rng(8)
TABLE, ROW, MASK = RNG.uniform(-2, 2, (4, 5)), RNG.uniform(-2, 2, 5), RNG.random((4, 5)) > 0.5
INTEGERS = RNG.integers(-9, 9, (3, 4))

FUNCTIONS = {
    "variance": (2, lambda x, v: np.var(x)),
    "variance of columns": (2, lambda x, v: x.var(axis=0)),
    "variance of rows": (2, lambda x, v: np.var(x, axis=1, ddof=1, keepdims=True)),
    "outer product": (2, lambda x, v: np.outer(v, v)),
    "outer product with a plain vector": (1, lambda x, v: np.outer([1, 2, 3.0], v)),
    "inner product": (1, lambda x, v: np.inner(v, v)),
    "inner product with a plain vector": (1, lambda x, v: np.inner(x, ROW)),
    "inner product of a plain table": (1, lambda x, v: np.inner(TABLE, v)),
    "product of all elements with themselves": (1, lambda x, v: np.vdot(x, x)),
    "average": (1, lambda x, v: np.average(x)),
    "weighted average of rows": (1, lambda x, v: np.average(x, axis=1, weights=np.arange(5) + 1.0)),
    "weighted average of all": (1, lambda x, v: np.average(x, weights=np.abs(TABLE))),
    "choice of a number": (1, lambda x, v: np.where(MASK, x, 0)),
    "choice of the other": (1, lambda x, v: np.where(MASK, 1.0, x)),
    "choice of two": (1, lambda x, v: np.where(MASK, x, v)),
    "differences": (1, lambda x, v: np.diff(x)),
    "second differences of columns": (2, lambda x, v: np.diff(x, n=2, axis=0)),
    "sums so far of rows": (1, lambda x, v: np.cumsum(x, axis=1)),
    "sums so far of columns": (1, lambda x, v: x.cumsum(axis=0)),
    "trace": (1, lambda x, v: np.trace(x)),
    "polynomial": (3, lambda x, v: np.polyval([0, 0.5, -1, 0, 0, 0.5], v)),
    "constant polynomial": (0, lambda x, v: np.polyval([3], v)),
    "zero polynomial": (0, lambda x, v: np.polyval([0, 0], v)),
    "sums so far of a vector": (1, lambda x, v: np.cumsum(v)),
}


@pytest.fixture(scope="module", params=["real", "complex"])
def party(request):
    ctx = rf.Context(request.param, depth=3, magnitude=4)
    keys = ctx.keygen()
    turn = 1j if request.param == "complex" else 1
    return ctx, keys, TABLE * turn + TABLE[::-1], ROW * turn


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_agree_with_numpy_and_take_the_stated_levels(party, name):
    ctx, keys, table, row = party
    levels, function = FUNCTIONS[name]
    found = function(ctx.encrypt(table, keys), ctx.encrypt(row, keys))
    expected = function(table, row)
    assert found.shape == np.shape(expected)
    assert found.depth_left == 3 - levels
    assert np.max(np.abs(found.decrypt(keys) - expected)) <= 2.0 ** -(found.precision_bits + 1)


def test_debug_mode_checks_composed_functions(party):
    ctx, keys, table, row = party
    with rf.debug(keys):
        x, v = ctx.encrypt(table, keys), ctx.encrypt(row, keys)
        for _, function in FUNCTIONS.values():
            function(x, v)


def test_integers_support_the_functions_whose_results_are_integers():
    ctx = rf.Context("int", depth=1, modular=True)
    keys = ctx.keygen()
    x = ctx.encrypt(INTEGERS, keys)
    for function in (
        lambda x: np.cumsum(x, axis=1),
        lambda x: np.diff(x),
        lambda x: np.where(INTEGERS > 0, x, 7),
        lambda x: np.vdot(x, INTEGERS),
    ):
        assert np.array_equal(function(x).decrypt(keys), function(INTEGERS))
    for refused in (np.var, lambda x: np.average(x, weights=INTEGERS)):
        with pytest.raises(errors.Unsupported, match="decrypt"):
            refused(x)


@pytest.mark.parametrize(
    ("attempt", "told"),
    [
        (lambda x: np.var(x, ddof=20), "smaller ddof"),
        (lambda x: np.average(x, weights=[1, 2]), "one weight for each"),
        (lambda x: np.average(x, axis=1, weights=[1, -1, 1, -1, 0]), "zero"),
        (lambda x: np.where(x, 1, 2), "plain mask"),
        (lambda x: np.diff(x, n=5), r"n in 0 \.\. 4"),
        (lambda x: np.cumsum(x.reshape(2, 2, 5), axis=0), "last two"),
        (lambda x: np.linalg.norm(x, ord=1), "leave ord out"),
        (lambda x: np.linalg.norm(x, ord="nuc"), "leave ord out"),
        (lambda x: np.linalg.inv(x), "divides by encrypted"),
        (lambda x: np.corrcoef(x), r"inverse_sqrt.* numpy\.cov"),
        (lambda x: np.pad(x, 1, mode="mean"), "modes constant"),
        (lambda x: np.pad(x, 1, mode="reflect", reflect_type="odd"), "modes constant"),
        (lambda x: np.pad(x, 5000), "elements"),
        (lambda x: np.diag(x.reshape(2, 2, 5)), "a vector or a matrix"),
        (lambda x: np.triu(x[0]), "a matrix"),
        (lambda x: np.insert(x, x, 1), "plain indices"),
        (lambda x: np.full_like(x, x), "plain value"),
        (lambda x: np.split(x, 3), r"numpy\.split"),
        (lambda x: x.astype(int), "one dtype"),
        (lambda x: round(x), "decrypt first"),
        (lambda x: np.unravel_index(x, (2, 3)), "or decrypt first"),
        (lambda x: np.polyval(x, 2), "products with powers"),
        *([(lambda x: np.linalg.matmul(x, x), "use a @ b")] if hasattr(np.linalg, "matmul") else []),  # since NumPy 2
        (lambda x: np.select([[True]], [x]), r"use numpy\.where"),
        (lambda x: x.sum().sum(axis=0), "leave it out: the array is one number"),
        (lambda x: np.polyval([[1, 2], [3, 4]], x), r"have the shape \(2, 2\); give one list"),
        (lambda x: np.trace(x[0]), "one matrix"),
        (lambda x: np.max(x), "larger"),
        (lambda x: x > 1, r"ringfort.compare\(x, y\)"),
        (lambda x: np.sin(x), "ringfort.polynomial"),
        (lambda x: operator.iadd(np.ones((4, 5)), x), "A = A"),
        (lambda x: x * np.matrix(np.ones((4, 5))), "asarray"),
        (lambda x: np.ones(4).dot(x), "array first"),
        (lambda x: np.array([x, x]), "array first"),
    ],
)
def test_unsupported_functions_are_refused_with_an_alternative(party, attempt, told):
    ctx, keys, _, _ = party
    with pytest.raises((errors.InvalidArgument, errors.Unsupported), match=told):
        attempt(ctx.encrypt(TABLE, keys))


def test_missing_attributes_of_numpys_arrays_say_what_to_do(party):
    ctx, keys, _, _ = party
    x = ctx.encrypt([1.0, 2.0], keys)
    for name, told in {"max": "larger", "tolist": "decrypt", "fill": "make a new one"}.items():
        with pytest.raises(AttributeError, match=told):
            getattr(x, name)
    with pytest.raises(AttributeError, match="no attribute 'foo'"):
        _ = x.foo
    assert x.copy() is x


def test_integers_get_no_advice_to_use_polynomials():
    ctx = rf.Context("int", depth=0, modular=True)
    with pytest.raises(errors.Unsupported) as caught:
        np.exp(ctx.encrypt([1, 2], ctx.keygen(rotations=[])))
    assert "polynomial" not in caught.value.fix
    assert "sigmoid" not in caught.value.fix


def test_whole_numbers_of_any_size_multiply_real_numbers():
    ctx = rf.Context(depth=1, magnitude=1)
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([0.5, 0.25], keys)
    huge = np.array([3, 2**64 // 2**62], dtype=object)
    assert np.allclose((x * huge).decrypt(keys), [1.5, 1.0], atol=1e-4)
    with pytest.raises(errors.InvalidArgument, match="largest double"):
        x * 10**400
    with pytest.raises(errors.Error) as caught:
        x * 2**64
    assert "plain_modulus" not in str(caught.value)


DEFAULT = inspect.signature(np.sum).parameters["keepdims"].default
SAME = {  # arguments in NumPy's order
    "diff as often as a NumPy integer": lambda x: np.diff(x, np.int64(2)),
    "sum": lambda x: np.sum(x, 1, None, None, True),
    "mean": lambda x: x - np.mean(x, 1, None, None, True),
    "method sum": lambda x: x.sum(1, None, None, True),
    "method mean": lambda x: x - x.mean(1, None, None, True),
    "method var": lambda x: x.var(0, None, None, 1, True),
    "var": lambda x: np.var(x, 0, None, None, 1, True),
    "keepdims is 1": lambda x: np.sum(x, 0, keepdims=1),
    "keepdims is the default": lambda x: np.sum(x, 0, keepdims=DEFAULT),
    "average": lambda x: np.average(x, 1, [1, 2, 3, 4]),
    "trace": lambda x: np.trace(x, 0, 0, 1),
    "trace above": lambda x: np.trace(x, 1),
    "cumsum": lambda x: np.cumsum(x, 1, None),
    "Fortran's order": lambda x: np.reshape(x, (2, 8), "F"),
    "order by name": lambda x: np.ravel(x.T, order="F"),
    "C's order": lambda x: np.ravel(x.T, "C"),
    "options that are left out": lambda x: np.sum(x, 0, dtype=None, out=None),
    "options of an operator that are left out": lambda x: np.add(x, 1, dtype=None),
}
OTHER = {
    "a positional dtype of sum": lambda x: np.sum(x, 1, float),
    "a positional dtype of mean": lambda x: x - np.mean(x, 1, np.float64),
    "a positional dtype of a method": lambda x: x.mean(1, np.float64),
    "out": lambda x: np.sum(x, 0, out=np.zeros(4)),
    "where": lambda x: np.sum(x, 0, where=np.eye(4, dtype=bool)),
    "initial": lambda x: np.sum(x, 0, initial=3),
    "axes of a trace": lambda x: np.trace(x, 1, 1, 0),
    "returned": lambda x: np.average(x, 1, [1, 2, 3, 4], True),
    "an axis that is not there, with weights": lambda x: np.average(x, 7, np.ones((4, 4))),
    "prepend": lambda x: np.diff(x, 1, 1, 0),
    "no mask": lambda x: np.sum(x, 0, where=None),
    "no mask of a mean": lambda x: x - np.mean(x, where=None),
    "no mask of a reduction": lambda x: np.add.reduce(x, where=None),
    "no mask of an operator": lambda x: np.add(x, 1, where=None),
    "no casting": lambda x: np.multiply(x, x, casting=None),
    "nothing before differences": lambda x: np.diff(x, prepend=None),
    "no axis of a trace": lambda x: np.trace(x, axis1=None),
    "encrypted repetitions": lambda x: np.tile(np.arange(3), x),
    "encrypted repetitions of itself": lambda x: np.tile(x, x),
    "encrypted places": lambda x: np.delete(np.arange(3), x),
    "encrypted places of itself": lambda x: np.delete(x, x),
    "encrypted places as an option": lambda x: np.take(x, indices=x),
    "encrypted weights": lambda x: np.average(np.ones((4, 4)), weights=x),
    "memory order of a shape": lambda x: np.reshape(x.T, -1, order="A"),
    "positional memory order": lambda x: np.reshape(x.T, (2, 8), "A"),
    "memory order of a ravel": lambda x: np.ravel(x.T, "K"),
    "memory order by name": lambda x: np.ravel(x, order="a"),
    "keepdims is text": lambda x: np.sum(x, 0, keepdims="no"),
    "keepdims is a list": lambda x: x.var(0, keepdims=[]),
    "ddof is text": lambda x: x.var(0, ddof="1"),
    "diff along two axes": lambda x: np.diff(x, axis=(0, 1)),
    "cumsum along a tuple": lambda x: np.cumsum(x, axis=(0,)),
}


@pytest.mark.parametrize("name", SAME)
def test_arguments_have_the_order_of_numpys_functions(name):
    values = np.arange(16.0).reshape(4, 4) / 4
    keys = ClearKeys()
    result = SAME[name](clear_array(values, Slots(64), keys))
    np.testing.assert_allclose(result.decrypt(keys), SAME[name](values), atol=1e-9)


@pytest.mark.parametrize("name", OTHER)
def test_options_that_no_verb_has_are_refused(name):
    x = clear_array(np.arange(16.0).reshape(4, 4) / 4, Slots(64), ClearKeys())
    with pytest.raises((InvalidArgument, Unsupported)):
        OTHER[name](x)


def test_sums_so_far_of_many_elements_are_refused_before_they_take_memory():
    ctx = rf.Context(depth=1, n=8192)
    x = ctx.encrypt(np.zeros(4096), ctx.keygen(rotations=[]))
    tracemalloc.start()
    with pytest.raises(errors.Unsupported, match="an axis of 4096 elements, but the limit is 2048"):
        np.cumsum(x)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_more_axes_than_numpy_supports_are_refused():
    ctx = rf.Context(depth=1, n=64, insecure="a small ring, for tests")
    x = ctx.encrypt([1.0, 2.0], ctx.keygen(rotations=[])).reshape((1,) * 31 + (2,))
    with pytest.raises(errors.InvalidArgument, match="at most 32"):
        x + np.ones((2, *x.shape))


def test_debug_computes_float_powers_of_integers():
    ctx = rf.Context("int", depth=1, range=(-5, 5))
    keys = ctx.keygen(rotations=[])
    with rf.debug(keys):
        x = ctx.encrypt([2, -3], keys)
        assert list(np.float_power(x, 2).decrypt(keys)) == [4, 9]


@pytest.mark.parametrize(
    ("operation", "elements"),
    [
        (lambda x: x + np.ones((4096, 1)), 1 << 24),
        (lambda x: x.reshape(-1, 1) - x, 1 << 24),
        (lambda x: np.outer(x, np.ones(300)), 300 << 12),
        (lambda x: x.reshape(-1, 1) @ x.reshape(1, -1), 1 << 24),
        (lambda x: np.where(np.ones((4096, 1), bool), x, 0), 1 << 24),
    ],
    ids=["sum", "difference", "outer product", "matrix product", "selection"],
)
def test_results_that_are_much_larger_than_their_operands_are_refused(operation, elements):
    ctx = rf.Context(depth=1, n=8192)
    x = ctx.encrypt(np.zeros(4096), ctx.keygen(rotations=[]))
    tracemalloc.start()
    with pytest.raises(errors.Unsupported, match=f"would have {elements:,} elements"):
        operation(x)
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()


def test_the_stated_limit_of_a_result_grows_with_its_operands():
    operands.require_sensible("the result", 4 << 19, 1 << 19, 5)
    with pytest.raises(errors.Unsupported, match="would have 2,097,153 elements, but the limit is 2,097,152"):
        operands.require_sensible("the result", (4 << 19) + 1, 1 << 19, 5)
