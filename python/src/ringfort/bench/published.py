# SPDX-License-Identifier: Apache-2.0
"""Numbers that others have published, with keys of BIBLIOGRAPHY.md. This library does not measure them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    *("FIGURE_1", "FUSED_MIDDLE", "GTX_980_MS_A_WORD", "KHEDR", "LYASHEVSKY", "MARTINS_SOUSA", "MATMUL", "ROUTINES"),
    *("SHIVDIKAR", "TABLE_1", "THROUGHPUT_US", "TRANSFORMS", "Total", "Transform"),
]

MARTINS_SOUSA = "[MartinsSousa16]"


@dataclass(frozen=True)
class Total:
    """A row of Table 1: total execution times in seconds, on one Xeon core and on four Xeon Phi."""

    words: int
    sequential_s: float
    parallel_s: float


TABLE_1 = (
    Total(24, 2662.6, 3.6),
    Total(48, 5585.6, 6.0),
    Total(72, 8418.6, 10.5),
    Total(96, 11735.0, 13.7),
)

# Figure 1: the key is s, the number of matrix products at a time; the value is the time of offloaded work in
# milliseconds per word. The text of the paper states only these values.
FIGURE_1 = {2: 154.0, 6: 119.0}

# The time on a GTX 980 that [MartinsSousa16] quotes.
KHEDR = "[KhedrGulakVaikuntanathan14]"
GTX_980_MS_A_WORD = 20.0

SHIVDIKAR = "[Shivdikar22]"


@dataclass(frozen=True)
class Transform:
    """A row of Table IV: microseconds for one transform of 2^log_n points, with the fastest kernel, "2d"."""

    chip: str
    log_n: int
    bits: int
    forward_us: float
    inverse_us: float


TRANSFORMS = (
    Transform("V100", 14, 30, 8.7, 10.0),
    Transform("V100", 16, 30, 13.1, 13.4),
    Transform("V100", 14, 62, 11.5, 11.9),
    Transform("V100", 16, 62, 16.4, 17.3),
    Transform("A100", 14, 62, 13.3, 10.9),
    Transform("A100", 16, 62, 16.5, 18.7),
)
THROUGHPUT_US = 19.17  # Section V-C: kernel "tom" on a V100, one of 2^15 transforms of 2^16 points and 28 bits
# Section VI-B: microseconds for the middle of a product of polynomials, n = 2^16. The middle consists of the last
# stages of the transforms, the products of values, and the first stage of the inverse transform.
FUSED_MIDDLE = {"separate": 8.5, "fused": 6.5}

LYASHEVSKY = "[Lyashevsky23]"
# Speeds of routines relative to their speeds with the naive transform. least, most: the smallest (Figure 24) and the
# largest (Figure 22) of five relative speeds with all steps of optimization. radix8: the mean with radix 8 (Figure 24).
ROUTINES = {"least": 2.32, "most": 3.05, "radix8": 1.92}
# Table 1: integer operations of a work-item in one round; the key is the radix
OPERATIONS = {2: 48, 4: 157, 8: 456, 16: 1156}
MATMUL = (  # speed with all steps, relative to the first step alone; Figure 25: GPU with two tiles, Figure 26: with one
    ("Figure 25", "100x10x1", 2.68),
    ("Figure 25", "10x9x8", 2.79),
    ("Figure 26", "100x10x1", 3.11),
    ("Figure 26", "10x9x8", 2.82),
)
