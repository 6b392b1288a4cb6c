# SPDX-License-Identifier: Apache-2.0
"""The files that count decryptions for others under one secret key."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..._core import files
from ..._core import keys as core

__all__ = ["Ledgers"]


class Ledgers:
    """Each is opened once, so that an older copy of it is noticed."""

    def __init__(self) -> None:
        self._opened: dict[str, files.ReleaseLedger] = {}
        self._lock = threading.Lock()

    @contextmanager
    def open(self, path: str | os.PathLike[str], context: Any, secret: core.SecretKey) -> Iterator[files.ReleaseLedger]:
        """The count in a file, for one thread at a time. context: of the bindings, on the device of the secret."""
        folder, name = os.path.split(os.path.abspath(path))
        place = os.path.join(os.path.realpath(folder), name)  # a link at its end stays one, and is refused
        with self._lock:
            if place not in self._opened:
                self._opened[place] = files.ReleaseLedger.open(place, context, secret)
            yield self._opened[place]
