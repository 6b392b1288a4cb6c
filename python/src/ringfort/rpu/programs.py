# SPDX-License-Identifier: Apache-2.0
"""Assembles, disassembles, generates and runs programs of B512, the instruction set of the ring processor. Reports the
cost of a run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._rpu import asm as b512
from .._rpu import model
from .._rpu.asm.expect import ExpectationError, failures
from ..errors import InvalidArgument, IoOpen
from ..whole_files import read_whole
from .machine import area_of, settings_of
from .tools import call, tool
from .traps import explain

__all__ = [
    "Transform",
    "assemble",
    "check_source",
    "disassemble",
    "files_of_job",
    "generate",
    "load",
    "priced",
    "run",
    "run_job",
    "simulate",
    "unmet",
]

_MOST_BYTES = 1 << 26


def assemble(source: Path) -> b512.Assembled:
    """Assembles a source. Errors: InvalidArgument (the message states file, line and column), IoOpen."""
    try:
        return b512.assemble(_bytes(source).decode(), str(source))
    except b512.AssemblyError as error:
        first = error.diagnostics[0]
        if len(error.diagnostics) == 1:
            raise InvalidArgument(str(first).removesuffix(f"; {first.fix}"), first.fix) from None
        raise InvalidArgument(str(error), "correct these lines") from None
    except (OSError, UnicodeDecodeError) as error:
        raise IoOpen(f"{source} cannot be read: {error}", "give a source NAME.s") from None


def load(program: Path) -> b512.Image:
    """Assembles a source, or reads a .b512 file. Errors: InvalidArgument, IoOpen."""
    if program.suffix == ".s":
        return assemble(program).image
    try:
        return b512.Image.from_bytes(_bytes(program))
    except OSError as error:
        raise IoOpen(
            f"{program} cannot be read: {error.strerror}", "give a program NAME.b512 or a source NAME.s"
        ) from None
    except b512.ImageError as error:
        problem, _, fix = str(error).rpartition("; ")
        raise InvalidArgument(f"{program}: {problem}", fix) from None


def disassemble(program: Path) -> str:
    """Returns a source that assembles to the bytes of the program. Errors: InvalidArgument (the file is not a program
    of B512), IoOpen."""
    image = load(program)
    try:
        return b512.disassemble(image)
    except (b512.DecodeError, b512.ImageError) as error:
        problem, _, fix = str(error).rpartition("; ")
        raise InvalidArgument(f"{program}: {problem}", fix) from None


def _bytes(path: Path) -> bytes:
    """Reads a regular file. Refuses pipes and devices. Errors: OSError, InvalidArgument (the file is too large)."""
    found = read_whole(path, _MOST_BYTES)
    if len(found) > _MOST_BYTES:
        raise InvalidArgument(f"{path} has more than {_MOST_BYTES >> 20} MiB", "give a smaller program")
    return found


def run(program: Path, on: b512.Machine, options: Iterable[object] = ()) -> dict[str, Any]:
    """Runs a program on the simulator. Returns the report. It includes energy and area, and also power if the simulator
    computed the time.

    ``check_source`` first checks a source, unless ``options`` has ``--data``. A *trap* is an error that stops a running
    program. Errors: InvalidArgument (the checks found an error, or there was a trap; the message states its position
    and its cause), IoOpen, IoWrite, Unsupported.
    """
    report = simulate(program, on, options)
    if trap := report["trap"]:
        raise InvalidArgument(f"trap {trap['name']} at {trap['place']}: {trap['cause']}", trap["fix"])
    return report


def simulate(program: Path, on: b512.Machine, options: Iterable[object] = ()) -> dict[str, Any]:
    """Runs a program as ``run`` does. If the program causes a trap, returns a report of the trap in place of an error.
    This report has the name, pc, place, instruction, cause and fix of the trap, but no cost of the run.

    If ``options`` has ``--data``, a source is not checked, because the checks use the moduli and addresses in the
    source, which the data may replace.
    """
    options = list(options)
    assembled = None
    if program.suffix == ".s":
        assembled = assemble(program) if "--data" in options else check_source(program, on)
    image = assembled.image if assembled else load(program)
    with tempfile.TemporaryDirectory() as folder:
        binary, state = program, Path(folder) / "state"
        if assembled:
            binary = Path(folder) / "program.b512"
            binary.write_bytes(image.to_bytes())
        report = call("rpusim", [binary, *_set(on), "--state", state, *options])
        if not report["trap"]:
            return priced(report, on)
        trap = explain(report["trap"], image, assembled.locations if assembled else (), state.read_bytes())
    return {"executed": report["executed"], "trap": trap}


def check_source(source: Path, on: b512.Machine) -> b512.Assembled:
    """Assembles and checks a source. Errors: InvalidArgument (the message lists all errors that the checks found),
    IoOpen."""
    assembled = assemble(source)
    errors = [found for found in b512.check(assembled, on) if found.severity == "error"]
    if len(errors) == 1:
        raise InvalidArgument(str(errors[0]).removesuffix(f"; {errors[0].fix}"), errors[0].fix)
    if errors:
        raise InvalidArgument("\n".join(map(str, errors)), "correct these lines")
    return assembled


def run_job(job: Path, on: b512.Machine, options: Iterable[object] = ()) -> dict[str, Any]:
    """Runs a job file. Returns the report: the times of the steps, the bytes that they move to and from off-chip
    memory, the energy of the kernels, and the area. Errors: InvalidArgument, IoOpen, IoWrite, Unsupported."""
    return priced(call("rpujob", [job, *_set(on), *options]), on)


def files_of_job(job: Path) -> list[Path]:
    """Returns the paths of the programs and the arrays that a job names. Errors: IoOpen (the job cannot be read, or it
    names something that is not a regular file)."""
    try:
        lines = [line.partition("#")[0].split() for line in _bytes(job).decode().splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise IoOpen(f"the job {job} or a file of it cannot be read: {error}", "check the paths in it") from None
    named = [words[-1] for words in lines if words[:1] == ["program"] or (words[:1] == ["array"] and len(words) == 4)]
    for name in named:
        if (job.parent / name).exists() and not (job.parent / name).is_file():
            raise IoOpen(f"the job {job} names {name}, which is not a regular file", "name a file")
    return [job.parent / name for name in named]


def unmet(source: Path) -> list[str]:
    """Runs NAME.s, and compares the results with the expectations in the file NAME.exp beside it. Returns a line for
    each expectation that failed. Errors: InvalidArgument, IoOpen, Unsupported."""
    assemble(source)  # raises errors of the source
    try:
        return failures(tool("rpusim"), source)
    except (ExpectationError, RuntimeError) as error:
        problem, _, fix = str(error).rpartition("; ")
        raise InvalidArgument(problem, fix) from None


def priced(report: dict[str, Any], on: b512.Machine) -> dict[str, Any]:
    area, energy = area_of(on), model.energy(report["activity"])
    report["area_mm2"], report["area"] = area.total, area._asdict()
    report["energy_uj"], report["energy"] = energy.total, energy._asdict()
    if report.get("us"):
        report["power_w"] = energy.total / report["us"]
    return report


@dataclass(frozen=True)
class Transform:
    """A request to the program generator rpugen. If ``tries`` is None, rpugen chooses the number of tries."""

    n: int = 65536
    inverse: bool = False
    order: str = "canonical"
    optimizer: str = "best"
    bits: int = 128
    batch: int = 1
    seed: int = 0
    tries: int | None = None
    on: b512.Machine = field(default_factory=b512.Machine.make)

    def arguments(self) -> list[object]:
        found: list[object] = ["ntt"]
        found += ["--inverse"] * self.inverse
        for name, usual in (("order", "canonical"), ("bits", 128), ("batch", 1), ("tries", None)):
            value = getattr(self, name)
            found += [f"--{name}", value] * (value != usual)
        return [*found, "--n", self.n, "--optimizer", self.optimizer, "--seed", self.seed, *_set(self.on)]


def generate(wanted: Transform, output: Path | None = None) -> dict[str, Any]:
    """Generates a program and verifies it. Returns a report of its cycles, instructions, utilisation, energy and area.

    If the data exceed the vector data memory, the function makes a job: several kernels, with transfers between them.
    The time of a job includes transfers.

    output: the file to write. NAME.job always makes a job. A name without a suffix gets .job or .b512. NAME.s is
    refused, because it is the name of a source. In the report, ``output`` is the path of the file, or None.
    """
    if output is not None and output.suffix == ".s":
        raise InvalidArgument(f"{output} is the name of a source", "name a program NAME.b512 or a job NAME.job")
    with tempfile.TemporaryDirectory() as folder:
        named = output or Path(folder) / "program"
        generated = call("rpugen", [*wanted.arguments(), "--output", named])
        tiled = "kernels" in generated
        program = named if named.suffix else named.with_suffix(".job" if tiled else ".b512")
        measured = (run_job if tiled else run)(program, wanted.on)
    measured |= {"machine": vars(wanted.on), "output": str(program) if output else None}
    return {**generated, **{name: measured[name] for name in _MEASURED}}


_MEASURED = ("area_mm2", "area", "energy_uj", "energy", "power_w", "activity", "pipes", "machine", "output")


def _set(on: b512.Machine) -> list[str]:
    settings = ",".join(f"{name}={value}" for name, value in settings_of(on).items())
    return ["--set", settings] if settings else []
