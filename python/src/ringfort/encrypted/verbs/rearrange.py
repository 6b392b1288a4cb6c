# SPDX-License-Identifier: Apache-2.0
"""Indexing with plain indices, and operations that only move elements, such as reshape and transpose.

An array's elements fill a table in the slots of its ciphertexts (packing/layout.py). The rows of the table begin
``stride`` slots apart. An *orbit* is the slots that a rotation moves cyclically. A *way* (packing/ways.py) is all
elements that move from one ciphertext to another by one distance. Its cost is at most a rotation and a product with a
mask. A product takes a level (array/array.py). A move that would take too many ways in one stage is made in two stages,
which take two levels.
"""

from __future__ import annotations

import contextlib
import inspect
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidArgument, Unsupported
from ...values import shown
from ..array import ranges
from ..array.array import EncryptedArray
from ..packing.layout import Layout
from ..packing.packed import require_few
from ..packing.row_maps import RowMap
from ..packing.ways import Move, most_ways, sampled_cost
from .operands import encrypted_among, is_encrypted, numpys, require_sensible, require_unmasked

__all__ = [
    "as_column",
    "atleast",
    "compress_of",
    "gathered",
    "has_own_rows",
    "moving",
    "reshape_of",
    "split_by",
    "take",
    "transpose_of",
    "with_own_rows",
]

_FEW_WAYS = 64
_SAMPLED = 8
# Rows that move as a whole by the same distance share one rotation, and each takes a mask. Any other way takes a
# rotation and a mask. Therefore a move of whole rows may have this many times as many ways as other moves.
_ROWS_FOR_A_WAY = 8


def has_own_rows(a: EncryptedArray) -> bool:
    """Tells whether each row of the table is a row of the last axis. Returns False after some reshapes, and if the axis
    is longer than an orbit."""
    layout = a._packed.layout
    return a.ndim > 0 and layout.cols == a.shape[-1] and layout.rows * layout.cols == layout.size


def with_own_rows(a: EncryptedArray, stride: int = 0) -> EncryptedArray:
    """Makes rows of the table from the last axis. The rows begin at least ``stride`` slots apart. Takes one or two
    levels if elements move."""
    layout = a._packed.layout
    if has_own_rows(a) and layout.stride >= stride:
        return a
    if a.shape[-1] > layout.slots.orbit:
        raise Unsupported(
            f"rows of {a.shape[-1]} elements are longer than the {layout.slots.orbit} slots that rotate together",
            "work on pieces of the last axis, and add the results",
        )
    move = Move(layout, Layout.of_shape(a.shape, layout.slots).widened(stride), np.arange(a.size))
    return _moved(a, a.shape, move, f"bringing the rows of shape {a.shape} apart")


def _moved(a: EncryptedArray, shape: tuple[int, ...], move: Move, what: str) -> EncryptedArray:
    require_few(move.total_cost, most_ways(move.target), what)
    interval = ranges.either(a._interval, (0, 0)) if move.element.min() < 0 else a._interval
    return a._derived(shape, a._session.tables.move([a._packed], move), interval)


def as_column(a: EncryptedArray, table: EncryptedArray) -> EncryptedArray:
    """Makes a column from a vector. Element i is at the beginning of row i. The rows have the stride of ``table``."""
    move = Move(a._packed.layout, table._packed.layout.with_table(a.size, 1), np.arange(a.size))
    return _moved(a, (a.size, 1), move, "a vector as a column")


def _enlarged(function: Callable[..., Any], a: EncryptedArray, args: tuple[Any, ...], options: dict[str, Any]) -> int:
    """Returns an upper bound on the number of elements of the result, if the function can enlarge arrays. Returns 0 for
    other functions, and for arguments that the function refuses."""
    try:
        bound = inspect.signature(function).bind(a, *args, **options).arguments
        if function is np.broadcast_to:
            return math.prod(map(int, np.atleast_1d(np.asarray(bound["shape"], dtype=object))))
        if function is np.tile:
            return a.size * math.prod(map(int, np.atleast_1d(np.asarray(bound["reps"], dtype=object))))
        if function is np.resize:
            return math.prod(map(int, np.atleast_1d(np.asarray(bound["new_shape"], dtype=object))))
        if function is np.take_along_axis:
            return int(np.size(bound["indices"]))
        if function is np.lib.stride_tricks.sliding_window_view:
            window = np.atleast_1d(np.asarray(bound["window_shape"], dtype=object))
            return a.size * math.prod(map(int, window))
        if function is np.repeat:
            times = np.atleast_1d(np.asarray(bound["repeats"], dtype=object))
            along = a.size if bound.get("axis") is None else a.shape[bound["axis"]]
            return int(times.sum()) * (a.size // times.size if times.size > 1 and times.size == along else a.size)
        return 0
    except (TypeError, ValueError, IndexError):
        return 0


def moving(function: Callable[..., Any]) -> Callable[..., EncryptedArray]:
    """Makes the verb of a NumPy function that only moves elements.

    The verb calls the function on an array that contains the numbers of the elements: 0, 1, 2 and so on. The result
    shows the place to which each element moves."""

    def verb(a: EncryptedArray, *args: Any, **options: Any) -> EncryptedArray:
        if not is_encrypted(a) or any(map(is_encrypted, (*args, *options.values()))):
            raise Unsupported(
                f"numpy.{function.__name__} does not take an encrypted argument after the array", "give plain arguments"
            )
        what = f"numpy.{function.__name__} of shape {a.shape}"
        require_unmasked(what, (*args, *options.values()))
        _require_order(function, a, args, options)
        require_sensible(what, _enlarged(function, a, args, options), a.size)
        element = numpys(what, function, np.arange(a.size).reshape(a.shape), *args, **options)
        return gathered(a, element, f"numpy.{function.__name__}")

    return verb


def _require_order(
    function: Callable[..., Any], a: EncryptedArray, args: tuple[Any, ...], options: dict[str, Any]
) -> None:
    """Refuses the orders "A" and "K". They depend on the order of elements in memory, and encrypted arrays have no such
    order. Errors: Unsupported."""
    if function not in (np.reshape, np.ravel):
        return
    with contextlib.suppress(TypeError):  # the function itself refuses wrong arguments
        order = inspect.signature(function).bind(a, *args, **options).arguments.get("order", "C")
        if order not in (None, "C", "F", "c", "f"):
            raise Unsupported(
                f"numpy.{function.__name__} was given order={shown(order)} for an encrypted array", 'give "C" or "F"'
            )


def gathered(a: EncryptedArray, element: NDArray[np.int64], what: str) -> EncryptedArray:
    """Moves element ``element[i]`` to place i, for every i. If ``element[i]`` is -1, place i gets zero. Moves nothing
    if the order stays the same.

    Errors, before any work: InvalidArgument, Unsupported.
    """
    what = f"{what} of shape {a.shape}"
    if element.size == 0:
        raise InvalidArgument(f"{what} selects nothing", "select at least one element")
    require_sensible(what, element.size, a.size)
    shape, flat, source = element.shape, element.reshape(-1), a._packed.layout
    if np.array_equal(flat, np.arange(a.size)):
        return a._derived(shape, a._packed, a._interval)
    most = most_ways(Layout.of_shape(shape, source.slots))  # whatever layout the result gets
    rows = _whole_rows(a, flat) if has_own_rows(a) else None
    if rows is None and (least := _fewest_ways(a, flat, shape, most)) > most:
        return _moved_in_two_stages(a, flat, shape, what, lambda: require_few(least, most, what, at_least=True))
    best = min((Move(source, layout, flat) for layout in _layouts(a, shape)), key=lambda move: move.cost)
    if rows is not None and best.cost > _FEW_WAYS:
        require_few(best.cost, _ROWS_FOR_A_WAY * most, what)
        return a._derived(shape, a._session.tables.row_product(a._packed, rows), a._interval)
    if has_own_rows(a):
        wide = Layout.of_shape(a.shape, source.slots).widened(best.layout.stride)
        if wide.stride > source.stride and wide.ciphertexts == wide.row_groups:
            first, then = Move(source, wide, np.arange(a.size)), Move(wide, best.target, flat)
            allowed = first.cost <= most_ways(wide) and then.cost <= most
            if allowed and best.cost > 2 * (first.cost + then.cost):
                return _moved(_moved(a, a.shape, first, what), shape, then, what)
    if best.cost > most:
        return _moved_in_two_stages(a, flat, shape, what, lambda: require_few(best.cost, most, what))
    return _moved(a, shape, best, what)


def _moved_in_two_stages(
    a: EncryptedArray, flat: NDArray[np.int64], shape: tuple[int, ...], what: str, refuse: Callable[[], None]
) -> EncryptedArray:
    """Makes the move with the fewest ways in two stages. Calls ``refuse``, which raises an error, if every move needs
    too many ways."""
    source = a._packed.layout
    most = max(Layout.of_shape(shape, source.slots).ciphertexts, source.ciphertexts)
    layouts = dict.fromkeys(layout for layout in _layouts(a, shape) if layout.ciphertexts <= most)
    moves = [move for layout in layouts if (move := Move(source, layout, flat)).two_stages]
    if not moves:
        refuse()
    return _moved(a, shape, min(moves, key=lambda move: sum(stage.cost for stage in move.two_stages)), what)


def _fewest_ways(a: EncryptedArray, flat: NDArray[np.int64], shape: tuple[int, ...], most: int) -> int:
    """Returns a lower bound on the ways of a move of many scattered elements in one stage, or any number up to
    ``most``. The bound is the number of ways of a sample. A count of all ways would take seconds."""
    if flat.size < _SAMPLED * most:
        return 0
    source, at = a._packed.layout, np.linspace(0, flat.size - 1, _SAMPLED * most // 2).astype(np.int64)
    least = flat.size
    for layout in _layouts(a, shape):
        least = min(least, sampled_cost(source, layout, flat, at))
        if has_own_rows(a) and layout.stride > source.stride:
            wide = Layout.of_shape(a.shape, source.slots).widened(layout.stride)
            least = min(least, sampled_cost(wide, layout, flat, at))
        if least <= most:
            return least
    return least


def _layouts(a: EncryptedArray, shape: tuple[int, ...]) -> Iterator[Layout]:
    """Yields possible layouts of the result. If several need equally many ways, the caller uses the first of them.

    Some have rows at the stride of the source, because rows that move by the same distance share a rotation. Another is
    the layout of a newly encrypted array. The last is a column: each element is at the beginning of a row.
    """
    source = a._packed.layout
    fresh, size = Layout.of_shape(shape, source.slots), math.prod(shape)
    if shape == a.shape and has_own_rows(a):
        yield source
    if shape and shape[-1] <= source.stride:
        kept = source.with_table(size // shape[-1], shape[-1])
        if kept.ciphertexts <= max(fresh.ciphertexts, source.ciphertexts):
            yield kept
    yield fresh.widened(source.stride if fresh.cols <= source.slots.orbit else 0)
    yield fresh
    column = source.with_table(size, 1)
    if column.ciphertexts <= max(fresh.ciphertexts, source.ciphertexts):
        yield column


def _whole_rows(a: EncryptedArray, flat: NDArray[np.int64]) -> RowMap | None:
    """Returns the move as a map of rows (packing/row_maps.py), if it moves whole rows of the table. If not, returns
    None."""
    cols = a._packed.layout.cols
    if flat.size % cols or flat.min() < 0:
        return None
    rows, within = np.divmod(flat.reshape(-1, cols), cols)
    if not (np.array_equal(within, np.broadcast_to(np.arange(cols), within.shape)) and (rows == rows[:, :1]).all()):
        return None
    return RowMap(len(rows), np.arange(len(rows)), rows[:, 0], np.ones(len(rows), np.int64))


reshape_of = moving(np.reshape)


def transpose_of(a: EncryptedArray, axes: Any = None) -> EncryptedArray:
    """Reverses or permutes the axes. If the axes of a matrix are reversed, its elements move only before the first
    operation that needs them in their new places.

    Before this move, the result consists of the source matrix and a mark that the axes are reversed. Public attributes,
    decryptions and files use the source matrix and the mark, also after the move.
    """
    if not is_encrypted(a) or axes is not None or a.ndim != 2 or 1 in a.shape:
        return moving(np.transpose)(a, axes)
    if a._source is not None:
        return a._derived(a._source.shape, a._source._packed, a._interval)
    result = EncryptedArray(a._session, a.shape[::-1], None, a._interval)
    result._source = a
    return result


def compress_of(condition: Any, a: EncryptedArray, axis: int | None = None) -> EncryptedArray:
    if is_encrypted(condition) or np.ndim(condition) != 1:
        raise InvalidArgument("the condition of numpy.compress is not a plain vector", "give a vector of booleans")
    require_unmasked("numpy.compress", (condition,))
    return moving(np.take)(a, np.flatnonzero(condition), axis)


def split_by(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the verb of a NumPy function that cuts an array into a list of parts."""
    what = f"numpy.{function.__name__}"

    def verb(ary: EncryptedArray, *args: Any, **options: Any) -> list[EncryptedArray]:
        if not is_encrypted(ary) or any(map(is_encrypted, (*args, *options.values()))):
            raise Unsupported(f"{what} does not take an encrypted argument after the array", "give plain arguments")
        sections = options.get("indices_or_sections", args[0] if args else None)
        most = max(ary.shape, default=1)
        if isinstance(sections, (int, np.integer)) and not 0 < sections <= most:
            raise InvalidArgument(
                f"{what} of shape {ary.shape} was given {shown(int(sections))} as the number of parts",
                f"give 1 .. {most}",
            )
        numbers, parts = np.arange(ary.size).reshape(ary.shape), []

        def cut(numbers: NDArray[np.int64], *args: Any, **options: Any) -> NDArray[np.int64]:
            parts.extend(function(numbers, *args, **options))
            return np.zeros(1, np.int64)

        numpys(f"{what} of shape {ary.shape}", cut, numbers, *args, **options)
        return [gathered(ary, part, what) for part in parts]

    return verb


def atleast(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the verb of atleast_1d, atleast_2d or atleast_3d, for one or more arrays."""

    def verb(*arrays: Any) -> Any:
        each = [
            gathered(a, function(np.arange(a.size).reshape(a.shape)), f"numpy.{function.__name__}")
            if is_encrypted(a)
            else function(a)
            for a in arrays
        ]
        return each[0] if len(each) == 1 else tuple(each)

    return verb


def take(a: EncryptedArray, key: Any) -> EncryptedArray:
    if encrypted_among((key,)):
        raise Unsupported(
            "an encrypted index is not possible",
            "give a plain index; or encrypt an indicator of the rows, 1 or 0 for each, and compute indicator @ x",
        )
    for each in key if isinstance(key, tuple) else (key,):
        require_unmasked("an index", (each.start, each.stop, each.step) if isinstance(each, slice) else (each,))
    numbers = np.arange(a.size).reshape(a.shape)
    element = None
    # NumPy's message may contain the index; the error that is raised below does not
    with contextlib.suppress(IndexError, TypeError, ValueError, OverflowError):
        element = np.asarray(numbers[key])
    if element is None:
        raise InvalidArgument(f"an index does not fit shape {a.shape}", "index as in NumPy")
    return gathered(a, element, "an index")
