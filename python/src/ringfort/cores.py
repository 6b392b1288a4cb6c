# SPDX-License-Identifier: Apache-2.0
"""Computes the number of threads that can run at a time. This is the number of cores that the process may use, or
fewer if a control group limits the processor time of the process.

If the environment variable RINGFORT_THREADS is set, its value replaces the computed number. Callers use the number as
the default of their argument ``threads``. The library starts at most that many threads, and idle threads use no
processor time. Therefore the number determines how the library shares a machine with other programs.
"""

from __future__ import annotations

import math
import os
from pathlib import Path, PurePosixPath

from .errors import InvalidArgument
from .values import shown

__all__ = ["usable_cores"]

_MOST = 4096
_NAME = "RINGFORT_THREADS"


def usable_cores(root: Path = Path("/")) -> int:
    """Returns RINGFORT_THREADS if it is set. If not, returns the smaller of two numbers, rounded up: the number of
    cores that the process may use, and the smallest quota of its control groups, in cores.

    root: the folder that contains proc and sys. Errors: InvalidArgument (RINGFORT_THREADS is not a whole number in 1 ..
    4096).
    """
    if asked := os.environ.get(_NAME):
        if not asked.isascii() or not asked.isdecimal() or not 1 <= int(asked[:5]) <= _MOST:
            raise InvalidArgument(f"{_NAME} is {shown(asked)}", f"give a whole number, 1 .. {_MOST}")
        return int(asked)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.ceil(min(cores, _quota(root))))


def _quota(root: Path) -> float:
    """Returns the smallest quota of the process's control groups, in cores. Infinity if no group has a quota."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return math.inf
    found = [math.inf]
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "cpu" not in controllers.split(","):
            continue
        for folder in _folders(root / "sys/fs/cgroup" / controllers, path):
            found.append(_version_1(folder) if controllers else _version_2(folder))
    return min(found)


def _folders(mount: Path, path: str) -> list[Path]:
    """Returns the folders of a control group and of its ancestors. In a container, some of these folders do not
    exist."""
    below = PurePosixPath(path.lstrip("/"))
    return [mount / folder for folder in (below, *below.parents) if ".." not in folder.parts]


def _version_2(folder: Path) -> float:
    quota, *period = _words(folder / "cpu.max")
    return _cores_of(quota, period[0] if period else "100000")


def _version_1(folder: Path) -> float:
    return _cores_of(_words(folder / "cpu.cfs_quota_us")[0], _words(folder / "cpu.cfs_period_us")[0])


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split() or [""]
    except (OSError, UnicodeDecodeError):
        return [""]


def _cores_of(quota: str, period: str) -> float:
    """Returns a quota in cores. Infinity if the file says "max" or -1, or if there is no file."""
    if not quota.isdecimal() or not period.isdecimal() or int(quota) == 0 or int(period) == 0:
        return math.inf
    return int(quota) / int(period)
