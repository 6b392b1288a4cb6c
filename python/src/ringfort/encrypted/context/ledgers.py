# SPDX-License-Identifier: Apache-2.0
"""Ledgers: files that count the decryptions for others under one secret key."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..._core import files
from ..._core import keys as core
from ...locks import Lock

__all__ = ["Ledgers"]


class Ledgers:
    """Opens each ledger once and keeps it open, so that an older copy put in its place is detected."""

    def __init__(self) -> None:
        self._opened: dict[str, files.ReleaseLedger] = {}
        self._lock = Lock()

    def use(
        self,
        path: str | os.PathLike[str],
        context: Any,
        secret: core.SecretKey,
        work: Callable[[files.ReleaseLedger], None],
    ) -> None:
        """Calls ``work`` with the open ledger, in one thread at a time. context: must be on the device of the secret
        key."""
        folder, name = os.path.split(os.path.abspath(path))
        # Resolves links to folders only: the library refuses a ledger that is itself a link.
        place = os.path.join(os.path.realpath(folder), name)
        with self._lock.inner:
            if place not in self._opened:
                self._opened[place] = files.ReleaseLedger.open(place, context, secret)
            work(self._opened[place])
