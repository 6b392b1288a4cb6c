# SPDX-License-Identifier: Apache-2.0
"""Chooses the plaintext modulus for integers from their range and the depth of the context. With this modulus, no
result that the context guarantees wraps around.

A context guarantees the results of ``depth`` successive products, in any order, and the sum of four such results. If
the inputs are at most m in absolute value, the result of ``depth`` products is at most m^(2^depth).

The modulus t is a prime, or the product of several primes (encrypted/residues). Modulo t, integers up to (t - 1) / 2 in
absolute value are distinct. The ciphertexts of a ring of degree n (polynomials of n coefficients) have slots (places
for separate integers) only if each of these primes is 1 mod 2n.
"""

from __future__ import annotations

import math

from ...errors import Unsupported
from ..residues.parameters import MOST_MODULI

__all__ = ["Interval", "following", "prime_above", "reaching", "several"]

Interval = tuple[int, int]
"""(low, high), both included."""

_SMALL = 65537  # 1 mod 2n for n <= 32768: rings up to this degree have slots modulo this prime
_EVERY_RING = 2**18  # modulo a prime that is 1 mod this number, rings up to n = 131072 have slots
_SUMS = 4  # number of results whose sum is guaranteed
_LIMIT = 2**50  # plaintext primes are below this limit, in every scheme
_SPARE = 2**32  # more than 8 primes from _LIMIT - _SPARE to _LIMIT are 1 mod 2^18
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def prime_above(least: int) -> int | None:
    """Returns the smallest prime that is at least ``least`` and 1 mod 2^18. Modulo such a prime, every ring has slots.
    Returns None if this prime exceeds the limit."""
    for t in range((max(least, 2) - 2) // _EVERY_RING * _EVERY_RING + 1, _LIMIT, _EVERY_RING):
        if t >= least and _is_prime(t):
            return t
    return None


def several(least: int, count: int, skipped: int = 0) -> tuple[int, ...] | None:
    """Returns ``count`` successive primes that are 1 mod 2^18. Each of them is at least r, the smallest integer with
    r^count >= ``least``. Therefore their product is at least ``least``. Leaves out the first ``skipped`` such primes
    from r on. Returns None if a prime exceeds the limit."""
    t, found = _root(least, count) - 1, []
    for _ in range(count + skipped):
        following_prime = prime_above(t + 1)
        if following_prime is None:
            return None
        t = following_prime
        found.append(t)
    return tuple(found[skipped:])


def reaching(least: int) -> int | tuple[int, ...] | None:
    """Returns one prime >= least. If there is no such prime below the limit, returns the fewest primes whose product is
    >= least. Returns None if more than MOST_MODULI primes would be needed."""
    one = prime_above(least)
    if one is not None:
        return one
    ways = (several(least, count) for count in range(2, MOST_MODULI + 1))
    return next((way for way in ways if way is not None), None)


def _root(least: int, count: int) -> int:
    """Returns the smallest integer r with r**count >= least."""
    below, root = 0, 1 << least.bit_length() // count + 1
    while root - below > 1:
        middle = (below + root) // 2
        below, root = (below, middle) if middle**count >= least else (middle, root)
    return root


def following(interval: Interval, depth: int) -> list[list[tuple[int, ...]]]:
    """Returns moduli to try, for inputs in ``interval`` and this depth. A modulus is a tuple of primes. The moduli are
    in groups. A caller tries the moduli of a group in their order until one works. If a single prime suffices, there is
    one group, and each of its moduli is one prime. If not, all moduli of a group have the same number of primes. The
    first group has the smallest number that suffices, and each further group has one prime more. The caller compares
    the results of the groups.

    Errors: Unsupported.
    """
    found = _moduli(interval, depth)
    if found:
        return found
    m, widest = _most(interval), _widest(depth)
    lower = next((d for d in range(min(depth, 50) - 1, -1, -1) if _fits(_needed(m, d))), None)
    ways = [] if lower is None else [f"depth={lower}"]
    if widest:
        ways.append(f"a range within -{_shown(widest)} .. {_shown(widest)}")
    reach = f"{_shown(m)}^(2^{depth}) at depth {depth}, and a sum of four results may reach 4 times that"
    raise Unsupported(
        f"with integers up to {_shown(m)}, a result may reach {reach}: {MOST_MODULI} moduli below "
        f"2^{_LIMIT.bit_length() - 1} cannot distinguish so many integers",
        f"take {' or '.join(ways)}; or modular=True, and check yourself which results may exceed the modulus",
    )


def _widest(depth: int) -> int:
    """Returns the largest m for which there is a modulus for inputs in -m .. m. Returns 0 if there is no such m."""
    fits, above = 0, _LIMIT**MOST_MODULI
    while above - fits > 1:
        m = (fits + above) // 2
        fits, above = (m, above) if _fits(_needed(m, depth)) else (fits, m)
    return fits


def _shown(m: int) -> str:
    """Returns a number as text. If it is 2^64 or larger, the text is the largest power of two that does not exceed
    it."""
    return str(m) if m < 2**64 else f"2^{m.bit_length() - 1}"


def _most(interval: Interval) -> int:
    return max(1, -interval[0], interval[1])


def _needed(m: int, depth: int) -> int:
    """Returns the smallest modulus for which all results are distinct. If it exceeds every limit, returns a lower bound
    on it."""
    result = m
    for _ in range(depth):
        result *= result
        if result == 1 or result > _LIMIT**MOST_MODULI:
            break
    return 2 * _SUMS * result + 1


def _fits(least: int) -> bool:
    """Tells whether a context can have primes whose product is at least ``least``. If ``least`` is only slightly below
    the largest such product, the answer may be no although such primes exist."""
    return _root(least, MOST_MODULI) < _LIMIT - _SPARE


def _moduli(interval: Interval, depth: int) -> list[list[tuple[int, ...]]]:
    least = _needed(_most(interval), depth)
    if (first := prime_above(least)) is not None:
        second = prime_above(first + 1)  # for the case that the first is a prime of the ciphertexts
        primes = [_SMALL] * (least <= _SMALL) + [t for t in (first, second) if t is not None and t != _SMALL]
        return [[(t,) for t in primes]]
    fewest = math.ceil(least.bit_length() / _LIMIT.bit_length())
    groups = ([several(least, count, skipped) for skipped in (0, count)] for count in range(fewest, MOST_MODULI + 1))
    found = ([way for way in group if way is not None] for group in groups)
    return [group for group in found if group]


def _is_prime(t: int) -> bool:
    """Tells whether a number is prime. This is the test of Miller and Rabin with the first twelve primes as bases. It
    is exact below 3.3 * 10^24 [SorensonWebster17]."""
    if t < 2 or any(t % base == 0 for base in _BASES):
        return t in _BASES
    twos = (t - 1 & 1 - t).bit_length() - 1
    return all(_passes(t, pow(base, t - 1 >> twos, t), twos) for base in _BASES)


def _passes(t: int, x: int, twos: int) -> bool:
    if x in (1, t - 1):
        return True
    for _ in range(twos - 1):
        x = x * x % t
        if x == t - 1:
            return True
    return False
