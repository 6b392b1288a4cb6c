# SPDX-License-Identifier: Apache-2.0
"""Shows the progress of a long job, with the rate and the remaining time. On a terminal, draws a bar. Elsewhere, prints
a plain line at most every two seconds.

The library imports this module only when it shows progress, because the import of rich takes a long time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from . import units

__all__ = ["Told", "shown", "standard_error"]

_PLAIN_EVERY_S = 2.0


class Told(Protocol):
    def __call__(self, done: int, total: int | None = None, /) -> None:
        """Reports the number of finished units. total: the new number of all units, if it has changed."""


def standard_error() -> Console:
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


@contextmanager
def shown(console: Console, what: str, total: int, unit: str) -> Iterator[Told]:
    """Yields the function to which the job reports its finished units: see ``Told``. what: the name of the job. total:
    the number of all units. unit: the noun for one unit, in the singular."""
    if not console.is_terminal:
        yield _Lines(console, what, total, unit)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), _Pace(unit))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done, total=None, /: bar.update(task, completed=done, total=total)


class _Pace(ProgressColumn):
    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        return Text(_pace(int(task.completed), int(task.total or 0), task.elapsed or 0.0, self._unit))


class _Lines:
    def __init__(self, console: Console, what: str, total: int, unit: str) -> None:
        self._console, self._what, self._total, self._unit = console, what, total, unit
        self._begun = self._said = time.monotonic()

    def __call__(self, done: int, total: int | None = None, /) -> None:
        now, self._total = time.monotonic(), self._total if total is None else total
        if now - self._said < _PLAIN_EVERY_S:
            return
        self._said = now
        self._console.print(f"{self._what}: {_pace(done, self._total, now - self._begun, self._unit)}")


def _pace(done: int, total: int, elapsed: float, unit: str) -> str:
    text = f"{done:,}/{units.quantity(total, unit)}"
    if done == 0 or elapsed <= 0:
        return text
    text = f"{text}, {units.rate(done / elapsed, unit)}"
    return f"{text}, {units.duration((total - done) * elapsed / done)} left" if done < total else text
