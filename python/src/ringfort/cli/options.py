# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have, and functions for their values: devices, keys, passphrases, files of --out."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ..errors import Error, InvalidArgument, IoLimit, IoOpen, IoWrite, Passphrase, SecretRefused
from ..search import Keys, load_keys
from .files import refuse_dash

__all__ = [
    "AllowInsecure",
    "AsJson",
    "Device",
    "Devices",
    "HashBits",
    "MostStrength",
    "PassphraseFile",
    "Prompt",
    "Threads",
    "Unsealed",
    "devices_of",
    "hash_bits_of",
    "passphrase_for",
    "opened_keys",
    "passphrase",
    "refuse_foreign",
]

_VARIABLE = "RINGFORT_PASSPHRASE"
_HASH_BITS = 32
_LONGEST_LINE = 1 << 16  # largest number of bytes that are read from a passphrase file

AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON document to standard output, and all else to standard error.")
]
HashBits = Annotated[
    int | None,
    typer.Option(
        help=f"Bits of a word's hash, 8 .. 64. Fewer are quicker, but match more other words. Default: {_HASH_BITS}. "
        "Not with --constant-weight."
    ),
]
Threads = Annotated[
    int, typer.Option("--threads", "-t", min=0, max=1024, help="Number of threads; 0: one for each usable core.")
]
AllowInsecure = Annotated[
    bool, typer.Option("--allow-insecure", help="Accept parameters with less than 128 bits of security.")
]
Device = Annotated[
    str, typer.Option(help="A device that ringfort devices lists. Default: RINGFORT_DEVICE, or else cpu.")
]
Devices = Annotated[
    str,
    typer.Option(
        "--device",
        help="A device that ringfort devices lists, or several that share the work, as in cuda:0,cuda:1. "
        "Default: RINGFORT_DEVICE, or else cpu.",
    ),
]
PassphraseFile = Annotated[
    Path | None,
    typer.Option("--passphrase-file", help=f"A file or pipe whose first line is the passphrase (or set {_VARIABLE})."),
]
MostStrength = Annotated[
    int,
    typer.Option(
        "--most-strength",
        min=0,
        max=2,
        help="Most memory that opening a sealed key may take. 0: 64 MiB, 1: 256 MiB, 2: 1 GiB.",
    ),
]
Prompt = Annotated[bool, typer.Option("--passphrase", help="Ask for the passphrase of the secret key.")]
Unsealed = Annotated[
    bool, typer.Option("--unsealed", help="Allow a secret key without a passphrase: any reader of its file can use it.")
]


def devices_of(given: str) -> list[str] | None:
    """Returns the devices that --device names; None if the option is empty.

    After a comma, "NAME=VALUE" is an option of the preceding device. Errors: InvalidArgument (a name is empty).
    """
    names: list[str] = []
    for item in given.split(",") if given else []:
        if names and "=" in item and ":" not in item.partition("=")[0]:
            names[-1] += f",{item}"
        else:
            names.append(item)
    if not all(names):
        raise InvalidArgument(f"--device {given} has an empty name", "give one name, or several with a comma between")
    return names or None


def hash_bits_of(given: int | None, constant_weight: bool) -> int:
    """Returns the bits of a word's hash. Errors: InvalidArgument (--constant-weight determines them)."""
    if given is not None and constant_weight:
        raise InvalidArgument("--constant-weight takes hashes of 64 bits, of which 8 are set", "leave --hash-bits out")
    return _HASH_BITS if given is None else given


def opened_keys(
    path: Path,
    file: Path | None,
    prompt: bool,
    *,
    need_secret: bool = False,
    allow_insecure: bool = False,
    most_strength: int = 1,
) -> Keys:
    """Opens the keys of a command. Asks for the passphrase if ``prompt`` is true."""
    given = passphrase(file, prompt)
    try:
        return load_keys(
            path, given, need_secret=need_secret, allow_insecure=allow_insecure, most_strength=most_strength
        )
    except Passphrase as error:
        if given:
            raise
        fix = "give it with --passphrase, --passphrase-file FILE or the variable RINGFORT_PASSPHRASE"
        raise Passphrase(error.problem, fix) from None


def passphrase_for(secret: Path, file: Path | None, prompt: bool, unsealed: bool) -> str | None:
    """Returns the passphrase for a new secret key; None if there is none and --unsealed is given. Commands call this
    before they make the key.

    secret: the file of the key. Errors: SecretRefused (neither a passphrase nor --unsealed), and those of
    ``passphrase``.
    """
    found = passphrase(file, prompt, confirm=True) or None
    if found is None and not unsealed:
        raise SecretRefused(
            f"{secret} would hold the secret key in the clear",
            f"give --passphrase, --passphrase-file or {_VARIABLE}; --unsealed writes it in the clear",
        )
    return found


def refuse_foreign(out: Path, load: Callable[[str], object], what: str) -> None:
    """Checks that ``out`` does not exist, or is a file that ``load`` accepts. Errors: IoWrite, InvalidArgument."""
    refuse_dash("--out", out)
    if not os.path.lexists(out):
        return
    try:
        load(str(out))
    except Error:
        raise IoWrite(f"{out} exists and is not {what}: this file would be lost", "choose another path") from None


def _first_line(file: Path) -> bytes:
    with file.open("rb") as opened:
        line = opened.readline(_LONGEST_LINE + 1).removesuffix(b"\n")
    if len(line) > _LONGEST_LINE:
        raise IoLimit(f"the first line of {file} has more than {_LONGEST_LINE >> 10} KiB", "give the passphrase's file")
    return line


def _typed(confirm: bool) -> str:
    try:
        return str(typer.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm, err=True))
    except typer.Abort as error:
        if not isinstance(error.__context__, EOFError):
            raise
        raise Passphrase(
            "standard input ended before the passphrase", f"give --passphrase-file FILE or the variable {_VARIABLE}"
        ) from None


def passphrase(file: Path | None, prompt: bool, *, confirm: bool = False) -> str:
    """Returns the passphrase from ``file`` if it is given, else from a prompt if ``prompt`` is true, else from
    RINGFORT_PASSPHRASE. Returns "" if this variable is not set.

    confirm: asks twice at the prompt. A passphrase in a file ends at the first line feed, or at the end of the file. A
    carriage return before this end does not belong to the passphrase; every other character does. Errors: Passphrase
    (the passphrase of the file or of the prompt is empty, or there is no input for the prompt), IoLimit (the first line
    has more than 64 KiB), IoOpen.
    """
    if file is not None:
        try:
            found = _first_line(file).removesuffix(b"\r").decode()
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise IoOpen(f"the passphrase file {file} cannot be read: {why}", "check the path") from None
        if not found:
            raise Passphrase(
                f"the first line of {file} is empty", "write the passphrase into it, or leave the option out"
            )
        return found
    if prompt:
        typed = _typed(confirm)
        if not typed:
            raise Passphrase("the passphrase is empty", "type a passphrase, or leave --passphrase out")
        return typed
    return os.environ.get(_VARIABLE, "")
