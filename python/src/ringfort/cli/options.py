# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, and where a passphrase comes from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ..errors import IoOpen, Passphrase

__all__ = ["AllowInsecure", "AsJson", "PassphraseFile", "Prompt", "Threads", "passphrase"]

_VARIABLE = "RINGFORT_PASSPHRASE"

AsJson = Annotated[
    bool, typer.Option("--json", help="One JSON document on standard output, all else on standard error.")
]
Threads = Annotated[int, typer.Option("--threads", "-t", min=0, help="Threads; 0: one for each core.")]
AllowInsecure = Annotated[
    bool, typer.Option("--allow-insecure", help="Accept parameters below 128 bits of security (marked everywhere).")
]
PassphraseFile = Annotated[
    Path | None,
    typer.Option("--passphrase-file", help=f"Read the passphrase from a file's first line (or set {_VARIABLE})."),
]
Prompt = Annotated[bool, typer.Option("--passphrase", help="Ask for the passphrase.")]


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def passphrase(file: Path | None, prompt: bool, *, confirm: bool = False) -> str:
    """From the file, the prompt or RINGFORT_PASSPHRASE, in this order; empty when none is given."""
    if file is not None:
        try:
            return (file.read_text(encoding="utf-8").splitlines() or [""])[0]
        except (OSError, UnicodeDecodeError) as error:
            raise IoOpen(f"the passphrase file {file} cannot be read: {error}", "check the path") from None
    if prompt:
        typed = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm, err=True)
        if not typed:
            raise Passphrase("the passphrase is empty", "type one, or leave --passphrase out")
        return str(typed)
    return os.environ.get(_VARIABLE, "")
