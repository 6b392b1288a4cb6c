# SPDX-License-Identifier: Apache-2.0
"""Measurement: compares the true error or noise budget of an array with the public bound of the array.

A measured error depends on the secret key, as a raw decryption does (docs/notes/0010-decryptions-for-others.md).
Therefore only the owner of the secret key can measure, and the text of a result says that it is secret. Decrypted
integers have no error, but their ciphertexts have noise. Their noise budget is the number of bits by which the noise
may grow before decryption fails.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InvalidArgument, KeyMissing
from ...logs import logged
from ...values import kind_of
from ..array import show
from ..array.array import EncryptedArray
from ..array.session import Owner

__all__ = ["Measurement", "measure", "refuse_to_measure"]

_SECRET = "derived from the secret key: publish it nowhere"


@dataclass(frozen=True)
class Measurement:
    """The result of ``keys.measure(x)``. It depends on the secret key. Keep it as secret as a raw decryption.

    The numbers that end in ``_bound`` are public facts of the array.
    """

    shape: tuple[int, ...]
    error: float | None
    """The largest distance of a value, decrypted without rounding, from the expected value. None if no expected values
    were given."""
    error_bound: float
    """The bound on ``error`` that the array carries; 0 for integers."""
    budget_bits: float | None
    """For integers: log2(largest noise that decrypts / noise), the smallest of all ciphertexts. None for other
    numbers."""
    budget_bound: float | None
    """For integers: the lower bound on ``budget_bits`` that the array carries. None for other numbers."""

    @property
    def bits(self) -> float:
        """The number of correct bits after the binary point in the element with the largest error. Infinity for
        integers, and if all errors are 0."""
        return math.inf if not self.error else -math.log2(self.error) - 1

    @property
    def bits_bound(self) -> float:
        """The number of bits that the array's bound guarantees for values that are not rounded. Infinity for
        integers."""
        return math.inf if self.error_bound == 0 else -math.log2(self.error_bound) - 1

    def _facts(self) -> dict[str, str]:
        facts = {}
        if self.budget_bits is not None:
            facts["noise budget"] = f"{self.budget_bits:.1f} bits measured, {self.budget_bound:.1f} bits guaranteed"
        if self.error is not None:
            facts["largest error"] = f"{self.error:.3g} measured, {self.error_bound:.3g} guaranteed"
        if self.budget_bits is None:
            facts["correct bits"] = f"{self.bits:.1f} measured, {self.bits_bound:.1f} guaranteed"
        return facts

    def __repr__(self) -> str:
        facts = "; ".join(f"{name}: {value}" for name, value in self._facts().items())
        return f"Measurement of shape {self.shape} ({facts}; {_SECRET})"

    def _repr_html_(self) -> str:
        return show.table(f"Measurement, {_SECRET}", {"shape": str(self.shape), **self._facts()})


def measure(self: Owner, x: EncryptedArray, *, expected: ArrayLike | None = None) -> Measurement:
    """Returns the true error of an array, and the public bound on this error. Only the owner of the secret key can call
    this function.

    expected: the true values. Real and complex arrays need them, because the secret key alone cannot separate a value
    from its error. For integers, the function measures the noise budget, which SEAL calls the invariant noise budget.

    A measured error depends on the secret key. Use it to choose parameters. Do not publish it. Errors: InvalidArgument,
    ParametersMismatch (an array of other keys).
    """
    if not isinstance(x, EncryptedArray):
        raise InvalidArgument(f"measure was given {kind_of(x)}", "give an encrypted array: keys.measure(x)")
    return logged("measure", lambda: _measured(self, x, expected), lambda _: 0)


def refuse_to_measure(self: object, x: object, *, expected: object = None) -> NoReturn:
    """Raises KeyMissing, because a measurement needs the secret key."""
    raise KeyMissing(
        "only the secret key sees the error of an array, and these keys are public",
        "the owner of the keys measures: keys.measure(x); everybody may read the bound: x.precision_bits",
    )


def _measured(owner: Owner, x: EncryptedArray, expected: ArrayLike | None) -> Measurement:
    session, on, ciphertexts = x._session, x._session.on, x._stored.ciphertexts
    error = None if expected is None else _largest_error(owner, x, expected)
    if on.exact:
        secret = owner.secret_for(session)
        budget = min(session.each(lambda ciphertext: on.measured_budget(secret, ciphertext), ciphertexts))
        return Measurement(x.shape, error, 0.0, budget, min(map(on.budget, ciphertexts)))
    if error is None:
        raise InvalidArgument(
            "the error of real and complex numbers is the distance from the true values, and none were given",
            "give them: keys.measure(x, expected=values)",
        )
    bits = min(map(on.raw_precision_bits, ciphertexts))
    return Measurement(x.shape, error, 2.0 ** -(bits + 1), None, None)


def _largest_error(owner: Owner, x: EncryptedArray, expected: ArrayLike) -> float:
    true: NDArray[Any] = x._session.plain(expected) if x.dtype.kind != "O" else np.asarray(expected, object)
    if true.shape != x.shape:
        raise InvalidArgument(
            f"expected has the shape {true.shape}, but the array has the shape {x.shape}", "give one for each element"
        )
    found = x._arranged(x._session.decrypt(x._stored, owner, raw=True))
    if x._session.on.exact:
        return float(max((abs(int(a) - int(b)) for a, b in zip(found.flat, true.flat, strict=True)), default=0))
    return float(np.max(np.abs(found - true), initial=0))
