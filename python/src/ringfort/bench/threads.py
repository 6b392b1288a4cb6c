# SPDX-License-Identifier: Apache-2.0
"""Measures the gain from threads: compares times on several threads with times on one thread. A ratio below 1 is a
gain.

Rows ``threads/SCHEME/...`` (ckks, bfv or bgv) measure one operation on one ciphertext. Rows ``threads/array/...``
measure an operation of encrypted arrays with several ciphertexts. In rows with ``busy``, other processes compute at the
same time, one for each thread.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._core import bench as core
from .._core import is_gpu
from ..encrypted import Context, EncryptedArray
from ..errors import InvalidArgument
from .rows import Row, no_row, row_of, summary

__all__ = ["thread_rows"]

_SETS = ("bfv/n16384/8+1/", "bgv/n16384/8+1/", "ckks/n32768/8+1/")  # --quick measures only the first set
_OPERATIONS = ("add", "multiply", "mul_lin", "rotate")
_CIPHERTEXTS, _DEGREE = 8, 16384
_ARRAYS: dict[str, Callable[[EncryptedArray], EncryptedArray]] = {
    "add": lambda x: x + x,
    "multiply": lambda x: x * x,
    "roll": lambda x: x.roll(-1, axis=1),
}
_ROUNDS, _ROUNDS_QUICK = 25, 5
_SPIN = "while True: pass"
_ONE = "one thread"


def thread_rows(
    device: str, say: Callable[[str], None], *, threads: int, quick: bool = False, only: tuple[str, ...] = ()
) -> list[Row]:
    """Returns rows of operations and of arrays. Each row is compared with the same work on one thread.

    only: beginnings of the names of the rows to measure. Errors: InvalidArgument (fewer than two threads, a GPU, or no
    row has such a name).
    """
    if threads < 2:
        raise InvalidArgument("a comparison of threads needs at least two", "give --threads 2 or more")
    if is_gpu(device):
        raise InvalidArgument(f"{device} has no CPU threads", "measure a GPU with: ringfort bench gpu-ops")

    def is_wanted(name: str) -> bool:
        return not only or name.startswith(only)

    rows = [*_operations(device, say, threads, quick, is_wanted), *_arrays(device, say, threads, quick, is_wanted)]
    if not rows:
        raise no_row(only)
    return rows


def _operations(
    device: str, say: Callable[[str], None], threads: int, quick: bool, is_wanted: Callable[[str], bool]
) -> list[Row]:
    names = [one + operation for one in _SETS[: 1 if quick else None] for operation in _OPERATIONS]
    names = [name for name in names if is_wanted(f"threads/{name}")]
    if not names:
        return []
    asked = [f"{name}/t{count}" for name in names for count in (1, threads)]
    found = core.operation_rows(device, quick, threads, asked, lambda row: say(f"measuring {row}"))
    measured = {one["name"]: row_of(one) for one in found}
    return [
        _against_one(measured[f"{name}/t{threads}"], f"threads/{name}", measured[f"{name}/t1"].median) for name in names
    ]


def _against_one(row: Row, name: str, alone: float) -> Row:
    return Row(name, row.device, row.params, row.unit, row.min, row.median, row.max).against(_ONE, "", alone)


def _arrays(
    device: str, say: Callable[[str], None], threads: int, quick: bool, is_wanted: Callable[[str], bool]
) -> list[Row]:
    names = [
        (operation, state) for state in ("idle", "busy") for operation in _ARRAYS
        if is_wanted(f"threads/array/{operation}/{state}")
    ]  # fmt: skip
    if not names:
        return []
    operands = _operands(device, threads)
    rows = []
    for state in dict.fromkeys(state for _, state in names):
        with _busy(threads if state == "busy" else 0):
            for operation in [operation for operation, other in names if other == state]:
                say(f"measuring threads/array/{operation}/{state}")
                rows.append(_array_row(operands, operation, state, _ROUNDS_QUICK if quick else _ROUNDS))
    return rows


def _operands(device: str, threads: int) -> dict[int, EncryptedArray]:
    """Returns an array of _CIPHERTEXTS ciphertexts for each number of threads. Operations on the array use this number
    of threads."""
    found = {}
    for count in (1, threads):
        ctx = Context(depth=2, n=_DEGREE, magnitude=1, device=device, threads=count)
        keys = ctx.keygen(rotations=[1])
        found[count] = ctx.encrypt(np.full((_CIPHERTEXTS, ctx.slots), 0.5), keys.public)
    return found


def _array_row(operands: dict[int, EncryptedArray], operation: str, state: str, rounds: int) -> Row:
    samples: dict[int, list[float]] = {count: [] for count in operands}
    # the first round is not counted; each round measures all numbers of threads, so that they have the same load
    for turn in range(rounds + 1):
        for count, operand in operands.items():
            begin = time.perf_counter()
            _ARRAYS[operation](operand)
            if turn > 0:
                samples[count].append(1e3 * (time.perf_counter() - begin))
    alone, together = samples.values()
    operand = operands[max(operands)]
    params: dict[str, Any] = {"ciphertexts": _CIPHERTEXTS, "n": _DEGREE, "threads": max(operands)}
    row = Row(f"threads/array/{operation}/{state}", operand.device, params, "ms", *summary(together))
    return row.against(_ONE, "", summary(alone)[1])


@contextmanager
def _busy(count: int) -> Iterator[None]:
    """Runs `count` processes that compute until the `with` block ends."""
    others: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(count):
            others.append(subprocess.Popen([sys.executable, "-I", "-c", _SPIN]))
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()
