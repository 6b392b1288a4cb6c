# SPDX-License-Identifier: Apache-2.0
"""Ledgers: files that count the decryptions for others under one secret key."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..._core import files
from ..._core import keys as core
from ...locks import Lock

__all__ = ["Ledgers"]


class Ledgers:
    """Opens each ledger once, and so detects an older copy of it."""

    def __init__(self) -> None:
        self._opened: dict[str, files.ReleaseLedger] = {}
        self._lock = Lock()

    @contextmanager
    def open(self, path: str | os.PathLike[str], context: Any, secret: core.SecretKey) -> Iterator[files.ReleaseLedger]:
        """Opens a ledger, for one thread at a time. context: the binding's, on the device of the secret key."""
        folder, name = os.path.split(os.path.abspath(path))
        place = os.path.join(os.path.realpath(folder), name)  # keeps a link as the last part, which the library refuses
        with self._lock:
            if place not in self._opened:
                self._opened[place] = files.ReleaseLedger.open(place, context, secret)
            yield self._opened[place]
