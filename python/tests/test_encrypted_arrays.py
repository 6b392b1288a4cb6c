# SPDX-License-Identifier: Apache-2.0
"""Compares NumPy's operators and functions on encrypted arrays with NumPy itself, on a scheme without encryption
(clear_slots.py). Tests also count masks (plain factors that clear slots) and rotations of slots, because these take
time or levels.
"""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from clear_slots import ClearKeys, clear_array
from hypothesis import given, settings
from hypothesis import strategies as st

from ringfort.encrypted.array.session import plain_values
from ringfort.encrypted.packing.layout import Slots
from ringfort.errors import InvalidArgument, ParametersMismatch, Unsupported

ALL_SLOTS = st.sampled_from([Slots(16), Slots(8, 2), Slots(64), Slots(32, 2)])
RNG = np.random.default_rng(7)


def equal(encrypted, expected):
    assert encrypted.shape == np.shape(expected)
    np.testing.assert_allclose(encrypted.decrypt(encrypted._session.keys), expected, rtol=1e-12, atol=1e-9)


@st.composite
def broadcastable(draw):
    shape = draw(st.lists(st.integers(1, 7), min_size=0, max_size=3))
    other = [draw(st.sampled_from([1, n])) for n in shape][draw(st.integers(0, len(shape))) :]
    return (shape, other) if draw(st.booleans()) else (other, shape)


@settings(deadline=None, max_examples=200)
@given(slots=ALL_SLOTS, shapes=broadcastable(), verb=st.sampled_from([np.add, np.subtract, np.multiply]))
def test_encrypted_operands_broadcast_as_in_numpy(slots, shapes, verb):
    left, right = (RNG.integers(-9, 9, shape).astype(float) for shape in shapes)
    keys = ClearKeys()
    x, y = clear_array(left, slots, keys), clear_array(right, slots, keys)
    equal(verb(x, y), verb(left, right))
    equal(verb(verb(x, y), x), verb(verb(left, right), left))
    equal(verb(x, right), verb(left, right))
    equal(verb(left, y), verb(left, right))
    equal(verb(x, y).sum(), verb(left, right).sum())


@settings(deadline=None, max_examples=150)
@given(slots=ALL_SLOTS, shape=st.lists(st.integers(1, 6), min_size=1, max_size=4), data=st.data())
def test_sums_and_means_over_any_axes(slots, shape, data):
    values = RNG.integers(-9, 9, shape).astype(float)
    axis = data.draw(
        st.sampled_from(
            [None, -1, 0, tuple(range(len(shape))), *range(len(shape)), (0, len(shape) - 1)][: 4 + len(shape)]
        )
    )
    keep = data.draw(st.booleans())
    axis = axis if not isinstance(axis, tuple) or len(set(axis)) == len(axis) else 0
    x = clear_array(values, slots)
    equal(x.sum(axis, keepdims=keep), values.sum(axis, keepdims=keep))
    equal(np.mean(x, axis=axis, keepdims=keep), values.mean(axis, keepdims=keep))
    equal(x - x.mean(axis, keepdims=True), values - values.mean(axis, keepdims=True))
    equal((x + 1).sum(axis) * 2, (values + 1).sum(axis) * 2)


@settings(deadline=None, max_examples=80)
@given(slots=ALL_SLOTS, rows=st.integers(1, 20), cols=st.integers(1, 8), m=st.integers(1, 20))
def test_products_with_plain_matrices_and_vectors(slots, rows, cols, m):
    values, matrix, vector = RNG.random((rows, cols)), RNG.random((cols, m)), RNG.random(cols)
    x, v = clear_array(values, slots), clear_array(vector, slots)
    equal(x @ matrix, values @ matrix)
    equal(x @ vector, values @ vector)
    equal(np.dot(x, vector), values @ vector)
    equal(v @ matrix, vector @ matrix)
    equal(matrix.T @ v, matrix.T @ vector)
    equal(vector @ v, vector @ vector)
    equal(v @ v, vector @ vector)
    equal((x @ matrix).sum(axis=0), (values @ matrix).sum(axis=0))
    equal((x @ matrix + 1) @ matrix.T, (values @ matrix + 1) @ matrix.T) if m <= slots.orbit else None


@settings(deadline=None, max_examples=80)
@given(slots=ALL_SLOTS, rows=st.integers(1, 20), cols=st.integers(1, 8), m=st.integers(1, 20), tables=st.integers(1, 3))
def test_plain_matrices_multiply_from_the_left(slots, rows, cols, m, tables):
    values, matrix = RNG.random((tables, rows, cols)), RNG.random((m, rows)) * RNG.integers(0, 2, (m, rows))
    x, one = clear_array(values, slots), clear_array(values[0], slots)
    equal(matrix @ one, matrix @ values[0])
    equal(matrix @ x, matrix @ values)
    equal(matrix[0] @ x, matrix[0] @ values)
    equal(np.dot(matrix, one), matrix @ values[0])
    equal((matrix @ (one + 1)).sum(), (matrix @ (values[0] + 1)).sum())
    equal(matrix @ one.reshape(cols, rows).T, matrix @ values[0].reshape(cols, rows).T)


@settings(deadline=None, max_examples=80)
@given(slots=ALL_SLOTS, m=st.integers(1, 12), k=st.integers(1, 8), n=st.integers(1, 8))
def test_encrypted_matrices_and_vectors_multiply_each_other(slots, m, k, n):
    left, right = RNG.random((m, k)), RNG.random((k, n))
    keys = ClearKeys()
    a, b = clear_array(left, slots, keys), clear_array(right, slots, keys)
    equal(a @ b, left @ right)
    equal((a + 1) @ (b - 1), (left + 1) @ (right - 1))
    equal(a @ b[:, 0], left @ right[:, 0])
    equal(a[0] @ b, left[0] @ right)
    equal(a @ b[:, :1], left @ right[:, :1])
    equal(a[:1] @ b, left[:1] @ right)
    equal(a[:1] @ b[:, :1], left[:1] @ right[:, :1])
    equal(a.reshape(1, m, k) @ b, (left @ right)[None])
    if m <= 8:  # a row of m elements fits an orbit
        equal(b.T @ a.T, right.T @ left.T)


@settings(deadline=None, max_examples=60)
@given(slots=ALL_SLOTS, shape=st.lists(st.integers(1, 5), min_size=1, max_size=4), data=st.data())
def test_axes_change_places(slots, shape, data):
    values = RNG.integers(-9, 9, shape).astype(float)
    axes = data.draw(st.permutations(range(len(shape))))
    x = clear_array(values, slots)
    equal(x.T, values.T)
    equal(x.transpose(*axes), values.transpose(axes))
    equal(np.transpose(x + 1, axes), np.transpose(values + 1, axes))


def test_a_transpose_into_longer_rows_takes_two_steps():
    values = RNG.random((60, 20))
    x = clear_array(values, Slots(4096))
    equal(x.T, values.T)
    assert x._session.on.masks <= 60 + 79


def test_a_transpose_of_too_many_moves_is_refused():
    with pytest.raises(Unsupported, match="different moves"):
        _ = clear_array(np.ones((40, 40, 40)), Slots(4096)).T


def test_a_matrix_product_of_rows_longer_than_an_orbit_is_refused():
    with pytest.raises(Unsupported, match="longer than the 16 slots"):
        _ = clear_array(np.ones((2, 20)), Slots(16)) @ np.ones((20, 2))


def test_a_product_with_a_matrix_on_the_left_uses_baby_and_giant_steps():
    x = clear_array(RNG.random((64, 8)), Slots(512))
    _ = RNG.random((64, 64)) @ x
    assert x._session.on.rotations <= 2 * 8
    assert x._session.on.masks == 64


def test_broadcasting_takes_the_rotations_that_the_guide_states():
    """Counts the rotations and masks of a sum that broadcasts an operand. docs/encrypted-arrays.md has these numbers in
    a table."""
    for shape, other, rotations, masks in (
        ((8, 16), (8, 16), 0, 0),
        ((8, 16), (16,), 3, 0),
        ((7, 12), (12,), 3, 0),
        ((8, 16), (), 7, 0),
        ((4, 2, 16), (4, 1, 16), 4, 5),
    ):
        keys = ClearKeys()
        x, y = RNG.random(shape), RNG.random(other)
        a, b = (clear_array(values, Slots(1024), keys) for values in (x, y))
        equal(a + b, x + y)
        assert (a._session.on.rotations, a._session.on.masks) == (rotations, masks)
    column = clear_array(RNG.random((8, 16)), Slots(1024)).sum(axis=1, keepdims=True)
    on = column._session.on
    on.rotations = on.masks = 0
    _ = column + np.ones((8, 16))
    assert on.rotations <= 4
    assert on.masks == 1


def _counted(shape, verb, slots=1024):
    """Compares the result with NumPy's result. Returns the numbers of rotations and masks."""
    values = np.arange(np.prod(shape)).reshape(shape) / 8
    x = clear_array(values, Slots(slots))
    equal(verb(x), verb(values))
    on = x._session.on
    return on.rotations, on.masks


def test_a_column_of_a_table_costs_a_rotation_a_ciphertext():
    assert _counted((1000, 16), lambda x: x[:, 3]) == (16, 16)
    assert _counted((1000, 16), lambda x: x[:, 3] - x[:, 2] * x.sum(axis=1)) == (2 * 16 + 4 * 16, 2 * 16)


def test_sums_and_weighted_sums_of_rows_need_no_extra_mask():
    assert _counted((1000, 16), lambda x: x.sum(axis=1)) == (4 * 16, 0)
    assert _counted((1000, 16), lambda x: x @ np.arange(16)) == (4 * 16, 16)
    assert _counted((1000, 16), lambda x: np.arange(1000) @ x) == (6, 16)


def test_rows_far_apart_move_by_few_rotations():
    rotations, masks = _counted((1000, 16), lambda x: x[::2])
    assert rotations < 16 * 12
    assert masks <= 1000
    assert _counted((1000, 16), lambda x: x[::-1])[0] < 16 * 24
    assert _counted((64, 16), lambda x: x[np.random.default_rng(2).permutation(64)])[0] < 40


def test_wide_rows_are_summed_over_leading_axes():
    values, matrix = np.arange(16).reshape(2, 4, 2) / 8, np.arange(16).reshape(2, 8)
    wide = clear_array(values, Slots(64)) @ matrix  # rows of 8 elements with a stride of 2 take several ciphertexts
    assert wide._packed.layout.col_groups > 1
    equal(wide.sum(axis=0), (values @ matrix).sum(axis=0))
    equal(wide.mean(axis=(0, 1)), (values @ matrix).mean(axis=(0, 1)))
    equal(wide - wide.sum(axis=0, keepdims=True), values @ matrix - (values @ matrix).sum(axis=0, keepdims=True))


@pytest.mark.parametrize(
    ("encrypted", "shape", "problem"),
    [
        ((500, 2), (2, 500), r"^the array was reshaped to \(2, 500\), so the sum .* would move 500 parts"),
        ((2, 1500), (2, 1500), "^rows of 1500 elements are longer than the 1024 slots .* at most 1024 elements$"),
    ],
    ids=["reshaped rows", "long rows"],
)
def test_a_sum_of_too_many_subarrays_is_refused_with_its_cause(encrypted, shape, problem):
    x = clear_array(np.zeros(encrypted), Slots(1024)).reshape(shape)
    with pytest.raises(Unsupported, match=problem):
        x.sum(axis=1)


@pytest.mark.parametrize("shape", [(3, 900), (2, 600), (3, 1500)])
def test_long_rows_do_not_become_a_ciphertext_for_each_element(shape):
    values = RNG.random(shape)
    flipped = clear_array(values, Slots(1024)).T + 0
    equal(flipped, values.T)
    assert len(flipped._packed.ciphertexts) <= 6


def test_a_transpose_takes_a_rotation_for_each_diagonal():
    assert (
        _counted((3, 100), lambda x: x.T + 0, slots=8192)[0] < 3 + 100 + 2
    )  # two more, because there are two ciphertexts
    assert _counted((64, 8), lambda x: x.T + 0, slots=8192)[0] < 64 + 8


def test_an_outer_product_first_moves_its_column_to_own_rows():
    rotations, masks = _counted((32,), lambda x: x.reshape(32, 1) * x.reshape(1, 32))
    assert rotations < 32 + 5 + 5 + 2
    assert masks == 32


@pytest.mark.parametrize(
    "verb",
    [lambda x: x.T + 0, lambda x: x.T @ x.T.reshape(8000, 8), lambda x: x[::7, ::-1], lambda x: x.reshape(-1)[::7]],
    ids=["transpose", "product", "index", "reshaped index"],
)
def test_an_operation_with_too_many_moves_is_refused_before_the_first(verb):
    x = clear_array(np.zeros((8000, 8)), Slots(1024))
    with pytest.raises(Unsupported, match="different moves"):
        verb(x)
    assert (x._session.on.rotations, x._session.on.masks) == (0, 0)


def test_leading_axes_are_summed_in_few_rotations():
    for shape, most in (((16, 4, 8), (4, 0)), ((16, 3, 8), (16, 16))):
        values = RNG.random(shape)
        x = clear_array(values, Slots(512))
        equal(x.sum(axis=0), values.sum(axis=0))
        assert x._session.on.rotations <= most[0]
        assert x._session.on.masks <= most[1]


@settings(deadline=None, max_examples=60)
@given(slots=ALL_SLOTS, shape=st.lists(st.integers(1, 6), min_size=1, max_size=3), data=st.data())
def test_elements_move_as_in_numpy(slots, shape, data):
    values = RNG.integers(-9, 9, shape).astype(float)
    x = clear_array(values, slots)
    shift = data.draw(st.integers(-7, 7))
    equal(np.roll(x, shift), np.roll(values, shift))
    equal(x.roll(shift, axis=-1), np.roll(values, shift, axis=-1))
    equal(x.reshape(-1), values.reshape(-1))
    equal(np.ravel(x)[0], values.reshape(-1)[0])
    equal(x[..., ::-1], values[..., ::-1])
    equal(x[-1:], values[-1:])
    equal((x + 5)[0], (values + 5)[0])
    equal(np.flip(x), np.flip(values))
    equal(np.squeeze(np.expand_dims(x, 0)), np.squeeze(values))
    equal(np.swapaxes(x, 0, -1), np.swapaxes(values, 0, -1))
    equal(np.moveaxis(x, 0, -1), np.moveaxis(values, 0, -1))
    equal(np.repeat(x, 2, axis=0), np.repeat(values, 2, axis=0))
    equal(np.tile(x, 2), np.tile(values, 2))
    equal(np.broadcast_to(x, (2, *shape)), np.broadcast_to(values, (2, *shape)))
    equal(x.flatten(), values.flatten())
    if len(shape) > 1:
        equal(np.diagonal(x), np.diagonal(values))


def test_the_other_operators_and_numbers_on_either_side():
    values = np.array([[1.0, -2, 3], [4, 5, -6]])
    x = clear_array(values, Slots(16))
    equal(-x, -values)
    equal(+x, values)
    equal(3 * x + x**2 - values, 3 * values + values**2 - values)
    equal(values - x * np.float64(2), -values)
    equal(x / 4, values / 4)
    equal(np.square(x), values**2)
    equal([[1, 2, 3]] * x, [[1, 2, 3]] * values)
    equal(1 - x, 1 - values)
    assert np.shape(x) == (2, 3)
    assert np.ndim(x) == 2
    assert np.size(x) == 6
    assert len(x) == 2
    equal(next(iter(x)), values[0])


def test_a_column_broadcasts_over_a_vector_reshaped_to_other_rows():
    keys, slots = ClearKeys(), Slots(16)
    values, wide = RNG.random(20), RNG.random((2, 16))
    x, column = clear_array(values, slots, keys), clear_array(wide, slots, keys).sum(axis=1, keepdims=True)
    equal(x.reshape(2, 10) + column, values.reshape(2, 10) + wide.sum(axis=1, keepdims=True))
    equal(column * x.reshape(2, 10), values.reshape(2, 10) * wide.sum(axis=1, keepdims=True))


def test_in_place_operators_do_not_change_other_variables():
    values = np.array([1.0, 2, 3])
    first = x = clear_array(values, Slots(16))
    x += 1
    x *= 2
    equal(x, (values + 1) * 2)
    equal(first, values)


def test_results_do_not_depend_on_the_number_of_threads():
    values = RNG.random((50, 8))
    for threads in (1, 4):
        x = clear_array(values, Slots(16), threads=threads)
        found = (x * x + values).decrypt(x._session.keys)
        np.testing.assert_array_equal(found, values * values + values)


def test_a_row_that_was_summed_broadcasts_without_rotations():
    x = clear_array(RNG.random((64, 8)), Slots(64))
    mean = x.mean(axis=0)
    before = x._session.on.rotations
    _ = x - mean
    assert x._session.on.rotations == before


def test_a_reduction_by_addition_is_a_sum():
    values = RNG.random((3, 4))
    x = clear_array(values, Slots(16))
    equal(np.add.reduce(x), np.add.reduce(values))
    equal(np.add.reduce(x, axis=1, keepdims=True), np.add.reduce(values, axis=1, keepdims=True))


@pytest.mark.parametrize(
    "enlarge",
    [
        lambda x: np.repeat(x, 10**9),
        lambda x: np.repeat(x, 10**12, axis=0),
        lambda x: np.repeat(x, [10**9, 10**9, 10**9], axis=0),
        lambda x: np.repeat(x, 2**70),
        lambda x: np.tile(x, 10**9),
        lambda x: np.tile(x, 10**5),
        lambda x: np.tile(x, (10**5, 10**5)),
        lambda x: np.broadcast_to(x[0], (1 << 31, 4)),
    ],
)
def test_a_result_with_too_many_elements_is_refused_by_its_size(enlarge):
    x = clear_array(RNG.random((3, 4)), Slots(16))
    tracemalloc.start()
    try:
        with pytest.raises(Unsupported, match="the limit is 1,048,576"):
            enlarge(x)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20  # no indices of the elements were made
    finally:
        tracemalloc.stop()
    for wrong in (lambda: np.tile(x, "a"), lambda: np.repeat(x, -1), lambda: np.broadcast_to(x, (None, 4))):
        with pytest.raises(InvalidArgument):
            wrong()
    values = RNG.random((3, 4))
    equal(np.repeat(clear_array(values, Slots(16)), [1, 0, 2], axis=0), np.repeat(values, [1, 0, 2], axis=0))


REFUSED = {
    "comparison": (lambda x: x < 1, Unsupported),
    "a function without an encrypted form": (np.sin, Unsupported),
    "a reduction by ufunc": (np.subtract.reduce, Unsupported),
    "sorting": (np.sort, Unsupported),
    "division by it": (lambda x: 1 / x, Unsupported),
    "division by zero": (lambda x: x / [1, 0, 1], InvalidArgument),
    "out=": (lambda x: np.add(x, 1, out=np.empty((2, 3))), Unsupported),
    "shapes that do not broadcast": (lambda x: x + np.ones(4), InvalidArgument),
    "an exponent of zero": (lambda x: x**0, InvalidArgument),
    "a fractional exponent": (lambda x: x**0.5, InvalidArgument),
    "an infinite exponent": (lambda x: x**np.inf, InvalidArgument),
    "ragged exponents": (lambda x: x ** [[1, 2], [3]], InvalidArgument),
    "a ragged matrix": (lambda x: x @ [[1, 2], [3]], InvalidArgument),
    "an axis that is text": (lambda x: x.sum(axis="a"), InvalidArgument),
    "a roll along no axis": (lambda x: np.roll(x, 1, axis=5), InvalidArgument),
    "an encrypted exponent": (lambda x: 2**x, Unsupported),
    "NaN": (lambda x: x + np.nan, InvalidArgument),
    "infinity": (lambda x: x * np.inf, InvalidArgument),
    "objects": (lambda x: x + np.array([None, None, None]), InvalidArgument),
    "text": (lambda x: x + "three", InvalidArgument),
    "complex numbers": (lambda x: x + 1j, InvalidArgument),
    "ragged rows": (lambda x: x + [[1, 2, 3], [1]], InvalidArgument),
    "an empty operand": (lambda x: x + np.empty(0), InvalidArgument),
    "an axis that is not there": (lambda x: x.sum(axis=2), InvalidArgument),
    "an axis named twice": (lambda x: x.sum(axis=(0, 0)), InvalidArgument),
    "a shape of another size": (lambda x: x.reshape(4, 4), InvalidArgument),
    "an index outside": (lambda x: x[5], InvalidArgument),
    "an index beyond every index": (lambda x: x[2**63], InvalidArgument),
    "a slice with a step of zero": (lambda x: x[::0], InvalidArgument),
    "an index of nothing": (lambda x: x[:0], InvalidArgument),
    "assignment": (lambda x: x.__setitem__(0, 1), Unsupported),
    "conversion": (np.asarray, InvalidArgument),
    "truth": (bool, InvalidArgument),
    "a matrix that does not fit": (lambda x: x @ np.ones((2, 2)), InvalidArgument),
    "a product with a number by @": (lambda x: x @ 3, InvalidArgument),
    "a matrix on the left that does not fit": (lambda x: np.ones((2, 3)) @ x, InvalidArgument),
    "an encrypted product that does not fit": (lambda x: x @ x, InvalidArgument),
    "many matrices that do not fit": (lambda x: np.ones((4, 2, 3)) @ x.reshape(3, 2, 1), InvalidArgument),
    "a masked array": (lambda x: x + np.ma.array([1.0, 2, 3], mask=[0, 1, 0]), InvalidArgument),
    "integers beyond every double": (lambda x: x + np.array([10**400, 1, 1]), InvalidArgument),
    "division by what has no inverse": (lambda x: x / 5e-324, InvalidArgument),
    "a number of it": (float, InvalidArgument),
    "a whole number of it": (int, InvalidArgument),
    "a transpose along no axes": (lambda x: x.transpose(0, 0), InvalidArgument),
}


@pytest.mark.parametrize("case", REFUSED)
def test_impossible_operations_are_refused_before_any_work(case):
    operation, error = REFUSED[case]
    with pytest.raises(error) as raised:
        operation(clear_array(np.ones((2, 3)), Slots(16)))
    assert raised.value.fix


@pytest.mark.parametrize("multiply", [lambda x, m: x @ m, lambda x, m: x * m.T, lambda x, m: x + m.T])
def test_a_sparse_matrix_is_refused_with_the_method_that_makes_it_dense(multiply):
    sparse = pytest.importorskip("scipy.sparse")
    x, identity = clear_array(np.ones((3, 3)), Slots(16)), np.eye(3)
    with pytest.raises(InvalidArgument, match=r"sparse.*toarray\(\)"):
        multiply(x, sparse.csr_array(identity))
    assert multiply(x, sparse.csr_array(identity).toarray()).shape == (3, 3)


def test_arrays_of_two_key_sets_cannot_be_combined():
    with pytest.raises(ParametersMismatch):
        _ = clear_array([1], Slots(16)) + clear_array([1], Slots(16))


def test_python_integers_in_an_array_of_objects_are_numbers():
    x = clear_array([1.0, 2.0, 3.0], Slots(16))
    for values in ([1, 2, -3], [True, 2**63 - 1, 1 - 2**63], [1, 2**70, 0]):
        product = x * np.array(values, dtype=object)
        np.testing.assert_allclose(product.decrypt(ClearKeys()), np.multiply([1.0, 2.0, 3.0], np.array(values, float)))
    for value in (2**63, -(2**63)):
        with pytest.raises(InvalidArgument, match=r"more than 63 bits; .* with modular=True"):
            plain_values(np.array([1, value, 3], dtype=object), np.dtype(np.int64))


def test_a_repr_shows_public_facts():
    x = clear_array(np.ones((2, 3)), Slots(16))
    assert repr(x).startswith(
        "EncryptedArray(shape=(2, 3), dtype=float64, depth_left=9, precision_bits=40.0, 1 ciphertext of"
    )
    assert "<th" in x._repr_html_()
