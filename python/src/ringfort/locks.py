# SPDX-License-Identifier: Apache-2.0
"""Locks for the package's objects that work in a forked child.

If another thread of the parent holds a threading.Lock during a fork, the lock stays locked in the child for ever: its
holder does not exist there. This module does not cover the locks of the C++ library.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from .errors import InvalidArgument

__all__ = ["CachedProperty", "Lock", "Turn"]

T = TypeVar("T")
_locks: weakref.WeakSet[Lock] = weakref.WeakSet()


class Lock:
    """A lock for state that is always consistent: it is free in a forked child, unless the forking thread holds it."""

    def __init__(self) -> None:
        self._inner = threading.Lock()
        self._holder: int | None = None
        _locks.add(self)

    def __enter__(self) -> None:
        self._inner.acquire()
        self._holder = threading.get_ident()

    def __exit__(self, *error: object) -> None:
        self._holder = None
        self._inner.release()

    def _renew(self) -> bool:
        """Runs in a forked child. Tells whether a thread that does not exist there held the lock."""
        if not self._inner.locked() or self._holder == threading.get_ident():
            return False
        self._inner = threading.Lock()
        self._holder = None
        return True


class Turn(Lock):
    """A lock for an object that is inconsistent while the lock is held: a child that was forked then cannot use it.

    Errors of ``with turn``: InvalidArgument (in such a child).
    """

    def __init__(self) -> None:
        super().__init__()
        self._is_half_changed = False

    def __enter__(self) -> None:
        if self._is_half_changed:
            raise InvalidArgument(
                "this process was forked while another thread used the object", "make the object again in this process"
            )
        super().__enter__()

    def _renew(self) -> bool:
        self._is_half_changed |= super()._renew()
        return self._is_half_changed


class CachedProperty(Generic[T]):
    """functools.cached_property without the lock that it has before Python 3.12. Two threads may compute a value."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> T:
        if instance is None:
            return self  # type: ignore[return-value]
        found: T = instance.__dict__.setdefault(self._compute.__name__, self._compute(instance))
        return found


def _renew_all() -> None:
    for lock in list(_locks):
        lock._renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
