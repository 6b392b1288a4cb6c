# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of GPUs: transforms and products in the variants of two publications, single modular reductions,
operations, and the roofline (rates of work under the limits of arithmetic and memory).

On an emulated device, rows contain counts. A model computes times of known chips from these counts. Rows of such times
have the unit "us, model".
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
from .rows import Row, is_wanted, no_row, require_row, row_of

__all__ = ["GROUPS", "SECTIONS", "default_gpu", "gpu_name", "gpu_rows"]

SECTIONS = {
    "gpu-ntt": ("rates", "transforms", "variants", "products"),
    "gpu-reduction": ("reductions",),
    "gpu-ops": ("rates", "routines", "operations"),
    "gpu-matmul": ("matmul",),
    "gpu-roofline": ("rates", "variants"),
}
"""The sections of bench/gpu that each benchmark runs."""
GROUPS = {
    "rates": ("rate/", "memory/", "exchange/", "launch/", "event/", "allocate/", "copy/"),
    "transforms": ("ntt/",),
    "variants": ("variant/",),
    "reductions": ("reduction/",),
    "products": ("product/",),
    "routines": ("routine/",),
    "matmul": ("matmul/",),
    "operations": ("ckks/",),
}
"""How the names of the rows of each section begin."""

_BEGIN = "--- "  # begins each line of bench/gpu that has the name of a section
_SECONDS, _SECONDS_QUICK = 540.0, 60.0


def default_gpu() -> str:
    """Returns the first GPU of CUDA. If there is none, returns the emulated GPU."""
    return next((found.name for found in devices() if found.name.startswith("cuda:")), "emu:0")


def gpu_name(device: str | None) -> str:
    """Returns the name of the GPU to measure: ``device``, if it is not empty. If it is empty, returns the device that
    RINGFORT_DEVICE names. If this variable is not set or is cpu, returns default_gpu()."""
    name = device_name(device)
    return default_gpu() if not device and name == "cpu" else name


def gpu_rows(
    name: str, device: str | None, say: Callable[[str], None], *, quick: bool = False, only: tuple[str, ...] = ()
) -> tuple[dict[str, Any], list[Row]]:
    """Returns facts of the GPU, and the rows of a benchmark of SECTIONS. ``say`` receives the name of each section, and
    the parts of a section for which there was no time.

    device: name of the GPU; empty: see ``gpu_name``. only: beginnings of the names of the rows to return. All rows are
    measured, unless no group of rows has such names. Errors: DeviceUnknown; InvalidArgument (no row has such a name);
    Internal (a section failed, for example because a result was wrong).
    """
    require_row(only, [group for section in SECTIONS[name] for group in GROUPS[section]])
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
    chosen = [row for row in rows if is_wanted(row.name, only)]
    if only and not chosen:
        raise no_row(only)
    return facts, chosen


def _beside_published(row: Row) -> Row:
    """Adds the published number for the same work to a measured time or speedup. Counts and modelled times get no
    published number."""
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
