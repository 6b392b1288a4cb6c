# SPDX-License-Identifier: Apache-2.0
"""Builds the hardware of a machine with Verilator. Compares runs of programs on the hardware with runs on the
simulator.

A build has a folder, whose name is a digest of the sources and of the machine. Therefore each build is made once. The
binary (dv/rtl/cosimulate.cpp) runs a program. It compares every instruction with the files that the simulator has
written.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .verilate import compile_design, optimised

RPU = Path(__file__).resolve().parents[1]
SOURCES = (
    *sorted((RPU / "rtl").glob("*_pkg.sv")),
    *sorted(path for path in (RPU / "rtl").glob("*.sv") if not path.stem.endswith("_pkg")),
)
BENCH = (
    *(RPU / "dv" / "rtl" / name for name in ("cosimulate.cpp", "design.cpp", "expected.cpp")),
    *(RPU / "sim" / name for name in ("instruction.cpp", "cost.cpp", "machine.cpp", "trace/steps.cpp")),
)
_HEADERS = (*sorted((RPU / "dv" / "rtl").glob("*.h")), *sorted((RPU / "sim").glob("*.h")))
_MODEL = tuple(sorted(path for path in (RPU / "sim").rglob("*") if path.suffix in (".cpp", ".h")))
WIDTHS = (32, 64, 128)
# Machine parameters that the hardware supports, with their names in its sources.
PARAMETERS = {
    "hples": "H",
    "banks": "B",
    "bank_hash": "BANK_HASH",
    "vdm_words": "VDM_WORDS",
    "sdm_words": "SDM_WORDS",
    "dispatch": "DISPATCH",
    "scalar_cycles": "SCALAR_CYCLES",
    "queue_depth": "QUEUE_DEPTH",
    "busyboard": "BUSYBOARD",
    "multiply_latency": "MULTIPLY_LATENCY",
    "multiply_interval": "MULTIPLY_INTERVAL",
    "add_latency": "ADD_LATENCY",
    "memory_latency": "MEMORY_LATENCY",
    "shuffle_latency": "SHUFFLE_LATENCY",
}
_CHOICES = {"low": 0, "xor": 1, "strict": 0, "hazards": 1}
_LEAST = 4  # smallest number of HPLEs, and of banks, that the hardware supports


class NotBuilt(ValueError):
    """The hardware does not support the value of a parameter. The text states the value and, after a semicolon, the
    fix."""


@dataclass(frozen=True)
class Design:
    """A machine with words of `width` bits. ``settings`` (NAME=VALUE) lists the parameters that differ from the
    default."""

    width: int
    parameters: tuple[tuple[str, int], ...]
    settings: tuple[str, ...]

    @classmethod
    def of(cls, width: int, machine: Any, settings: dict[str, Any]) -> Design:
        """Errors: NotBuilt."""
        for name in ("hples", "banks"):
            if getattr(machine, name) < _LEAST:
                raise NotBuilt(f"the hardware has at least {_LEAST} {name}, not {getattr(machine, name)}; use {_LEAST}")
        if machine.ports != "dispatch":
            raise NotBuilt(f"ports={machine.ports} cannot be built as hardware; use ports=dispatch")
        found = {name: getattr(machine, key) for key, name in PARAMETERS.items()}
        values = {"W": width} | {name: _CHOICES.get(value, value) for name, value in found.items()}
        return cls(width, tuple(values.items()), tuple(f"{name}={value}" for name, value in settings.items()))

    def values(self) -> dict[str, int]:
        return dict(self.parameters)


def _digest(*values: object, files: tuple[Path, ...]) -> str:
    state = hashlib.sha256(repr(values).encode())
    for path in files:
        state.update(path.read_bytes())
    return state.hexdigest()[:16]


def sources_digest() -> str:
    """Returns a digest of all sources: of the hardware, of the simulator and of the bench."""
    return _digest(files=(*SOURCES, *BENCH, *_HEADERS, *_MODEL))


def build(
    design: Design, verilator: Path, folder: Path, sources: tuple[Path, ...] = SOURCES, trace: bool = False
) -> Path:
    """Returns the binary that compares the hardware with the simulator. Builds it if there is none for this machine and
    these sources. If two processes request the same build, one process waits for the other.

    Errors: RefusedDesign, OSError.
    """
    build_folder = folder / _digest(sorted(design.values().items()), trace, files=sources)
    build_folder.mkdir(parents=True, exist_ok=True)
    # Somebody could put a link to another file here. O_NOFOLLOW refuses a link, and mode "a" does not empty the file.
    with open(
        build_folder / "lock", "a", opener=lambda path, flags: os.open(path, flags | os.O_NOFOLLOW, 0o666)
    ) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _built(design, verilator, build_folder, sources, trace)


def _built(design: Design, verilator: Path, folder: Path, sources: tuple[Path, ...], trace: bool) -> Path:
    binary, stamp = folder / "Vrpu", folder / "bench"
    bench = _digest(design.settings, files=(*BENCH, *_HEADERS))
    if stamp.exists() and stamp.read_text() == bench:
        return binary
    lines = [f"#define RPU_{name} {value}\n" for name, value in design.values().items()]
    lines.append(f'#define RPU_SETTINGS "{",".join(design.settings)}"\n')
    (folder / "parameters.h").write_text("// Generated by cosim/design.py.\n" + "".join(lines))
    options = ["--x-assign", "fast", "--x-initial", "fast", "--replication-limit", "0", "-j", str(os.cpu_count() or 1)]
    options += ["-CFLAGS", f"-std=c++20 -I{RPU}", *(["--trace"] if trace else []), *optimised(2)]
    binary = compile_design(verilator, folder, "rpu", [*sources, *BENCH], design.values(), options)
    stamp.write_text(bench)
    return binary


def outputs(folder: Path) -> list[object]:
    """Returns the options with which rpusim writes the files of the comparison into `folder`."""
    return ["--memory", folder, "--schedule", folder / "schedule.csv", "--steps", folder / "steps"]


def compare(binary: Path, folders: Sequence[Path], wave: Path | None = None) -> list[str]:
    """Runs the binary, which prints a line for each folder: `FOLDER: equal, N cycles`, or the first difference. Returns
    these lines."""
    recording: list[str | Path] = [] if wave is None else ["--wave", wave]
    done = subprocess.run([binary, *recording, *folders], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.strip() or f"{binary} ended with status {done.returncode}")
    return done.stdout.splitlines()


def record(path: Path, design: Design, folders: Sequence[Path], lines: Sequence[str]) -> None:
    """Appends a line of JSON for each comparison to a file. ``agreement`` reads this file."""
    rows = []
    for folder in folders:
        outcome = dict(line.split() for line in (folder / "outcome").read_text().splitlines())
        equal = any(line.startswith(f"{folder}: equal, ") for line in lines)
        row = {
            "sources": sources_digest(),
            "machine": dict(design.parameters),
            "instructions": int(outcome["executed"]),
        }
        rows.append(row | {"cycles": int(outcome["cycles"]), "equal": equal})
    with path.open("ab", buffering=0) as file:  # one write per call, so that several processes can append to one file
        data = "".join(json.dumps(row) + "\n" for row in rows).encode()
        if file.write(data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


@dataclass(frozen=True)
class Agreement:
    """Totals of the recorded comparisons.

    cycles: sum of the cycles of all programs. equal_cycles: the same sum, over the programs for which hardware and
    simulator agree in every value and every cycle.
    """

    programs: int
    machines: int
    cycles: int
    equal_cycles: int

    @property
    def percent(self) -> float:
        return 100 * self.equal_cycles / self.cycles


def agreement(path: Path) -> Agreement | None:
    """Returns the totals of those comparisons in a file that were made with these sources, or None if there are no such
    comparisons.

    Errors: OSError, ValueError (a line is damaged).
    """
    rows, digest = [], sources_digest()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            found = (row["sources"], json.dumps(row["machine"]), int(row["cycles"]), row["equal"] is True)
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"{path}:{number} is not a recorded comparison; delete the file") from None
        if found[0] == digest and found[2] > 0:
            rows.append(found)
    if not rows:
        return None
    equal = sum(cycles for _, _, cycles, same in rows if same)
    return Agreement(len(rows), len({row[1] for row in rows}), sum(row[2] for row in rows), equal)
