# SPDX-License-Identifier: Apache-2.0
"""Output of commands. Results go to standard output, and everything else goes to standard error.

With --json exactly one JSON document goes to standard output, even if the command fails. An error is printed as problem
and fix, and ends the command. The exit code is 2 for bad input, 130 for Ctrl-C, and 1 for all other errors. On a
terminal, progress is a bar with the rate and the time that is left. On other streams, progress is a plain line at most
every two seconds. File names, and the subjects and bodies of mails, come from strangers. Therefore this module never
parses them as markup. It replaces every character that is not printable, except spaces, line feeds and tabs.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .. import progress
from ..errors import DeviceUnknown, Error, InvalidArgument, IoWrite

__all__ = ["INTERRUPTED", "Speaker", "table"]

_WIDTH_OF_FILES = 160
_FIXES = {  # fix for errors that have none
    "io_type": "give a file of the right type",
    "io_open": "check the path and its permissions",
    "io_read": "check the disk, and that the file is not being written",
    "io_write": "check the free space and the permissions",
    "out_of_memory": "close other programs, or take a smaller index",
}
_EXIT_FAILED, _EXIT_BAD_INPUT, INTERRUPTED = 1, 2, 130


class _Console(Console):
    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(_shown(text), **options)


class Speaker:
    """Output of one command."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDTH_OF_FILES
        plain: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
        self.out = _Console(soft_wrap=not sys.stdout.isatty(), width=width, **plain)
        self.err = _Console(stderr=True, soft_wrap=not sys.stderr.isatty(), **plain)

    def say(self, text: str) -> None:
        """Prints a line about the work in progress. Do not use it for results."""
        self.err.print(text)

    def warn(self, text: str) -> None:
        self.err.print(Text("warning: ", style="bold yellow").append(_shown(text), style="default"))

    def result(self, document: dict[str, Any], show: Callable[[Console], None]) -> None:
        """Prints the result of the command, as JSON or as text. A command calls it once."""
        try:
            if self.as_json:
                print(json.dumps(document, allow_nan=False), flush=True)
            else:
                show(self.out)
                sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            _drop_output()
            raise IoWrite(f"standard output cannot be written: {error.strerror}", "check the free space") from None

    @contextmanager
    def guarded(self, when_interrupted: str = "") -> Iterator[Speaker]:
        """Runs a block. Prints an error that the block raises, and ends the command."""
        try:
            yield self
        except typer.Exit:
            raise
        except Error as error:
            bad_input = isinstance(error, (InvalidArgument, DeviceUnknown))
            self.fail(error.code, error.problem, error.fix, _EXIT_BAD_INPUT if bad_input else _EXIT_FAILED)
        except BrokenPipeError:
            _drop_output()
            raise typer.Exit(_EXIT_FAILED) from None
        except OSError as error:
            name = f"{error.filename}: " if error.filename else ""
            self.fail(
                "io_open", f"{name}{error.strerror or type(error).__name__}", "check the path and its permissions"
            )
        except (KeyboardInterrupt, typer.Abort):
            self.fail("interrupted", "interrupted", when_interrupted or "give the command again", INTERRUPTED)
        except MemoryError:
            self.fail("out_of_memory", "there is not enough memory", "")
        except Exception as error:
            self.fail("internal", _defect(error), "this is a defect of ringfort: report it with the command")

    def fail(self, code: str, problem: str, fix: str, exit_code: int = _EXIT_FAILED) -> NoReturn:
        """Prints an error and exits."""
        fix = fix or _FIXES.get(code, "")
        if self.as_json:
            try:
                print(json.dumps({"error": {"code": code, "problem": problem, "fix": fix}}), flush=True)
            except OSError:
                _drop_output()
        self.err.print(Text("error: ", style="bold red").append(_shown(problem), style="default"))
        if fix:
            self.err.print(Text("  fix: ", style="bold").append(_shown(fix), style="default"))
        raise typer.Exit(exit_code) from None

    def unwritten(self, error: OSError) -> NoReturn:
        """Ends the command after an error of standard output. Prints the error, except that of a closed pipe."""
        _drop_output()
        if isinstance(error, BrokenPipeError):
            raise typer.Exit(_EXIT_FAILED) from None
        self.fail("io_write", f"standard output cannot be written: {error.strerror}", "check the free space")

    def progress(self, what: str, total: int, unit: str) -> AbstractContextManager[progress.Told]:
        """Yields a function that shows the progress. The argument of the function is the number of items that are done,
        out of ``total``."""
        return progress.shown(self.err, what, total, unit)


def _shown(text: str) -> str:
    """Returns text for a terminal. Keeps printable characters, spaces, line feeds and tabs, and replaces all others."""
    if text.isprintable():
        return text
    kept = (c if c.isprintable() or c in "\n\t" or unicodedata.category(c) == "Zs" else "\ufffd" for c in text)
    return "".join(kept)


def _drop_output() -> None:
    """Detaches a closed standard output. Otherwise Python would write the buffered text at exit and fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _defect(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    at = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{at}"


def table(title: str, *columns: str, numbers: int = 0) -> Table:
    """Makes a table whose last ``numbers`` columns are right-aligned."""
    result = Table(title=title or None, title_justify="left", header_style="bold")
    for index, column in enumerate(columns):
        result.add_column(column, justify="right" if index >= len(columns) - numbers else "left")
    return result
