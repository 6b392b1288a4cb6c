# SPDX-License-Identifier: Apache-2.0
"""Compares layouts and moves of slots with NumPy, on vectors in the clear. A layout says which slot of which ciphertext
has which element of an array. The code under test also moves the slots of ciphertexts.
"""

from __future__ import annotations

import numpy as np
import pytest
from clear_slots import Clear
from hypothesis import given, settings
from hypothesis import strategies as st

import ringfort as rf
from ringfort.encrypted.packing import moves
from ringfort.encrypted.packing.layout import Layout, Slots

ALL_SLOTS = [Slots(16), Slots(8, 2), Slots(64), Slots(32, 2)]
SHAPES = st.lists(st.integers(1, 9), min_size=0, max_size=3).map(tuple)


def numbers(shape):
    return np.random.default_rng(sum(shape) + 1).integers(-50, 50, shape)


def in_turn(verb, items):
    return [verb(item) for item in items]


def packed(shape, slots):
    layout = Layout.of_shape(shape, slots)
    values = numbers(shape)
    return values, layout, list(layout.pack(values))


@pytest.mark.parametrize("slots", ALL_SLOTS)
@given(shape=SHAPES)
def test_unpacking_inverts_packing_and_unused_slots_are_zero(slots, shape):
    values, layout, ciphertexts = packed(shape, slots)
    assert len(ciphertexts) == layout.ciphertexts
    np.testing.assert_array_equal(layout.unpack(np.array(ciphertexts)), values.reshape(-1))
    assert np.abs(ciphertexts).sum() == np.abs(values).sum()
    ciphertext, slot = layout.positions()
    np.testing.assert_array_equal(np.array(ciphertexts)[ciphertext, slot], values.reshape(-1))


def test_a_long_vector_fills_whole_orbits():
    layout = Layout.of_shape((100,), Slots(8, 2))
    assert (layout.rows, layout.cols, layout.ciphertexts) == (13, 8, 7)


def test_a_ciphertext_holds_128_rows_of_64_columns():
    layout = Layout.of_shape((10_000, 64), Slots(8192))
    assert (layout.rows_per_ciphertext, layout.ciphertexts, layout.is_full) == (128, 79, False)


@pytest.mark.parametrize("slots", ALL_SLOTS)
@given(rows=st.integers(1, 40), cols=st.integers(1, 8))
def test_rows_and_columns_are_summed(slots, rows, cols):
    values, layout, ciphertexts = packed((rows, cols), slots)
    by_row = moves.sum_columns(Clear(slots), ciphertexts, layout)
    kept = layout.with_table(rows, 1)
    np.testing.assert_array_equal(kept.unpack(np.array(by_row)), values.sum(axis=1))
    by_col = np.array(moves.sum_rows(Clear(slots), ciphertexts, layout)).reshape(
        -1, layout.rows_per_ciphertext, layout.stride
    )[0]
    number = moves.total(Clear(slots), ciphertexts, layout)
    np.testing.assert_array_equal(by_col[0, :cols], values.sum(axis=0))
    assert number[0] == values.sum()
    if layout.reach == slots.count:
        np.testing.assert_array_equal(by_col[:, :cols], np.tile(values.sum(axis=0), (layout.rows_per_ciphertext, 1)))
        assert (number == values.sum()).all()


@pytest.mark.parametrize("slots", ALL_SLOTS)
@given(rows=st.integers(1, 40), cols=st.integers(1, 8))
def test_a_row_and_a_number_are_broadcast_to_the_slots_of_the_target(slots, rows, cols):
    target = Layout.of_shape((rows, cols), slots)
    values, _, row = packed((cols,), slots)
    wide = moves.spread_row(Clear(slots), row[0], target)
    np.testing.assert_array_equal(
        target.unpack(np.array([wide] * target.ciphertexts)).reshape(rows, cols), np.tile(values, (rows, 1))
    )
    number = np.zeros(slots.count)
    number[0] = 7
    everywhere = moves.spread_number(Clear(slots), number, target)
    assert (target.unpack(np.array([everywhere] * target.ciphertexts)) == 7).all()


@pytest.mark.parametrize("slots", ALL_SLOTS)
def test_a_column_is_broadcast_to_its_row(slots):
    values, layout, ciphertexts = packed((11, 5), slots)
    first = np.array(moves.sum_columns(Clear(slots), ciphertexts, layout))
    first[:, np.arange(slots.count) % layout.stride != 0] = 0
    wide = moves.spread_columns(Clear(slots), list(first), layout)
    np.testing.assert_array_equal(layout.unpack(np.array(wide)), np.repeat(values.sum(axis=1), 5))


@settings(deadline=None)
@given(data=st.data(), slots=st.sampled_from(ALL_SLOTS), shape=SHAPES)
def test_any_elements_are_gathered_into_any_shape(data, slots, shape):
    values, source, ciphertexts = packed(shape, slots)
    target_shape = data.draw(SHAPES)
    target = Layout.of_shape(target_shape, slots)
    element = np.random.default_rng(3).integers(0, source.size, target.size)
    result = moves.gather(Clear(slots), ciphertexts, moves.Move(source, target, element), True, in_turn)
    np.testing.assert_array_equal(target.unpack(np.array(result)), values.reshape(-1)[element])
    assert np.abs(result).sum() == np.abs(values.reshape(-1)[element]).sum(), "something is left in unused slots"


def test_a_whole_vector_moves_without_a_mask():
    slots = Slots(16)
    _, source, ciphertexts = packed((16,), slots)
    on = Clear(slots)
    moves.gather(on, ciphertexts, moves.Move(source, source, np.roll(np.arange(16), 3)), True, in_turn)
    assert (on.rotations, on.masks) == (1, 0)


def test_a_gather_adds_elements_with_the_same_target_block_before_it_rotates_on():
    """A vector becomes a column. Each element moves by another distance. Each rotation is by the difference of two
    successive distances. Therefore most rotations use the same key."""
    slots = Slots(64)
    _, source, ciphertexts = packed((8,), slots)
    target = Layout(slots, 8, 8, 1, 8)
    seen = []

    class Watched(Clear):
        def rotate(self, a, step):
            seen.append(step)
            return super().rotate(a, step)

    on = Watched(slots)
    result = moves.gather(on, ciphertexts, moves.Move(source, target, np.arange(8)), True, in_turn)
    np.testing.assert_array_equal(target.unpack(np.array(result)), numbers((8,)))
    assert seen == [7] * 6 + [15]
    assert on.masks == 8


@settings(deadline=None, max_examples=60)
@given(slots=st.sampled_from(ALL_SLOTS), rows=st.integers(1, 20), cols=st.integers(1, 8), m=st.integers(1, 40))
def test_a_product_with_a_plain_matrix_uses_its_diagonals(slots, rows, cols, m):
    values, layout, ciphertexts = packed((rows, cols), slots)
    matrix = numbers((cols, m))
    result, shape = moves.matrix_product(Clear(slots), ciphertexts, layout, moves.Matrices(matrix[None]), in_turn)
    np.testing.assert_array_equal(shape.unpack(np.array(result)).reshape(rows, m), values @ matrix)
    assert np.abs(result).sum() == np.abs(values @ matrix).sum()


def test_a_product_of_sixty_four_columns_takes_a_few_dozen_rotations():
    slots = Slots(8192)
    _, layout, ciphertexts = packed((128, 64), slots)
    on = Clear(slots)
    moves.matrix_product(on, ciphertexts, layout, moves.Matrices(numbers((1, 64, 64))), in_turn)
    assert on.rotations <= 7 + 16 + 1


def test_a_product_with_one_column_takes_one_level_and_few_rotations():
    ctx = rf.Context(depth=3, n=2048, insecure="a test")
    keys = ctx.keygen()
    a, b = np.random.default_rng(3).uniform(-1, 1, (12, 30)), np.random.default_rng(4).uniform(-1, 1, (30, 2))
    x, wide, column = (ctx.encrypt(values, keys) for values in (a, b, b[:, :1]))

    def levels_and_work(factor):
        """Returns the levels that x @ factor has left, and the number of inverse transforms. This number grows with the
        number of key switches."""
        with ctx.profile() as profile:
            product = x @ factor
        assert np.allclose(product.decrypt(keys), a @ factor.decrypt(keys), atol=1e-3)
        return product.depth_left, sum(record.verb == "intt" for record in profile.records)

    (levels_of_wide, many), (levels, few) = levels_and_work(wide), levels_and_work(column)
    assert (levels_of_wide, levels) == (0, 2)
    assert few < many / 4
