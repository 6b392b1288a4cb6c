# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of GPUs: the variants of two publications, single reductions, operations, and the roofline.

On an emulated device, rows contain counts, and the times of known chips that a model computes from these counts (unit
"us, model").
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from .._core import bench as core
from .._core import devices
from ..errors import Internal
from ..values import device_name
from . import published
from .rows import Row, row_of

__all__ = ["SECTIONS", "default_gpu", "gpu_name", "gpu_rows"]

SECTIONS = {
    "gpu-ntt": ("rates", "transforms", "variants", "products"),
    "gpu-reduction": ("reductions",),
    "gpu-ops": ("rates", "routines", "operations"),
    "gpu-matmul": ("matmul",),
    "gpu-roofline": ("rates", "variants"),
}
"""The sections of bench/gpu that each benchmark runs."""

_BEGIN = "--- "  # begins the name of a section in the output of bench/gpu
_SECONDS, _SECONDS_QUICK = 540.0, 60.0


def default_gpu() -> str:
    """Returns the first GPU of CUDA, or, if there is none, the emulated GPU."""
    return next((found.name for found in devices() if found.name.startswith("cuda:")), "emu:0")


def gpu_name(device: str | None) -> str:
    """Returns the GPU to measure. device: its name. If it is empty, the GPU is that of RINGFORT_DEVICE, or
    default_gpu() if the variable is not set."""
    name = device_name(device)
    return default_gpu() if not device and name == "cpu" else name


def gpu_rows(
    name: str, device: str | None, say: Callable[[str], None], *, quick: bool = False, only: tuple[str, ...] = ()
) -> tuple[dict[str, Any], list[Row]]:
    """Returns facts of the GPU and rows of a benchmark of SECTIONS; ``say`` gets the name of each section, and what the
    section left out for lack of time.

    device: empty for RINGFORT_DEVICE, or a GPU if that is not set. only: beginnings of the names of rows that are
    returned; all are measured. Errors: DeviceUnknown; Internal (a section failed, for example because a result was
    wrong).
    """
    gpu = gpu_name(device)
    seconds = _SECONDS_QUICK if quick else _SECONDS

    def tell(line: str) -> None:
        if line.startswith(_BEGIN):
            say(f"{gpu}: {line.removeprefix(_BEGIN)}")

    found = json.loads(core.gpu_document(gpu, SECTIONS[name], quick, seconds, tell))
    facts: dict[str, Any] = found["machine"]
    for section in SECTIONS[name]:
        state = str(facts[f"section {section}"])
        if state.startswith("failed"):
            raise Internal(f"{gpu}: the section {section} {state}", "see: ringfort doctor")
        if state != "whole":
            say(f"{gpu}: {section}: {state}")
    rows = [_beside_published(row_of(row)) for row in found["rows"]]
    return facts, [row for row in rows if not only or row.name.startswith(only)]


def _beside_published(row: Row) -> Row:
    """Adds the published times for the same work. Counts and modelled times get none."""
    of = row.params
    if row.unit == "us" and (match := _TRANSFORM.match(row.name)):
        for known in published.TRANSFORMS:
            if (match[2], of["n"], of["q_bits"], of["batch"]) == ("2d", 1 << known.log_n, known.bits, 1):
                us = known.forward_us if match[1] == "forward" else known.inverse_us
                row = row.against(known.chip, published.SHIVDIKAR, us)
        if (match[2], of["n"]) == ("tom", 1 << 16) and of["q_bits"] < 32 and of["batch"] >= _MANY:
            row = row.against("V100, 28 bits, 2^15 at once", published.SHIVDIKAR, published.THROUGHPUT_US)
    elif row.unit == "us" and (match := _MIDDLE.fullmatch(row.name)):
        row = row.against("V100", published.SHIVDIKAR, published.FUSED_MIDDLE[match[1]])
    elif match := _ALL_STEPS.fullmatch(row.name):
        for which in ("least", "most"):
            row = row.against(f"{which} of five", published.LYASHEVSKY, published.ROUTINES[which])
    elif match := _MATMUL.fullmatch(row.name):
        for where, shape, times in published.MATMUL:
            if shape == match[1]:
                row = row.against(f"all steps, {where}", published.LYASHEVSKY, times)
    return row


_TRANSFORM = re.compile(r"variant/(forward|inverse)/([\w-]+)/")
_MIDDLE = re.compile(r"product/(separate|fused)/\w+/n65536/q\d+/b1/middle")
_ALL_STEPS = re.compile(r"routine/callers/\w+/n32768/speedup")
_MATMUL = re.compile(r"matmul/cache/(\w+)/n16384/speedup")
_MANY = 1024
