# SPDX-License-Identifier: Apache-2.0
"""Tests concatenated and stacked arrays. Compares them with NumPy, both on slots in the clear and encrypted."""

from __future__ import annotations

import numpy as np
import pytest
from clear_slots import ClearKeys, clear_array

import ringfort as rf
from ringfort.encrypted.packing.layout import Slots
from ringfort.errors import InvalidArgument, ParametersMismatch

RNG = np.random.default_rng(5)
A, B, ROW = RNG.random((6, 5)), RNG.random((4, 5)), RNG.random(5)

TWO = {
    "concatenate": lambda x, y: np.concatenate([x, y]),
    "concatenate with plain": lambda x, y: np.concatenate((B, x, y, A)),
    "concatenate columns": lambda x, y: np.concatenate([x[:4], y], axis=1),
    "vstack": lambda x, y: np.vstack([x[0], y]),
    "stack": lambda x, y: np.stack([x[:4], y], axis=2),
    "hstack": lambda x, y: np.hstack([x[:4], y, B]),
    "column_stack": lambda x, y: np.column_stack([x[:4, 0], y]),
    "taken, deleted, turned": lambda x, y: np.vstack([np.take(x, [4, 0, 1, 2, 2], axis=1), np.delete(y, 2, axis=0)]),
    "turned": lambda x, y: np.hstack([np.rot90(x[:5]), np.flipud(np.fliplr(np.tile(y, (2, 1))[:5]))]),
}


@pytest.mark.parametrize("slots", [Slots(64), Slots(32, 2), Slots(16)], ids=["one orbit", "two orbits", "small"])
@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_arrays_agree_with_numpy(name, slots):
    keys = ClearKeys()
    result = TWO[name](clear_array(A, slots, keys), clear_array(B, slots, keys))
    np.testing.assert_allclose(result.decrypt(keys), TWO[name](A, B), atol=1e-12)


def test_debug_mode_checks_concatenated_arrays():
    ctx = rf.Context(depth=1)
    keys = ctx.keygen()
    with rf.debug(keys):
        x, y = ctx.encrypt(A, keys), ctx.encrypt(B, keys)
        both = np.concatenate([x, B, y])
        assert both._clear is not None
    np.testing.assert_allclose(both.decrypt(keys), np.concatenate([A, B, B]), atol=1e-6)


@pytest.mark.filterwarnings("error")
def test_complex_arrays_are_joined_with_plain_arrays():
    ctx = rf.Context("complex", depth=1)
    keys = ctx.keygen()
    x = ctx.encrypt(A * 1j, keys)
    np.testing.assert_allclose(np.concatenate([x, B + 1j]).decrypt(keys), np.concatenate([A * 1j, B + 1j]), atol=1e-6)


def test_joined_integers_have_the_wider_range():
    ctx = rf.Context("int", depth=1, range=(-9, 9))
    keys = ctx.keygen()
    x, y = ctx.encrypt([1, 2, 3], keys), ctx.encrypt([4, 5], keys) * 2
    both = np.concatenate([x, y, [100]])
    assert both._interval == (-18, 100)
    assert list(both.decrypt(keys)) == [1, 2, 3, 8, 10, 100]
    assert list(np.where([True, False, True], x, 0).decrypt(keys)) == [1, 0, 3]


def test_arrays_of_two_contexts_cannot_be_joined():
    arrays = []
    for depth in (1, 2):
        ctx = rf.Context(depth=depth)
        arrays.append(ctx.encrypt([1.0], ctx.keygen(rotations=[])))
    with pytest.raises(ParametersMismatch):
        np.concatenate(arrays)


@pytest.mark.parametrize(
    ("program", "advice"),
    [
        (lambda x: np.concatenate([x, A[:, 0]]), "numpy's function"),
        (lambda x: np.concatenate(x), "a list"),
        (lambda x: np.concatenate([], out=x), "given no encrypted array"),
        (lambda x: np.stack([A, B], out=x), "given no encrypted array"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(program, advice):
    with pytest.raises(InvalidArgument, match=advice):
        program(clear_array(A, Slots(64)))


CONVERTED = {
    "concatenate to int8": (lambda x, out: np.concatenate([x, x], dtype=np.int8), "dtype"),
    "concatenate to float16": (lambda x, out: np.concatenate([x, x], dtype=np.float16), "dtype"),
    "concatenate to int64": (lambda x, out: np.concatenate([x, x], dtype=np.int64), "dtype"),
    "stack to bool": (lambda x, out: np.stack([x, x], dtype=bool), "dtype"),
    "hstack to float32": (lambda x, out: np.hstack([x, x], dtype=np.float32), "dtype"),
    "vstack to int16": (lambda x, out: np.vstack([x, x], dtype=np.int16), "dtype"),
    "concatenate into an array": (lambda x, out: np.concatenate([x, x], out=out), "out"),
    "concatenate into an array by position": (lambda x, out: np.concatenate([x, x], 0, out), "out"),
    "take into an array": (lambda x, out: np.take(x, [1, 2], out=out[:2], mode="wrap"), "out"),
}


@pytest.mark.parametrize("name", CONVERTED)
def test_no_function_converts_the_numbers_of_elements(name):
    program, option = CONVERTED[name]
    x = clear_array(np.arange(300.0), Slots(64), ClearKeys())
    out = np.full(600, -1)
    with pytest.raises(InvalidArgument, match=f"was given {option}="):
        program(x, out)
    assert (out == -1).all()


def test_a_context_of_few_slots_has_the_keys_for_every_move():
    """Rotations are cyclic over the context's ``slots`` slots, which are fewer than n / 2. A rotation by -slots / 2
    needs a key, too."""
    ctx = rf.Context(depth=2, n=1024, slots=16, insecure="a small ring, for tests")
    keys, values = ctx.keygen(), np.linspace(-1, 1, 16)
    assert ctx.slots == 16
    x, column = ctx.encrypt(values, keys), ctx.encrypt(values.reshape(-1, 1), keys)
    table = np.arange(96.0).reshape(6, 16) / 96
    y = ctx.encrypt(table, keys)
    for found, expected in (
        (x + column, values + values.reshape(-1, 1)),
        (y.sum(axis=0), table.sum(axis=0)),
        (y.sum(axis=1), table.sum(axis=1)),
        (y @ table.T, table @ table.T),
        (table @ x, table @ values),
        (y.T, table.T),
        (y[::-1], table[::-1]),
        *((np.roll(x, step), np.roll(values, step)) for step in range(-15, 16)),
    ):
        np.testing.assert_allclose(found.decrypt(keys), expected, atol=1e-3)
