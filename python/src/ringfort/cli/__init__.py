# SPDX-License-Identifier: Apache-2.0
"""The command line. ``ringfort --help`` lists the commands. ringfort.cli.app lists the modules that define them."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

from ..early import interrupted, wants_json

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Runs a command and returns its exit code. arguments: by default, the arguments of the program.

    Imports the modules of the commands only here, so that ``import ringfort`` is fast. Prints errors of the parser in
    the form of all other errors.
    """
    given = sys.argv[1:] if arguments is None else arguments
    _open_closed_streams()
    try:
        import typer

        from .app import command_for
        from .output import INTERRUPTED, Speaker
    except KeyboardInterrupt:
        return interrupted(given)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # a stream without reconfigure() accepts all characters
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    speaker = Speaker(wants_json(given))
    try:
        try:
            code = int(command_for(given)(given, prog_name="ringfort", standalone_mode=False) or 0)
            sys.stdout.flush()
            return code
        except (KeyboardInterrupt, typer.Abort):
            speaker.fail("interrupted", "interrupted", "give the command again", INTERRUPTED)
        except OSError as error:  # commands report theirs; this one comes from a help or the version
            speaker.unwritten(error)
        except Exception as error:
            if not hasattr(error, "format_message"):
                raise
            return _refused(speaker, error)
    except typer.Exit as left:
        return left.exit_code


def _open_closed_streams() -> None:
    """Replaces standard streams that the caller has closed. Python sets these to None. The replacement of standard
    input is empty. A write to the replacement of standard output fails. A write to the replacement of standard error
    has no effect."""
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY), "r")
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def _refused(speaker: Any, error: Any) -> int:
    """Prints an error of the parser. The class of the error belongs to typer, or to click in older versions of
    typer."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return int(error.exit_code)
    path = error.ctx.command_path if getattr(error, "ctx", None) else "ringfort"
    return speaker.fail("invalid_argument", error.format_message(), f"see: {path} --help", error.exit_code)
