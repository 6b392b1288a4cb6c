# SPDX-License-Identifier: Apache-2.0
"""``ringfort rpu asm``, ``disasm``, ``test`` and ``run``: commands that assemble, test and run one program of the ring
processor.

The processor has three *pipes*, for loads and stores, for computation, and for shuffles of vectors. An instruction may
wait (*stall*) for one of four things: the front end, which decodes and issues instructions; a register in use (the
*busyboard* records the registers in use); space in the queue of its pipe; or a port of the register memory. A *trap* is
an error that stops a program."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from .. import rpu, units
from ..errors import InvalidArgument, IoWrite
from ..whole_files import require_replaceable, write_whole
from .files import Named, require_separate
from .groups import rpu_app
from .options import AsJson
from .output import Speaker, table

__all__ = [
    "Banks",
    "Hples",
    "MachineFile",
    "Settings",
    "files_of_program",
    "machine_of",
    "measured_rows",
    "require_writable",
    "write_file",
]

MachineFile = Annotated[
    str, typer.Option("--machine", metavar="FILE", help="Machine file, or the name of a profile. Default: paper.")
]
Settings = Annotated[str, typer.Option("--set", metavar="NAME=VALUE,...", help="Values for parameters of the machine.")]
Hples = Annotated[int | None, typer.Option("--hples", help="Number of compute lanes (HPLEs), a power of two.")]
Banks = Annotated[
    int | None, typer.Option("--banks", help="Number of banks of the vector data memory, a power of two.")
]


def machine_of(file: str, settings: str, hples: int | None, banks: int | None) -> rpu.b512.Machine:
    sizes = {name: value for name, value in (("hples", hples), ("banks", banks)) if value is not None}
    named = rpu.parse_settings(settings)
    for name in named.keys() & sizes.keys():
        raise InvalidArgument(f"--set and --{name} both set {name}", "remove one of the two")
    return rpu.machine(file or None, named | sizes)


def require_writable(path: Path) -> None:
    """Checks that ``write_file`` can write a file. Call it before work that takes minutes. Errors: IoWrite."""
    with _errors_of(path):
        require_replaceable(path)


def write_file(path: Path, data: bytes) -> None:
    with _errors_of(path):
        write_whole(path, data)


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise IoWrite(f"{path} cannot be written: {error.strerror}", "choose another path") from None


def files_of_program(name: str, program: Path) -> list[Named]:
    """Returns the file of a program or a job, which is the argument ``name``, and the files that the job names. Errors:
    IoOpen."""
    named = rpu.files_of_job(program) if program.suffix == ".job" else []
    return [(name, program), *((f"the file {path.name} of the job", path) for path in named)]


@rpu_app.command("asm")
def asm_command(
    source: Annotated[Path, typer.Argument(help="The source, NAME.s.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The program. Default: NAME.b512 beside the source.")
    ] = None,
    machine: MachineFile = "",
    settings: Settings = "",
    hples: Hples = None,
    banks: Banks = None,
    as_json: AsJson = False,
) -> None:
    """Assemble a source, and check the program: uninitialised reads, bounds, ports, bank conflicts, least cycles."""
    with Speaker(as_json).guarded() as speaker:
        target = output or source.with_suffix(".b512")
        require_separate([("SOURCE", source), ("--machine", machine)], [("--output", target)])
        on = machine_of(machine, settings, hples, banks)
        assembled = rpu.assemble(source)
        found = rpu.b512.check(assembled, on)
        sound = not any(diagnostic.severity == "error" for diagnostic in found)
        if sound:
            write_file(target, assembled.image.to_bytes())
        document = {
            "program": str(target) if sound else None,
            "kernels": [{"name": k.name, "instructions": k.count} for k in assembled.image.kernels],
            "diagnostics": [
                {**d.location._asdict(), "severity": d.severity, "message": d.message, "fix": d.fix} for d in found
            ],
        }

        def show(console: Console) -> None:
            for diagnostic in found:
                console.print(str(diagnostic))
            said = (
                f"{target}  {units.quantity(len(assembled.image.code), 'instruction')}"
                if sound
                else "no program is written"
            )
            console.print(said)

        speaker.result(document, show)
    if not sound:
        raise typer.Exit(1)


@rpu_app.command("disasm")
def disasm_command(
    program: Annotated[Path, typer.Argument(help="The program, NAME.b512.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The source. Default: standard output.")] = None,
    as_json: AsJson = False,
) -> None:
    """Turn a program back into a source that assembles to the same bytes."""
    with Speaker(as_json).guarded() as speaker:
        require_separate([("PROGRAM", program)], [("--output", output)])
        text = rpu.disassemble(program)
        if output is not None:
            write_file(output, text.encode())
        document = {"program": str(program), "output": str(output)} if output else {"source": text}
        speaker.result(document, lambda console: console.print(text if output is None else str(output), end=""))


@rpu_app.command("test")
def expectation_command(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FOLDER|NAME.s...", help="Sources NAME.s, or folders of them. Those without a NAME.exp are skipped."
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Run programs that have a file of expected results, NAME.exp, beside them. Print the failures."""
    with Speaker(as_json).guarded() as speaker:
        found = [source for path in paths for source in (sorted(path.glob("*.s")) if path.is_dir() else [path])]
        sources = [source for source in found if source.with_suffix(".exp").exists()]
        if not sources:
            raise InvalidArgument(
                f"there is no NAME.s with a NAME.exp in {', '.join(map(str, paths))}", "write both files"
            )
        results = {str(source): rpu.unmet(source) for source in sources}

        def show(console: Console) -> None:
            for name, unmet in results.items():
                console.print(f"{name}: {'failed' if unmet else 'passed'}", *(f"  {line}" for line in unmet), sep="\n")

        speaker.result({"tests": [{"source": name, "unmet": unmet} for name, unmet in results.items()]}, show)
    if any(results.values()):
        raise typer.Exit(1)


_Width = Annotated[
    Literal["32", "64", "128"] | None,
    typer.Option("--width", help="Bits of the hardware's words. Default: as many as the largest value needs."),
]
_Wave = Annotated[
    Path | None,
    typer.Option(
        "--wave", metavar="FILE", help="If the hardware differs, write the signals around the difference, as VCD."
    ),
]
_Builds = Annotated[
    Path | None,
    typer.Option("--builds", metavar="FOLDER", help="Folder that keeps built hardware. Default: in the user's cache."),
]
_Record = Annotated[
    Path | None,
    typer.Option("--record", metavar="FILE", help="Append the comparison to FILE, for rpu report --rtl-results."),
]


@rpu_app.command("run")
def run_command(
    program: Annotated[Path, typer.Argument(help="A source NAME.s, a program NAME.b512, or a job NAME.job.")],
    kernel: Annotated[str, typer.Option(help="Name of the kernel to run. Default: the first kernel.")] = "",
    machine: MachineFile = "",
    settings: Settings = "",
    hples: Hples = None,
    banks: Banks = None,
    data: Annotated[
        list[str] | None,
        typer.Option("--data", metavar="SYMBOL=FILE", help="Load FILE, words of 16 bytes, into a symbol."),
    ] = None,
    store: Annotated[
        list[str] | None,
        typer.Option("--store", metavar="SYMBOL=FILE", help="Write a symbol's words to FILE after the run."),
    ] = None,
    timeline: Annotated[
        Path | None, typer.Option("--timeline", metavar="FILE.html", help="Write a page with a timeline.")
    ] = None,
    konata: Annotated[
        Path | None, typer.Option("--konata", metavar="FILE", help="Write a trace for the pipeline viewer Konata.")
    ] = None,
    chrome: Annotated[
        Path | None,
        typer.Option(
            "--chrome", metavar="FILE", help="Write a trace for Perfetto. A microsecond of the trace is a cycle."
        ),
    ] = None,
    steps: Annotated[
        Path | None, typer.Option("--steps", metavar="FILE", help="Write the values that each instruction changes.")
    ] = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Also execute in the order of simulated times, and compare the values.")
    ] = False,
    rtl: Annotated[
        bool,
        typer.Option(
            "--rtl", help="Also run on the hardware in SystemVerilog (Verilator), and compare values and cycles."
        ),
    ] = False,
    width: _Width = None,
    wave: _Wave = None,
    builds: _Builds = None,
    record: _Record = None,
    as_json: AsJson = False,
) -> None:
    """Run a program or a job on the simulator. Print cycles, stalls of each pipe, time, energy and area."""
    with Speaker(as_json).guarded() as speaker, tempfile.TemporaryDirectory() as folder:
        outputs = {"--timeline": timeline, "--konata": konata, "--chrome": chrome, "--steps": steps}
        on = machine_of(machine, settings, hples, banks)
        trace = chrome or Path(folder) / "trace.json"
        drawn: list[object] = ["--chrome", trace] * bool(chrome or timeline)
        files = (("--konata", konata), ("--steps", steps), ("--kernel", kernel))
        alone = [argument for name, value in files if value for argument in (name, value)] + ["--replay"] * replay
        words = (("--data", data), ("--store", store))
        moved = [argument for name, values in words for value in values or () for argument in (name, value)]
        if not rtl and (width or wave or builds or record):
            raise InvalidArgument("--width, --wave, --builds and --record are options of --rtl", "add --rtl")
        if program.suffix == ".job" and (refused := alone + ["--rtl"] * rtl):
            raise InvalidArgument(f"a job does not accept {refused[0]}", "use the job's own statements")
        inputs = [*files_of_program("PROGRAM", program), ("--machine", machine), *_files_of("--data", data)]
        others: list[Named] = [("--wave", wave), ("--record", record), *_files_of("--store", store)]
        require_separate(inputs, [*outputs.items(), *others])
        if program.suffix == ".job":
            report = rpu.run_job(program, on, [*drawn, *moved])
        else:
            report = rpu.simulate(program, on, [*drawn, *moved, *alone])
            if rtl:
                how = rpu.Builds(int(width) if width else None, builds, wave, record)
                given = _only(("--kernel", "--data"), [*moved, *alone])
                report["rtl"] = None
                if rpu.hardware_finds(report["trap"]):
                    speaker.say("building and running the hardware")
                    report["rtl"] = rpu.compare_with_hardware(program, on, given, how)
        _write_timeline(timeline, trace, f"{program.name} on ({on.hples}, {on.banks})", report)
        _say_written(speaker, list(outputs.values()), store or ())
        speaker.result({**report, "machine": vars(on)}, lambda console: _show(console, program, report))
    if not _is_well(report):
        raise typer.Exit(1)


def _is_well(report: dict[str, Any]) -> bool:
    """Tells whether a run ended without a trap, and all values and cycles that were compared are equal."""
    compared = report.get("rtl") or {"equal": True}
    return not report.get("trap") and report.get("replay_agrees", True) and compared["equal"]


def _files_of(option: str, given: Sequence[str] | None) -> list[Named]:
    """Returns the files of a repeated option SYMBOL=FILE."""
    parts = [one.partition("=") for one in given or ()]
    return [(f"{option} {symbol}", path) for symbol, _, path in parts]


def _only(names: Sequence[str], options: Sequence[object]) -> list[object]:
    """Returns the named options of a command with their values."""
    return [argument for at, name in enumerate(options) if name in names for argument in options[at : at + 2]]


def _write_timeline(page: Path | None, trace: Path, title: str, report: dict[str, Any]) -> None:
    if page is not None:
        rpu.write_timeline(trace, page, title, report.get("cycles", 0))


def _say_written(speaker: Speaker, files: Sequence[Path | None], stored: Sequence[str]) -> None:
    """Prints the names of the files that a run has written. The files of --store (SYMBOL=FILE) come last."""
    paths = [*files, *(Path(one.partition("=")[2]) for one in stored)]
    if written := [str(path) for path in paths if path is not None and path.exists()]:
        speaker.say(f"wrote {', '.join(written)}")


def _show(console: Console, program: Path, report: dict[str, Any]) -> None:
    (_show_job if program.suffix == ".job" else _show_run)(console, program, report)


def _show_job(console: Console, program: Path, report: dict[str, Any]) -> None:
    steps = table(f"{program.name}: {report['cycles']:,} cycles", "step", "what", "bytes", "start", "finish", numbers=3)
    for step in report["steps"]:
        moved = f"{step['bytes']:,}" if step["bytes"] else ""
        steps.add_row(step["name"], step["kind"], moved, f"{step['start']:,}", f"{step['finish']:,}")
    console.print(steps)
    whole = max(1, report["cycles"])
    console.print(
        f"processor busy {report['rpu']['busy_cycles'] / whole:.0%}, off-chip memory busy "
        f"{report['hbm']['busy_cycles'] / whole:.0%}, both at the same time for {report['overlap_cycles']:,} cycles"
    )
    console.print(measured_rows(report))


def _show_run(console: Console, program: Path, report: dict[str, Any]) -> None:
    if trap := report["trap"]:
        console.print(f"trap {trap['name']} at {trap['place']}: {trap['cause']}; {trap['fix']}", markup=False)
        _show_hardware(console, report)
        return
    pipes = table(f"{program.name}: {report['cycles']:,} cycles", "pipe", "instructions", "busy", *_STALLS, numbers=6)
    for name, pipe in report["pipes"].items():
        busy = f"{pipe['busy_cycles']:,} ({pipe['busy_cycles'] / max(1, report['cycles']):.0%})"
        waited = [f"{pipe['stalls'][cause]:,}" for cause in _STALLS.values()]
        pipes.add_row(name, f"{pipe['instructions']:,}", busy, *waited)
    console.print(pipes)
    if "replay_agrees" in report:
        console.print(f"executed in the order of time: {'same' if report['replay_agrees'] else 'OTHER'} values")
    console.print(measured_rows(report))
    _show_hardware(console, report)


def _show_hardware(console: Console, report: dict[str, Any]) -> None:
    if "rtl" not in report:
        return
    if (found := report["rtl"]) is None:
        console.print("hardware: not run, because only the simulator finds this trap")
        return
    same = (
        f"equal, the same trap, {found['cycles']:,} cycles" if found["trap"] else f"equal, {found['cycles']:,} cycles"
    )
    lines = [same] if found["equal"] else found["difference"]
    console.print(f"hardware, words of {found['width']} bits: " + "\n".join(lines), markup=False)


_STALLS = {
    "waited: front end": "front_end",
    "busyboard": "busyboard",
    "queue": "queue",
    "port": "port",
}


def measured_rows(report: dict[str, Any]) -> str:
    """Returns a line with time, energy, power and area."""
    return (
        f"{report['us']:.4g} µs, {report['energy_uj']:.4g} µJ, {report.get('power_w', 0.0):.3g} W "
        f"on {report['area_mm2']:.4g} mm² (GF 12 nm)"
    )
