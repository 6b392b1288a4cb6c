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

__all__ = ["CachedProperty", "Lock", "Turn", "lock_of_a_call"]

T = TypeVar("T")
_locks: weakref.WeakSet[Lock] = weakref.WeakSet()


class Lock:
    """A lock for state that is always consistent.

    In a forked child the lock is free, unless the forking thread holds it. Acquire it by ``with lock.inner:``.
    ``inner`` is an object in C: Python handles no signal between the acquisition and the with block. A lock with
    ``__enter__`` in Python would stay locked if Ctrl-C came inside ``__enter__``.
    """

    def __init__(self) -> None:
        self.inner: Any = threading.RLock()
        _locks.add(self)

    def _renew(self) -> None:
        """Runs in a forked child. Replaces the lock if its holder is a thread that only the parent has."""
        if not _is_free(self.inner):
            self.inner = threading.RLock()


class Turn(Lock):
    """A lock for an object that is inconsistent while the lock is held.

    A child that was forked during such a time cannot use the object. Errors of ``with turn.inner``: InvalidArgument (in
    such a child).
    """

    def _renew(self) -> None:
        if not isinstance(self.inner, _HalfChanged) and not _is_free(self.inner):
            self.inner = _HalfChanged()


class _HalfChanged:
    """Replaces the lock of an object that another thread was changing during the fork."""

    def __enter__(self) -> None:
        raise InvalidArgument(
            "this process was forked while another thread used the object", "make the object again in this process"
        )

    def __exit__(self, *error: object) -> None:
        pass


def lock_of_a_call() -> Any:
    """Returns a lock for the duration of one call. A forked child does not continue the call. Therefore the lock has no
    code for forks."""
    return threading.Lock()


def _is_free(lock: Any) -> bool:
    """Tells whether this thread can acquire the lock, or holds it."""
    if not lock.acquire(blocking=False):
        return False
    lock.release()
    return True


class CachedProperty(Generic[T]):
    """Replaces functools.cached_property, which has a lock before Python 3.12.

    Here, two threads may compute the same value.
    """

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
