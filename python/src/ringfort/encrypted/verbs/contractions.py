# SPDX-License-Identifier: Apache-2.0
"""Sums of products over named indices: numpy.einsum, tensordot, inner and kron.

Two operands are multiplied as matrices if they have a common index that is summed, and each has an index that the other
lacks. All other operands are multiplied element by element. Two encrypted operands are also multiplied element by
element if a matrix product would change the order of axes, and one ciphertext has a slot for every product of their
elements.

A change of the order of axes takes a level and rotations (array/array.py). Therefore this module chooses an order of
indices with which few encrypted operands change the order of their axes.
"""

from __future__ import annotations

import math
import operator
from string import ascii_letters
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidArgument, Unsupported
from ...values import shown
from ..array.array import EncryptedArray
from .elementwise import multiply
from .gram import gram, is_worth_it
from .operands import Operand, both, checked, is_encrypted, require_sensible, together
from .products import dot_of, matmul
from .rearrange import gathered, reshape_of
from .reductions import sum_of

__all__ = ["einsum_of", "inner_of", "kron_of", "tensordot_of", "wide_dot_of"]

_ORDER = "give a sum of products as numpy.einsum writes it: einsum('ij,jk->ik', x, y)"


def einsum_of(subscripts: Any, *operands: Operand, optimize: Any = False) -> EncryptedArray:
    """Computes numpy.einsum. subscripts: a text such as "ij,jk". Multiplies the operands from left to right."""
    if not isinstance(subscripts, str):
        raise Unsupported("numpy.einsum was given lists of indices", _ORDER)
    inputs, output = _parsed(subscripts, [np.shape(x) for x in operands])
    first = next(x for x in operands if is_encrypted(x))
    for x in operands:
        first = together(first, x)[0] if is_encrypted(x) else first
    checked_operands = [together(first, x)[1] if is_encrypted(x) else checked(first, x) for x in operands]
    a, ia = checked_operands[0], inputs[0]
    for i, (b, ib) in enumerate(zip(checked_operands[1:], inputs[1:], strict=True)):
        later = "".join(inputs[i + 2 :]) + output
        a, ia = _pair((a, ia), (b, ib), later, output if i + 2 == len(checked_operands) else "")
    a, ia = _alone(a, ia, output)
    return _in_order(a, ia, output)


def _parsed(subscripts: str, shapes: list[tuple[int, ...]]) -> tuple[list[str], str]:
    """Returns the letters of each operand and of the result, without ellipses. Errors: InvalidArgument."""
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise InvalidArgument(f"einsum was given {len(shapes)} operands, but {len(terms)} lists of indices", _ORDER)
    spare = [letter for letter in reversed(ascii_letters) if letter not in text]
    terms = [_without_ellipsis(term, len(shape), spare) for term, shape in zip(terms, shapes, strict=True)]
    extra = spare[: max(len(s) - len(t.replace("...", "")) for t, s in zip(left.split(","), shapes, strict=True))]
    whole = "".join(terms)
    if not arrow:
        once = sorted(letter for letter in set(whole) if whole.count(letter) == 1 and letter not in extra)
        right = ("..." if "..." in left else "") + "".join(once)
    output = right.replace("...", "".join(reversed(extra)))
    strange = set(whole + output) - set(ascii_letters) or set(output) - set(whole)
    if strange or len(set(output)) != len(output):
        raise InvalidArgument(f"einsum was given the subscripts {shown(subscripts)}", _ORDER)
    lengths: dict[str, int] = {}
    for letter, length in zip(whole, (n for shape in shapes for n in shape), strict=True):
        if lengths.setdefault(letter, length) != length:
            raise InvalidArgument(
                f"einsum: index {letter} has the lengths {lengths[letter]} and {length}", "give axes of equal length"
            )
    size = math.prod(lengths[letter] for letter in output)
    require_sensible("the result of einsum", size, *(math.prod(shape) for shape in shapes))
    return terms, output


def _without_ellipsis(term: str, axes: int, spare: list[str]) -> str:
    named = term.replace("...", "", 1)
    missing = axes - len(named)
    if missing < 0 or (missing > 0 and "..." not in term):
        raise InvalidArgument(
            f"einsum: {shown(term)} does not name the {axes} axes of its operand", "name each axis by one letter"
        )
    return term.replace("...", "".join(reversed(spare[:missing])))


def _alone(x: Operand, ix: str, needed: str) -> tuple[Operand, str]:
    """Takes the diagonal if an index is repeated. Then sums over the indices that are not in ``needed``. Returns the
    result and its indices."""
    x, ix = (x, ix) if len(set(ix)) == len(ix) else (_in_order(x, ix, "".join(dict.fromkeys(ix))), _unique(ix))
    over = tuple(i for i, letter in enumerate(ix) if letter not in needed)
    if not over:
        return x, ix
    x = sum_of(x, over) if is_encrypted(x) else x.sum(axis=over)
    return x, "".join(letter for letter in ix if letter in needed)


def _unique(ix: str) -> str:
    return "".join(dict.fromkeys(ix))


def _in_order(x: Operand, ix: str, order: str) -> Operand:
    """Moves the axes from the order ``ix`` to ``order``. Takes the diagonal if an index is repeated. Computes nothing
    if nothing changes."""
    if ix == order:
        return x
    if not is_encrypted(x):
        return np.einsum(f"{ix}->{order}", x)
    numbers = np.arange(x.size).reshape(x.shape)
    return gathered(x, np.ascontiguousarray(np.einsum(f"{ix}->{order}", numbers)), "einsum")


def _pair(a: tuple[Operand, str], b: tuple[Operand, str], later: str, output: str) -> tuple[Operand, str]:
    """Multiplies two operands, and sums over the indices that are not needed later. later: the indices that later
    operands or the result need. output: the order of indices in the result if this is the last product, and an empty
    text if not."""
    a, b = _alone(*a, b[1] + later), _alone(*b, a[1] + later)
    if not is_encrypted(a[0]) and not is_encrypted(b[0]):
        kept = "".join(letter for letter in _unique(a[1] + b[1]) if letter in later)
        return np.einsum(f"{a[1]},{b[1]}->{kept}", a[0], b[0]), kept
    summed = [letter for letter in a[1] if letter in b[1] and letter not in later]
    if summed and set(a[1]) - set(b[1]) and set(b[1]) - set(a[1]):
        plan = _matrix_plan(a, b, later, output)
        if plan[0] == 0 or not _fits_one_ciphertext(a, b):
            return _of_pairs(a, b, summed) or _as_matrices(plan)
    return _by_elements(a, b, later, output)


def _of_pairs(a: tuple[Operand, str], b: tuple[Operand, str], summed: list[str]) -> tuple[Operand, str] | None:
    """Multiplies all pairs of columns, or of rows, of two encrypted matrices (gram.py). Returns None for other
    operands."""
    over = a[1].index(summed[0])
    if not (is_encrypted(a[0]) and is_encrypted(b[0])) or not len(a[1]) == len(b[1]) == 2 or b[1][over] != summed[0]:
        return None
    if not is_worth_it(a[0], b[0], over):
        return None
    return gram(a[0], b[0], over), a[1][1 - over] + b[1][1 - over]


def _fits_one_ciphertext(a: tuple[Operand, str], b: tuple[Operand, str]) -> bool:
    """Tells whether both operands are encrypted and one ciphertext has a slot (a place) for every product of their
    elements.

    Then the operands can be multiplied element by element, without a change of the order of axes.
    """
    if not is_encrypted(a[0]) or not is_encrypted(b[0]):
        return False
    lengths = dict(zip(a[1] + b[1], a[0].shape + b[0].shape, strict=True))
    return math.prod(lengths.values()) <= a[0]._packed.layout.slots.count


def _moves(*pairs: tuple[Operand, str, str]) -> int:
    """Returns the number of encrypted operands whose axes change their order. pairs: an operand, its order and its new
    order."""
    return sum(is_encrypted(x) and ix != order for x, ix, order in pairs)


def _by_elements(a: tuple[Operand, str], b: tuple[Operand, str], later: str, output: str) -> tuple[Operand, str]:
    main, other = (a, b) if is_encrypted(a[0]) and (not is_encrypted(b[0]) or len(a[1]) >= len(b[1])) else (b, a)
    more = "".join(letter for letter in other[1] if letter not in main[1])
    summed = "".join(letter for letter in main[1] if letter not in later)
    orders = [more + main[1], main[1] + more] + ([output + summed, summed + output] if output else [])

    def cost(order: str) -> int:
        used = [(x, ix, "".join(letter for letter in order if letter in ix)) for x, ix in (a, b)]
        kept = "".join(letter for letter in order if letter in later)
        return _moves(*used, (main[0], kept, output or kept))

    order = min(orders, key=cost)
    factors = [_aligned(x, ix, order) for x, ix in (a, b)]
    result = multiply(*factors)
    over = tuple(i for i, letter in enumerate(order) if letter not in later)
    kept = "".join(letter for letter in order if letter in later)
    return (sum_of(result, over) if over else result), kept


def _aligned(x: Operand, ix: str, order: str) -> Operand:
    """Moves the axes to the given order. Adds an axis of length 1 for each index that the operand lacks."""
    letters = "".join(letter for letter in order if letter in ix)
    x = _in_order(x, ix, letters)
    lengths = dict(zip(letters, np.shape(x), strict=True))
    shape = tuple(lengths.get(letter, 1) for letter in order)
    return reshape_of(x, shape) if is_encrypted(x) else np.reshape(x, shape)


def _matrix_plan(a: tuple[Operand, str], b: tuple[Operand, str], later: str, output: str) -> Any:
    """Plans a product of stacks of matrices, with the indices (batch, left, summed) @ (batch, summed, right).

    The first element of the plan is the number of encrypted arrays (operands and result) whose axes change their order.
    """
    plans: list[Any] = []
    for (left, il), (right, ir) in ((a, b), (b, a)):
        for leading in (il, ir):
            shared = [letter for letter in leading if letter in il and letter in ir]
            batch = "".join(letter for letter in shared if letter in later)
            summed = "".join(letter for letter in shared if letter not in later)
            rows = "".join(letter for letter in il if letter not in ir)
            cols = "".join(letter for letter in ir if letter not in il)
            orders = batch + rows + summed, batch + summed + cols, batch + rows + cols
            some = left if is_encrypted(left) else right
            cost = _moves((left, il, orders[0]), (right, ir, orders[1]), (some, orders[2], output or orders[2]))
            plans.append((cost, len(plans), (left, il), (right, ir), (len(batch), len(summed)), orders))
    return min(plans, key=lambda plan: plan[:2])


def _as_matrices(plan: Any) -> tuple[Operand, str]:
    _, _, first, second, (batch_axes, summed_axes), orders = plan
    left, right = _in_order(first[0], first[1], orders[0]), _in_order(second[0], second[1], orders[1])
    shape = np.shape(left)
    lead, lines = shape[:batch_axes], shape[batch_axes : len(shape) - summed_axes]
    inner, columns = shape[len(shape) - summed_axes :], np.shape(right)[batch_axes + summed_axes :]
    stack, k = (math.prod(lead),) if lead else (), math.prod(inner)
    result = matmul(_shaped(left, (*stack, math.prod(lines), k)), _shaped(right, (*stack, k, math.prod(columns))))
    return reshape_of(result, (*lead, *lines, *columns)), orders[2]


def _shaped(x: Operand, shape: tuple[int, ...]) -> Operand:
    return reshape_of(x, shape) if is_encrypted(x) else np.reshape(x, shape)


def tensordot_of(a: Operand, b: Operand, axes: Any = 2) -> EncryptedArray:
    a, b = both(a, b)
    left, right = _contracted_axes(axes, np.ndim(a), np.ndim(b))
    ia, spare = list(ascii_letters[: np.ndim(a)]), iter(ascii_letters[np.ndim(a) :])
    ib = [ia[left[right.index(i)]] if i in right else next(spare) for i in range(np.ndim(b))]
    kept = [x for i, x in enumerate(ia) if i not in left] + [x for i, x in enumerate(ib) if i not in right]
    return einsum_of(f"{''.join(ia)},{''.join(ib)}->{''.join(kept)}", a, b)


def _contracted_axes(axes: Any, dims_a: int, dims_b: int) -> tuple[list[int], list[int]]:
    """Returns the axes of each operand over which numpy.tensordot sums. Errors: InvalidArgument."""
    try:
        if np.ndim(axes) == 0:
            count = operator.index(axes)
            left, right = list(range(dims_a - count, dims_a)), list(range(count))
        else:
            left, right = ([operator.index(i) for i in np.atleast_1d(np.asarray(each))] for each in axes)
        left = [i + dims_a if i < 0 else i for i in left]
        right = [i + dims_b if i < 0 else i for i in right]
    except (TypeError, ValueError):
        left, right = [], [0]
    inside = all(0 <= i < dims_a for i in left) and all(0 <= i < dims_b for i in right)
    if len(left) != len(right) or not inside or len({*left}) != len(left) or len({*right}) != len(right):
        raise InvalidArgument(
            f"tensordot was given axes={shown(axes)} for arrays of {dims_a} and {dims_b} axes",
            "give a number of axes, or two lists of as many different axes",
        )
    return left, right


def inner_of(a: Operand, b: Operand) -> EncryptedArray:
    """Computes numpy.inner: sums products over the last axes of both operands."""
    a, b = both(a, b)
    if np.ndim(a) > 1 and np.ndim(b) > 1:
        return tensordot_of(a, b, (-1, -1))
    return dot_of(b, a) if np.ndim(b) > 1 else dot_of(a, b)


def wide_dot_of(a: Operand, b: Operand) -> EncryptedArray:
    """Computes numpy.dot for operands of any number of axes."""
    a, b = both(a, b)
    if np.ndim(b) > 2 and np.ndim(a) > 0:
        return tensordot_of(a, b, (-1, -2))
    return dot_of(a, b)


def kron_of(a: Operand, b: Operand) -> EncryptedArray:
    """Computes numpy.kron: multiplies each element of ``a`` by every element of ``b``. Takes one move for each
    encrypted operand, and one product."""
    a, b = both(a, b)
    axes = max(np.ndim(a), np.ndim(b))
    a, b = (_shaped(x, (1,) * (axes - np.ndim(x)) + np.shape(x)) for x in (a, b))
    shapes = np.shape(a), np.shape(b)
    require_sensible("the result of numpy.kron", math.prod(shapes[0]) * math.prod(shapes[1]), *map(math.prod, shapes))
    ones = [np.ones(shape, np.int64) for shape in shapes]

    def spread(x: Operand, side: int) -> Operand:
        if not is_encrypted(x):
            return np.kron(x, ones[1]) if side == 0 else np.kron(ones[0], x)
        numbers: NDArray[np.int64] = np.arange(x.size).reshape(x.shape)
        return gathered(x, np.kron(numbers, ones[1]) if side == 0 else np.kron(ones[0], numbers), "numpy.kron")

    return multiply(spread(a, 0), spread(b, 1))
