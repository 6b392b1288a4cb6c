# SPDX-License-Identifier: Apache-2.0
"""Checks of what users pass, before the extension, whose own refusal is a TypeError about its signatures.

A refusal names types, never values: they may be passphrases, records or words.
"""

from __future__ import annotations

import operator

from .errors import InvalidArgument

__all__ = ["flag", "text", "whole"]


def flag(name: str, value: object) -> bool:
    """``value``, where it is True or False: "no" is neither. Errors: InvalidArgument."""
    if not isinstance(value, bool):
        raise InvalidArgument(f"{name} is {_kind(value)}", f"give {name} as True or False")
    return value


def whole(name: str, value: object, limit: int) -> int:
    """``value`` as an int in 0 .. limit - 1, limit a power of two. Errors: InvalidArgument."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidArgument(f"{name} is {_kind(value)}, not a whole number", f"give {name} as an int") from None
    if not 0 <= number < limit:
        raise InvalidArgument(f"{name} = {number} is out of range", f"{name} is in 0 .. 2^{limit.bit_length() - 1} - 1")
    return number


def _kind(value: object) -> str:
    return f"of type {type(value).__name__}"


def text(name: str, value: object) -> str:
    """``value``, where it is a str that UTF-8 can say. Errors: InvalidArgument."""
    if not isinstance(value, str):
        raise InvalidArgument(f"{name} is {_kind(value)}, not text", f"give {name} as a str")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidArgument(f"{name} holds half characters", "decode its bytes again") from None
    return value
