# SPDX-License-Identifier: Apache-2.0
"""Energy of a run in uJ, for each component: counts of the simulator (`activity` in its report) times fitted energies.

The fitted energies are in pJ per event. The components are those of model/area.py, with `front_end` in place of `im`.
Off-chip memory and leakage (the energy of a circuit without activity) are not included. The paper gives no separate
number for leakage.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .data import constants

# The 64K transform of the paper has 1024 butterflies and 1920 shuffles. Our program with the paper's algorithm has 1160
# loads and stores. Each of these instructions works on vectors of 512 words.
PAPER_ACTIVITY = {
    "instructions": 1024 + 1920 + 1160,
    "multiplications": 1024 * 512,
    "additions": 1024 * 512 * 2,
    "register_words": (1024 * 5 + 1920 * 2 + 1160) * 512,
    "memory_words": 1160 * 512,
    "crossbar_words": 1160 * 512,
    "shuffled_words": 1920 * 512,
}


class Energy(NamedTuple):
    law: float
    vrf: float
    vdm: float
    vbar: float
    sbar: float
    front_end: float

    @property
    def total(self) -> float:
        return sum(self)


def energy(activity: Mapping[str, int]) -> Energy:
    pj = constants()["energy_pj"]
    return Energy(
        law=(activity["multiplications"] * pj["multiplication"] + activity["additions"] * pj["addition"]) / 1e6,
        vrf=activity["register_words"] * pj["register_word"] / 1e6,
        vdm=activity["memory_words"] * pj["memory_word"] / 1e6,
        vbar=activity["crossbar_words"] * pj["crossbar_word"] / 1e6,
        sbar=activity["shuffled_words"] * pj["shuffled_word"] / 1e6,
        front_end=activity["instructions"] * pj["instruction"] / 1e6,
    )
