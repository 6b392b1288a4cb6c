# SPDX-License-Identifier: Apache-2.0
"""The canonical embedding of CKKS by its definition, in decimals of 60 digits. Scripts use it for known answers.

The embedding maps a polynomial to its values at complex roots of unity. An encoding is the inverse of the embedding,
with a scale.
"""

import decimal
from decimal import Decimal

decimal.getcontext().prec = 60
decimal.getcontext().rounding = decimal.ROUND_HALF_EVEN


def find_pi():
    """Computes pi by the algorithm of Gauss and Legendre. Each step doubles the number of correct digits."""
    a, b, t, p = Decimal(1), 1 / Decimal(2).sqrt(), Decimal("0.25"), Decimal(1)
    for _ in range(7):
        mean = (a + b) / 2
        b = (a * b).sqrt()
        t -= p * (a - mean) ** 2
        a, p = mean, 2 * p
    return (a + b) ** 2 / (4 * t)


PI = find_pi()


def cos_sin(angle):
    cosine, sine, term, k = Decimal(1), Decimal(0), Decimal(1), 0
    while abs(term) > Decimal(10) ** -58:
        k += 1
        term *= angle / k
        sign = -1 if k % 4 in (2, 3) else 1
        if k % 2:
            sine += sign * term
        else:
            cosine += sign * term
    return cosine, sine


def circle(order):
    """Returns cos and sin of 2 pi k / order for all k. The points are powers of one root, with an error below 1e-50."""
    step = cos_sin(2 * PI / order)
    points = [(Decimal(1), Decimal(0))]
    for _ in range(order - 1):
        x, y = points[-1]
        points.append((x * step[0] - y * step[1], x * step[1] + y * step[0]))
    return points


def encode(values, slots, scale, n):
    """Returns m_k = (scale / s) sum_j Re(z_j conj(zeta^(5^j k))), rounded, for k < 2s, at the index k n / 2s.

    s is the number of slots, z_j is the value number j, and zeta is exp(2 pi i / 4s).
    """
    points = circle(4 * slots)
    out = [0] * n
    for k in range(2 * slots):
        total = Decimal(0)
        for j, (re, im) in enumerate(values):
            x, y = points[pow(5, j, 4 * slots) * k % (4 * slots)]
            total += Decimal(re) * x + Decimal(im) * y
        out[k * (n // (2 * slots))] = int((Decimal(scale) * total / slots).to_integral_value())
    return out
