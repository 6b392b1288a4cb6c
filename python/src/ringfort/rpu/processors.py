# SPDX-License-Identifier: Apache-2.0
"""Compares the modelled ring processor with real processors: the CPU of this machine, and the CPU and the GPU in
[Soni23]."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..bench.rows import Row, summary
from ..ring import Ntt, primes

__all__ = ["QUOTED", "measure_cpu", "rows_beside"]

QUOTED = (
    ("speed-up over a 32-core EPYC 7502 with OpenFHE, 128-bit data", "545 to 1484"),
    ("speed-up over the same, 64-bit data", "77 to 205"),
    ("V100, 64K transform of 30 bits: time over the ring processor's", "6"),
    ("V100: area over the ring processor's", "40"),
    ("V100: power over the ring processor's", "40"),
)
_PAPER_CPU_US = {128: 1484 * 6.7, 64: 205 * 6.7}  # for n = 65536: speed-ups in the paper times its 6.7 us
_BITS = {128: 126, 64: 61}  # bits of the largest primes for words of 128 and 64 bits
_WORDS_A_CALL = 1 << 17  # with this many words, the cost of a call from Python is negligible
_SHORTEST_S = 0.05


def measure_cpu(n: int, word_bits: int, repeats: int = 7) -> tuple[float, float, float]:
    """Measures a forward transform on one thread of the CPU. Returns the smallest, the median and the largest processor
    time in microseconds."""
    (q,) = primes(_BITS[word_bits], n, 1)
    ntt = Ntt(n, q, "cpu", wide=word_bits == 128)
    count = max(1, _WORDS_A_CALL // n)
    shape = (count, n, 2) if ntt.wide else (count, n)
    values = np.random.default_rng(n).integers(0, 1 << 60, shape, np.uint64)
    ntt.forward(values)
    return summary(1e6 * _timed(lambda: ntt.forward(values)) / count for _ in range(repeats))


def _timed(call: Callable[[], object]) -> float:
    """Measures processor time, because other programs on the machine increase wall time."""
    calls, begun = 0, time.process_time()
    while (spent := time.process_time() - begun) < _SHORTEST_S or not calls:
        call()
        calls += 1
    return spent / calls


def rows_beside(lengths: Sequence[int], modelled: dict[str, dict[int, float]], repeats: int = 7) -> list[Row]:
    """Returns a row for each length and word size. A row has the time on the CPU, and the modelled time of each program
    under the name of the program. Rows of length 65536 also have the time on the CPU of the paper. All times are in
    microseconds."""
    rows = []
    for word_bits in (128, 64):
        for n in lengths:
            least, median, most = measure_cpu(n, word_bits, repeats)
            params: dict[str, Any] = {"n": n, "word_bits": word_bits, "threads": 1}
            row = Row(f"rpu/cpu/n{n}/w{word_bits}", "cpu", params, "us", least, median, most)
            for name, times in modelled.items():
                row = row.against(f"ring processor (128, 128), {name} program", "model", times[n])
            if n == 65536:
                row = row.against("EPYC 7502, OpenFHE, implied", "[Soni23]", _PAPER_CPU_US[word_bits])
            rows.append(row)
    return rows
