# SPDX-License-Identifier: Apache-2.0
"""Numbers that others published, with their source (keys of BIBLIOGRAPHY.md). This library does not measure them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MARTINS_SOUSA", "TABLE_1", "FIGURE_1", "GTX_980_MS_A_WORD", "KHEDR", "Total"]

MARTINS_SOUSA = "[MartinsSousa16]"


@dataclass(frozen=True)
class Total:
    """A row of Table 1: total execution times in seconds, one Xeon core and four Xeon Phi."""

    words: int
    sequential_s: float
    parallel_s: float


TABLE_1 = (
    Total(24, 2662.6, 3.6),
    Total(48, 5585.6, 6.0),
    Total(72, 8418.6, 10.5),
    Total(96, 11735.0, 13.7),
)

# Figure 1 maps s, the number of matrix products at a time, to offloaded milliseconds per word. The text of the paper
# states only these values.
FIGURE_1 = {2: 154.0, 6: 119.0}

# Time on a GTX 980, as Martins and Sousa quote it.
KHEDR = "[KhedrGulakVaikuntanathan14]"
GTX_980_MS_A_WORD = 20.0
