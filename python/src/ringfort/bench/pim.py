# SPDX-License-Identifier: Apache-2.0
"""The model of processing in memory (memory chips with small processors, the DPUs). Runs the installed program
pimbench, and compares its rows with those of the paper [Mwaisela24].

Times are simulated unless a comparison says "measured here". Rows are compared with two hosts. The first is the host
of the paper. Its times are fitted to the ratios that the paper states, except one published time
(``_pim/claims.json``). The second host is this CPU with plain loops. Its processor time is measured in the same run. If
this time was measured for another size and then scaled, the comparison says so.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from .. import ring
from ..errors import Internal, Unsupported
from .pim_table1 import PREFIX, table1_rows
from .rows import Row, is_wanted, no_row, row_of

__all__ = ["SCALED", "Claim", "claims", "experiments", "figure_of", "paper", "pim_rows"]

SCALED = "scaled"  # the ``version`` of a comparison begins with this word if its time was scaled from another size
_FOLDER = Path(__file__).resolve().parent.parent / "_pim"
_STEP = re.compile(r"(\d+)/(\d+) ([\w-]+)")
_COUNTED = "table1"
_FIGURE = re.compile(r"pim/([\w-]+)/\w+/(dpu|with_copies)$")


def paper() -> dict[str, Any]:
    """Returns the published numbers: hosts, figures, claims, and the values of single bars in plots."""
    found: dict[str, Any] = json.loads((_FOLDER / "claims.json").read_text(encoding="utf-8"))
    return found


def experiments(only: Sequence[str] = ()) -> list[str]:
    """Returns the experiments with at least one row whose name begins with a string in `only`.

    Errors: InvalidArgument, Unsupported.
    """
    found = _output(_command(only=only) + ["--list"]).split() + ([_COUNTED] if _is_counted(only) else [])
    if not found:
        raise no_row(only)
    return found


def pim_rows(tell: Callable[[int], None], *, quick: bool = False, only: Sequence[str] = ()) -> list[Row]:
    """Returns the rows whose names begin with a string in `only`, with their comparisons; all rows if `only` is empty.
    Calls ``tell`` with the number of finished experiments.

    Errors: Unsupported (not installed), InvalidArgument (no row has such a name), Internal (pimbench found a wrong
    result, or failed).
    """
    names = experiments(only)
    rows = []
    if names != [_COUNTED]:
        rows = [row_of(found) for found in _document(_command(quick=quick, only=only), tell)["rows"]]
    if _COUNTED in names:
        tell(len(names) - 1)
        rows += table1_rows()
    tell(len(names))
    rows = _beside_kernels(beside_hosts(rows, paper()))
    chosen = [row for row in rows if is_wanted(row.name, tuple(only))]
    if not chosen:
        raise no_row(only)
    return chosen


def _is_counted(only: Sequence[str]) -> bool:
    """Tells whether ``only`` requests table I, which is not an experiment of pimbench."""
    return not only or any(PREFIX.startswith(prefix) or prefix.startswith(PREFIX) for prefix in only)


def _document(command: list[str], tell: Callable[[int], None]) -> dict[str, Any]:
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
        with subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True) as running:
            said = "".join(_problems(running.stderr or (), tell))
        if running.returncode != 0:
            raise _defect(running.returncode, said)
        out.seek(0)
        found: dict[str, Any] = json.load(out)
        return found


def _problems(lines: Iterable[str], tell: Callable[[int], None]) -> Iterator[str]:
    """Yields the messages of pimbench. Passes the progress in them to ``tell``."""
    for line in lines:
        if step := _STEP.match(line):
            tell(int(step[1]))
        else:
            yield line


def _beside_kernels(rows: Sequence[Row]) -> list[Row]:
    """Compares the simulated transforms with transforms of this library, on one thread and on all cores of this CPU."""
    if not any(map(_is_transform, rows)):
        return list(rows)
    peers = {threads: _ntt_ns(threads) for threads in sorted({1, os.cpu_count() or 1})}
    return [_beside_transforms(row, peers) if _is_transform(row) else row for row in rows]


def _is_transform(row: Row) -> bool:
    return row.name.startswith("pim/resident/ntt4096/")


def _beside_transforms(row: Row, peers: dict[int, float]) -> Row:
    for threads, ns in peers.items():
        row = row.against(f"ringfort's transform, {_on(threads)}", "measured here", ns)
    return row


def _ntt_ns(threads: int) -> float:
    """Measures batches of transforms of 4096 points modulo a 60-bit prime. Returns the median time per coefficient, in
    nanoseconds.

    The time is processor time divided by the number of threads, because other programs lengthen wall time.
    """
    length, batch, repeats = 4096, 128, 9
    transform = ring.Ntt(length, ring.primes(60, length, 1)[0])
    data = np.random.default_rng(1).integers(0, 1 << 59, (batch, length), dtype=np.uint64)
    spent = []
    for _ in range(repeats):
        start = time.process_time()
        transform.forward(data, threads=threads)
        spent.append((time.process_time() - start) / threads)
    return statistics.median(spent) / data.size * 1e9


def beside_hosts(rows: Sequence[Row], data: dict[str, Any]) -> list[Row]:
    """Adds to the rows the times of the two hosts, the paper's host and this CPU, for the same work."""
    here = {row.name: row for row in rows if row.name.startswith("pim/host-cpu/")}
    bars = {bar["row"]: [b for b in data["bars"] if b["row"] == bar["row"]] for bar in data["bars"]}
    return [_beside_bars(_beside_figure(row, data, here), bars.get(row.name, ()), here) for row in rows]


def figure_of(row: Row) -> str:
    """Returns the name of a row's figure, for example fig3a for the row pim/fig3a/n1024/dpu. Returns "" if the row is
    in no figure, or if its time is only the time of a copy."""
    match = _FIGURE.match(row.name)
    return match[1] if match else ""


def _beside_figure(row: Row, data: dict[str, Any], here: dict[str, Row]) -> Row:
    figure = data["figures"].get(figure_of(row))
    if figure is None:
        return row
    n = row.params["n"]
    for name in figure["hosts"]:
        host = data["hosts"][name]
        row = row.against(host["peer"], data["source"], host["fixed_ms"] + host["ns"] * n * 1e-6)
    count = n * n if figure["measured"] == "convolution17" else n * figure.get("measured_share", 1)
    for measured in _measured(figure["measured"], here):
        row = row.against(_threads(measured), _origin(measured, count), measured.median * count * 1e-6)
    return row


def _beside_bars(row: Row, bars: Iterable[dict[str, Any]], here: dict[str, Row]) -> Row:
    measured: dict[str, Row] = {}
    for bar in bars:
        row = row.against(bar["text"], "", bar["host_ns"] if "host_ns" in bar else bar["host_ms"])
        if row.unit.startswith("ns"):
            measured |= {_threads(found): found for found in _measured(bar.get("measured", ""), here)}
    for threads, found in measured.items():
        row = row.against(threads, "measured here", found.median)
    return row


def _measured(name: str, here: dict[str, Row]) -> list[Row]:
    return [row for found, row in here.items() if name and found.startswith(f"pim/host-cpu/{name}/")]


def _origin(measured: Row, count: float) -> str:
    """Tells whether work of this size was measured. If it was not, its time is scaled from work of another size."""
    found = measured.params["count"]
    return (
        "measured here" if found == count else f"{SCALED} from a measurement here of {found:.3g} {measured.unit[3:]}s"
    )


def _threads(row: Row) -> str:
    return _on(row.params["threads"])


def _on(threads: int) -> str:
    return "this CPU, one thread" if threads == 1 else f"this CPU, {threads} threads"


@dataclass(frozen=True)
class Claim:
    """A published ratio and the model's ratio.

    ``problem``: why the model does not reproduce the published ratio; empty if it might. ``basis``: the source of the
    host's time, and whether we chose the size. ``factor``: counts only where the paper states a number. The model then
    meets the claim if neither ratio is above ``factor`` times the other. The factor was chosen before the comparison.
    ``verdict``: "contradicted", "not met" or "not measurable here" if there is a problem; else empty.
    """

    figure: str
    text: str
    paper: str
    model: float | None
    holds: bool
    problem: str = ""
    basis: str = ""
    factor: float = 1.0
    verdict: Literal["", "contradicted", "not met", "not measurable here"] = ""


def claims(rows: Sequence[Row]) -> list[Claim]:
    """Returns the claims for which a row is present."""
    data, values = paper(), {row.name: row.median for row in rows}
    return [_claim(found, data["hosts"], values) for found in data["claims"] if found["row"] in values]


def _claim(found: dict[str, Any], hosts: dict[str, Any], values: dict[str, float]) -> Claim:
    if "not_reproducible" in found:
        problem, verdict = found["not_reproducible"], found["verdict"]
        return Claim(found["figure"], found["text"], "", None, False, problem, verdict=verdict)
    host = hosts[found["host"]]
    ratio = (host["fixed_ms"] + host["ns"] * found["n"] * 1e-6) / values[found["row"]]
    least, most = found.get("least", 0.0), found.get("most", float("inf"))
    stated = f"at least {least:g}" if "least" in found else f"at most {most:g}"
    if "paper" in found:
        least, most = found["paper"] / found["factor"], found["paper"] * found["factor"]
        stated = f"{found['paper']:.3g}"
    basis = [
        "time of the host fitted to ratios like this one" if "fitted" in host["peer"] else "time of the host published"
    ]
    if found.get("size_chosen"):
        basis.append("size chosen by us")
    return Claim(
        found["figure"],
        found["text"],
        stated,
        ratio,
        least <= ratio <= most,
        "",
        "; ".join(basis),
        found.get("factor", 1.0),
    )


def _command(*, quick: bool = False, only: Sequence[str] = ()) -> list[str]:
    program = _FOLDER / "pimbench"
    if not program.is_file():
        raise Unsupported(
            f"pimbench is not in {_FOLDER}", "install the package with its simulators: pip install . in a clone"
        )
    chosen = [word for prefix in only for word in ("--only", prefix)]
    return [str(program), str(_FOLDER / "kernels"), *(["--quick"] if quick else []), *chosen]


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise _defect(done.returncode, done.stderr)
    return done.stdout


def _defect(status: int, said: str) -> Internal:
    return Internal(f"pimbench ended with status {status}: {said.strip()}", "report it with the command")
