# SPDX-License-Identifier: Apache-2.0
# Written by tools/gen_stubs; do not edit, run the tool again.
"""Statistics over many users; the public API is ringfort.statistics."""

from collections.abc import Sequence
import enum

import ringfort._core.keys
import ringfort._core.parameters


class Wanted(enum.Enum):
    """The totals that a study computes."""

    means = 0

    variances = 1

    regressions = 2

class Column:
    """The name and the range of a column."""

    def __init__(self, name: str, low: int, high: int) -> None: ...

    @property
    def name(self) -> str: ...

    @property
    def low(self) -> int: ...

    @property
    def high(self) -> int: ...

class Study:
    """A study, on which all parties agree."""

    def __init__(self) -> None: ...

    @property
    def columns(self) -> list[Column]: ...

    @columns.setter
    def columns(self, arg: Sequence[Column], /) -> None: ...

    @property
    def wanted(self) -> Wanted: ...

    @wanted.setter
    def wanted(self, arg: Wanted, /) -> None: ...

    @property
    def uploads(self) -> int: ...

    @uploads.setter
    def uploads(self, arg: int, /) -> None: ...

    @property
    def records(self) -> int: ...

    @records.setter
    def records(self, arg: int, /) -> None: ...

    @property
    def each_slot(self) -> bool: ...

    @each_slot.setter
    def each_slot(self, arg: bool, /) -> None: ...

    def product(self, a: int, b: int) -> int: ...

    def capacity(self, plain_modulus: int) -> int: ...

def check(study: Study) -> None: ...

class Choice:
    """Requirements on the ring of a study."""

    def __init__(self) -> None: ...

    @property
    def primes(self) -> ringfort._core.parameters.PrimeChoice: ...

    @primes.setter
    def primes(self, arg: ringfort._core.parameters.PrimeChoice, /) -> None: ...

    @property
    def security(self) -> ringfort._core.parameters.SecurityGoal: ...

    @security.setter
    def security(self, arg: ringfort._core.parameters.SecurityGoal, /) -> None: ...

    @property
    def n(self) -> int: ...

    @n.setter
    def n(self, arg: int, /) -> None: ...

    @property
    def insecure_reason(self) -> str: ...

    @insecure_reason.setter
    def insecure_reason(self, arg: str, /) -> None: ...

def plan_rotations(context: ringfort._core.keys.KeyContext) -> ringfort._core.keys.KeyPlan: ...

class Totals:
    """Decrypted totals: exact integers."""

    @property
    def uploads(self) -> int: ...

    @property
    def records(self) -> int: ...

    @property
    def sums(self) -> list[list[int]]: ...

    @property
    def products(self) -> list[list[int]]: ...

class Regression:
    """
    Least squares: target = intercept + sum of coefficients times features.
    """

    @property
    def intercept(self) -> float: ...

    @property
    def coefficients(self) -> list[float]: ...

    @property
    def r_squared(self) -> float: ...

def mean(totals: Totals, column: int, slot: int) -> float: ...

def covariance(totals: Totals, a: int, b: int, ddof: int, slot: int) -> float: ...

def regress(totals: Totals, target: int, features: Sequence[int], slot: int) -> Regression: ...
