# SPDX-License-Identifier: Apache-2.0
"""Computes the costs of the primal attacks on learning with errors (LWE) in log2, in models of lattice reduction.

The encryption is secure if nobody can find the secret s from linear equations modulo q with small errors e. A primal
attack embeds s and e into a lattice, as the short vector (xi s, e, tau), with xi = sigma_e / sigma_s and tau = sigma_e
(sigma is a standard deviation). Lattice reduction with blocks of size beta gives a basis with shorter vectors; larger
blocks give shorter vectors and take more time. The Gram-Schmidt norms (lengths of the vectors' parts that are
orthogonal to the earlier vectors) of this basis fall geometrically, and the root Hermite factor gives their ratio
[Chen13]. The attack uSVP finds the embedded vector if the vector's projection on the last block is shorter than the
basis vector there [Alkim16] [Albrecht17]. The attack BDD reduces with smaller blocks, and then searches once for short
vectors in a last block of size eta. A model gives the cost of a reduction of d vectors with blocks of size beta, from
the cost of one search in a block and the number of searches:
  MATZOV       gates of a sieve by list decoding, after dimensions for free [Matzov22]; classical. Reduction is
               progressive: with C = 1 / (1 - 2^-0.292), it takes C^2 searches in each of the d - beta blocks
  LaaMosPol14  2^(0.265 beta + 16.4), 8 d searches [LaarhovenMoscaPol15]; quantum, memory read in superposition
  ADPS16       2^(0.292 beta), quantum 2^(0.265 beta) [Alkim16]; only one search, so less than the cost of any attack
The file has no dual attacks and no hybrid attacks. For dense ternary secrets, these attacks cost more than uSVP and
BDD, or at most one bit less.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

_PROGRESSIVE = 1 / (1 - 2**-0.292)
_LEAST, _MOST = 40, 1800


@dataclass(frozen=True)
class Instance:
    """An LWE instance: n unknowns modulo 2^log2_q, the standard deviations of the secret and of the error, and the
    largest number of samples."""

    n: int
    log2_q: float
    secret: float
    error: float
    samples: float = math.inf


@dataclass(frozen=True)
class Cost:
    bits: float
    beta: int
    d: int
    eta: int = 0


def log_hermite(beta: int) -> float:
    """Returns the natural logarithm of the root Hermite factor for blocks of size beta."""
    return math.log(beta / (2 * math.pi * math.e) * (math.pi * beta) ** (1 / beta)) / (2 * (beta - 1))


def free_dimensions(beta: int) -> float:
    return max(0.0, beta * math.log(4 / 3) / math.log(beta / (2 * math.pi * math.e)))


def matzov(beta: int, d: int) -> float:
    search = 0.29613500308205365 * (beta - free_dimensions(beta)) + 20.387885985467914
    return search + 2 * math.log2(_PROGRESSIVE) + math.log2(max(d - beta, 1))


def laa_mos_pol(beta: int, d: int) -> float:
    return 0.265 * beta + 16.4 + math.log2(8 * d)


def core_classical(beta: int, d: int) -> float:
    return 0.292 * beta


def core_quantum(beta: int, d: int) -> float:
    return 0.265 * beta


Model = Callable[[int, int], float]
MODELS: dict[str, Model] = {
    "MATZOV": matzov,
    "LaaMosPol14": laa_mos_pol,
    "ADPS16 classical": core_classical,
    "ADPS16 quantum": core_quantum,
}


def _log_volume(x: Instance, d: int) -> float:
    ratio = max(1.0, x.error / x.secret)
    return x.log2_q * math.log(2) * (d - x.n - 1) + x.n * math.log(ratio) + math.log(x.error)


def _most_dimensions(x: Instance) -> int:
    return int(min(x.n + x.samples + 1, 12 * x.n))


def usvp(x: Instance, model: Model) -> Cost:
    """Returns the cost with the smallest blocks that find the secret, in the smallest lattice for these blocks."""

    def found(beta: int, d: int) -> bool:
        left = math.log(x.error) + math.log(beta) / 2
        return left <= log_hermite(beta) * (2 * beta - d - 1) + _log_volume(x, d) / d

    def smallest(beta: int) -> int | None:
        """Returns the smallest d for beta, or None if there is none. The condition is a quadratic inequality in d. It
        holds between two roots, which are below and above the best d."""
        best = min(_most_dimensions(x), max(x.n + 2, round(math.sqrt(_peak(x) / log_hermite(beta)))))
        if not found(beta, best):
            return None
        low, high = max(beta, x.n + 2), best
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if found(beta, middle) else (middle + 1, high)
        return low

    low, high = _LEAST, _MOST
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if smallest(middle) is not None else (middle + 1, high)
    d = smallest(low)
    assert d is not None, "no block is large enough"
    return Cost(model(low, d), low, d)


def _peak(x: Instance) -> float:
    """Returns d^2 times log_hermite for the best d. Lattices of more dimensions do not help. The formula comes from the
    derivative of log_volume(d) / d."""
    ratio = max(1.0, x.error / x.secret)
    return x.log2_q * math.log(2) * (x.n + 1) - x.n * math.log(ratio) - math.log(x.error)


@lru_cache(maxsize=1 << 16)
def _ball(k: int) -> float:
    """Returns the natural logarithm of the volume of the unit ball in k dimensions."""
    return k / 2 * math.log(math.pi) - math.lgamma(k / 2 + 1)


def _last_block(x: Instance, beta: int, d: int) -> int:
    """Returns the smallest eta for which the projected error is a shortest vector of the last block, by the Gaussian
    heuristic."""
    slope, mean = log_hermite(beta), _log_volume(x, d) / d

    def holds(k: int) -> bool:
        # The volume of the last k vectors, whose logarithmic lengths are mean + slope (d - 1 - 2 i).
        log_volume = k * (mean - slope * (d - k))
        return (log_volume - _ball(k)) / k >= math.log(x.error) + math.log(k) / 2

    low, high = 2, d
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def bdd(x: Instance, model: Model) -> Cost:
    """Returns the least cost of a reduction and a search. Tries lattices of several dimensions, and blocks that are at
    most 40 smaller than those of ``usvp``."""
    first = usvp(x, model)

    def cost(beta: int, d: int) -> Cost:
        eta = _last_block(x, beta, d)
        reduction, search = model(beta, d), model(eta, eta)
        return Cost(max(reduction, search) + math.log2(1 + 2 ** -abs(reduction - search)), beta, d, eta)

    def best(beta: int) -> Cost:
        """Searches for the best d with steps that are halved. This is possible because the cost has one minimum."""
        found, step = cost(beta, first.d), max(1, first.d // 8)
        while step:
            near = [found.d + step, max(beta + x.n // 8, found.d - step)]
            nearer = min((cost(beta, min(d, _most_dimensions(x))) for d in near), key=lambda c: c.bits)
            if nearer.bits < found.bits:
                found = nearer
            else:
                step //= 2
        return found

    return min((best(beta) for beta in range(max(_LEAST, first.beta - 40), first.beta + 1)), key=lambda c: c.bits)
