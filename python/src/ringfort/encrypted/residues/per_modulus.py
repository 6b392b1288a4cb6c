# SPDX-License-Identifier: Apache-2.0
"""PerModulus: an object that consists of parts. A part is an object of the C++ library for one plaintext modulus. The
parts have the order of the moduli.

A context with one plaintext modulus has the objects of the library themselves. ``per_modulus`` returns the parts of
both kinds of objects. Therefore the same code works for one modulus and for several moduli.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["PerModulus", "joined", "per_modulus"]


class PerModulus:
    """The base class of objects with a part for each plaintext modulus."""

    __slots__ = ("per_modulus",)

    def __init__(self, parts: Iterable[Any]) -> None:
        self.per_modulus: tuple[Any, ...] = tuple(parts)


def per_modulus(thing: Any) -> tuple[Any, ...]:
    """Returns the parts of an object as a tuple. An object of another class than PerModulus is its own only part."""
    return thing.per_modulus if isinstance(thing, PerModulus) else (thing,)


def joined(kind: Callable[[Iterable[Any]], Any], parts: Iterable[Any]) -> Any:
    """Returns an object of the class ``kind`` with these parts. If there is only one part, returns this part."""
    found = tuple(parts)
    return found[0] if len(found) == 1 else kind(found)
