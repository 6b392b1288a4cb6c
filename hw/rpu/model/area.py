# SPDX-License-Identifier: Apache-2.0
"""Area of a ring processor in mm2, in the process GF 12 nm of [Soni23], for each component. The model is fitted to the
statements of [Soni23]; the fitted numbers are in constants.json. hw/rpu/README.md explains the terms of the machine.

The paper gives the area only for one multiplication per cycle. If `multiply_interval` is above 1 and `multiply_latency`
is long enough, the lanes can compute products digit by digit, with a smaller multiplier. Then we reduce the area of the
arithmetic by the factor by which the number of cells (gates and flip-flops) of our hardware (rtl/) shrinks. Sizes
between those of the paper are interpolated. Sizes above 256 HPLEs or banks are extrapolated. With fewer than 32 banks,
the vector data memory has the area of 32 banks.
"""

from __future__ import annotations

from math import log2
from typing import NamedTuple

from .data import constants

PAPER_VDM_WORDS = 1 << 18  # in words of 16 bytes: 4 MiB
_REGISTER_FILE_BYTES = 64 * 512 * 16
_MEMORIES_IN_A_SLICE = 16


class Area(NamedTuple):
    """Areas in mm2: the lanes' arithmetic (law), their register slices (vrf), the vector data memory (vdm), the
    crossbar between memory and lanes (vbar), the crossbar between lanes (sbar), and the instruction memory with all the
    rest (im)."""

    law: float
    vrf: float
    vdm: float
    vbar: float
    sbar: float
    im: float

    @property
    def total(self) -> float:
        return sum(self)


def sram_macro(size_bytes: float) -> float:
    """Returns the area in um2 of a single-port memory with words of 128 bits."""
    c = constants()["area"]
    return float(c["sram_fixed_um2"] + c["sram_um2_per_byte"] * size_bytes)


def area(
    hples: int, banks: int, vdm_words: int = PAPER_VDM_WORDS, multiply_interval: int = 1, multiply_latency: int = 5
) -> Area:
    c = constants()["area"]
    macro_bytes = _REGISTER_FILE_BYTES / (hples * _MEMORIES_IN_A_SLICE)
    return Area(
        law=c["law_mm2_per_hple"] * hples * law_share(multiply_interval, multiply_latency),
        vrf=_MEMORIES_IN_A_SLICE * hples * sram_macro(macro_bytes) / 1e6,
        vdm=_data_memory(banks, vdm_words),
        vbar=c["vbar_mm2"] * (banks / 128) ** c["vbar_bank_exponent"] * (hples / 128) ** c["vbar_hple_exponent"],
        sbar=c["sbar_mm2"] * _shuffle_factor(log2(hples / 128)),
        im=c["im_mm2"],
    )


def law_share(interval: int, latency: int) -> float:
    """Returns the area of a lane's arithmetic, divided by its area with interval 1. The interval is the number of
    cycles per product. Above interval 4, the result is an upper bound."""
    if latency < 2 * interval + 3:  # the lanes compute whole products, with pauses (rtl/rpu_law_pkg.sv)
        return 1.0
    shares = {int(size): share for size, share in constants()["area"]["law_share_at_interval"].items()}
    low = max(size for size in shares if size <= interval)
    high = min((size for size in shares if size >= interval), default=low)
    if high == low:
        return float(shares[low])
    return float(shares[low] * (shares[high] / shares[low]) ** (log2(interval / low) / log2(high / low)))


def _data_memory(banks: int, words: int) -> float:
    """Returns the area of the vector data memory. The whole area of a memory of 4 MiB with 32 banks counts as storage,
    which is proportional to `words`. More banks add an area that does not depend on `words`."""
    table = {int(size): mm2 for size, mm2 in constants()["area"]["vdm_mm2_at_banks"].items()}
    sizes = sorted(table)
    if banks <= sizes[0]:
        at_banks = table[sizes[0]]
    else:
        upper = next((k for k, size in enumerate(sizes) if size >= banks), len(sizes) - 1)
        low, high = sizes[upper - 1], sizes[upper]
        at_banks = table[low] * (table[high] / table[low]) ** (log2(banks / low) / log2(high / low))
    return float(at_banks + table[sizes[0]] * (words / PAPER_VDM_WORDS - 1))


def _shuffle_factor(doublings: float) -> float:
    c = constants()["area"]
    return float(c["sbar_factor_per_doubling" if doublings <= 0 else "sbar_factor_beyond_128"]) ** doublings
