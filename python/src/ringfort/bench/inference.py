# SPDX-License-Identifier: Apache-2.0
"""Measures inference with logistic regression on encrypted records. Compares it with TenSEAL, Concrete and Concrete ML.

Times are in milliseconds per record, on one thread. A record has 30 features. The weights are not encrypted. The score
z of a record is declared to be at most 16 in absolute value. The result is 0.5 + 0.15 z - 0.0015 z^3. It resembles the
logistic function for abs(z) up to about 8. ``rf.plan`` chooses our parameters for 20 bits of precision, and one
ciphertext has all 100 records. TenSEAL's program encrypts each record in its own ciphertext, as TenSEAL's tutorial on
logistic regression does. The programs of TenSEAL and Concrete run 20 records, or 5 with ``--quick``. ``cancer.py``
measures a trained model.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from .. import planning
from ..encrypted import EncryptedArray
from .cancer import CANCER_NAMES, cancer_records, cancer_rows
from .rows import Row, is_wanted, summary

__all__ = ["STEPS", "Peer", "beside", "inference_rows", "step_times"]

RECORDS, FEATURES, LARGEST = 100, 30, 5.0
CUBIC = (0.5, 0.15, 0.0, -0.0015)  # coefficients of z^0 .. z^3
_LIMIT_S = 600
STEPS = ("encrypt", "compute", "decrypt")
_NAME = f"inference/logistic/{RECORDS}x{FEATURES}/"


@dataclass(frozen=True)
class Peer:
    """Another library. ``program`` is the name of its program in this folder, without the prefix peer_. ``package`` is
    the package that the program needs."""

    program: str
    name: str
    package: str


_PEERS = (Peer("tenseal", "TenSEAL", "tenseal"), Peer("concrete", "Concrete", "concrete-python"))
_CANCER_PEERS = (
    Peer("tenseal_linear", "TenSEAL", "tenseal"),
    Peer("concrete_ml", "Concrete ML", "concrete-ml"),
)


def inference_rows(say: Callable[[str], None], *, quick: bool, only: tuple[str, ...] = ()) -> list[Row]:
    repeats = 3 if quick else 11
    rows = _chosen(_ours(repeats), only) if any(is_wanted(_NAME + step, only) for step in STEPS) else []
    for peer in _PEERS if rows else ():
        rows = beside(rows, peer, say, ["--quick"] if quick else [])
    if not any(is_wanted(name, only) for name in CANCER_NAMES):
        return rows
    if (found := cancer_records()) is None:
        say("no records of breast cancer: run pip install scikit-learn")
        return rows
    given, classifier = found
    cancer = _chosen(cancer_rows(given, classifier, repeats), only)
    for peer in _CANCER_PEERS if cancer else ():
        cancer = beside(cancer, peer, say, [], json.dumps(given))
    return rows + cancer


def _chosen(rows: list[Row], only: tuple[str, ...]) -> list[Row]:
    return [row for row in rows if is_wanted(row.name, only)]


def beside(rows: list[Row], peer: Peer, say: Callable[[str], None], arguments: list[str], given: str = "") -> list[Row]:
    """Compares the rows with rows of the same names, which a program of this folder prints. ``given`` is the program's
    standard input. Returns the rows unchanged if the program fails."""
    say(f"running {peer.name} for comparison, threads: 1")
    interpreter = os.environ.get("RINGFORT_PEERS", sys.executable)
    command = [interpreter, str(Path(__file__).parent / f"peer_{peer.program}.py"), *arguments]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_LIMIT_S, check=True, env=one_thread, input=given
        )
        found = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        say(
            f"no comparison with {peer.name}: its program failed in {interpreter}; "
            f"run pip install {peer.package} there, or set RINGFORT_PEERS to a Python that has it"
        )
        return rows
    theirs = found["rows"]
    return [
        row.against(found["peer"], found["version"], theirs[row.name]) if row.name in theirs else row for row in rows
    ]


def _ours(repeats: int) -> list[Row]:
    rng = np.random.default_rng(0)
    weights, records = rng.uniform(-0.1, 0.1, FEATURES), rng.uniform(-LARGEST, LARGEST, (RECORDS, FEATURES))

    def score(x: EncryptedArray) -> EncryptedArray:
        z = (x @ weights).assume(magnitude=16)
        return CUBIC[0] + CUBIC[1] * z + CUBIC[3] * z**3

    plan = planning.plan(score, planning.like(records.shape, magnitude=LARGEST), precision=20)
    ctx = plan.context(threads=1)
    keys = ctx.keygen(plan)
    params = {"n": plan.found.n, "log2_qp": round(plan.found.log2_qp), "bits": round(plan.precision_bits, 1)}
    encrypt = partial(ctx.encrypt, records, keys.public, magnitude=LARGEST)
    times = step_times(repeats, encrypt, score, lambda y: y.decrypt(keys))
    return [
        Row(_NAME + step, ctx.device, params, "ms", *summary([ms / RECORDS for ms in each]))
        for step, each in times.items()
    ]


def step_times(
    repeats: int,
    encrypt: Callable[[], EncryptedArray],
    compute: Callable[[EncryptedArray], EncryptedArray],
    decrypt: Callable[[EncryptedArray], object],
) -> dict[str, list[float]]:
    """Returns the milliseconds of each step in each round. An additional first round is not counted."""
    times: dict[str, list[float]] = {step: [] for step in STEPS}
    for _ in range(repeats + 1):
        ends = [time.perf_counter()]
        x = encrypt()
        ends.append(time.perf_counter())
        y = compute(x)
        ends.append(time.perf_counter())
        decrypt(y)
        ends.append(time.perf_counter())
        for each, (begin, end) in zip(times.values(), pairwise(ends), strict=True):
            each.append(1e3 * (end - begin))
    return {step: each[1:] for step, each in times.items()}
