# SPDX-License-Identifier: Apache-2.0
# Written by tools/gen_stubs; do not edit, run the tool again.
"""Rings without a scheme; the public API is ringfort.ring."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Transform:
    """The transform of Z_q[x]/(x^n + 1), for words of 32, 64 or 128 bits."""

    def __init__(self, n: int, q: tuple[int, int], width: int, device: str) -> None: ...

    @property
    def psi(self) -> tuple[int, int]: ...

    @property
    def device(self) -> str: ...

    @overload
    def forward(self, input: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

    @overload
    def forward(self, input: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

    @overload
    def inverse(self, input: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

    @overload
    def inverse(self, input: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

    @overload
    def multiply(self, a: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

    @overload
    def multiply(self, a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

def primes(bits: int, n: int, count: int) -> list[tuple[int, int]]: ...
