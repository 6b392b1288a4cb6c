# SPDX-License-Identifier: Apache-2.0
"""``ringfort statistics demo`` runs a study with synthetic users, and checks all totals with plain integers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console

from .. import statistics as rs
from .. import units
from ..cores import usable_cores
from .groups import statistics_app
from .options import AsJson, Device, Threads
from .output import Speaker
from .statistics import Primes, primes_of, statistics_document, statistics_table

_COLUMNS = {"age": (18, 99), "dose": (0, 50, 1), "pressure": (80, 220)}


@dataclass
class _Spent:
    encrypting: float = 0.0
    adding: float = 0.0


@statistics_app.command("demo")
def demo_command(
    users: Annotated[int, typer.Option(min=4, help="Number of users. Each user makes one upload.")] = 500,
    records: Annotated[int, typer.Option(min=1, help="Largest number of records of a user.")] = 16,
    device: Device = "",
    scheme: Annotated[str, typer.Option(help="bgv or bfv.")] = "bgv",
    primes: Primes = "",
    threads: Threads = 0,
    seed: Annotated[int, typer.Option(help="Seed of the synthetic records.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Encrypt, aggregate and decrypt a synthetic study. The exit code is 1 if a total is wrong."""
    with Speaker(as_json).guarded() as speaker:
        study = rs.Study(_COLUMNS, "regressions", users, records, False, scheme)
        keys = rs.keygen(study, primes=primes_of(primes), threads=threads or usable_cores())
        facts = keys.public.explain().facts
        speaker.say(
            f"1. keys: {scheme}, n = {facts.n}, {facts.security}; plain modulus {keys.public.context.plain_modulus}, "
            f"at most {units.quantity(keys.public.capacity, 'record')}"
        )
        aggregator, spent = rs.Aggregator(keys.public, device, threads or usable_cores()), _Spent()
        plain = np.zeros((len(_COLUMNS) + 1, len(_COLUMNS) + 1), dtype=object)
        with speaker.progress("2. users upload", users, "upload") as tell:
            for number, table in enumerate(_tables(users, records, seed)):
                _one_user(aggregator, keys.public, table, spent)
                plain += _moments(study.table(table))
                tell(number + 1)
        begun = time.perf_counter()
        result = aggregator.result()
        finishing = time.perf_counter() - begun
        speaker.say(
            f"2. {units.quantity(users, 'upload')} added on {aggregator.device}: "
            f"{units.duration(spent.encrypting / users)} each to encrypt, "
            f"{units.duration(spent.adding / users)} to add; totals over slots {units.duration(finishing)}"
        )
        summary = rs.decrypt(result, keys)
        right = _is_right(summary, plain)
        document = {
            "device": aggregator.device,
            "n": facts.n,
            "encrypt_s": spent.encrypting,
            "add_s": spent.adding,
            "finish_s": finishing,
            **statistics_document(summary, summary.regress("pressure", ["age", "dose"])),
            "right": right,
        }

        def show(console: Console) -> None:
            console.print(statistics_table(document))
            console.print("every total equals plain integers" if right else "A TOTAL IS WRONG")

        speaker.result(document, show)
        if not right:
            raise typer.Exit(1)


def _tables(users: int, records: int, seed: int) -> Iterator[dict[str, NDArray[Any]]]:
    """Generates the tables of users. In these tables, blood pressure rises with age and falls with the dose."""
    random = np.random.default_rng(seed)
    for _ in range(users):
        count = int(random.integers(1, records + 1))
        age = random.integers(18, 100, count)
        dose = np.round(random.uniform(0, 50, count), 1)
        noise = random.normal(0, 8, count)
        pressure = np.clip(np.rint(100 + 0.9 * age - 0.5 * dose + noise), 80, 220).astype(np.int64)
        yield {"age": age, "dose": dose, "pressure": pressure}


def _one_user(aggregator: rs.Aggregator, keys: rs.PublicKeys, table: dict[str, NDArray[Any]], spent: _Spent) -> None:
    begun = time.perf_counter()
    upload = rs.encrypt(table, keys)
    encrypted = time.perf_counter()
    aggregator.add(upload)
    spent.encrypting += encrypted - begun
    spent.adding += time.perf_counter() - encrypted


def _moments(table: NDArray[np.int64]) -> NDArray[Any]:
    """Computes, with Python's integers, the number of records, the sum of each column, and the sum of the products of
    each two columns."""
    extended = np.vstack([np.ones(table.shape[1], dtype=np.int64), table]).astype(object)
    moments: NDArray[Any] = extended @ extended.T
    return moments


def _is_right(summary: rs.Summary, plain: NDArray[Any]) -> bool:
    names = list(summary.study.columns)
    sums = all(summary.sums(name) == [plain[0, i + 1]] for i, name in enumerate(names))
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1)]
    products = all(summary.products(names[i], names[j]) == [plain[i + 1, j + 1]] for i, j in pairs)
    return sums and products and summary.records == plain[0, 0]
