# SPDX-License-Identifier: Apache-2.0
"""``ringfort rpu op`` runs operations of a scheme on the simulated ring processor."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from .. import rpu
from ..rpu.operations import Wanted, operations
from .groups import rpu_app
from .options import AsJson
from .output import Speaker, table
from .rpu import Banks, Hples, MachineFile, Settings, machine_of


@rpu_app.command("op")
def op_command(
    scheme: Annotated[Literal["ckks", "bfv", "bgv"], typer.Option(help="Scheme of the operations.")] = "ckks",
    n: Annotated[int, typer.Option("--n", min=1, help="Ring degree, a power of two.")] = 16384,
    limbs: Annotated[
        int, typer.Option(min=0, help="Number of data primes; 0: enough for two successive products.")
    ] = 0,
    hples: Hples = None,
    banks: Banks = None,
    machine: MachineFile = "",
    settings: Settings = "",
    as_json: AsJson = False,
) -> None:
    """Run a sum, a product with relinearization, and a rotation. Print time, share of transforms, energy, and area.

    The results are compared with those of the CPU.
    """
    with Speaker(as_json).guarded() as speaker:
        on = machine_of(machine, settings, hples, banks)
        report = operations(Wanted(scheme, n, limbs, ",".join(f"{k}={v}" for k, v in rpu.settings_of(on).items())))
        for row in report["operations"]:
            row["cycles"] = round(row["us"] * on.clock_mhz)
        report["area_mm2"] = rpu.area_of(on).total
        speaker.result(report, lambda console: _show(console, report))
    if not all(row["verified"] for row in report["operations"]):
        raise typer.Exit(1)


def _show(console: Console, report: dict[str, Any]) -> None:
    limbs = report["limbs"]
    title = f"{report['scheme']}, n = {report['n']:,}, {limbs['data']} + {limbs['special']} primes"
    rows = table(title, "operation", "cycles", "µs", "computing", "transforms", "energy", "equals cpu", numbers=5)
    for row in report["operations"]:
        rows.add_row(
            row["operation"],
            f"{row['cycles']:,}",
            f"{row['us']:.4g}",
            f"{row['compute_us'] / row['us']:.0%}",
            f"{row['transform_share']:.0%}",
            f"{row['energy_uj']:.4g} µJ",
            "bit for bit" if row["verified"] else "NO",
        )
    console.print(rows)
    verbs = table("by verb", "operation", "verb", "times", "µs", "energy", numbers=3)
    for row in report["operations"]:
        for name, verb in row["verbs"].items():
            verbs.add_row(
                row["operation"], name, f"{verb['count']:,}", f"{verb['us']:.4g}", f"{verb['energy_uj']:.4g} µJ"
            )
    console.print(verbs)
    console.print(f"area of the processor: {report['area_mm2']:.4g} mm² (GF 12 nm)")
