# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of GPUs: the variants of two publications, single reductions, operations, and the roofline.

On an emulated device, rows are counts, and times of known chips that a model computes from them (unit "us, model").
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .._core import bench as core
from .._core import devices
from ..errors import DeviceUnknown
from ..values import device_name
from .rows import Row, row_of

__all__ = ["SECTIONS", "default_gpu", "gpu_rows"]

SECTIONS = {
    "gpu-ntt": ("rates", "transforms", "variants", "products"),
    "gpu-reduction": ("reductions",),
    "gpu-ops": ("rates", "routines", "operations"),
    "gpu-matmul": ("matmul",),
    "gpu-roofline": ("rates", "variants"),
}
"""The sections of bench/gpu that each benchmark runs."""

_BEGIN = "--- "  # of the line that begins a section
_SECONDS, _SECONDS_QUICK = 540.0, 60.0


def default_gpu(device: str) -> str:
    """Returns the device, or the first GPU of CUDA, or the emulated one if the device is a CPU."""
    if device != "cpu":
        return device
    return next((found.name for found in devices() if found.name.startswith("cuda:")), "emu:0")


def gpu_rows(
    name: str, device: str | None, say: Callable[[str], None], *, quick: bool = False, only: tuple[str, ...] = ()
) -> tuple[dict[str, Any], list[Row]]:
    """Returns facts of the GPU and rows of a benchmark of SECTIONS; ``say`` gets the name of each section.

    only: beginnings of the names of rows that are returned. Errors: DeviceUnknown, also if a section has failed.
    """
    gpu = default_gpu(device_name(device))
    seconds = _SECONDS_QUICK if quick else _SECONDS

    def tell(line: str) -> None:
        if line.startswith(_BEGIN):
            say(f"{gpu}: {line.removeprefix(_BEGIN)}")

    found = json.loads(core.gpu_document(gpu, SECTIONS[name], quick, seconds, tell))
    facts: dict[str, Any] = found["machine"]
    for section in SECTIONS[name]:
        if (state := str(facts[f"section {section}"])).startswith("failed"):
            raise DeviceUnknown(f"{gpu}: the section {section} {state}", "see: ringfort doctor")
    rows = [row_of(row) for row in found["rows"]]
    return facts, [row for row in rows if not only or row.name.startswith(only)]
