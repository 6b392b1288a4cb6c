# SPDX-License-Identifier: Apache-2.0
"""Numbers published by others, with their source (keys of BIBLIOGRAPHY.md). Never measured here."""

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

# Figure 1: s matrix products at a time to offloaded milliseconds a word; only the values stated in the text.
FIGURE_1 = {2: 154.0, 6: 119.0}

# A GTX 980, quoted by Martins & Sousa.
KHEDR = "[KhedrGulakVaikuntanathan14]"
GTX_980_MS_A_WORD = 20.0
