# SPDX-License-Identifier: Apache-2.0
"""Checks the files that a command writes, before it does anything."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ..errors import InvalidArgument

__all__ = ["Named", "refuse_dash", "require_separate"]

Named = tuple[str, Path | str | None]  # the name of an argument, and the file that it names


def refuse_dash(name: str, path: Path | str | None) -> None:
    """Refuses the path "-", by which many programs mean standard output, for the file of the option ``name``. Errors:
    InvalidArgument."""
    if path is not None and str(path) == "-":
        raise InvalidArgument(f"{name} - names standard output, but {name} writes a file", "give the name of a file")


def require_separate(inputs: Iterable[Named], outputs: Iterable[Named]) -> None:
    """Refuses an output that is "-", or the same file as an input or another output. Each file has the name of its
    argument. Devices such as /dev/null may have several names. Call it before anything is written. Errors:
    InvalidArgument."""
    known = {_identity(path): name for name, path in inputs if path and os.path.exists(path)}
    for name, path in outputs:
        refuse_dash(name, path)
        if not path or (os.path.exists(path) and not os.path.isfile(path)):
            continue
        if other := known.get(identity := _identity(path)):
            raise InvalidArgument(f"{other} and {name} are the same file, {path}", f"give {name} another path")
        known[identity] = name


def _identity(path: Path | str) -> object:
    try:
        found = os.stat(path)
    except OSError:
        return os.path.realpath(path)
    return found.st_dev, found.st_ino
