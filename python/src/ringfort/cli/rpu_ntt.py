# SPDX-License-Identifier: Apache-2.0
"""``ringfort rpu ntt`` generates and verifies a program for a number-theoretic transform (a Fourier transform modulo a
prime), and prints the program's cost."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from .. import rpu, units
from ..errors import InvalidArgument
from .files import require_separate
from .groups import rpu_app
from .options import AsJson
from .output import Speaker, table
from .rpu import Banks, Hples, MachineFile, Settings, machine_of, measured_rows


@rpu_app.command("ntt")
def ntt_command(
    n: Annotated[int, typer.Option("--n", help="Length of the transform, a power of two in 1024 .. 131072.")] = 65536,
    hples: Hples = None,
    banks: Banks = None,
    machine: MachineFile = "",
    settings: Settings = "",
    inverse: Annotated[
        bool, typer.Option("--inverse", help="The inverse transform: from evaluations to coefficients.")
    ] = False,
    order: Annotated[
        Literal["canonical", "private"],
        typer.Option(help="Order of the evaluations. canonical: bit-reversed; private: an order of the program's own."),
    ] = "canonical",
    optimizer: Annotated[
        Literal["none", "paper", "best"],
        typer.Option(help="none: the paper's program as written; paper: with the paper's schedule; best: our program."),
    ] = "best",
    bits: Annotated[int, typer.Option(help="Bits of the modulus: 128, 64 or 32.")] = 128,
    batch: Annotated[int, typer.Option(min=1, help="Number of independent transforms in one program.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random schedules that are tried.")] = 0,
    tries: Annotated[int, typer.Option(min=1, help="Number of schedules to try; the best is used.")] = 64,
    count: Annotated[
        int,
        typer.Option(
            "--stream", min=0, help="Also time a stream of this many transforms, with transfers: 2 or more; 0: none."
        ),
    ] = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the program to NAME.b512, or a job with transfers to NAME.job."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Generate a program for a number-theoretic transform, verify it, and print its cost.

    Equal options with equal seeds give equal programs.
    """
    with Speaker(as_json).guarded() as speaker:
        require_separate([("--machine", machine)], [("--output", output)])
        on = machine_of(machine, settings, hples, banks)
        wanted = rpu.Transform(n, inverse, order, optimizer, bits, batch, seed, tries, on)
        if bits not in (32, 64, 128):
            raise InvalidArgument(f"no modulus of {bits} bits is offered", "give --bits 128, 64 or 32")
        if count == 1:
            raise InvalidArgument("a stream of 1 has no steady state", "give --stream 2 or more")
        with tempfile.TemporaryDirectory() as folder:
            report = rpu.generate(wanted, output or Path(folder) / "ntt")
            program = Path(report.pop("output"))
            if output:
                report["output"] = str(program)
            if count and "kernels" in report:
                raise InvalidArgument("a job has its own transfers and cannot be streamed", f"use --batch {count}")
            if count:
                report["stream"] = rpu.stream(program, report["result"], on, count)
        speaker.result(report, lambda console: _show(console, report))


def _show(console: Console, report: dict[str, Any]) -> None:
    on = report["machine"]
    rows = table(f"n = {report['n']:,} on ({on['hples']}, {on['banks']})", "pipe", "instructions", "busy", numbers=2)
    for name, count in (("load_store", "lsi"), ("compute", "ci"), ("shuffle", "si")):
        rows.add_row(name, f"{report['instructions'][count]:,}", f"{report['utilisation'][name]:.0%}")
    console.print(rows)
    console.print(
        f"{report['cycles']:,} cycles, {report['ratio']:.3g} times the {report['theoretical_us']:.3g} µs of n log2 n "
        f"steps; {'verified against the reference' if report['verified'] else 'NOT VERIFIED'}"
    )
    if "kernels" in report:
        console.print(
            f"a job of {units.quantity(report['kernels'], 'kernel')} ({report['kernel_cycles']:,} cycles) and "
            f"{report['hbm_bytes'] / 2**20:.3g} MiB of transfers ({report['hbm_busy_cycles']:,} cycles), which "
            f"overlap for {report['overlap_cycles']:,} cycles"
        )
    console.print(measured_rows(report))
    if streamed := report.get("stream"):
        console.print(
            f"in a stream of {streamed['count']} with {units.quantity(streamed['places'], 'place')} in memory: "
            f"{streamed['cycles_each']:,.0f} cycles each; off-chip memory busy "
            f"{streamed['hbm_busy_cycles'] / streamed['cycles']:.0%}"
        )
