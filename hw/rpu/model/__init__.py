# SPDX-License-Identifier: Apache-2.0
"""Area and energy of the ring processor: formulas that are fitted to [Soni23], in plain Python without dependencies.
hw/rpu/README.md explains the terms of the machine.

area(hples, banks) -> mm2 of each component, for numbers of lanes (HPLEs) and banks
energy(activity) -> uJ of each component, from the counts of a run
area_residuals(), energy_residuals(): the differences from the paper's numbers; `python3 -m model` prints them
"""

from .area import Area, area
from .calibration import area_residuals, energy_residuals, f1_over_rpu, f1_residual
from .data import Residual, Statement, compare, constants, statements
from .energy import PAPER_ACTIVITY, Energy, energy

__all__ = [
    "PAPER_ACTIVITY",
    "Area",
    "Energy",
    "Residual",
    "Statement",
    "area",
    "area_residuals",
    "compare",
    "constants",
    "energy",
    "energy_residuals",
    "f1_over_rpu",
    "f1_residual",
    "statements",
]
