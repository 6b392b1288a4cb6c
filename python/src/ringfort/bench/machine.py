# SPDX-License-Identifier: Apache-2.0
"""Describes the machine of a measurement."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

from .. import __version__, _core, cpu_cap

__all__ = ["describe"]

_FLAGS = ("avx2", "fma", "avx512f", "avx512dq", "avx512ifma", "avx512_vbmi2", "avx512_vpopcntdq")


def describe() -> dict[str, Any]:
    """Returns the head of a result: CPU, cores, instruction sets, memory, operating system, compiler, version."""
    fields = _cpuinfo()
    flags = fields.get("flags", "").split()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "cpu": fields.get("model name") or platform.processor() or platform.machine(),
        "cores": cores,
        "isa": [flag for flag in _FLAGS if flag in flags],
        "kernels": cpu_cap().used,
        "memory_bytes": _memory_bytes(),
        "load_before": None if load is None else round(load, 2),
        "os": f"{platform.system()} {platform.release()}",
        "compiler": _core.compiler(),
        "python": platform.python_version(),
        "ringfort": __version__,
    }


def _cpuinfo() -> dict[str, str]:
    try:
        lines = Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
    except OSError:
        return {}
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _memory_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None
