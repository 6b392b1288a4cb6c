# SPDX-License-Identifier: Apache-2.0
"""Predicts the seconds that a program takes. Measures the operations of the plan at their levels (numbers of products
that are left), and multiplies the times by the numbers of calls.

The times are for one thread, with all data on the device. They do not include encryption and decryption.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..encrypted import Context
from ..errors import DepthExhausted, NoiseBoundExceeded, Unsupported
from ..units import duration

__all__ = ["VERBS", "Call", "Prediction", "known", "measured"]

Call = tuple[str, int, int]
"""A verb, the level of its first operand, and how often the program calls it. An inner product counts once for each
term."""
VERBS = (
    "multiply",
    "rotate",
    "multiply_plain",
    "inner_product_plain",
    "multiply_number",
    "add_plain",
    "add",
    "negate",
)
Times = dict[tuple[str, int], float]
Runs = dict[str, Callable[[], Any]]
_TERMS = 8  # terms of a measured inner product
_REPEATS = 4  # measured runs, after one run that is not measured; the result is their median
_EXHAUSTED = (DepthExhausted, NoiseBoundExceeded)
# The measured rotations use these steps in turn. Thus their keys come from memory and not from the cache, as in a
# program.
_STEPS = (1, 2, 4, 8, 16)
_TIMES: dict[tuple[Context, str], Times] = {}


@dataclass(frozen=True)
class Prediction:
    """The predicted time of a program. seconds: the time of one run on one thread. calls: the number and the seconds of
    the calls of each operation."""

    device: str
    seconds: float
    calls: dict[str, tuple[int, float]]

    def __repr__(self) -> str:
        phrases = (f"{count} {name}: {duration(spent)}" for name, (count, spent) in sorted(self.calls.items()))
        return f"Prediction({duration(self.seconds)} on one thread of {self.device}; {', '.join(phrases)})"


def known(ctx: Context, calls: Iterable[Call]) -> Prediction | None:
    """Returns the prediction. Returns None if an operation has not been measured with these parameters on this
    device."""
    times, wanted = _TIMES.get((ctx, ctx.device), {}), list(calls)
    if not wanted or any((name, level) not in times for name, level, _ in wanted):
        return None
    return _predicted(ctx.device, times, wanted)


def measured(ctx: Context, calls: Iterable[Call]) -> Prediction:
    """Measures the operations that have no time yet. Returns the prediction. Errors: DeviceUnknown, OutOfMemory,
    Unsupported (an operation fails at every level)."""
    wanted = list(calls)
    times = _TIMES.setdefault((ctx, ctx.device), {})
    if missing := {(name, level) for name, level, _ in wanted} - set(times):
        times.update(_measured(ctx, missing))
    return _predicted(ctx.device, times, wanted)


def _predicted(device: str, times: Times, calls: Iterable[Call]) -> Prediction:
    by_name: dict[str, tuple[int, float]] = {}
    for name, level, count in calls:
        before = by_name.get(name, (0, 0.0))
        by_name[name] = (before[0] + count, before[1] + count * times[name, level])
    return Prediction(device, sum(spent for _, spent in by_name.values()), by_name)


def _measured(ctx: Context, wanted: set[tuple[str, int]]) -> Times:
    """Measures each operation at its level, or at the nearest level that products reach and that the operation
    accepts."""
    keys = ctx.keygen(rotations=_STEPS)
    session = keys.public.session(ctx.device)
    on, verbs = session.on, session.on.verbs
    values = np.zeros(on.slots.count, on.dtype)
    a = on.encrypt(keys.public.encryption_key(ctx.device), values)
    reached = {a.level: a}
    lowest = min(level for _, level in wanted)
    while a.level > lowest:
        try:
            a = verbs.multiply(a, a) if on.exact else verbs.multiply_number(a, 0.5)
        except _EXHAUSTED:
            break
        reached.setdefault(a.level, a)
    runs = {level: _runs(verbs, ciphertext, values) for level, ciphertext in reached.items()}
    return {(name, level): _at_nearest(name, level, runs) for name, level in wanted}


def _at_nearest(name: str, level: int, runs: dict[int, Runs]) -> float:
    for near in sorted(runs, key=lambda other: abs(other - level)):
        with suppress(*_EXHAUSTED):
            return _seconds(runs[near][name]) / (_TERMS if name == "inner_product_plain" else 1)
    raise Unsupported(f"{name} fails at every level", "make the plan again with rf.plan")


def _runs(verbs: Any, a: Any, values: Any) -> Runs:
    steps = itertools.cycle(_STEPS)
    return {
        "multiply": lambda: verbs.multiply(a, a),
        "rotate": lambda: verbs.rotate(a, next(steps)),
        "multiply_plain": lambda: verbs.multiply_plain(a, values),
        "inner_product_plain": lambda: verbs.inner_product_plain([a] * _TERMS, [values] * _TERMS),
        "multiply_number": lambda: verbs.multiply_number(a, 0.5 if values.dtype.kind != "i" else 3),
        "add_plain": lambda: verbs.add_plain(a, values),
        "add": lambda: verbs.add(a, a),
        "negate": lambda: verbs.negate(a),
    }


def _seconds(run: Callable[[], Any]) -> float:
    spent = []
    run()
    for _ in range(_REPEATS):
        began = time.perf_counter()
        run()
        spent.append(time.perf_counter() - began)
    return statistics.median(spent)
