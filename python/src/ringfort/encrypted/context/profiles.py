# SPDX-License-Identifier: Apache-2.0
"""Profile: the operations that a device ran. It prints as a table, also in notebooks, and converts to a DataFrame.
Recordings: the profiles that the devices of a context record."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from ... import _core
from ..._core import keys as core
from ...errors import IoWrite, Unsupported
from ...locks import Lock
from ...units import duration, quantity, size
from ...whole_files import require_replaceable, write_whole

__all__ = ["Profile", "Recordings"]

_HEADINGS = ("verb", "device", "count", "time", "share", "bytes")
_SHOWN = 20


class Profile(_core.Profile):
    """Records the operations that a device runs. ``Context.profile`` makes a Profile. The recording ends with the block
    of the ``with`` statement."""

    def __reduce__(self) -> Any:
        raise Unsupported(
            "a profile is neither copied nor pickled: it may still record",
            "copy or send its records, its table() or its csv()",
        )

    def _rows(self) -> list[tuple[str, ...]]:
        rows = self.table("verb")
        lines: list[tuple[str, ...]] = [
            (row.name, row.device, f"{row.count:,}", duration(row.us / 1e6), f"{row.time_share:.1%}", size(row.bytes))
            for row in rows[:_SHOWN]
        ]
        if len(rows) > _SHOWN:
            lines.append((f"{len(rows) - _SHOWN} more", "", "", "", "", ""))
        return lines

    def _title(self) -> str:
        rows = self.table("verb")
        count, time = sum(row.count for row in rows), sum(row.us for row in rows)
        simulated = ", simulated" if any(record.simulated for record in self.records) else ""
        lost = f", {self.lost:,} not recorded" if self.lost else ""
        return f"Profile: {quantity(count, 'verb')}, {duration(time / 1e6)}{simulated}{lost}"

    def __repr__(self) -> str:
        rows = self._rows()
        if not rows:
            return self._title()
        widths = [max(map(len, column)) for column in zip(_HEADINGS, *rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if i < 2 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in (_HEADINGS, *rows)
        ]
        return "\n".join((self._title(), *lines))

    def _repr_html_(self) -> str:
        def cells(tag: str, row: tuple[str, ...]) -> str:
            aligned = ("left", "left", *("right",) * (len(row) - 2))
            pairs = zip(row, aligned, strict=True)
            return "".join(f"<{tag} style='text-align:{side}'>{html.escape(cell)}</{tag}>" for cell, side in pairs)

        body = "".join(f"<tr>{cells('td', row)}</tr>" for row in self._rows())
        head = f"<tr>{cells('th', _HEADINGS)}</tr>"
        return f"<table><caption>{html.escape(self._title())}</caption>{head}{body}</table>"

    def to_pandas(self, by: Literal["verb", "launch", "section"] | None = None) -> Any:
        """Returns a pandas DataFrame. It has a row for each record. If ``by`` is given, it has a row for each name in
        the table ``by``. Imports pandas.

        Errors: Unsupported (pandas is not installed), InvalidArgument.
        """
        try:
            import pandas
        except ImportError:
            raise Unsupported(
                "frames need pandas, which is not installed", "pip install pandas, or use csv()"
            ) from None
        rows, kind = (self.records, _core.VerbRecord) if by is None else (self.table(by), _core.ProfileRow)
        names = [name for name, value in vars(kind).items() if isinstance(value, property)]
        return pandas.DataFrame([{name: getattr(row, name) for name in names} for row in rows], columns=names)


class Recordings:
    """Records profiles of the devices of a context. A device records one profile at a time. Threads can share this
    object."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._recording: set[str] = set()  # names of devices

    @contextmanager
    def record(self, device: str, context: core.KeyContext, path: str | os.PathLike[str] | None) -> Iterator[Profile]:
        """Records a profile inside a block. context: the context on the device. path: the file for a trace.

        Errors: Unsupported (the device already records a profile), IoWrite.
        """
        found = Profile()
        if path is not None:
            _write(require_replaceable, path)
        with self._lock.inner:
            if device in self._recording:
                raise Unsupported(
                    f"the device {device} already records a profile of this context",
                    'end its block first; to name a part of a block: with found.section("name")',
                )
            self._recording.add(device)
        try:
            context.profile(found)
            yield found
        finally:
            context.profile(None)
            with self._lock.inner:
                self._recording.discard(device)
        if path is not None:
            _write(write_whole, path, found.chrome_trace("ringfort"))


def _write(write: Callable[..., None], path: str | os.PathLike[str], *data: str) -> None:
    try:
        write(path, *data)
    except OSError as error:
        raise IoWrite(f"{os.fspath(path)} cannot be written: {error.strerror}", "choose another path") from None
