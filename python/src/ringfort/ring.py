# SPDX-License-Identifier: Apache-2.0
"""Ring arithmetic without an encryption scheme: the negacyclic number-theoretic transform (NTT) over Z_q[x]/(x^n + 1),
and primes for it. The transform maps the n coefficients of a polynomial to its values at n points. Products of values
are products of polynomials modulo x^n + 1.

Coefficients are in natural order. Values (evaluations) are in bit-reversed order: output j is the value of the
polynomial at psi^(2 bitreverse(j) + 1). Here psi is the minimal primitive 2n-th root of unity mod q. All numbers are in
[0, q); other inputs are an error.

Arrays may have any number of leading axes. The table states which arrays a modulus q needs:

========  =====================================  =============================================
q         arrays                                 word
========  =====================================  =============================================
< 2^31    uint32 or uint64, shape (..., n)       32 or 64 bits, as the array
< 2^62    uint64, shape (..., n)                 64 bits
< 2^127   uint64, shape (..., n, 2)              128 bits: low word first
========  =====================================  =============================================

With ``Ntt(..., wide=True)``, arrays for a smaller q have 128-bit words, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .errors import InvalidArgument
from .values import CPU, device_name, is_masked, whole
from .warned import warn

__all__ = ["Ntt", "primes"]

_LIMIT_32 = 2**31  # below this limit, the sum of two residues fits a 32-bit word
_LIMIT_64 = 2**62  # below this limit, 4q fits a 64-bit word
_LIMIT_128 = 2**127  # below this limit, 2q fits a 128-bit word; the steps of the transform need this
_LARGEST_N = 2**17
_warned_caps: set[str] = set()


class Ntt:
    """Transforms and products in the ring Z_q[x]/(x^n + 1). An object is immutable. Threads can share it.

    n: a power of two, 2 .. 2^17. q: a prime below 2^127 that is 1 mod 2n. device: one of ``ringfort.devices()``. None
    means ``ringfort.default_device()``. wide: True if arrays have words of 128 bits. None means True only if q needs
    them (q >= 2^62). The argument ``threads`` of a method is the largest number of CPU threads. Errors:
    InvalidArgument, which is also a ValueError (n or q is not allowed, an element of an array is outside [0, q), or an
    array has a wrong shape or type), Unsupported, DeviceUnknown.
    """

    def __init__(self, n: int, q: int, device: str | None = None, *, wide: bool | None = None) -> None:
        self._n = whole("n", n, 2**128)
        self._q = whole("q", q, 2**128)
        if not 2 <= self._n <= _LARGEST_N or self._n & (self._n - 1):
            raise InvalidArgument(f"n = {self._n} is not a power of two in 2 .. {_LARGEST_N}", "choose such an n")
        if self._q >= _LIMIT_128:
            raise InvalidArgument(f"q = {self._q} has {self._q.bit_length()} bits", "take a prime below 2^127")
        device = device_name(device)
        self._wide = self._q >= _LIMIT_64 if wide is None else bool(wide)
        if not self._wide and self._q >= _LIMIT_64:
            raise InvalidArgument(
                f"wide is False, but q has {self._q.bit_length()} bits",
                "moduli of 63 bits and more need 128-bit words: leave wide out",
            )
        _report_cap(device)
        self._plans = {128 if self._wide else 64: self._plan(128 if self._wide else 64, device)}
        plan = next(iter(self._plans.values()))
        self._device: str = plan.device
        self._psi = _joined(plan.psi)
        if not self._wide and self._q < _LIMIT_32:
            self._plans[32] = self._plan(32, device)

    @property
    def n(self) -> int:
        """Number of coefficients."""
        return self._n

    @property
    def q(self) -> int:
        """The modulus."""
        return self._q

    @property
    def psi(self) -> int:
        """The minimal primitive 2n-th root of unity mod q."""
        return self._psi

    @property
    def device(self) -> str:
        """Name of the device that computes."""
        return self._device

    @property
    def wide(self) -> bool:
        """True if arrays have a last axis of two 64-bit words (low word first)."""
        return self._wide

    def __repr__(self) -> str:
        return f"Ntt(n={self._n}, q={self._q}, device={self._device!r})"

    def forward(self, a: ArrayLike, *, threads: int = 1) -> NDArray[Any]:
        """Transforms coefficients to evaluations. Returns a new array with the shape and dtype of ``a``."""
        return self._transform("forward", a, threads)

    def inverse(self, a: ArrayLike, *, threads: int = 1) -> NDArray[Any]:
        """Transforms evaluations to coefficients. Returns a new array with the shape and dtype of ``a``."""
        return self._transform("inverse", a, threads)

    def multiply(self, a: ArrayLike, b: ArrayLike, *, threads: int = 1) -> NDArray[Any]:
        """Multiplies polynomials modulo x^n + 1 and q. Arguments and result are coefficients. Leading axes broadcast as
        in NumPy."""
        left, right = self._checked("a", a), self._checked("b", b)
        if left.dtype != right.dtype:
            raise InvalidArgument(f"a holds {left.dtype} and b {right.dtype}", "convert one: a.astype(b.dtype)")
        tail = 2 if self._wide else 1
        try:
            lead = np.broadcast_shapes(left.shape[:-tail], right.shape[:-tail])
        except ValueError:
            raise InvalidArgument(
                f"a has shape {left.shape} and b {right.shape}: the leading axes do not broadcast",
                "give leading axes of equal length, or of length 1",
            ) from None
        shape = lead + left.shape[-tail:]
        flat_a, flat_b = (_flat(np.broadcast_to(x, shape)) for x in (left, right))
        out = np.empty(shape, left.dtype)
        if out.size:
            self._plan_of(left.dtype).multiply(flat_a, flat_b, out.reshape(-1), _threads(threads))
        return out

    def _transform(self, verb: str, a: ArrayLike, threads: int) -> NDArray[Any]:
        array = self._checked("a", a)
        out = np.empty(array.shape, array.dtype)
        if out.size:
            getattr(self._plan_of(array.dtype), verb)(_flat(array), out.reshape(-1), _threads(threads))
        return out

    def _plan(self, width: int, device: str) -> _core.ring.Transform:
        return _core.ring.Transform(self._n, (self._q & (2**64 - 1), self._q >> 64), width, device)

    def _plan_of(self, dtype: np.dtype[Any]) -> _core.ring.Transform:
        return self._plans[128 if self._wide else 8 * dtype.itemsize]

    def _checked(self, name: str, a: ArrayLike) -> NDArray[Any]:
        if is_masked(a):
            raise InvalidArgument(f"{name} has masked values", f"fill them: {name}.filled(0)")
        try:
            array = np.asarray(a)
        except ValueError:  # the rows of the list differ in length
            raise InvalidArgument(
                f"{name} is not an array: its rows differ in length", "give rows of n values"
            ) from None
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        if array.dtype not in (np.uint64, np.uint32):
            raise InvalidArgument(
                f"{name} holds {array.dtype}, but residues are uint64 or uint32",
                f"reduce into [0, q) and convert: ({name} % q).astype(numpy.uint64)",
            )
        if array.dtype == np.uint32 and 32 not in self._plans:
            raise InvalidArgument(
                f"{name} holds uint32, but "
                + ("words have 128 bits" if self._wide else f"q has {self._q.bit_length()} bits"),
                f"use {name}.astype(numpy.uint64)",
            )
        tail = (self._n, 2) if self._wide else (self._n,)
        if array.shape[-len(tail) :] != tail:
            words = ": two 64-bit words a value, low first" if self._wide else ""
            lengths = array.shape[: array.ndim - len(tail) + 1]
            fix = "reshape it" if lengths else "give an array"
            if lengths and lengths[-1] > 1 and lengths[-1].bit_count() == 1:
                fix += f", or make an Ntt with n = {lengths[-1]}"
            if self._wide and array.shape[-1:] != (2,):
                fix = f"give two words per value: numpy.stack([{name}, numpy.zeros_like({name})], axis=-1)"
            raise InvalidArgument(
                f"{name} has shape {array.shape}, but the ring needs (..., {', '.join(map(str, tail))}){words}", fix
            )
        return array


def primes(bits: int, n: int, count: int) -> list[int]:
    """Returns the ``count`` largest primes below 2^bits that are 1 mod 2n, the largest first.

    bits: 2 .. 128. n: a power of two. Errors: InvalidArgument, Unsupported (fewer than ``count`` exist).
    """
    sizes = (whole("bits", bits, 2**32), whole("n", n, 2**63), whole("count", count, 2**32))
    return [_joined(q) for q in _core.ring.primes(*sizes)]


def _threads(threads: int) -> int:
    if (number := whole("threads", threads, 2**16)) == 0:
        raise InvalidArgument("threads is 0", "give at least 1")
    return number


def _joined(halves: tuple[int, int]) -> int:
    return halves[0] | halves[1] << 64


def _flat(array: NDArray[Any]) -> NDArray[Any]:
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.ctypes.data % 16:  # 128-bit words need an alignment of 16 bytes; arrays that NumPy allocates have it
        flat = flat.copy()
    return flat


def _report_cap(device: str) -> None:
    if device != CPU:
        return
    cap = _core.cpu_cap()
    if cap.lowered and cap.requested not in _warned_caps:
        _warned_caps.add(cap.requested)
        warn(
            f"RINGFORT_CPU={cap.requested} exceeds this machine; its {cap.used} kernels are used",
            RuntimeWarning,
        )
