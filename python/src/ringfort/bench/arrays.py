# SPDX-License-Identifier: Apache-2.0
"""Measures computations from Python on one large array of reals. Compares the times with TenSEAL's.

Times are in milliseconds, on one thread. The array X has 10,000 rows (1,000 with ``--quick``) and 64 columns. Its
values are in [-2, 2]. The steps are: encrypt X as x, compute 3 x + x^2 - X, decrypt. The row ``whole`` is the sum of
the steps. ``rf.plan`` chooses our parameters for 20 bits of precision. TenSEAL's program has parameters for the same
depth.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from .. import planning
from ..encrypted import EncryptedArray
from .inference import STEPS, Peer, beside, step_times
from .rows import Row, is_wanted, summary

__all__ = ["array_rows"]

COLUMNS, LARGEST = 64, 2.0


def array_rows(say: Callable[[str], None], *, quick: bool, only: tuple[str, ...] = ()) -> list[Row]:
    count = 1_000 if quick else 10_000
    name = f"arrays/{count}x{COLUMNS}/"
    if not any(is_wanted(name + step, only) for step in (*STEPS, "whole")):
        return []
    rows = [row for row in _ours(name, count, 3 if quick else 7) if is_wanted(row.name, only)]
    peer = Peer("tenseal_arrays", "TenSEAL", "tenseal")
    return beside(rows, peer, say, [str(count), str(COLUMNS)]) if rows else []


def _ours(name: str, count: int, repeats: int) -> list[Row]:
    given = np.random.default_rng(0).uniform(-LARGEST, LARGEST, (count, COLUMNS))

    def job(x: EncryptedArray) -> EncryptedArray:
        return 3 * x + x**2 - given

    plan = planning.plan(job, planning.like(given.shape, magnitude=LARGEST), precision=20)
    ctx = plan.context(threads=1)
    keys = ctx.keygen(plan)
    params = {"n": plan.found.n, "log2_qp": round(plan.found.log2_qp), "bits": round(plan.precision_bits, 1)}
    encrypt = partial(ctx.encrypt, given, keys.public, magnitude=LARGEST)
    times = step_times(repeats, encrypt, job, lambda y: y.decrypt(keys))
    times["whole"] = [sum(round_of) for round_of in zip(*times.values(), strict=True)]
    return [Row(name + step, ctx.device, params, "ms", *summary(each)) for step, each in times.items()]
