# SPDX-License-Identifier: Apache-2.0
"""Products of the elements along axes, and running products. Multiplies k factors in a balanced tree, whose depth is
log2(k), rounded up. Levels and slots are explained in array/array.py."""

from __future__ import annotations

import math

import numpy as np

from ..array import ranges
from ..array.array import EncryptedArray
from ..array.refusals import require_levels
from ..packing.packed import Packed, UnusedSlots
from .operands import Axis, axes_of, axis_of, in_range, require_sensible
from .padding import declared_at_most, with_plain
from .rearrange import gathered, has_own_rows, moving, reshape_of, with_own_rows

__all__ = ["cumprod_of", "prod_of"]


def prod_of(a: EncryptedArray, axis: Axis = None, keepdims: bool = False) -> EncryptedArray:
    """Multiplies the elements along axes. A product of k elements takes log2(k) levels, rounded up, along the last axis
    or along all axes except the last. Along all axes, products take log2(rows) + log2(row length) levels, each rounded
    up. Along any other axes, they take one or two levels more than log2(k). They take one more level after some
    reshapes, and if unused slots must be cleared."""
    axes = axes_of(a, axis)
    count = math.prod(a.shape[i] for i in axes)
    kept = tuple(1 if i in axes else n for i, n in enumerate(a.shape))
    shape = kept if keepdims else tuple(n for i, n in enumerate(a.shape) if i not in axes)
    if count == 1:
        return reshape_of(a, shape)
    require_levels(a._session.on, (count - 1).bit_length(), a._packed.ciphertexts)
    interval = a._interval
    for _ in range(count - 1 if interval else 0):
        interval = in_range(a, ranges.multiplied(interval, a._interval), "prod")
    way = _way(a, axes)
    if way == "moved":
        others = tuple(i for i in range(a.ndim) if i not in axes)
        a = reshape_of(moving(np.transpose)(a, others + axes), (-1, count))
    table = _filled(a if way == "all" else with_own_rows(a))
    packed = a._session.tables.product(table, {"all": None, "rows": 0}.get(way, 1))
    return a._derived(shape, packed, interval)


def _way(a: EncryptedArray, axes: tuple[int, ...]) -> str:
    if len(axes) == a.ndim:
        return "all"
    if axes == (a.ndim - 1,):
        return "columns"
    return "rows" if axes == tuple(range(a.ndim - 1)) and has_own_rows(a) else "moved"


def _filled(a: EncryptedArray) -> Packed[object]:
    """Writes ones to the unused slots. Then products over slots are correct."""
    tables, layout = a._session.tables, a._packed.layout
    clean = tables.cleaned(a._packed)
    if layout.is_full:
        return clean
    ones = 1 - layout.pack(np.ones(layout.size, np.int64))
    pairs = zip(clean.ciphertexts, ones.astype(a._session.on.dtype), strict=True)
    ciphertexts = tuple(tables.each(lambda pair: tables.on.add_plain(*pair), pairs))
    return declared_at_most(a._session, Packed(layout, ciphertexts, UnusedSlots.ANY), clean, 1.0)


def cumprod_of(a: EncryptedArray, axis: int | None = None) -> EncryptedArray:
    """Copies every prefix to a row, and multiplies the elements of each row. Takes one level more than ``prod_of``
    along the last axis, and up to two further levels if the axis is not the last. If the axis has n elements, the
    copies have n times as many elements as ``a``."""
    if axis is None:
        a, axis = reshape_of(a, (-1,)), -1
    along = axis_of(a, axis)
    n = a.shape[along]
    require_sensible(f"the copied prefixes of numpy.cumprod of shape {a.shape}", a.size * n, a.size)
    numbers = np.moveaxis(np.arange(a.size).reshape(a.shape), along, -1)
    prefix = np.tril(np.ones((n, n), bool))
    element = np.where(prefix, numbers[..., None, :], -1)
    triangle = gathered(a, element, "numpy.cumprod")
    if a._interval:
        wider = ranges.either(triangle._interval, (1, 1))
        triangle = triangle._derived(triangle.shape, triangle._packed, wider)
    ones = np.broadcast_to(~prefix, element.shape).astype(a._session.on.dtype)
    result = prod_of(with_plain(triangle, ones), axis=-1)
    return result if along == a.ndim - 1 else moving(np.moveaxis)(result, -1, along)
