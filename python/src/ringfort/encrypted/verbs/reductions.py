# SPDX-License-Identifier: Apache-2.0
"""Sums and means of encrypted arrays over axes.

If each row of the table of slots (packing/layout.py) is a row of the last axis, a sum rotates whole rows or columns.
After some reshapes, and if rows are longer than an orbit (the slots that rotate together), the rows of the table are
not rows of the last axis. Then a sum over some of the axes moves and adds subarrays. Levels and rotations are explained
in array/array.py.
"""

from __future__ import annotations

import math

import numpy as np

from ...errors import Unsupported
from ..array import ranges
from ..array.array import EncryptedArray
from ..packing.layout import Layout
from ..packing.packed import UnusedSlots, require_few
from ..packing.row_maps import RowMap
from ..packing.ways import Move, most_ways
from .elementwise import add, multiply
from .operands import Axis, Shape, axes_of, in_range
from .rearrange import has_own_rows

__all__ = ["mean_of", "sum_of"]

_MOST_SUBARRAYS = 256


def sum_of(a: EncryptedArray, axis: Axis = None, keepdims: bool = False) -> EncryptedArray:
    axes = axes_of(a, axis)
    kept = tuple(1 if i in axes else n for i, n in enumerate(a.shape))
    shape = kept if keepdims else tuple(n for i, n in enumerate(a.shape) if i not in axes)
    interval = in_range(a, ranges.summed(a._interval, math.prod(a.shape[i] for i in axes)), "sum")
    tables = a._session.tables
    if all(a.shape[i] == 1 for i in axes):
        return a._derived(shape, a._packed, interval)
    if len(axes) == a.ndim:
        return a._derived(shape, tables.total(a._packed), interval)
    if not has_own_rows(a):
        return _sum_by_subarrays(a, axes, shape, interval)
    if axes == tuple(range(a.ndim - 1)):
        return a._derived(shape, tables.sum_rows(a._packed), interval)
    group = math.prod(a.shape[len(axes) : -1])
    leading = axes == tuple(range(len(axes))) and a._packed.layout.col_groups == 1
    if leading and group & (group - 1) == 0 and group * a._packed.layout.stride <= a._packed.layout.slots.orbit:
        return a._derived(shape, tables.sum_groups(a._packed, group), interval)
    packed = tables.sum_columns(a._packed) if a.ndim - 1 in axes else a._packed
    if any(i < a.ndim - 1 for i in axes):
        packed = tables.row_product(packed, _adding(a.shape[:-1], axes))
    return a._derived(shape, packed, interval)


def _adding(shape: Shape, axes: tuple[int, ...]) -> RowMap:
    """Returns the linear map that adds rows of the table along ``axes``. shape: the shape of the array without its last
    axis."""
    others = tuple(n for i, n in enumerate(shape) if i not in axes)
    to = np.arange(math.prod(others)).reshape([1 if i in axes else n for i, n in enumerate(shape)])
    count = math.prod(shape)
    return RowMap(math.prod(others), np.broadcast_to(to, shape).reshape(-1), np.arange(count), np.ones(count, np.int64))


def _sum_by_subarrays(
    a: EncryptedArray, axes: tuple[int, ...], shape: Shape, interval: ranges.Interval | None
) -> EncryptedArray:
    """Moves the subarray at each index of ``axes`` to the same slots. Then adds all subarrays.

    Takes a level, and rotations for each subarray.
    """
    others = tuple(i for i in range(a.ndim) if i not in axes)
    index = np.arange(a.size).reshape(a.shape).transpose(axes + others)
    subarrays = index.reshape((-1, *(a.shape[i] for i in others)))
    if len(subarrays) > _MOST_SUBARRAYS:
        why, fix = f"the array was reshaped to {a.shape}", "encrypt the array in the shape in which you sum it"
        if a.shape[-1] > (orbit := a._packed.layout.slots.orbit):
            why = f"rows of {a.shape[-1]} elements are longer than the {orbit} slots that rotate together"
            fix = f"encrypt rows of at most {orbit} elements"
        raise Unsupported(f"{why}, so the sum over axis {axes} would move {len(subarrays)} parts", fix)
    tables = a._session.tables
    target = Layout.of_shape(subarrays.shape[1:], a._packed.layout.slots)
    every = [Move(a._packed.layout, target, subarray.reshape(-1)) for subarray in subarrays]
    require_few(sum(move.cost for move in every), most_ways(target), f"the sum over axis {axes}")
    moved = [a._derived(shape, tables.move([a._packed], move), a._interval) for move in every]
    result = moved[0]
    for each in moved[1:]:
        result = add(result, each)
    return a._derived(shape, result._packed, interval)


def mean_of(a: EncryptedArray, axis: Axis = None, keepdims: bool = False) -> EncryptedArray:
    if a._session.on.exact:
        raise Unsupported("means of integers are not integers", "sum, decrypt, then divide by the count")
    count = math.prod(a.shape[i] for i in axes_of(a, axis))
    if a._packed.unused is UnusedSlots.ANY:  # the division clears unused slots, so the sum needs no mask
        return sum_of(_scaled(a, 1 / count), axis, keepdims)
    return _scaled(sum_of(a, axis, keepdims), 1 / count)


def _scaled(a: EncryptedArray, factor: float) -> EncryptedArray:
    """Multiplies by a number. Takes one level. If unused slots have unknown values, the product also clears them."""
    return multiply(a, np.full(a.shape, factor) if a._packed.unused is UnusedSlots.ANY else factor)
