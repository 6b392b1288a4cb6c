# SPDX-License-Identifier: Apache-2.0
"""Prints how far the area and energy models are from the paper: ``python3 -m model [MICROSECONDS of a 64K
transform]``."""

from __future__ import annotations

import sys

from .calibration import area_residuals, energy_residuals, f1_residual
from .energy import PAPER_ACTIVITY


def main(arguments: list[str]) -> int:
    microseconds = float(arguments[0]) if arguments else None
    for found in [*area_residuals(), *energy_residuals(PAPER_ACTIVITY, microseconds), f1_residual()]:
        said = found.statement
        print(
            f"{said.where:13} {said.text:46} paper {said.paper:>13} {said.unit:3}  model {found.model:8.3f}"
            f"  {100 * found.residual:+6.1f} %  {found.origin:9}  {found.verdict}"
        )
        if said.contradiction:
            print(f"{'':14}{said.contradiction}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
