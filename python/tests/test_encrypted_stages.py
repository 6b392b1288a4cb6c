# SPDX-License-Identifier: Apache-2.0
"""Tests moves of elements in two stages (packing/ways.py): on vectors in the clear, and on ciphertexts of every scheme.
A move has two stages if one stage would need too many ways. A way is a rotation and a product with a mask.
"""

import numpy as np
import pytest
from clear_slots import Clear, ClearKeys, clear_array
from hypothesis import given, settings
from hypothesis import strategies as st

import ringfort as rf
from ringfort.encrypted.packing import moves, runs, ways
from ringfort.encrypted.packing.layout import Layout, Several, Slots
from ringfort.errors import DepthExhausted
from ringfort.values import DRY_RUN

ALL_SLOTS = [Slots(16), Slots(8, 2), Slots(64), Slots(32, 2)]
OPTIONS = {"n": 1024, "insecure": "a test"}
SIDES = st.integers(1, 30)


def in_turn(verb, items):
    return [verb(item) for item in items]


def moved(move, values, clean):
    """Makes the two stages of a move. Returns the elements of the result, and counts masks. If ``clean`` is False, the
    unused slots of the source have values."""
    slots = move.target.slots
    layouts = move.source.layouts if isinstance(move.source, Several) else (move.source,)
    parts = np.split(values, np.cumsum([layout.size for layout in layouts])[:-1])
    ciphertexts = np.concatenate([layout.pack(part) for layout, part in zip(layouts, parts, strict=True)])
    if not clean:
        used = np.concatenate([layout.pack(np.ones(layout.size, int)) for layout in layouts])
        ciphertexts = ciphertexts + 100 * (1 - used)
    on = Clear(slots)
    for stage in move.two_stages:
        ciphertexts, clean = moves.gather(on, list(ciphertexts), stage, clean, in_turn), True
    found = np.array(ciphertexts)
    assert np.abs(found).sum() == np.abs(move.target.unpack(found)).sum(), "something is left in unused slots"
    assert on.masks <= sum(stage.cost for stage in move.two_stages)
    return move.target.unpack(found)


def equals_numpy(source, element, slots, clean):
    """Tests a move from the layouts ``source`` to an array of the shape of ``element``. -1 means zero."""
    values = np.random.default_rng(element.size).integers(1, 50, sum(layout.size for layout in source.layouts))
    move = ways.Move(source, Layout.of_shape(element.shape, slots), element.reshape(-1))
    expected = np.where(element < 0, 0, values[element]).reshape(-1)
    assert move.two_stages
    np.testing.assert_array_equal(moved(move, values, clean), expected)


@settings(deadline=None, max_examples=20)
@given(slots=st.sampled_from(ALL_SLOTS), rows=SIDES, cols=SIDES, clean=st.booleans(), data=st.data())
def test_transposes_reshapes_and_mirrors_are_made_in_two_stages(slots, rows, cols, clean, data):
    source = Layout.of_shape((rows, cols), slots)
    numbers = np.arange(rows * cols).reshape(rows, cols)
    kind = data.draw(st.sampled_from(["transpose", "mirror", "flat", "shape", "wider"]))
    other = data.draw(st.sampled_from([d for d in range(1, rows * cols + 1) if rows * cols % d == 0]))
    if kind == "wider":
        source = source.widened(2 * source.stride) if source.stride < slots.orbit else source
    element = {
        "transpose": numbers.T,
        "mirror": numbers[::-1, ::-1],
        "flat": numbers.reshape(-1),
        "shape": numbers.reshape(other, -1),
        "wider": numbers,
    }[kind]
    equals_numpy(Several((source,)), element, slots, clean)


@settings(deadline=None, max_examples=20)
@given(slots=st.sampled_from(ALL_SLOTS), n=SIDES, widths=st.lists(st.integers(1, 5), min_size=1, max_size=6))
def test_joins_along_the_last_axis_are_made_in_two_stages(slots, n, widths):
    layouts = tuple(Layout.of_shape((n,) if k == 1 else (n, k), slots) for k in widths)
    starts = np.cumsum([0, *(n * k for k in widths)])
    parts = [np.arange(at, at + n * k).reshape(n, k) for at, k in zip(starts, widths, strict=False)]
    equals_numpy(Several(layouts), np.concatenate(parts, axis=1), slots, False)


@settings(deadline=None, max_examples=20)
@given(slots=st.sampled_from(ALL_SLOTS), size=st.integers(1, 60), shape=st.tuples(SIDES, st.integers(1, 8)))
def test_scattered_repeated_and_missing_elements_are_moved_in_two_stages(slots, size, shape):
    source = Layout.of_shape((size,), slots)
    element = np.random.default_rng(size).integers(-1, size, shape)
    element[0, 0] = 0
    equals_numpy(Several((source,)), element, slots, True)


def test_ten_columns_of_a_table_are_joined_by_the_moves_of_blocks_and_of_diagonals():
    slots = Slots(8192)
    columns = Several((Layout.of_shape((442,), slots),) * 10)
    move = ways.Move(columns, Layout.of_shape((442, 10), slots), np.arange(4420).reshape(10, 442).T.reshape(-1))
    assert [stage.cost for stage in move.stages] == [10 * 28, 10 + 16 - 1]
    back = ways.Move(Layout.of_shape((442, 10), slots), Layout.of_shape((10, 442), slots), move.element.argsort())
    assert [stage.cost for stage in back.stages] == [10 + 16 - 1, 10 * 28]


def test_structured_moves_share_rotations():
    """Each of these moves has 88 to 1000 ways, with a mask for each. Masks are also counted."""
    slots, rng = Slots(8192), np.random.default_rng(5)
    for shape, target, order, rotations in (
        ((100, 10), (10, 100), "F", 64),  # a transposition
        ((3, 100), (100, 3), "F", 40),
        ((88, 50), (4400,), "C", 30),
        ((2000,), (100, 20), "C", 40),
    ):
        values = rng.integers(1, 99, shape)
        source, layout = Layout.of_shape(shape, slots), Layout.of_shape(target, slots)
        element = np.arange(values.size).reshape(shape)
        move = ways.Move(source, layout, (element.T if order == "F" else element).reshape(-1))
        on = Clear(slots)
        found = np.array(moves.gather(on, list(source.pack(values)), move, True, in_turn))
        np.testing.assert_array_equal(layout.unpack(found), values.reshape(-1)[move.element])
        assert on.masks == move.cost >= 88
        assert on.rotations <= rotations


def test_the_key_switches_of_a_step_are_counted_as_the_library_composes_it():
    for step in range(1, 64):
        digits, rest, power = 0, step if step <= 32 else 64 - step, 1
        while rest:  # nonadjacent form, digit by digit
            digit = 0 if rest % 2 == 0 else 2 - rest % 4
            digits, rest, power = digits + abs(digit), (rest - digit) // 2, 2 * power
        assert runs.switches(step, 64) == digits


@pytest.mark.parametrize("slots", [Slots(256), Slots(128, 2)])
@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_moves_of_arithmetic_progressions_equal_numpys(slots, data):
    """Joins of a shifted vector and a table, without the elements of some rows, and with values in unused slots."""
    n, k, shift = (data.draw(st.integers(low, high)) for low, high in ((30, 60), (1, 3), (0, 9)))
    layouts = (Layout.of_shape((n,), slots), Layout.of_shape((n, k), slots))
    element = np.column_stack([np.roll(np.arange(n), shift), n + np.arange(n * k).reshape(n, k)])
    element[shift : 2 * shift] = -1
    values = np.random.default_rng(n).integers(1, 99, n + n * k)
    ciphertexts = np.concatenate([layouts[0].pack(values[:n]), layouts[1].pack(values[n:])])
    ciphertexts[np.concatenate([each.pack(np.ones(each.size, int)) for each in layouts]) == 0] = 7
    target = Layout.of_shape(element.shape, slots)
    move = ways.Move(Several(layouts), target, element.reshape(-1))
    found = np.array(moves.gather(Clear(slots), list(ciphertexts), move, False, in_turn))
    np.testing.assert_array_equal(target.unpack(found), np.where(element < 0, 0, values[element]).reshape(-1))
    assert np.abs(found).sum() == np.abs(target.unpack(found)).sum()


def test_a_move_that_fits_one_stage_has_one():
    slots = Slots(8192)
    for count, stages in ((342, 1), (343, 2)):  # three vectors: 1026 and 1029 ways, and the limit is 1028
        columns = Several((Layout.of_shape((count,), slots),) * 3)
        element = np.arange(3 * count).reshape(3, count).T
        assert len(ways.Move(columns, Layout.of_shape((count, 3), slots), element.reshape(-1)).stages) == stages


@pytest.mark.parametrize("slots", [Slots(256), Slots(128, 2)])
def test_functions_of_numpy_use_two_stages(slots, monkeypatch):
    monkeypatch.setattr(ways, "_MOST_WAYS", 128)
    programs = {
        "stack": lambda x, *v: np.stack(v, axis=1),
        "column_stack": lambda x, *v: np.column_stack([x, *v]),
        "constants": lambda x, *v: np.column_stack([np.ones(len(x)), *v]),
        "transpose": lambda x, *v: x.T + 0,
        "swapaxes": lambda x, *v: np.swapaxes(x, 0, 1),
        "own rows": lambda x, *v: v[0].reshape(5, 14) @ np.arange(14),
        "repeat": lambda x, *v: np.repeat(v[0], 3),
        "reverse": lambda x, *v: v[0][::-1],
    }
    values = [np.random.default_rng(i).integers(1, 9, (70, 3) if i == 0 else (70,)) for i in range(5)]
    for name, program in programs.items():
        keys = ClearKeys()
        found = program(*(clear_array(each, slots, keys) for each in values))
        np.testing.assert_array_equal(found.decrypt(keys), program(*values), name)


@pytest.mark.parametrize(("dtype", "scheme"), [("real", {}), ("int", {"scheme": "bfv"}), ("int", {"scheme": "bgv"})])
def test_encrypted_columns_become_a_table_in_two_levels(dtype, scheme, monkeypatch):
    monkeypatch.setattr(ways, "_MOST_WAYS", 48)
    kind = {"magnitude": 8} if dtype == "real" else {"range": (-8, 8)}
    ctx = rf.Context(dtype, depth=2, **scheme, **kind, **OPTIONS)
    keys, columns = ctx.keygen(), np.random.default_rng(2).integers(-8, 9, (4, 60))
    x = [ctx.encrypt(column, keys) for column in columns]
    table = np.stack(x, axis=1)
    assert np.abs(table.decrypt(keys) - columns.T).max() < 1e-2
    assert table.depth_left == 0 or dtype == "int"
    if dtype == "real":
        spent = [each * 0.5 for each in x]
        with pytest.raises(DepthExhausted, match=r"numpy\.stack needs 2 levels, but 1 of 2 is left.*depth=3"):
            np.stack(spent, axis=1)


def test_shared_rotations_need_no_more_room_in_a_ciphertext_than_a_sum_of_two(monkeypatch):
    """The context guarantees sums of four values. The masks of 16 ciphertexts have a sum whose bound is 16 times the
    largest value, until the library declares that they have no slot in common."""
    ctx = rf.Context(depth=1, magnitude=1, precision=10, **OPTIONS)
    keys, columns = ctx.keygen(), np.random.default_rng(4).uniform(-1, 1, (16, 20))
    shared = []
    monkeypatch.setattr(moves, "planned", lambda *ways: shared.append(runs.planned(*ways)) or shared[-1])
    table = np.stack([ctx.encrypt(column, keys) for column in columns], axis=1)
    assert max(each.giants.count(0) for each in shared) == 16
    assert np.abs(table.decrypt(keys) - columns.T).max() < 1e-2


def test_a_move_with_many_masks_takes_one_level_in_bfv():
    """There, a mask multiplies the noise of the rotations before it. Runs on the device that computes only bounds."""
    ctx = rf.Context("int", scheme="bfv", depth=2, range=(-8, 8), device=DRY_RUN, threads=1)
    keys = ctx.keygen()
    table = np.stack([ctx.encrypt(np.zeros(30, int), keys) for _ in range(12)], axis=1)
    assert table.depth_left == 1


@pytest.mark.parametrize("dtype", ["real", "int"])
def test_a_plan_counts_both_levels_of_a_move(dtype, monkeypatch):
    monkeypatch.setattr(ways, "_MOST_WAYS", 48)

    def program(*columns):
        return np.stack(columns, axis=1) * columns[0][:, None]

    columns = np.random.default_rng(3).integers(-8, 9, (4, 60))
    options = {"dtype": dtype, "range": (-8, 8)} if dtype == "int" else {"precision": 10}
    like = rf.like((60,), magnitude=8) if dtype == "real" else rf.like((60,))
    plan = rf.plan(program, *[like] * 4, **options, **OPTIONS)
    ctx = plan.context()
    keys = ctx.keygen(plan)
    declared = {"magnitude": 8} if dtype == "real" else {}
    found = program(*(ctx.encrypt(column, keys.public, **declared) for column in columns))
    assert plan.depth >= 3
    assert np.abs(found.decrypt(keys) - columns.T * columns[0][:, None]).max() < 1e-2
