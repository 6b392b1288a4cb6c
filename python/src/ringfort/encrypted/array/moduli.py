# SPDX-License-Identifier: Apache-2.0
"""Chooses the plaintext prime for integers from their range and depth, so that no guaranteed result wraps around.

Integers up to m in absolute value reach at most m^(2^depth) after ``depth`` successive products, in any order; four
such results may be added. A prime t distinguishes integers up to (t - 1) / 2 in absolute value.
"""

from __future__ import annotations

from ...errors import Unsupported

__all__ = ["Interval", "following", "prime_above"]

Interval = tuple[int, int]
"""(low, high), both included."""

_SMALL = 65537  # 1 mod 2n up to n = 32768: such rings have slots modulo this prime
_EVERY_RING = 2**18  # rings up to n = 131072 have slots modulo primes that are 1 mod this number
_SUMS = 4
_LIMIT = 2**50  # the schemes' limit
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def prime_above(least: int) -> int | None:
    """Returns the smallest prime t >= least with slots in every ring; None if it exceeds the limit."""
    for t in range((max(least, 2) - 2) // _EVERY_RING * _EVERY_RING + 1, _LIMIT, _EVERY_RING):
        if t >= least and _is_prime(t):
            return t
    return None


def following(interval: Interval, depth: int) -> list[int]:
    """Returns primes that are large enough for all guaranteed results, in the order to try. Errors: Unsupported."""
    found = _primes(interval, depth)
    if found:
        return found
    m, lower = _most(interval), next((d for d in range(min(depth, 50) - 1, -1, -1) if _primes(interval, d)), None)
    ways = [] if lower is None else [f"depth={lower}"]
    if narrower := _widest(depth):
        ways.append(f"a range within -{narrower} .. {narrower}")
    raise Unsupported(
        f"integers up to {m} may reach {m}^(2^{depth}) at depth {depth}, sums of four results 4 times that: more than "
        f"moduli below 2^{_LIMIT.bit_length() - 1} distinguish",
        f"take {' or '.join(ways)}; or modular=True, and check yourself which results may exceed the modulus",
    )


def _widest(depth: int) -> int:
    """Returns the largest m for which -m .. m fits; 0 if no m fits."""
    fits, above = 0, int((_LIMIT / 8) ** 0.5 ** min(depth, 9)) + 1
    while above - fits > 1:
        m = (fits + above) // 2
        fits, above = (m, above) if _primes((-m, m), depth) else (fits, m)
    return fits


def _most(interval: Interval) -> int:
    return max(1, -interval[0], interval[1])


def _primes(interval: Interval, depth: int) -> list[int]:
    result = _most(interval)
    for _ in range(depth):
        result *= result
        if result == 1 or result > _LIMIT:
            break
    first = prime_above(least := 2 * _SUMS * result + 1)
    if first is None:
        return []
    second = prime_above(first + 1)  # used if the first is a prime of the chain
    return [_SMALL] * (least <= _SMALL) + [t for t in (first, second) if t is not None and t != _SMALL]


def _is_prime(t: int) -> bool:
    """Tests by Miller-Rabin with the first twelve primes as bases; exact below 3.3 * 10^24 [SorensonWebster17]."""
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
