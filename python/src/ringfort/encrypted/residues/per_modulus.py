# SPDX-License-Identifier: Apache-2.0
"""PerModulus: an object that consists of objects of the C++ library, one for each plaintext modulus, in the order of
the moduli.

With one plaintext modulus, an object of the library takes the place of a PerModulus. ``per_modulus`` returns a tuple
for both. Therefore the same code works for one modulus and for several moduli.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["PerModulus", "joined", "per_modulus"]


class PerModulus:
    """The base class of objects that consist of an object of the library for each plaintext modulus."""

    __slots__ = ("per_modulus",)

    def __init__(self, objects: Iterable[Any]) -> None:
        self.per_modulus: tuple[Any, ...] = tuple(objects)


def per_modulus(thing: Any) -> tuple[Any, ...]:
    """Returns the objects of all moduli. If ``thing`` is not a PerModulus, returns a tuple of ``thing`` alone."""
    return thing.per_modulus if isinstance(thing, PerModulus) else (thing,)


def joined(kind: Callable[[Iterable[Any]], Any], objects: Iterable[Any]) -> Any:
    """Returns an object of the class ``kind`` with these objects. If there is only one object, returns this object."""
    found = tuple(objects)
    return found[0] if len(found) == 1 else kind(found)
