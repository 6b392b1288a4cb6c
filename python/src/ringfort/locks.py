# SPDX-License-Identifier: Apache-2.0
"""Locks for the objects of this package. These locks work in a forked child.

If another thread of the parent holds a threading.Lock during a fork, this lock stays locked in the child for ever,
because the child does not have that thread. This module does not handle the locks of the C++ library.
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
    """A lock for an object whose state is consistent even while a thread holds the lock.

    In a forked child the lock is free, unless the thread that forked holds it. Acquire the lock by ``with
    lock.inner:``. ``inner`` is written in C. Therefore Python handles no signal between the acquisition and the with
    block. A lock with ``__enter__`` in Python would stay locked after Ctrl-C inside ``__enter__``.
    """

    def __init__(self) -> None:
        self.inner: Any = threading.RLock()
        _locks.add(self)

    def _renew(self) -> None:
        """Runs in a forked child. Replaces the lock if another thread of the parent held it during the fork."""
        if not _is_free(self.inner):
            self.inner = threading.RLock()


class Turn(Lock):
    """A lock for an object whose state is inconsistent while a thread holds the lock.

    If another thread holds the lock during a fork, the child cannot use the object. Then ``with turn.inner`` raises
    InvalidArgument in the child.
    """

    def _renew(self) -> None:
        if not isinstance(self.inner, _HalfChanged) and not _is_free(self.inner):
            self.inner = _HalfChanged()


class _HalfChanged:
    """Replaces, in a forked child, the lock of an object that another thread was changing during the fork."""

    def __enter__(self) -> None:
        raise InvalidArgument(
            "this process was forked while another thread used the object", "make the object again in this process"
        )

    def __exit__(self, *error: object) -> None:
        pass


def lock_of_a_call() -> Any:
    """Returns a lock that exists only during one call. A forked child does not continue the call. Therefore the lock
    needs no code for forks."""
    return threading.Lock()


def _is_free(lock: Any) -> bool:
    """Tells whether this thread holds the lock or can acquire it."""
    if not lock.acquire(blocking=False):
        return False
    lock.release()
    return True


class CachedProperty(Generic[T]):
    """Replaces functools.cached_property, which before Python 3.12 has a lock that a fork can leave locked.

    This class has no lock. Therefore two threads may compute the same value. Both get the value that is stored first.
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
