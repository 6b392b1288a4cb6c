# SPDX-License-Identifier: Apache-2.0
"""Warns once if the system does not lock the memory of secrets.

The library excludes this memory from core dumps, and locks it against swapping. A forked process locks its own copy,
within its own limit for locked memory.
"""

from __future__ import annotations

import os

from . import _core
from .warned import warn

__all__ = ["warn_where_unlocked"]

_warned = False


def warn_where_unlocked() -> None:
    """Warns if the memory of secrets is not locked, but only once in a process. Call this function after a secret key
    was made or read."""
    global _warned
    if _warned or _core.secret_memory_is_locked():
        return
    _warned = True
    warn(
        "the system refused to lock memory that holds secret keys: they may be written to swap; raise the limit "
        "(ulimit -l, RLIMIT_MEMLOCK) before the program starts, or use encrypted swap or no swap",
        RuntimeWarning,
    )


if hasattr(os, "register_at_fork"):  # at this time the library has already tried to lock the child's copy
    os.register_at_fork(after_in_child=warn_where_unlocked)
