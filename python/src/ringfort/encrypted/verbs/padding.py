# SPDX-License-Identifier: Apache-2.0
"""NumPy functions whose results have elements of known value beside elements of the operand: pad, diag, triu and tril.
Levels, rotations and slots are explained in array/array.py, moves in packing/moves.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidArgument, Unsupported
from ...values import shown
from ..array import ranges
from ..array.array import EncryptedArray
from ..array.session import Session
from ..packing.packed import Packed
from .elementwise import multiply
from .operands import in_range, is_encrypted, numpys, require_sensible, require_unmasked
from .rearrange import gathered, moving

__all__ = ["declared_at_most", "diag_of", "diagflat_of", "pad_of", "tril_of", "triu_of", "with_plain"]

_MOVED = ("edge", "reflect", "symmetric", "wrap", "empty")


def with_plain(a: EncryptedArray, values: NDArray[Any]) -> EncryptedArray:
    """Adds plain values to an array. At each place, either the element of the array or the plain value must be zero.

    Takes no level. The bound on a sum is usually the sum of the bounds on its operands. Here, the larger of these two
    bounds suffices. The interval of ``a`` must contain the plain values.
    """
    if not np.any(values):
        return a
    packed = a._session.tables.with_plain(a._session.on.verbs.add_plain, a._packed, values, product=False)
    packed = declared_at_most(a._session, packed, a._packed, float(np.abs(values).max()))
    return a._derived(a.shape, packed, a._interval)


def declared_at_most(session: Session, packed: Packed[Any], before: Packed[Any], value: float) -> Packed[Any]:
    """Declares a bound on the values of ``packed``, in all slots: ``value`` or the bound on ``before``, whichever is
    larger.

    Declares nothing for integers, or if only a file claims that unused slots of ``before`` are zero.
    """
    on = session.on
    if (
        on.exact
        or before.unused.depends_on_file
        or not all(hasattr(ciphertext, "magnitude") for ciphertext in packed.ciphertexts)
    ):  # the vectors that tests use in place of ciphertexts have no magnitude
        return packed
    bound = max(value, *(ciphertext.magnitude for ciphertext in before.ciphertexts))
    return session.tables.unary(
        lambda ciphertext: on.declare_magnitude(ciphertext, bound) if ciphertext.magnitude > bound else ciphertext,
        packed,
    )


def pad_of(array: EncryptedArray, pad_width: Any, mode: Any = "constant", **options: Any) -> EncryptedArray:
    """Computes numpy.pad. Takes one move. In the mode "constant", the move leaves zeros at the new places, and then an
    addition writes the constants to these places."""
    if not is_encrypted(array) or is_encrypted(pad_width) or any(map(is_encrypted, options.values())):
        raise Unsupported(
            "numpy.pad does not take encrypted widths or constants", "use numpy.concatenate with encrypted parts"
        )
    what, numbers = f"numpy.pad of shape {array.shape}", np.arange(array.size).reshape(array.shape)
    widths = pad_width.values() if isinstance(pad_width, dict) else (pad_width,)
    require_unmasked(what, widths)
    if mode in _MOVED and isinstance(mode, str) and not (set(options) - {"reflect_type"}) and not _odd(options):
        _require_width(what, array, pad_width)
        return gathered(
            array, numpys(what, np.pad, numbers, pad_width, "edge" if mode == "empty" else mode), "numpy.pad"
        )
    if not isinstance(mode, str) or mode != "constant" or set(options) - {"constant_values"}:
        raise Unsupported(
            f"numpy.pad was given mode={shown(mode)}" + "".join(f", {name}=" for name in options),
            "give one of the modes constant (with constant_values), " + ", ".join(_MOVED),
        )
    _require_width(what, array, pad_width)
    element = numpys(what, lambda a, width: np.pad(a, width, constant_values=-1), numbers, pad_width)
    constant = array._session.plain(options.get("constant_values", 0))
    moved = gathered(array, element, "numpy.pad")
    try:
        around = np.pad(np.zeros(array.shape, constant.dtype), pad_width, constant_values=constant)
    except ValueError:
        raise InvalidArgument(
            f"constant_values of shape {constant.shape} do not fit {array.ndim} axes",
            "give one, or a pair for each axis",
        ) from None
    interval = ranges.either(moved._interval, ranges.of_values(around)) if moved._interval else None
    return with_plain(moved._derived(moved.shape, moved._packed, in_range(array, interval, "numpy.pad")), around)


def _odd(options: dict[str, Any]) -> bool:
    return options.get("reflect_type", "even") != "even"


def _require_width(what: str, array: EncryptedArray, pad_width: Any) -> None:
    """Refuses a result that is too large, before NumPy allocates it."""
    try:
        if isinstance(pad_width, dict):
            each: Any = [
                np.broadcast_to(np.asarray(pad_width.get(i, pad_width.get(i - array.ndim, 0)), dtype=object), 2)
                for i in range(array.ndim)
            ]
        else:
            each = np.broadcast_to(np.asarray(pad_width, dtype=object), (array.ndim, 2))
        size = 1
        for n, (before, after) in zip(array.shape, each, strict=True):
            size *= n + int(before) + int(after)
    except (TypeError, ValueError):
        return  # NumPy's function refuses the argument
    require_sensible(what, size, array.size)


def diag_of(v: EncryptedArray, k: int = 0) -> EncryptedArray:
    """Computes numpy.diag: takes the diagonal of a matrix, or makes a matrix from its diagonal. Takes one move."""
    if is_encrypted(k):
        raise Unsupported("numpy.diag does not take an encrypted offset", "give a plain whole number")
    if v.ndim == 2:
        return moving(np.diagonal)(v, k)
    if v.ndim != 1:
        raise InvalidArgument(f"numpy.diag was given an array of shape {v.shape}", "give a vector or a matrix")
    if not isinstance(k, (int, np.integer)):
        raise InvalidArgument(f"numpy.diag was given k={shown(k)}", "give a whole number")
    require_sensible(f"numpy.diag of shape {v.shape}", (v.size + abs(int(k))) ** 2, v.size)
    return gathered(v, np.diag(np.arange(v.size) + 1, k) - 1, "numpy.diag")


def diagflat_of(v: EncryptedArray, k: int = 0) -> EncryptedArray:
    return diag_of(moving(np.reshape)(v, -1), k)


def triu_of(m: EncryptedArray, k: int = 0) -> EncryptedArray:
    """Clears the elements below a diagonal. Takes one level and no rotation."""
    return _masked(np.triu, m, k)


def tril_of(m: EncryptedArray, k: int = 0) -> EncryptedArray:
    """Clears the elements above a diagonal. Takes one level and no rotation."""
    return _masked(np.tril, m, k)


def _masked(function: Any, m: EncryptedArray, k: Any) -> EncryptedArray:
    what = f"numpy.{function.__name__}"
    if not isinstance(k, (int, np.integer)):
        raise InvalidArgument(f"{what} was given k={shown(k)}", "give a whole number")
    if m.ndim < 2:
        raise InvalidArgument(f"{what} was given an array of shape {m.shape}", "give a matrix")
    most = max(m.shape[-2:])  # all diagonals outside the matrix have the same effect
    mask = function(np.ones(m.shape[-2:], np.int64), max(-most, min(most, int(k))))
    return multiply(m, np.broadcast_to(mask, m.shape))
