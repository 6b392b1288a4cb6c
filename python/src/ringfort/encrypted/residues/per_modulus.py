# SPDX-License-Identifier: Apache-2.0
"""PerModulus: an object that consists of one object of the library for each plaintext modulus, in their order.

A context with one modulus has the library's own objects. ``per_modulus`` returns the parts of an object in either case,
so that code that visits all moduli is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["PerModulus", "joined", "per_modulus"]


class PerModulus:
    """Base of objects with a part for each modulus; immutable."""

    __slots__ = ("per_modulus",)

    def __init__(self, parts: Iterable[Any]) -> None:
        self.per_modulus: tuple[Any, ...] = tuple(parts)


def per_modulus(thing: Any) -> tuple[Any, ...]:
    """Returns the parts of an object as a tuple; an object with one modulus is its own only part."""
    return thing.per_modulus if isinstance(thing, PerModulus) else (thing,)


def joined(kind: Callable[[Iterable[Any]], Any], parts: Iterable[Any]) -> Any:
    """Returns an object of this kind with these parts; a single part is returned as it is."""
    found = tuple(parts)
    return found[0] if len(found) == 1 else kind(found)
