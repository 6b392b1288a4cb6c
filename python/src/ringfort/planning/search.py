# SPDX-License-Identifier: Apache-2.0
"""Searches for the smallest parameters with which a program runs, and with which its results have the wanted number of
correct bits. plan.py uses this search.

CKKS multiplies numbers by a *scale*, and computes modulo a product of primes, the *chain*. Each product uses up a
*level*, a group of primes. Three numbers determine the chain. The depth sets the number of levels. The precision sets
the scale. The magnitude of the context sets the number of bits above the scale at the last level.

The search tries two depths. The first is the smallest depth with which no level is missing. The second has one level
more: the prime of this spare level gives results more bits above the scale. For each depth, the search tries several
magnitudes. For each magnitude, it finds the smallest precision. Of all parameters that it found, it returns those with
the smallest ring (the polynomials with the fewest coefficients). Among equal rings, it returns those with the smallest
modulus.

Integers are encrypted modulo a *plaintext modulus*. The search increases this modulus until no number can wrap around.
It increases the depth until the chain has enough bits for the noise, the error inside ciphertexts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..encrypted import Dtype
from ..encrypted.array.moduli import prime_above, several
from ..encrypted.array.ranges import whole_numbers
from ..encrypted.array.refusals import TOO_LARGE
from ..encrypted.residues.parameters import MOST_MODULI
from ..errors import DepthExhausted, InvalidArgument, NoiseBoundExceeded, RangeExceeded, Unsupported
from .attempt import Attempt, Inputs, dry_context, run_dry

__all__ = ["Found", "smallest"]

_DEFAULT_PRECISION = 20
_MOST_DEPTH = 64
_PRECISIONS = (1, 52)
_MAGNITUDE_STEP = 4.0  # each magnitude is this many times the one before
_MOST_MAGNITUDE = 2.0**40
_MORE_MAGNITUDES = 1  # the search tries this many magnitudes above the smallest one that works
_FIRST_EXTRA = 6  # the first guess of the precision exceeds the wanted bits by this number
_MOST_REFUSALS = 2
_SOME_BITS = 0.5  # a higher precision helps if it adds more bits than this to the results
_SPARE = (0, 1)
_MOST_SPARE_OF_INTEGERS = 6
_FIRST_PLAIN_BITS, _LAST_PLAIN_BITS, _PLAIN_STEP = 17, 49, 4
_PRODUCT_STEP = 8  # the search increases the product of moduli by at least this many bits

Found = tuple[dict[str, Any], Attempt]
"""The options of a context, and the facts of a dry run of the program in this context."""


def smallest(
    function: Callable[..., Any], inputs: Inputs, dtype: Dtype, precision: int | None, given: Mapping[str, Any]
) -> Found:
    """Returns the smallest parameters. precision: the wanted bits of the results. None means 20 bits, or fewer if the
    approximation errors of functions do not allow 20.

    Errors: those of the program; Unsupported (no parameters suffice).
    """
    search = _Search(function, inputs, dtype, given)
    return search.exact() if dtype == "int" else search.approximate(precision)


class _Search:
    def __init__(self, function: Callable[..., Any], inputs: Inputs, dtype: Dtype, given: Mapping[str, Any]) -> None:
        self._function, self._inputs, self._dtype, self._given = function, inputs, dtype, given
        self._depth = 0
        self._last: Exception | None = None  # the error of the last run
        self._no_ring: Exception | None = None  # the error at the smallest numbers for which there is no ring
        self._reached = 0.0  # the largest number of bits that a run has reached
        self._functions_leave = 0.0  # the largest number of bits of a run whose errors come mainly from functions
        self._smallest_n = math.inf  # the smallest n of all runs that reached the wanted bits

    def _attempt(self, spare: int, **chosen: Any) -> Found | None:
        """Runs the program in contexts of increasing depth, until no level is missing. Returns None if there are no
        parameters of this depth, if the depth exceeds 64, or if a smaller ring is known. Also returns None if the
        noise, a range or a plain factor is too large for the parameters.

        spare: the number of levels that the context has above this depth.
        """
        while self._depth <= _MOST_DEPTH:
            options = {**self._given, "depth": self._depth + spare, **chosen}
            try:
                ctx = dry_context(self._dtype, options)
                if ctx.explain().facts.n > self._smallest_n:
                    raise Unsupported("a smaller ring is known", "")
            except Unsupported as error:
                self._last = error
                return None
            try:
                return options, run_dry(self._function, self._inputs, ctx)
            except DepthExhausted as error:
                self._last = error
                self._depth = max(self._depth + 1, _depth_in(error.fix) - spare)
            except (NoiseBoundExceeded, RangeExceeded) as error:
                self._last = error
                return None
            except InvalidArgument as error:
                if TOO_LARGE not in error.problem:
                    raise
                self._last = error
                return None
        return None

    def approximate(self, precision: int | None) -> Found:
        bits = _DEFAULT_PRECISION if precision is None else precision
        every = self._with_bits(bits)
        if not every and precision is None and self._functions_leave >= 1:
            every = self._with_bits(int(self._functions_leave))
        if not every and self._reached:
            raise Unsupported(
                f"no parameters run the program with {bits} bits in every result, but some do with {self._reached:.1f}",
                f"give precision={int(self._reached)}, or a smaller error=... of the functions",
            )
        if not every:
            raise self._refusal(f"with {bits} bits in every result")
        return min(every, key=lambda found: (found[1].n, found[1].log2_qp))

    def _with_bits(self, precision: int) -> list[Found]:
        return [found for spare in _SPARE for found in self._over_magnitudes(spare, precision)]

    def _over_magnitudes(self, spare: int, precision: int) -> list[Found]:
        """Returns parameters for the smallest magnitude that is large enough for the program, and for the next one."""
        found: list[Found] = []
        magnitude, after = 1.0, 0
        while magnitude <= _MOST_MAGNITUDE and after <= _MORE_MAGNITUDES:
            one = self._fewest_bits(spare, magnitude, precision)
            found += [one] if one is not None else []
            after += bool(found)
            magnitude *= _MAGNITUDE_STEP
        return found

    def _fewest_bits(self, spare: int, magnitude: float, wanted: int) -> Found | None:
        """Searches for the smallest precision with which results have the wanted bits. If the results of a run have d
        bits too many or too few, the next guess is d bits lower or higher."""
        best: Found | None = None
        first: Exception | None = None  # the error of the first run
        low, high = _PRECISIONS
        before, refusals = -math.inf, 0  # ``extra`` of the last run with too few bits; the number of refused runs
        bits = min(wanted + _FIRST_EXTRA, high)
        while low <= high:
            found = self._attempt(spare, precision=bits, magnitude=magnitude)
            first = first or self._last
            if found is None and isinstance(self._last, Unsupported):
                high = bits - 1
                bits = (low + high) // 2
            elif found is None:
                low, refusals = bits + 1, refusals + 1
                if best is None and refusals == _MOST_REFUSALS:  # the magnitude is too small
                    return None
                bits = (low + high) // 2
            elif (extra := self._bits_above(found, wanted)) >= 0:
                best, high, self._smallest_n = found, bits - 1, min(self._smallest_n, found[1].n)
                if extra < 1:
                    return best
                bits = max(low, bits - int(extra))
            elif extra <= before + _SOME_BITS:  # the errors of functions limit the bits
                self._functions_leave = max(self._functions_leave, wanted + extra)
                return best
            else:
                low, before = bits + 1, extra
                bits = min(high, bits + math.ceil(-extra))
        if high < _PRECISIONS[0]:  # no precision has a ring
            self._no_ring = self._no_ring or first
        return best

    def _bits_above(self, found: Found, wanted: int) -> float:
        self._reached = max(self._reached, found[1].precision_bits)
        return found[1].precision_bits - wanted

    def exact(self) -> Found:
        """Tries plaintext moduli of increasing size. The chain of primes follows from the plaintext modulus and the
        depth."""
        for bits in range(_FIRST_PLAIN_BITS, _LAST_PLAIN_BITS + 1, _PLAIN_STEP):
            prime = 65537 if bits == _FIRST_PLAIN_BITS else prime_above(2**bits)
            if prime is None or prime < self._least_modulus():  # the inputs themselves do not fit
                continue
            for spare in range(_MOST_SPARE_OF_INTEGERS):
                found = self._attempt(spare, plain_modulus=prime)
                if found is not None:
                    return found
                if isinstance(self._last, Unsupported):
                    self._no_ring = self._no_ring or self._last
                if not isinstance(self._last, NoiseBoundExceeded):
                    break
        found = self._exact_modulo_several()
        if found is None:
            raise self._refusal("without numbers that wrap around")
        return found

    def _least_modulus(self) -> int:
        """Returns the smallest plaintext modulus for the range of the inputs. Errors: InvalidArgument."""
        low, high = whole_numbers(self._given["range"])
        return 2 * max(-low, high) + 1

    def _exact_modulo_several(self) -> Found | None:
        """Tries products of several plaintext moduli. The products increase in size. For each size, tries several
        numbers of moduli, and takes the smallest ring."""
        bits = max(_LAST_PLAIN_BITS + _PRODUCT_STEP, self._least_modulus().bit_length())
        while bits < _LAST_PLAIN_BITS * MOST_MODULI:
            found = []
            for count in range(math.ceil(bits / _LAST_PLAIN_BITS), MOST_MODULI + 1):
                found += [] if (one := self._modulo(several(2**bits, count))) is None else [one]
                if isinstance(self._last, RangeExceeded):
                    break
            if found:
                # If rings are equal, min takes the first, which has the fewest moduli.
                return min(found, key=lambda each: each[1].n)
            more = _product_bits_in(self._last.fix) if isinstance(self._last, RangeExceeded) else 0
            if not more:  # the last error is not about the range: larger moduli do not help
                return None
            bits = max(bits + _PRODUCT_STEP, more)
        return None

    def _modulo(self, primes: tuple[int, ...] | None) -> Found | None:
        """Runs the program modulo the product of the primes. Adds spare levels until the noise fits."""
        for spare in range(_MOST_SPARE_OF_INTEGERS if primes is not None else 0):
            self._last = None
            found = self._attempt(spare, plain_modulus=primes)
            if found is not None or not isinstance(self._last, NoiseBoundExceeded):
                return found
        return None

    def _refusal(self, aim: str) -> Unsupported:
        """Returns the error of the search. Later attempts had larger numbers, so the first one without a ring tells
        why, unless the numbers of the program itself are too large."""
        error = self._last if isinstance(self._last, RangeExceeded) else self._no_ring or self._last
        ways = ["fewer successive products"]
        if self._dtype == "int":
            ways.append("a smaller range")
        else:
            ways += ["smaller magnitudes (x.assume(magnitude=...))", "less precision"]
        if "n" in self._given:
            ways.insert(0, "a larger n")
        return Unsupported(
            f"no parameters run the program {aim}: {getattr(error, 'problem', '')}",
            f"use {', '.join(ways[:-1])}, or {ways[-1]}",
        )


def _product_bits_in(fix: str) -> int:
    """Returns the length in bits of the product of the moduli that an error recommends, or 0 if the error recommends no
    moduli."""
    found = re.search(r"plain_modulus=\(?([\d, ]+)", fix)
    return math.prod(map(int, found[1].split(","))).bit_length() if found else 0


def _depth_in(fix: str) -> int:
    """Returns the depth that an error recommends, or 0 if the error recommends no depth."""
    found = re.search(r"depth=(\d+)", fix)
    return min(int(found[1]), _MOST_DEPTH) if found else 0
