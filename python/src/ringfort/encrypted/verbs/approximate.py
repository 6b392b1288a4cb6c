# SPDX-License-Identifier: Apache-2.0
"""Computes functions of real numbers as polynomials. The bounds of an array must guarantee that all its values are in
the domain of the polynomial.

A caller states ``error``, the largest error of a decrypted result. The error before decryption is the sum of the
polynomial's error and the noise, the error that encryption and operations add. The rounding in ``decrypt`` at most
doubles this sum. Therefore the sum may be at most half of ``error``. The polynomial's error may be at most
SHARE * error, and the noise at most (0.5 - SHARE) * error. Levels and slots are explained in array/array.py.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from ..._core import ckks
from ...errors import InvalidArgument, Unsupported
from ...functions import FUNCTIONS, Approximation, Steps, approximation, steps
from ...values import kind_of, positive
from ..array.array import EncryptedArray
from ..array.refusals import ErrorBelowNoise
from ..packing.packed import Packed, UnusedSlots
from .dry_run import DryRun
from .elementwise import add, multiply, subtract
from .operands import Operand, both, is_encrypted, require_unmasked
from .promises import Domain, domain_of

__all__ = [
    "SHARE",
    "absolute_of",
    "compare_of",
    "declared",
    "evaluated",
    "gap_of",
    "half_of",
    "interval_of",
    "maximum_of",
    "minimum_of",
    "on_unit",
    "polynomial_of",
    "real_array",
    "relu_of",
    "require_guaranteed",
    "sign_of",
    "smooth_of",
    "staged",
    "stated",
    "steps_for",
]

SHARE = 0.45
_OUTSIDE = 1e-12  # bounds may exceed the domain by this fraction of its largest absolute value, because of rounding
_ROUNDING = 2.0**-50  # relative error of the factor and of the shift in on_unit
_LARGEST = 2.0**100  # no context has larger numbers
_MOST_GUESSED = 63  # largest degree for a domain that the caller did not choose
_OF_TWO = ("maximum", "minimum", "compare")
_Gap = float | None


def real_array(name: str, x: Operand) -> EncryptedArray:
    if not is_encrypted(x):
        raise InvalidArgument(f"ringfort.{name} was given no encrypted array", "for values in the clear, use NumPy")
    if x._session.on.exact or x.dtype.kind == "c":
        raise Unsupported(f"ringfort.{name} is for real numbers", 'make the context with dtype="real"')
    return x


def interval_of(given: object) -> Domain:
    """Checks the domain that the caller gave. Returns its two ends as floats. Errors: InvalidArgument."""
    ends = given if isinstance(given, (tuple, list)) and len(given) == 2 else ()
    numbers = [
        float(end)
        for end in ends
        if isinstance(end, (int, float, np.integer, np.floating))
        and not isinstance(end, bool)
        and -_LARGEST <= end <= _LARGEST
    ]
    if len(numbers) != 2:
        has_ends = ", and an end is not a finite number" if ends else ""
        raise InvalidArgument(f"domain is {kind_of(given)}{has_ends}", "give two finite numbers, domain=(low, high)")
    if not numbers[0] < numbers[1]:
        raise InvalidArgument("low of the domain is not below high", "give domain=(low, high) with low < high")
    return numbers[0], numbers[1]


def half_of(name: str, domain: object) -> float:
    """Returns the smallest h for which -h .. h contains the domain. Errors: InvalidArgument (the domain has no zero
    inside)."""
    low, high = interval_of(domain)
    if not low < 0 < high:
        raise InvalidArgument(f"the domain of ringfort.{name} has no zero inside", "give domain=(-high, high)")
    return max(-low, high)


def require_guaranteed(name: str, x: EncryptedArray, domain: Domain, bounds: Domain | None = None) -> None:
    """Refuses ``x`` if its bounds allow values outside the domain.

    bounds: bounds on differences of values. If given, the differences must be in the domain, and the values need not.
    Errors: InvalidArgument.
    """
    low, high = domain_of(x) if bounds is None else bounds
    slack = _OUTSIDE * max(map(abs, domain))
    if math.isinf(high) or (low >= domain[0] - slack and high <= domain[1] + slack):  # a dry run has infinite bounds
        return
    most = min(-domain[0], domain[1])
    known = f"magnitude={most:g}" if most > 0 else f"low={domain[0]:g}, high={domain[1]:g}"
    what, fix = "values", f"if you know that all values are in the domain, declare it: x.assume({known})"
    if bounds is not None or name in _OF_TWO:
        what, known = "differences", f"magnitude={most / 2:g}"
        fix = f"if you know smaller bounds, declare them, for example x.assume({known})"
    found = f"may be in {low:.6g} .. {high:.6g}"
    if bounds is None and name in _OF_TWO:
        what, found = "x - y", "may leave it"  # the bound on x - y would reveal the bound on a plain y
        fix = f"{fix} and y.assume({known})"
    raise InvalidArgument(
        f"ringfort.{name} has the domain {domain[0]:g} .. {domain[1]:g}, but by the array's bounds {what} {found}",
        f"{fix}; or give a larger domain=(low, high)",
    )


def evaluated(x: EncryptedArray, polynomial: ckks.Polynomial, keeps_zero: bool) -> EncryptedArray:
    """Evaluates a polynomial on every element. keeps_zero: the polynomial maps zero to zero."""
    tables, packed = x._session.tables, x._packed
    ciphertexts = tuple(
        tables.each(lambda ciphertext: tables.on.polynomial(ciphertext, polynomial), packed.ciphertexts)
    )
    unused = packed.unused if keeps_zero else UnusedSlots.ANY
    return x._derived(x.shape, Packed(packed.layout, ciphertexts, unused), None)


def on_unit(x: EncryptedArray, domain: Domain) -> tuple[EncryptedArray, Domain]:
    """Maps the domain to -1 .. 1, if this saves a level. Returns the array and its domain.

    This saves a level if ``assume`` has cleared unused slots. Clearing takes a level. The map also takes a level, and
    clears unused slots, too. Therefore this function applies the map to the ciphertexts as they were before ``assume``
    cleared their unused slots."""
    if x._uncleared is None or domain == (-1.0, 1.0):
        return x, domain
    tables, width = x._session.tables, domain[1] - domain[0]
    factor, shift, used = 2 / width, -(domain[0] + domain[1]) / width, np.ones(x.size)
    packed = tables.with_plain(
        tables.on.multiply_plain, replace(x._uncleared, unused=UnusedSlots.ANY), factor * used, product=True
    )
    if shift:
        packed = tables.with_plain(tables.on.add_plain, packed, shift * used, product=False)
    rounding = _ROUNDING * (factor * max(map(abs, domain)) + abs(shift))
    return declared(x._derived(x.shape, packed, None), 1.0, rounding), (-1.0, 1.0)


def declared(x: EncryptedArray, magnitude: float, error: float) -> EncryptedArray:
    """Declares that ``x`` approximates a function. magnitude: a bound on the absolute values of the function. error: a
    bound on the error of the approximation, without noise."""
    on = x._session.on
    packed = x._session.tables.with_bounds(
        lambda ciphertext: on.declare_approximation(ciphertext, magnitude, error), x._packed
    )
    return x._derived(x.shape, packed, None)


def stated(result: EncryptedArray, error: float) -> EncryptedArray:
    """Returns the result. Refuses it if its error, with the rounding in ``decrypt``, may exceed the stated error.
    Errors: ErrorBelowNoise."""
    if isinstance(result._session.on, DryRun):
        return result
    found = 2.0 ** -(result.precision_bits + 1)
    if found <= error * 1.01:  # precision_bits is rounded down to hundredths
        return result
    raise ErrorBelowNoise(
        f"with the noise of this array, the error may be {found:.2g}, more than the stated {error:g}",
        f"give error={found / (1 - 2 * SHARE):.1e}, or make the context with more bits: Context(precision=...)",
    )


def _guessed(name: str, interval: Domain, error: float) -> Approximation:
    """Returns a polynomial for a domain that the caller did not choose. Errors: Unsupported, InvalidArgument."""
    try:
        found = approximation(name, interval, SHARE * error)
    except Unsupported:
        found = None
    except InvalidArgument as error:  # its advice is a domain, which NumPy's functions do not take
        raise InvalidArgument(error.problem, "state what you know: x.assume(low=0.5)") from None
    if found is not None and found.degree <= _MOST_GUESSED:
        return found
    raise Unsupported(
        f"no polynomial of a degree up to {_MOST_GUESSED} is proven to approximate {name} of values in "
        f"{interval[0]:.6g} .. {interval[1]:.6g}",
        f"state smaller bounds, x.assume(magnitude=...), or choose: ringfort.{name}(x, domain=(low, high), error=...)",
    )


def smooth_of(x: Operand, name: str, domain: object = None, error: object = None) -> EncryptedArray:
    """Computes the function ``name`` of FUNCTIONS. domain: None means the interval that the array's bounds guarantee.
    error: None means the function's default."""
    x, function = real_array(name, x), FUNCTIONS[name]
    most = positive("error", function.error if error is None else error, 100)
    interval = domain_of(x) if domain is None else interval_of(domain)
    require_guaranteed(name, x, interval)
    found = approximation(name, interval, SHARE * most) if domain is not None else _guessed(name, interval, most)
    keeps_zero = interval[0] == -interval[1] and not any(found.coefficients[::2])
    x, interval = on_unit(x, interval)
    polynomial = ckks.Polynomial(list(found.coefficients), interval, found.error, found.magnitude)
    return stated(evaluated(x, polynomial, keeps_zero), most)


def polynomial_of(x: Operand, series: object) -> EncryptedArray:
    """Evaluates a Chebyshev series or a polynomial of numpy.polynomial. Errors: InvalidArgument, Unsupported."""
    x = real_array("polynomial", x)
    if not isinstance(series, (Chebyshev, Polynomial)):
        raise InvalidArgument(
            f"the series is {kind_of(series)}", "give a numpy.polynomial.Chebyshev, or a numpy.polynomial.Polynomial"
        )
    require_unmasked("a series", (series.coef,))
    if not np.isrealobj(series.coef) or not np.all(np.isfinite(series.coef)):
        raise InvalidArgument("the series has coefficients that are not finite real numbers", "give real coefficients")
    if isinstance(series, Polynomial):
        powers = [float(c) for c in series.convert().coef]  # powers of x itself, not of x mapped to a window
        return evaluated(x, ckks.Polynomial(powers, (-1.0, 1.0), powers=True), keeps_zero=not powers[0])
    if tuple(series.window) != (-1.0, 1.0):
        raise InvalidArgument("the series has a window other than -1 .. 1", "give Chebyshev(coefficients, domain)")
    coefficients, domain = [float(c) for c in series.coef], interval_of(tuple(series.domain))
    require_guaranteed("polynomial", x, domain)
    keeps_zero = domain[0] == -domain[1] and not any(coefficients[::2])
    x, domain = on_unit(x, domain)
    return evaluated(x, ckks.Polynomial(coefficients, domain), keeps_zero)


def steps_for(name: str, half: float, error: float, gap: _Gap = None) -> Steps:
    """Returns polynomials whose composition p approximates the sign. name: the function that uses p, with the domain
    -half .. half.

    gap: for sign and compare only. For |x| < gap, the error may exceed ``error``. None means half / 32.
    """
    share = SHARE * error
    if name == "sign":
        return steps((half / 32 if gap is None else gap) / half, share)
    if name == "compare":
        return steps((half / 32 if gap is None else gap) / half, 2 * share)
    # relu(x) is computed as x (1 + p) / 2. Its error is |x| |1 - |p|| / 2. For |x| < gap, this is at most gap / 2. For
    # other x, it is at most half * (error of p) / 2. |x| is computed as x p, and its errors are twice as large.
    limit = (1 if name == "abs" else 2) * share / half
    return steps(limit, limit)


def staged(x: EncryptedArray, found: Steps, half: float, shift: bool) -> EncryptedArray:
    """Applies the stages of ``found``, polynomials with the composition p. Returns p(x / half). If shift is True,
    returns (1 + p(x / half)) / 2."""
    x, domain = on_unit(x, (-half, half))
    for number, stage in enumerate(found.stages):
        coefficients, is_last = list(stage), number == len(found.stages) - 1
        if is_last and shift:
            coefficients = [0.5 * c for c in coefficients]
            coefficients[0] += 0.5
        most = 1 + found.error if is_last else 1.0
        x = evaluated(x, ckks.Polynomial(coefficients, domain, 0.0, most), not (is_last and shift))
        domain = (-1.0, 1.0)
    return x


def gap_of(gap: object, half: float) -> _Gap:
    if gap is None:
        return None
    width = positive("gap", gap, 100)
    if width >= half:
        raise InvalidArgument("gap is as wide as the domain", "give a gap below the domain's end")
    return width


def sign_of(x: Operand, domain: object, error: object, gap: object) -> EncryptedArray:
    x, half, most = real_array("sign", x), half_of("sign", domain), positive("error", error, 100)
    require_guaranteed("sign", x, (-half, half))
    found = steps_for("sign", half, most, gap_of(gap, half))
    return stated(declared(staged(x, found, half, False), 1.0 + found.error, found.error), most)


def compare_of(x: Operand, y: Operand, domain: object, error: object, gap: object) -> EncryptedArray:
    d, half, most = _difference("compare", x, y), half_of("compare", domain), positive("error", error, 100)
    require_guaranteed("compare", d, (-half, half))
    found = steps_for("compare", half, most, gap_of(gap, half))
    return stated(declared(staged(d, found, half, True), 1.0 + found.error, found.error / 2), most)


def _difference(name: str, x: Operand, y: Operand) -> EncryptedArray:
    real_array(name, x if is_encrypted(x) else y)
    x, y = both(x, y)
    return real_array(name, subtract(x, y))


def _ramp(name: str, x: EncryptedArray, domain: object, error: object) -> EncryptedArray:
    """Returns |x| for the name "abs", and max(x, 0) for other names."""
    most = positive("error", error, 100)
    half = max(map(abs, domain_of(x))) if domain is None else half_of(name, domain)
    if domain is not None:
        require_guaranteed(name, x, (-half, half))
    if math.isinf(half):  # x is a result in a dry run
        half = 1.0
    shift = name != "abs"
    found = steps_for(name, half, most)
    product = multiply(x, staged(x, found, half, shift))
    return declared(product, half, half * max(found.gap, found.error) * (0.5 if shift else 1))


def relu_of(x: Operand, domain: object = None, error: object = 1e-2) -> EncryptedArray:
    return stated(_ramp("relu", real_array("relu", x), domain, error), positive("error", error, 100))


def absolute_of(x: Operand, domain: object = None, error: object = 1e-2) -> EncryptedArray:
    return stated(_ramp("abs", real_array("abs", x), domain, error), positive("error", error, 100))


def maximum_of(x: Operand, y: Operand, domain: object = None, error: object = 1e-2) -> EncryptedArray:
    """Returns y + max(x - y, 0). domain: an interval that contains x - y."""
    ramp = _ramp("maximum", _difference("maximum", x, y), domain, error)
    return stated(add(ramp, y), positive("error", error, 100))


def minimum_of(x: Operand, y: Operand, domain: object = None, error: object = 1e-2) -> EncryptedArray:
    """Returns x - max(x - y, 0). domain: an interval that contains x - y."""
    ramp = _ramp("minimum", _difference("minimum", x, y), domain, error)
    return stated(subtract(x, ramp), positive("error", error, 100))
