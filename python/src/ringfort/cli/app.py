# SPDX-License-Identifier: Apache-2.0
"""The command ``ringfort``, and its subcommand ``devices``. Other modules define the other subcommands."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import typer
from rich.console import Console

from .. import __version__, cpu_cap, default_device, devices
from .facts import default_lines
from .groups import app
from .options import AsJson
from .output import Speaker, table

__all__ = ["MODULES", "command_for"]

# The modules that define each subcommand of ``ringfort``.
MODULES: dict[str, tuple[str, ...]] = {
    "devices": (),
    "bench": ("bench",),
    "doctor": ("doctor",),
    "inspect": ("inspect",),
    "pim": ("pim_op",),
    "reproduce": ("reproduce",),
    "rpu": ("rpu", "rpu_explore", "rpu_ntt", "rpu_op"),
    "search": ("inspect", "search", "search_estimate", "search_index", "search_selftest", "search_server"),
    "statistics": ("statistics", "statistics_demo"),
}


def command_for(given: list[str]) -> Any:
    """Returns the command ``ringfort`` with the subcommand that the arguments name. Imports no other, which would take
    up to a third of a second. Without a known name, returns the command with all subcommands, for help and errors."""
    first = given[0] if given else ""
    return _command("devices" if first == "--version" else first if first in MODULES else None)


@functools.cache
def _command(name: str | None) -> Any:
    for module in [m for modules in MODULES.values() for m in modules] if name is None else MODULES[name]:
        importlib.import_module(f".{module}", __package__)
    return typer.main.get_command(app)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"ringfort {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Compute on encrypted data, on the hardware you have."""


@app.command("devices")
def list_devices(as_json: AsJson = False) -> None:
    """List the devices of this machine, and the instruction set of the kernels of each device."""
    with Speaker(as_json).guarded() as speaker:
        cap, found = cpu_cap(), devices()
        if cap.lowered:
            speaker.warn(
                f"this machine lacks the instruction set RINGFORT_CPU={cap.requested}: device cpu uses {cap.used}"
            )
        default_text, default_refusal = default_lines()
        document = {
            "devices": [{"name": d.name, "instruction_set": d.instruction_set} for d in found],
            "default": default_device(),
            "default_refusal": default_refusal,
            "cpu": {"requested": cap.requested, "used": cap.used, "lowered": cap.lowered},
        }

        def show(console: Console) -> None:
            rows = table("", "device", "kernels")
            for device in found:
                rows.add_row(device.name, device.instruction_set)
            console.print(rows)
            console.print(default_text)
            console.print(f'device "cpu" uses the {cap.used} kernels')

        speaker.result(document, show)
