# SPDX-License-Identifier: Apache-2.0
"""Runs a benchmark by name. Compares its rows with measured and published numbers of other libraries."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from typing import TypeVar

from .._core import bench as core
from .._core import devices
from ..errors import DeviceUnknown, InvalidArgument
from ..values import device_name
from . import published
from .arrays import array_rows
from .gpu import SECTIONS, gpu_rows
from .inference import inference_rows
from .peers import against_hexl, against_lattigo, against_leveled, against_seal, against_tfhe_ntt
from .pim import pim_rows
from .rows import Row, no_row, row_of
from .threads import thread_rows

__all__ = ["MEASURES", "NAMES", "WITHOUT_DEVICE", "refuse_device", "refuse_threads", "run_benchmark"]

KERNELS = ("ntt", "modmul", "polymul", "inner_product", "limbs")
MEASURES = {
    "ntt": "number-theoretic transforms",
    "modmul": "products of residues, by method of reduction",
    "polymul": "products of polynomials",
    "inner_product": "inner products of residues",
    "limbs": "conversions between moduli, and other operations that combine primes",
    "ops": "operations of CKKS, BFV and BGV; compared with SEAL, OpenFHE and Lattigo",
    "threads": "operations on several threads, alone and beside busy processes",
    "arrays": "work with one large encrypted array; compared with TenSEAL",
    "inference": "logistic regression on encrypted rows; compared with TenSEAL, Concrete and Concrete ML",
    "search": "encrypted word search; compared with the publication",
    "pim": "the model of processing in memory; compared with the publication",
    "gpu-ntt": "transforms on a GPU, by schedule and method of reduction",
    "gpu-reduction": "modular reductions on a GPU",
    "gpu-ops": "operations of CKKS on a GPU",
    "gpu-matmul": "products of encrypted matrices on a GPU",
    "gpu-roofline": "rates of a GPU, and transforms under the limits that they set",
}
NAMES = tuple(MEASURES)
WITHOUT_DEVICE = ("modmul", "arrays", "inference", "search", "pim")
"""Benchmarks that do not accept a device."""
WITH_THREADS = ("search", "ops", "threads")
"""Benchmarks that accept a number of threads."""

_MODELLED = ("pim", "rpu")
"""Devices whose times a model computes. Their wall times are those of the simulators."""

_Row = TypeVar("_Row")
_REPEATS, _REPEATS_QUICK = 51, 15
_TABLE_1 = re.compile(r"search/(literal|sequential)/w(\d+)/")
_FIGURE_1 = re.compile(r"search/literal/s(\d+)/")


def refuse_device(name: str, device: str | None) -> None:
    """Refuses a device for a benchmark of WITHOUT_DEVICE. Errors: InvalidArgument."""
    if device and name in WITHOUT_DEVICE:
        raise InvalidArgument(f"--device is not an option of {name}", "leave it out")


def refuse_threads(name: str, threads: int) -> None:
    """Refuses a number of threads for a benchmark that ignores it; 0: none is given. Errors: InvalidArgument."""
    if threads and name in NAMES and name not in WITH_THREADS:
        raise InvalidArgument(f"--threads is not an option of {name}", "leave it out")


def run_benchmark(
    name: str,
    say: Callable[[str], None],
    *,
    quick: bool = False,
    device: str | None = None,
    threads: int = 2,
    only: tuple[str, ...] = (),
) -> list[Row]:
    """Returns the rows of a benchmark of NAMES. ``say`` receives messages about the progress.

    KERNELS, arrays and inference use one thread. only: beginnings of the names of the rows to return. Errors:
    InvalidArgument, DeviceUnknown, and those of gpu_rows and pim_rows.
    """
    refuse_device(name, device)
    device = device_name(device)
    if name in (*KERNELS, "ops", "threads") and device.partition(":")[0] in _MODELLED:
        raise InvalidArgument(
            f"{name} measures wall times, but a model computes the times of {device}",
            "see its times with: ringfort bench pim, ringfort pim op, ringfort rpu op, or ctx.profile() in Python",
        )
    if name in KERNELS:
        if device not in (known := [found.name for found in devices() if found.name not in _MODELLED]):
            raise DeviceUnknown(f"{name} measures no device called {device!r}", f"it measures {', '.join(known)}")
        found = core.kernel_rows(name, device, _REPEATS_QUICK if quick else _REPEATS, list(only))
        if not found and not only:
            raise InvalidArgument(f"device {device!r} has no {name} benchmark", "see: ringfort devices")
        rows = [row_of(one) for one in _measured(found, only)]
        if name not in ("ntt", "polymul"):
            return rows
        rows = against_hexl(against_tfhe_ntt(rows, say), say, quick=quick)
        return against_lattigo(rows, say, quick=quick) if name == "ntt" else rows
    if name in SECTIONS:
        return gpu_rows(name, device, say, quick=quick, only=only)[1]
    if name == "pim":
        return pim_rows(lambda done: say(f"experiments done: {done}"), quick=quick, only=only)
    if name == "arrays":
        return _measured(array_rows(say, quick=quick, only=only), only)
    if name == "inference":
        return _measured(inference_rows(say, quick=quick, only=only), only)
    if name == "threads":
        return thread_rows(device, say, threads=threads, quick=quick, only=only)
    if name == "ops":
        found = core.operation_rows(device, quick, threads, list(only), lambda row: say(f"measuring {row}"))
        rows = [row_of(one) for one in _measured(found, only)]
        rows = against_seal(against_leveled(rows, say, quick=quick, threads=threads), say, quick=quick)
        return against_lattigo(rows, say, quick=quick)
    if name != "search":
        raise InvalidArgument(f"no benchmark is called {name!r}", f"the benchmarks are {', '.join(NAMES)}")
    with tempfile.TemporaryDirectory(prefix="ringfort-bench-") as folder:
        found = core.search_rows(folder, quick, threads, list(only), lambda row: say(f"measuring {row}"))
    return [_beside_published(row_of(row)) for row in _measured(found, only)]


def _measured(rows: list[_Row], only: tuple[str, ...]) -> list[_Row]:
    if not rows:
        raise no_row(only)
    return rows


def _beside_published(row: Row) -> Row:
    """Adds the published number for the same work to a row. Without such a number, returns the row unchanged."""
    source = published.MARTINS_SOUSA
    if match := _TABLE_1.match(row.name):
        total = next((t for t in published.TABLE_1 if t.words == int(match[2])), None)
        if total is None:
            return row
        if match[1] == "sequential":
            return row.against("one Xeon core", source, total.sequential_s)
        return row.against("four Xeon Phi, whole run", source, total.parallel_s)
    if match := _FIGURE_1.match(row.name):
        value = published.FIGURE_1.get(int(match[1]))
        return row.against("four Xeon Phi, offloaded part", source, value) if value else row
    if row.name == "search/sequential/t1":
        first = published.TABLE_1[0]
        return row.against("one Xeon core", source, 1e3 * first.sequential_s / first.words)
    if re.fullmatch(r"search/literal/t\d+", row.name):
        row = row.against("four Xeon Phi, offloaded part, s = 6", source, published.FIGURE_1[6])
        return row.against("GTX 980", published.KHEDR, published.GTX_980_MS_A_WORD)
    return row
