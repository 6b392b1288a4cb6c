# SPDX-License-Identifier: Apache-2.0
"""Repeats the explorations of Figures 4 to 10 in [Soni23], the paper. Compares numbers in the text of the paper, which
published.json lists, with our numbers.

Our optimizer `paper` replaces the compiler of the paper. Our profile `paper` describes the machine of the paper.
Numbers that appear only in plots of the paper, and comparisons with CPUs and GPUs, are not in this list.
"""

from __future__ import annotations

from math import log2
from statistics import mean
from typing import NamedTuple

from .._rpu import model
from ..errors import InvalidArgument
from .explore import Point, Request, Results, grid, hbm_us

__all__ = ["BANKS", "HPLES", "INTERVALS", "PAPER_POINT", "SIZES", "Study", "theory_us"]


class PaperPoint(NamedTuple):
    """The point of 128 HPLEs (lanes of the machine) and 128 banks. It is the only point of Figure 4 whose area and time
    the text of the paper states."""

    n: int
    mm2: float
    us: float


HPLES = (4, 8, 16, 32, 64, 128, 256)
BANKS = (32, 64, 128, 256)
SIZES = (1024, 2048, 4096, 8192, 16384, 32768, 65536)
INTERVALS = (1, 2, 3, 4, 6, 8)
# (initiation interval, smallest latency) of multipliers that process the digits of a factor one by one. The interval is
# the number of cycles from the start of a product to the start of the next one.
DIGITS = ((1, 5), (2, 7), (4, 11))
MULTIPLY_LATENCIES = (2, 3, 4, 5, 6, 7, 8, 16)
PAPER_POINT = PaperPoint(65536, 20.5, 6.7)
MEMORY_LATENCIES = (4, 6, 8, 10)
SHUFFLE_LATENCIES = (4, 5, 6, 7, 8, 10)


def theory_us(point: Point) -> float:
    """Returns the theoretical time in the paper, in microseconds: n log2(n) steps, of which each HPLE does one in a
    cycle.

    The formula counts two steps for a butterfly (a product, a sum and a difference), but an HPLE may do a butterfly in
    one cycle. Therefore the time is not a lower bound.
    """
    on, n = point.request.machine, point.request.n
    return n * log2(n) / (on.hples * on.clock_mhz)


class Study:
    """The points of Figures 4 to 10. ``requests`` are the points to explore. After the exploration, ``points`` returns
    the points of a series, such as "sizes"."""

    def __init__(self, base: Request | None = None) -> None:
        self.base = base or Request()
        naive = Request(self.base.settings, self.base.n, "none", self.base.seed)
        self._series: dict[str, list[Request]] = {
            "sizes": grid(self.base, {"hples": HPLES, "banks": BANKS}),
            "optimised": grid(self.base, {"hples": HPLES, "banks": [128]}),
            "unoptimised": grid(naive, {"hples": HPLES, "banks": [128]}),
            "intervals": grid(self.base, {"multiply_interval": INTERVALS}),
            "multiply_latencies": grid(
                self.base, {"multiply_interval": (1, 2, 4), "multiply_latency": MULTIPLY_LATENCIES}
            ),
            "digits": [
                request
                for interval, latency in DIGITS
                for request in grid(self.base, {"multiply_interval": (interval,), "multiply_latency": (latency,)})
            ],
            "other_latencies": grid(
                self.base, {"memory_latency": MEMORY_LATENCIES, "shuffle_latency": SHUFFLE_LATENCIES}
            ),
            "lengths": [self._of_length(n, "paper") for n in SIZES],
            "best_lengths": [self._of_length(n, "best") for n in SIZES],
        }

    def _of_length(self, n: int, optimizer: str) -> Request:
        return Request(self.base.settings, n, optimizer, self.base.seed, self.base.tries)

    @property
    def requests(self) -> list[Request]:
        return list({r.key: r for series in self._series.values() for r in series}.values())

    def points(self, name: str, results: Results) -> list[Point]:
        """Returns the points of a series. Errors: InvalidArgument (a point has no result)."""
        found = [results.get(request) for request in self._series[name]]
        if any(point is None for point in found):
            raise InvalidArgument(f"{name}: {found.count(None)} points are missing", "allow more --tries")
        return [point for point in found if point is not None]

    def residuals(self, results: Results, rtl_percent: float | None = None) -> list[model.Residual]:
        """Compares the statements of published.json on time, area, energy and the accelerator F1 with our numbers.

        rtl_percent: of the cycles of the recorded programs, the percentage that belongs to programs on which hardware
        and simulator agree. If it is given, the statement of the paper on this percentage is compared, too.
        """
        lengths = {p.request.n: p for p in self.points("lengths", results)}
        full = lengths[65536]
        values = _sizes(self.points("sizes", results)) | _lengths(lengths) | _counts(full)
        values |= _code(self.points("optimised", results), self.points("unoptimised", results))
        values |= self._sensitivity(results)
        found = [*model.area_residuals(), *model.compare(values), *model.energy_residuals(full.activity, full.us)]
        found.append(model.f1_residual(1000 * lengths[16384].us))
        return found if rtl_percent is None else [*found, *model.compare({"rtl_agreement": rtl_percent})]

    def _sensitivity(self, results: Results) -> dict[str, float]:
        interval = {p.request.machine.multiply_interval: p.cycles for p in self.points("intervals", results)}
        multiply = {
            p.request.machine.multiply_latency: p.cycles
            for p in self.points("multiply_latencies", results)
            if p.request.machine.multiply_interval == 1
        }
        other = {
            (p.request.machine.memory_latency, p.request.machine.shuffle_latency): p.cycles
            for p in self.points("other_latencies", results)
        }
        return {
            "interval_2": interval[2] / interval[1],
            "interval_4_over_2": interval[4] / interval[2],
            "multiply_latency_low": multiply[2] / multiply[5],
            "multiply_latency_high": multiply[8] / multiply[5],
            "multiply_latency_16": multiply[16] / multiply[5],
            "memory_latency_10_over_4": other[10, 4] / other[4, 4],
            "shuffle_latency_7_over_4": other[4, 7] / other[4, 4],
            "memory_over_shuffle_sensitivity": _slope(other, (10, 4), 6) / _slope(other, (4, 7), 3),
        }


def _slope(cycles: dict[tuple[int, int], int], at: tuple[int, int], added: int) -> float:
    """Returns the increase of a transform's time, in cycles, for each added cycle of latency. added: the number of
    added cycles of latency.

    If the transform takes at most one cycle longer, returns 1 / added, because the result, which may be a divisor, must
    not be zero.
    """
    return max(cycles[at] - cycles[4, 4], 1) / added


def _sizes(points: list[Point]) -> dict[str, float]:
    us = {p.size: p.us for p in points}
    ranked = [p.size for p in sorted(points, key=lambda p: -p.per_area)]
    return {
        "banks_at_4_hples": us[4, 256] / us[4, 32],
        "banks_at_256_hples": us[256, 32] / us[256, 256],
        "quickest_256_256": sorted(us, key=us.__getitem__).index((256, 256)) + 1,
        "rank_128_128": ranked.index((128, 128)) + 1,
        "rank_64_64": ranked.index((64, 64)) + 1,
        "speedup_256_128": us[128, 128] / us[256, 128],
        "speedup_128_256": us[128, 128] / us[128, 256],
    }


def _lengths(points: dict[int, Point]) -> dict[str, float]:
    return {
        "cycles_64k": points[65536].cycles,
        "ratio_64k": points[65536].us / theory_us(points[65536]),
        "ratio_1k": points[1024].us / theory_us(points[1024]),
        "ns_16k": 1000 * points[16384].us,
        "us_32k_over_64k": points[32768].us / points[65536].us,
        "halving_16k": points[16384].us / points[32768].us,
        "halving_8k": points[8192].us / points[16384].us,
        "hbm_minus_rpu_16k": hbm_us(16384) - points[16384].us,
        "hbm_over_rpu_4k": hbm_us(4096) / points[4096].us,
        "hbm_over_rpu_2k": hbm_us(2048) / points[2048].us,
    }


def _counts(point: Point) -> dict[str, float]:
    names = {"compute": "compute", "shuffle": "shuffle", "load_store": "load_store"}
    return {f"{name}_instructions": point.pipes[pipe]["instructions"] for name, pipe in names.items()}


def _code(optimised: list[Point], unoptimised: list[Point]) -> dict[str, float]:
    def shuffles_wait(points: list[Point]) -> float:
        at_256 = next(p for p in points if p.size[0] == 256)
        return float(at_256.pipes["shuffle"]["stalls"]["busyboard"])

    return {
        "unoptimised_over_optimised": mean(u.cycles / o.cycles for u, o in zip(unoptimised, optimised)),
        "shuffle_stall_unoptimised": shuffles_wait(unoptimised),
        "shuffle_stall_optimised": shuffles_wait(optimised),
    }
