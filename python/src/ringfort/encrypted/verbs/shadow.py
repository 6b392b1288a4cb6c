# SPDX-License-Identifier: Apache-2.0
"""``ringfort.debug``: carries a *shadow* beside each encrypted array: the same values in the clear. Reports the first
operation whose error exceeds its bound.

    with ringfort.debug(keys):
        x = ctx.encrypt(values, keys)
        y = 3 * x + x**2                  # decrypts every result and compares it with NumPy's result

Use it only for development, because it needs the secret key and decrypts the result of every operation.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BoundViolated, KeyMissing
from ..array.array import EncryptedArray
from ..array.session import Owner
from .operands import is_encrypted

__all__ = ["check", "debug", "keep"]

_keys: ContextVar[Owner | None] = ContextVar("ringfort_debug_keys", default=None)
_PACKAGES = (Path(__file__).parents[2], Path(np.__file__).parent)
_INTEGERS = np.frompyfunc(int, 1, 1)  # some NumPy functions write numpy.int64 into arrays of Python ints


@contextmanager
def debug(keys: Owner) -> Iterator[None]:
    """Keeps a shadow of every array that the block encrypts under these keys, and of every result that depends only on
    these arrays and on values in the clear.

    Errors: KeyMissing, and BoundViolated inside the block.
    """
    if not hasattr(keys, "secret_for"):
        raise KeyMissing(f"debug was given {type(keys).__name__}, not a key set", "give what keygen() made")
    token = _keys.set(keys)
    try:
        yield
    finally:
        _keys.reset(token)


def keep(x: EncryptedArray, values: NDArray[Any]) -> None:
    """Gives a newly encrypted array its shadow. Does nothing outside a block of ``debug`` with the keys of the
    array."""
    keys = _keys.get()
    if keys is not None and keys.public.id == x.key_id:
        x._clear = values


def check(result: Any, verb: Callable[..., Any], name: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Applies NumPy's function ``verb`` to the shadows of the operands. Compares the decrypted results with NumPy's
    results, which become the shadows. Does nothing outside a block of ``debug``, or if an operand has no shadow.
    Errors: BoundViolated."""
    keys, many = _keys.get(), isinstance(result, (list, tuple))
    if keys is None or not all(map(is_encrypted, result if many else [result])):
        return
    if not all(_has_shadow(x) for x in (*args, *options.values())):
        return
    if verb is np.float_power:
        verb = np.power  # float_power refuses arrays of Python ints; shadows of integers are such arrays
    expected = verb(*map(_shadow, args), **{name: _shadow(x) for name, x in options.items()})
    for found, values in zip(result, expected, strict=True) if many else [(result, expected)]:
        _compare(found, np.asarray(values), keys, name)


def _compare(result: EncryptedArray, expected: NDArray[Any], keys: Owner, name: str) -> None:
    if result._session.on.exact:
        expected = result._session.on.residues(_INTEGERS(expected))
    result._clear = expected
    found = result.decrypt_raw(keys)
    allowed = _allowed(result, expected)
    if result._session.on.exact:
        off = expected != found
    else:
        off = np.abs(found - expected) > allowed
    if np.any(off):
        index = tuple(map(int, np.unravel_index(int(np.argmax(off)), found.shape)))
        raise BoundViolated(
            f"{name} at {_location()}: element {index} is off by more than its bound allows",
            "please report this with the program: a violated bound is a defect of the library",
        )


def _has_shadow(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return all(map(_has_shadow, x))
    return not is_encrypted(x) or x._clear is not None


def _shadow(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return type(x)(map(_shadow, x))
    if not is_encrypted(x):
        return x
    return x._clear.astype(object) if x._session.on.exact else x._clear  # object arrays have integers of any size


def _allowed(result: EncryptedArray, expected: np.ndarray[Any, Any]) -> float:
    """Returns the allowed difference: the bound on the error, plus an allowance for the rounding of NumPy's doubles."""
    on = result._session.on
    bits = min(on.raw_precision_bits(ciphertext) for ciphertext in result._stored.ciphertexts)
    return float(2.0 ** -(bits + 1) + 1e-12 * (1 + np.max(np.abs(expected))))


def _location() -> str:
    """Returns the file and the line number of the program's call. Does not return the text of the line, which may
    contain a secret."""
    for frame in reversed(traceback.extract_stack()):
        path = Path(frame.filename)
        if not any(package in path.parents for package in _PACKAGES):
            return f"{path.name}:{frame.lineno}"
    return "an unknown place"
