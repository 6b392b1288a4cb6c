# SPDX-License-Identifier: Apache-2.0
"""Compares the models with every area and energy that [Soni23] states. Compares the processor with F1, another
accelerator for encrypted computation, as [Soni23] does. hw/rpu/README.md explains the terms."""

from __future__ import annotations

from collections.abc import Mapping

from .area import area
from .data import Residual, compare, constants
from .energy import PAPER_ACTIVITY, energy

PAPER_16K_NS = 1500.0


def area_residuals() -> list[Residual]:
    def over(component: str, larger: tuple[int, int], smaller: tuple[int, int]) -> float:
        return float(getattr(area(*larger), component) / getattr(area(*smaller), component))

    def growth(component: str) -> float:
        return float(getattr(area(128, 256), component) - getattr(area(128, 128), component))

    point = area(128, 128)
    return compare(
        {
            "area": point.total,
            "law_and_vrf": point.law + point.vrf,
            "area_4_256_over_4_32": over("total", (4, 256), (4, 32)),
            "banks_64_over_32": over("total", (128, 64), (128, 32)),
            "banks_128_over_64": over("total", (128, 128), (128, 64)),
            "banks_256_over_128": over("total", (128, 256), (128, 128)),
            "area_256_256_over_256_32": over("total", (256, 256), (256, 32)),
            "vbar_256_over_128": over("vbar", (128, 256), (128, 128)),
            "vbar_growth_over_vdm_growth": growth("vbar") / growth("vdm"),
            "sbar_128_over_64": over("sbar", (128, 128), (64, 128)),
            "sbar_256_over_128": over("sbar", (256, 128), (128, 128)),
            "law_128_over_64": over("law", (128, 128), (64, 128)),
            "vrf_32_over_16": over("vrf", (32, 128), (16, 128)),
            "vrf_256_over_128": over("vrf", (256, 128), (128, 128)),
        }
    )


def energy_residuals(activity: Mapping[str, int] = PAPER_ACTIVITY, microseconds: float | None = None) -> list[Residual]:
    """Returns the residuals for a 64K transform. `microseconds` is the runtime of the transform. If it is given, the
    residual of the power is included."""
    spent = energy(activity)
    values = {"energy": spent.total}
    values |= {
        f"share_{name}": 100 * getattr(spent, name) / spent.total for name in ("law", "vrf", "vdm", "vbar", "sbar")
    }
    if microseconds is not None:
        values["power"] = spent.total / microseconds
    return compare(values)


def f1_over_rpu(nanoseconds_16k: float = PAPER_16K_NS) -> float:
    """Returns a ratio of two throughputs per area, for transforms of 16K points. The dividend is for the NTT unit and
    the registers of one cluster of F1. The divisor is for the arithmetic and the registers (LAW and VRF) of 128
    lanes."""
    f1, point = constants()["f1"], area(128, 128)
    return float(nanoseconds_16k * (point.law + point.vrf) / (f1["nanoseconds_16k"] * f1["mm2"]))


def f1_residual(nanoseconds_16k: float = PAPER_16K_NS) -> Residual:
    return compare({"f1_over_rpu": f1_over_rpu(nanoseconds_16k)})[0]
