# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while the command imports its modules. Without a handler, Python would print a traceback, or abort inside an
extension module. This module imports nothing that takes time."""

from __future__ import annotations

import os
import signal
import sys

__all__ = ["begin", "end", "interrupted", "is_command", "wants_json"]

_INTERRUPTED = 130


def begin() -> None:
    """Makes Ctrl-C end the process at once. Call it before the imports of a command."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def end() -> None:
    """Undoes ``begin``."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(*_: object) -> None:
    os._exit(interrupted(sys.argv[1:]))


def interrupted(given: list[str]) -> int:
    """Prints the message of an interrupt during the imports, when there is no Speaker yet. Returns the exit code."""
    if wants_json(given):
        error = '{"code": "interrupted", "problem": "interrupted", "fix": "give the command again"}'
        print(f'{{"error": {error}}}', flush=True)
    print("error: interrupted", file=sys.stderr, flush=True)
    return _INTERRUPTED


def wants_json(given: list[str]) -> bool:
    """Tells whether the command prints JSON. In most commands --json is a flag. In bench it has a value: a file name,
    or - for standard output."""
    if given[:1] == ["bench"]:
        return "--json=-" in given or any(pair == ("--json", "-") for pair in zip(given, given[1:]))
    return "--json" in given


def is_command() -> bool:
    """Tells whether this process is ``ringfort`` or ``python -m ringfort``. While Python imports the package of -m, the
    first argument is "-m"."""
    program = sys.argv[0] if sys.argv else ""
    if program == "-m":
        return ("-m", "ringfort") in zip(sys.orig_argv, sys.orig_argv[1:])
    return os.path.basename(program) == "ringfort"
