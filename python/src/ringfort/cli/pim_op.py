# SPDX-License-Identifier: Apache-2.0
"""``ringfort pim op`` measures operations of a scheme on simulated processing in memory, for several numbers of
ciphertexts per call. The processors inside the memory are called DPUs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from ..bench.pim_operations import Wanted, pim_operations
from .groups import pim_app
from .options import AsJson
from .output import Speaker, table


@pim_app.callback()
def pim() -> None:
    """Measure operations on simulated processing in memory (PIM). See also: ringfort bench pim."""


@pim_app.command("op")
def op_command(
    scheme: Annotated[Literal["ckks", "bfv", "bgv"], typer.Option(help="Scheme of the operations.")] = "ckks",
    n: Annotated[int, typer.Option("--n", help="Ring degree, a power of two.")] = 4096,
    limbs: Annotated[
        int, typer.Option(help="Number of data primes. Keys also have as many special primes as a level has primes.")
    ] = 6,
    prime_bits: Annotated[
        int,
        typer.Option(help="Bits of each prime, 30 .. 60. A level has two primes if they have 30 bits, or else one."),
    ] = 30,
    ciphertexts: Annotated[
        list[int] | None,
        typer.Option(
            "--ciphertexts",
            "-c",
            help="Number of ciphertexts in one call. Repeat the option to measure several. Default: 1, 2, 4, 8.",
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="The device pim, with or without options.")] = "pim",
    as_json: AsJson = False,
) -> None:
    """Measure products, relinearization and rotation, in modelled milliseconds per ciphertext. Compare the results with
    those of the CPU."""
    with Speaker(as_json).guarded() as speaker:
        wanted = Wanted(scheme, n, limbs, tuple(ciphertexts or Wanted.ciphertexts), device, prime_bits)
        report = pim_operations(wanted)
        speaker.result(report, lambda console: _show(console, report))
    if not all(row["verified"] for row in report["operations"]):
        raise typer.Exit(1)


def _show(console: Console, report: dict[str, Any]) -> None:
    special = 2 if report["prime_bits"] <= 30 else 1
    primes = f"{report['limbs']} + {special} primes of {report['prime_bits']} bits"
    title = f"{report['scheme']}, n = {report['n']:,}, {primes} on {report['device']}, ms each"
    if report["cycles"] == "estimated":
        title += " (cycles estimated: the package was built without a compiler for DPUs)"
    counts = report["ciphertexts"]
    rows = table(title, "operation", *(f"{count} per call" for count in counts), "equals cpu", numbers=len(counts) + 1)
    for operation in dict.fromkeys(row["operation"] for row in report["operations"]):
        mine = [row for row in report["operations"] if row["operation"] == operation]
        same = "bit for bit" if all(row["verified"] for row in mine) else "NO"
        rows.add_row(operation, *(f"{row['ms_each']:.3g}" for row in mine), same)
    console.print(rows)
