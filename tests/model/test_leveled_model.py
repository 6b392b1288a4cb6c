# SPDX-License-Identifier: Apache-2.0
"""What the library computed under fixed seeds (tests/vectors/leveled_model.json), step by step against big integers.

BFV and BGV agree exactly; CKKS in every coefficient, with the stated rounding of key switches and rescalings.
"""

from __future__ import annotations

import json
from math import prod
from pathlib import Path
from typing import Any

import pytest
from leveled_model import Model, Poly, add, compose, divide, lift, reduce, scale, sub, tensor

from reference_ring import automorphism, centred, multiply

CASES = json.loads((Path(__file__).parents[1] / "vectors" / "leveled_model.json").read_text())
LARGEST_ERROR = 21  # centred binomial, k = 21


class Case:
    """One stored case with its residues composed."""

    def __init__(self, stored: dict[str, Any]) -> None:
        self.stored = stored
        self.scheme, self.n = stored["scheme"], stored["n"]
        self.q, self.p, self.level_limbs = stored["data"], stored["special"], stored["limbs_per_level"]
        self.t = stored.get("t", 1)
        self.factor = self.t if self.scheme == "bgv" else 1
        self.model = Model(self.q, self.p, stored["digit_limbs"], self.factor, stored["secret"])

    def parts(self, name: str) -> list[Poly]:
        return [compose(part, self.q[: len(part)]) for part in self.stored[name]]

    def count(self, name: str) -> int:
        return len(self.stored[name][0])

    def modulus(self, name: str) -> int:
        return prod(self.q[: self.count(name)])

    def rows(self, name: str) -> list[tuple[Poly, Poly]]:
        composed = [compose(part, self.p + self.q) for part in self.stored[name]]
        return list(zip(composed[::2], composed[1::2], strict=True))

    def plain_in_phase(self, level_modulus: int, factor: int = 1) -> Poly:
        """What an encryption adds to its zero."""
        plain = self.stored["plain"]
        if self.scheme == "ckks":
            return lift(compose(plain, self.q), level_modulus)
        if self.scheme == "bfv":
            return [(level_modulus * m - centred(level_modulus * m, self.t)) // self.t for m in plain]
        return [centred(factor * m, self.t) for m in plain]


def name_of(stored: dict[str, Any]) -> str:
    return f"{stored['scheme']}-{stored['digit_limbs']}-{stored['limbs_per_level']}"


@pytest.fixture(params=CASES, ids=name_of)
def case(request: pytest.FixtureRequest) -> Case:
    return Case(request.param)


def assert_small(error: Poly, factor: int, most: int) -> None:
    assert any(error), "an error that is zero hides nothing"
    for e in error:
        assert e % factor == 0
        assert abs(e) <= most * factor


def test_keys_are_samples_of_what_they_carry(case: Case) -> None:
    secret = case.stored["secret"]
    assert set(secret) <= {-1, 0, 1}
    b, a = case.parts("public_key")
    assert_small(lift(add(b, multiply(a, secret)), prod(case.q)), case.factor, LARGEST_ERROR)
    for error in case.model.key_errors(case.rows("relinearization"), multiply(secret, secret), secret):
        assert_small(error, case.factor, LARGEST_ERROR)
    inverse = pow(case.stored["galois"], -1, 2 * case.n)
    for error in case.model.key_errors(case.rows("galois_key"), secret, automorphism(secret, inverse)):
        assert_small(error, case.factor, LARGEST_ERROR)


def test_encryptions_hide_the_plaintext_behind_small_errors(case: Case) -> None:
    whole = case.modulus("a")
    under_secret = lift(sub(case.model.phase(case.parts("a")), case.plain_in_phase(whole)), whole)
    assert_small(under_secret, case.factor, LARGEST_ERROR)
    under_public = lift(sub(case.model.phase(case.parts("b")), case.plain_in_phase(whole)), whole)
    assert_small(under_public, case.factor, LARGEST_ERROR * (1 + 2 * case.n))


def test_products_are_exact(case: Case) -> None:
    a, b, whole = case.parts("a"), case.parts("b"), case.modulus("a")
    if case.scheme == "bfv":
        terms = tensor([lift(x, whole) for x in a], [lift(x, whole) for x in b])
        expected = [reduce(divide(scale(x, case.t), whole, 1), whole) for x in terms]
    else:
        expected = [reduce(x, whole) for x in tensor(a, b)]
    assert case.parts("product") == expected


def test_relinearization_rounds_as_stated(case: Case) -> None:
    product, whole = case.parts("product"), case.modulus("product")
    switched = case.model.switch(product[2], case.rows("relinearization"), case.count("product"))
    assert case.parts("relinearized") == [reduce(add(x, y), whole) for x, y in zip(product[:2], switched, strict=True)]


def test_levels_are_divided_away_to_nearest(case: Case) -> None:
    whole, rest = case.modulus("relinearized"), case.modulus("switched")
    expected = [reduce(divide(x, whole // rest, case.factor), rest) for x in case.parts("relinearized")]
    assert case.count("relinearized") - case.count("switched") == case.level_limbs
    assert case.parts("switched") == expected


def test_rotations_switch_and_then_permute(case: Case) -> None:
    low, whole = case.parts("switched"), case.modulus("switched")
    u0, u1 = case.model.switch(low[1], case.rows("galois_key"), case.count("switched"))
    expected = [reduce(automorphism(x, case.stored["galois"]), whole) for x in (add(u0, low[0]), u1)]
    assert case.parts("rotated") == expected


def test_decryption_reads_the_phase(case: Case) -> None:
    whole = case.modulus("rotated")
    phase = lift(case.model.phase(case.parts("rotated")), whole)
    plain = case.stored["plain"]
    if case.scheme == "ckks":
        stored = case.stored["phase"]
        assert lift(compose(stored, case.q[: len(stored)]), prod(case.q[: len(stored)])) == phase
        return
    if case.scheme == "bfv":
        found = [centred((2 * case.t * x + whole) // (2 * whole), case.t) for x in phase]
    else:
        found = [centred(x * pow(case.stored["factor"], -1, case.t), case.t) for x in phase]
    assert found == case.stored["decrypted"]
    square = automorphism(multiply(plain, plain), case.stored["galois"])
    assert found == [centred(x, case.t) for x in square]


@pytest.mark.parametrize("stored", [c for c in CASES if c["scheme"] == "ckks"], ids=name_of)
def test_rescaling_keeps_the_value_of_ckks(stored: dict[str, Any]) -> None:
    case = Case(stored)
    plain = lift(compose(case.stored["plain"], case.q), prod(case.q))
    dropped = case.modulus("relinearized") // case.modulus("switched")
    expected = automorphism(multiply(plain, plain), case.stored["galois"])
    phase = lift(case.model.phase(case.parts("rotated")), case.modulus("rotated"))
    for found, value in zip(phase, expected, strict=True):
        assert abs(found - value / dropped) < 2**24  # the noise of a public key; a value is about 2^40 at this scale
