# SPDX-License-Identifier: Apache-2.0
"""How commands speak: results to standard output, everything else to standard error.

With --json exactly one JSON document goes to standard output, in failure as well. An error is printed as what was found
and what to do, and ends the command with exit code 1, or 2 for bad input. Progress is a bar with rate and time left
on a terminal, a plain line now and then elsewhere.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.table import Table
from rich.text import Text

from ..errors import Error, InvalidArgument
from . import units

__all__ = ["Speaker", "table"]

_PLAIN_EVERY_S = 2.0
_WIDTH_OF_FILES = 160
_FIXES = {  # for errors that are told where the way out is not known
    "io_open": "check the path and its permissions",
    "io_read": "check the disk, and that the file is not being written",
    "io_write": "check the free space and the permissions",
    "out_of_memory": "close other programs, or take a smaller index",
}
_EXIT_FAILED, _EXIT_BAD_INPUT = 1, 2


class Speaker:
    """One command's voice."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDTH_OF_FILES
        self.out = Console(soft_wrap=not sys.stdout.isatty(), highlight=False, width=width)
        self.err = Console(stderr=True, soft_wrap=not sys.stderr.isatty(), highlight=False)

    def say(self, text: str) -> None:
        """A line about what is being done; never a result."""
        self.err.print(text, markup=False)

    def warn(self, text: str) -> None:
        self.err.print(Text("warning: ", style="bold yellow").append(text, style="default"))

    def result(self, document: dict[str, Any], show: Callable[[Console], None]) -> None:
        """The command's one result: as JSON, or shown to a person."""
        if self.as_json:
            print(json.dumps(document, ensure_ascii=False, allow_nan=False), flush=True)
        else:
            show(self.out)

    @contextmanager
    def guarded(self) -> Iterator[Speaker]:
        """Ends the command politely when an error comes up."""
        try:
            yield self
        except Error as error:
            self._fail(error.code, error.problem, error.fix, isinstance(error, InvalidArgument))
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(_EXIT_FAILED) from None
        except OSError as error:
            name = f"{error.filename}: " if error.filename else ""
            self._fail("io_open", f"{name}{error.strerror or error}", "check the path and its permissions", False)
        except KeyboardInterrupt:
            self._fail("interrupted", "interrupted", "whole messages are kept: the same command goes on", False)

    def _fail(self, code: str, problem: str, fix: str, bad_input: bool) -> None:
        fix = fix or _FIXES.get(code, "")
        if self.as_json:
            print(json.dumps({"error": {"code": code, "problem": problem, "fix": fix}}, ensure_ascii=False), flush=True)
        self.err.print(Text("error: ", style="bold red").append(problem, style="default"))
        if fix:
            self.err.print(Text("  fix: ", style="bold").append(fix, style="default"))
        raise typer.Exit(_EXIT_BAD_INPUT if bad_input else _EXIT_FAILED) from None

    @contextmanager
    def progress(self, what: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
        """Yields a function that is told how many of ``total`` are done."""
        if not self.err.is_terminal:
            yield _PlainProgress(self, what, total, unit)
            return
        columns = (TextColumn("{task.description}"), BarColumn(), _Pace(unit))
        with Progress(*columns, console=self.err, transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda done: bar.update(task, completed=done)


class _Pace(ProgressColumn):
    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        return Text(_pace(int(task.completed), int(task.total or 0), task.elapsed or 0.0, self._unit))


class _PlainProgress:
    def __init__(self, speaker: Speaker, what: str, total: int, unit: str) -> None:
        self._speaker, self._what, self._total, self._unit = speaker, what, total, unit
        self._begun = self._said = time.monotonic()

    def __call__(self, done: int) -> None:
        now = time.monotonic()
        if now - self._said < _PLAIN_EVERY_S:
            return
        self._said = now
        self._speaker.say(f"{self._what}: {_pace(done, self._total, now - self._begun, self._unit)}")


def _pace(done: int, total: int, elapsed: float, unit: str) -> str:
    text = f"{done:,}/{units.quantity(total, unit)}"
    if done == 0 or elapsed <= 0:
        return text
    left = units.duration((total - done) * elapsed / done)
    return f"{text}, {units.rate(done / elapsed, unit)}, {left} left"


def table(title: str, *columns: str, numbers: int = 0) -> Table:
    """A table whose last ``numbers`` columns are aligned to the right."""
    made = Table(title=title or None, title_justify="left", header_style="bold")
    for index, column in enumerate(columns):
        made.add_column(column, justify="right" if index >= len(columns) - numbers else "left")
    return made
