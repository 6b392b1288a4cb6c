# SPDX-License-Identifier: Apache-2.0
"""Computes functions of rows of encrypted real numbers: the indicator of the largest element, and softmax.
functions/rows.py has their polynomials.

The indicator compares every element with all other elements of its row. For each ciphertext of rows, it makes a table
of differences. A line of the table has the differences of elements at one distance. The table fills few ciphertexts,
and therefore few comparisons are needed. The table is computed as the difference of two moves (packing/moves.py) of the
rows, which takes one level. Levels and slots are explained in array/array.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core import ckks
from ...functions.rows import Indicator, Softmax, indicator, softmax
from ...values import positive
from ..array.array import EncryptedArray
from ..packing.layout import Layout
from ..packing.packed import Packed, UnusedSlots, require_few
from ..packing.ways import Move, most_ways
from .approximate import (
    SHARE,
    declared,
    evaluated,
    gap_of,
    half_of,
    interval_of,
    on_unit,
    real_array,
    require_guaranteed,
    staged,
    stated,
)
from .elementwise import multiply, subtract
from .operands import Operand, axis_of
from .promises import Domain, assumed, domain_of
from .rearrange import moving, with_own_rows
from .reductions import sum_of

__all__ = ["argmax_of", "indicator_for", "softmax_for", "softmax_of"]


def indicator_for(count: int, half: float, error: float, gap: float | None) -> Indicator:
    """Returns the polynomials of the indicator. count: the number of elements in a row. half: the differences of
    elements are in -half .. half."""
    return indicator(count, (half / 32 if gap is None else gap) / half, SHARE * error)


def softmax_for(count: int, domain: Domain, error: float) -> Softmax:
    return softmax(count, domain, SHARE * error)


def argmax_of(x: Operand, axis: object, domain: object, error: object, gap: object) -> EncryptedArray:
    x, half, most = real_array("argmax", x), half_of("argmax", domain), positive("error", error, 100)
    low, high = domain_of(x)  # before a move, because its result has no low and high
    require_guaranteed("argmax", x, (-half, half), (low - high, high - low))
    x, along = _last(x, axis)
    found = indicator_for(x.shape[-1], half, most, gap_of(gap, half))
    x = with_own_rows(x, Layout.of_shape(x.shape, x._packed.layout.slots).stride)  # every row is in one ciphertext
    ciphertexts = [_indicators(rows, found, half, min(half, high - low)) for rows in _ciphertexts(x)]
    result = x._derived(x.shape, Packed(x._packed.layout, tuple(ciphertexts), UnusedSlots.ANY), None)
    return _within(result, along, found.error, most)


def _ciphertexts(x: EncryptedArray) -> Iterator[EncryptedArray]:
    """Yields an array for each ciphertext. The array has the rows of this ciphertext."""
    layout, count = x._packed.layout, x.shape[-1]
    for number, ciphertext in enumerate(x._packed.ciphertexts):
        rows = min(layout.rows_per_ciphertext, layout.rows - number * layout.rows_per_ciphertext)
        yield x._derived((rows, count), Packed(layout.with_table(rows, count), (ciphertext,), x._packed.unused), None)


def _indicators(x: EncryptedArray, found: Indicator, half: float, most: float) -> Any:
    """Returns a ciphertext with the indicators of all rows of ``x``. They are in the slots of the elements."""
    tables, on, source = x._session.tables, x._session.on, x._packed.layout
    rows, count = x.shape
    target = Layout.of_shape((count - 1, rows * source.stride), source.slots)
    numbers = np.arange(rows * count).reshape(rows, count)
    repeated = _gathered(x, target, [numbers] * (count - 1))
    others = _gathered(x, target, [np.roll(numbers, -d, axis=1) for d in range(1, count)])
    difference = subtract(repeated, others)
    bounded = tables.with_bounds(lambda ciphertext: on.declare_magnitude(ciphertext, most), difference._packed)
    compared = staged(difference._derived(difference.shape, bounded, None), found.stages, half, True)
    off = found.stages.error / 2
    c = declared(compared, 1 + off, 0.0)._packed
    # In unused slots, the comparison of zero gives 1/2. A product needs 1 there. Therefore 1/2 is added.
    used = np.zeros((count - 1, rows, source.stride))
    used[..., :count] = 1
    unused = 0.5 * (1 - target.pack(used))
    ciphertexts = tables.each(lambda pair: tables.on.add_plain(*pair), zip(c.ciphertexts, unused, strict=True))
    ciphertexts = [on.declare_magnitude(ciphertext, 1 + off) for ciphertext in ciphertexts]
    return tables.product(Packed(target, tuple(ciphertexts), UnusedSlots.ANY), 0).ciphertexts[0]


def _gathered(x: EncryptedArray, target: Layout, lines: list[NDArray[np.int64]]) -> EncryptedArray:
    """Returns a table of elements of ``x``. All other slots are zero. lines: the indices of the elements of each
    line."""
    rows, count = x.shape
    element = np.full((len(lines), rows, x._packed.layout.stride), -1)
    element[..., :count] = lines
    move = Move(x._packed.layout, target, element.reshape(-1))
    require_few(move.total_cost, most_ways(target), f"ringfort.argmax of {count} elements")
    return x._derived((len(lines), rows * x._packed.layout.stride), x._session.tables.move([x._packed], move), None)


def softmax_of(x: Operand, axis: object, domain: object, error: object) -> EncryptedArray:
    x, interval, most = real_array("softmax", x), interval_of(domain), positive("error", error, 100)
    require_guaranteed("softmax", x, interval)
    x, along = _last(x, axis)
    found = softmax_for(x.shape[-1], interval, most)
    # Only the last step declares an error. If an earlier step declared one, a sum over slots would also add the
    # declared errors of unused slots.
    x, interval = on_unit(with_own_rows(x), interval)
    power = found.exponential
    powers = evaluated(x, ckks.Polynomial(list(power.coefficients), interval, 0.0, power.magnitude), False)
    # Clears unused slots, because the sum needs zeros there. Also, the result is at most 1 only in slots that the sum
    # includes.
    powers = powers._derived(powers.shape, x._session.tables.cleaned(powers._packed), None)
    sums = assumed(sum_of(powers, -1, True), found.inverse.domain, False)
    sums, interval = on_unit(sums, found.inverse.domain)
    inverse = found.inverse
    inverses = evaluated(sums, ckks.Polynomial(list(inverse.coefficients), interval, 0.0, inverse.magnitude), False)
    return _within(multiply(powers, inverses), along, found.error, most)


def _last(x: EncryptedArray, axis: object) -> tuple[EncryptedArray, int]:
    """Moves the given axis to the end. Returns the array, and the number of the axis before the move."""
    along = axis_of(x, axis)  # type: ignore[arg-type]
    return (x if along == x.ndim - 1 else moving(np.moveaxis)(x, along, -1)), along


def _within(x: EncryptedArray, along: int, error: float, most: float) -> EncryptedArray:
    """Moves the last axis back to the place ``along``. Declares ``error``, the error of the polynomials. Requires that
    the total error is at most ``most``.

    A move adds error bounds of the ciphertexts that it joins. Therefore the error of the polynomials is declared after
    the move.
    """
    x = declared(x, 1 + most, 0.0)
    if along != x.ndim - 1:
        x = moving(np.moveaxis)(x, -1, along)
    return stated(declared(x, 1 + most, error), most)
