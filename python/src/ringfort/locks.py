# SPDX-License-Identifier: Apache-2.0
"""Locks of the package's objects, which a forked child can use.

A bare threading.Lock that another thread of the parent holds during a fork stays locked in the child for ever: its
holder does not exist there. The locks of the C++ library are not covered.
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
    """A lock for state that is never half changed: a forked child finds it free, unless the forking thread holds it."""

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
        """Runs in a forked child. Returns whether the lock was held by a thread that does not exist there."""
        if not self._inner.locked() or self._holder == threading.get_ident():
            return False
        self._inner = threading.Lock()
        self._holder = None
        return True


class Turn(Lock):
    """A lock for an object that its holder may leave half changed: a child that was forked meanwhile cannot use it.

    Errors of ``with turn``: InvalidArgument (such a child).
    """

    def __init__(self) -> None:
        super().__init__()
        self._is_half_changed = False

    def __enter__(self) -> None:
        if self._is_half_changed:
            raise InvalidArgument(
                "this process was forked while another thread used the object", "make it again in this process"
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
