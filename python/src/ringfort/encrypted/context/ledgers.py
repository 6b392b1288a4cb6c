# SPDX-License-Identifier: Apache-2.0
"""Ledgers. A ledger is a file that counts decryptions whose values others see. It belongs to one secret key."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..._core import files
from ..._core import keys as core
from ...locks import Lock

__all__ = ["Ledgers"]


class Ledgers:
    """Opens each ledger once and keeps it open. An open ledger detects that somebody replaced its file by an older
    copy."""

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
        """Opens the ledger, and calls ``work`` with it. Only one thread at a time uses a ledger. context: a context on
        the device of the secret key."""
        folder, name = os.path.split(os.path.abspath(path))
        # Resolves only links to folders. The library refuses a ledger that is itself a link.
        resolved = os.path.join(os.path.realpath(folder), name)
        with self._lock.inner:
            if resolved not in self._opened:
                self._opened[resolved] = files.ReleaseLedger.open(resolved, context, secret)
            work(self._opened[resolved])
