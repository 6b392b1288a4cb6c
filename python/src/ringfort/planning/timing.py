# SPDX-License-Identifier: Apache-2.0
"""Predicts the seconds that a program takes. Measures each operation of the plan at each level, and multiplies the
times by the numbers of calls.

The times are for one thread, with all data on the device. They do not include encryption and decryption.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..encrypted import Context
from ..errors import Error
from ..units import duration

__all__ = ["VERBS", "Call", "Prediction", "known", "measured"]

Call = tuple[str, int, int]
"""A verb, the level of its first operand, and how often the program calls it."""
VERBS = ("multiply", "rotate", "multiply_plain", "multiply_number", "add_plain", "add", "negate")
Times = dict[tuple[str, int], float]
_REPEATS = 4  # measured runs, after one run that is not measured; the result is their median
# Number of keys: with several keys, they come from memory and not from the cache, as in a program.
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
        parts = (f"{count} {name}: {duration(spent)}" for name, (count, spent) in sorted(self.calls.items()))
        return f"Prediction({duration(self.seconds)} on one thread of {self.device}; {', '.join(parts)})"


def known(ctx: Context, calls: Iterable[Call]) -> Prediction | None:
    """Returns the prediction. Returns None if an operation has not been measured with these parameters on this
    device."""
    times, wanted = _TIMES.get((ctx, ctx.device), {}), list(calls)
    if not wanted or any((name, level) not in times for name, level, _ in wanted):
        return None
    return _predicted(ctx.device, times, wanted)


def measured(ctx: Context, calls: Iterable[Call]) -> Prediction:
    """Measures the operations that have no time yet. Returns the prediction. Errors: DeviceUnknown, OutOfMemory."""
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
    """Measures each operation on ciphertexts of each level, from the highest level down."""
    keys = ctx.keygen(rotations=_STEPS)
    session = keys.public.session(ctx.device)
    on, verbs = session.on, session.on.verbs
    values = np.zeros(on.slots.count, on.dtype)
    a = on.encrypt(keys.public.encryption_key(ctx.device), values)
    found: Times = {}
    lowest = min(level for _, level in wanted)
    while True:
        runs = _runs(verbs, a, values)
        for name in {name for name, level in wanted if level == a.level}:
            found[name, a.level] = _seconds(runs[name])
        if a.level <= lowest:
            break
        try:
            lower = verbs.multiply(a, a) if on.exact else verbs.multiply_number(a, 0.5)
        except Error:  # the noise budget is used up
            break
        if lower.level >= a.level:
            break
        a = lower
    return found | _nearest(found, wanted - set(found))


def _runs(verbs: Any, a: Any, values: Any) -> dict[str, Callable[[], Any]]:
    steps = itertools.cycle(_STEPS)
    return {
        "multiply": lambda: verbs.multiply(a, a),
        "rotate": lambda: verbs.rotate(a, next(steps)),
        "multiply_plain": lambda: verbs.multiply_plain(a, values),
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


def _nearest(found: Times, missing: Iterable[tuple[str, int]]) -> Times:
    """Returns the times for all levels. A level that was not measured gets the time of the nearest measured level."""
    result: Times = {}
    for name, level in missing:
        levels = Counter({other: abs(other - level) for known_name, other in found if known_name == name})
        result[name, level] = found[name, min(levels, key=levels.__getitem__)] if levels else 0.0
    return result
