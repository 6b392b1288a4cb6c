# SPDX-License-Identifier: Apache-2.0
"""A model in big integers recomputes, step by step, what the library computed under fixed seeds.

The model reads files that the library wrote (tests/vectors/model): keys, encryptions, products, key switches, divisions
by primes and rotations. It must find exactly the same numbers. For CKKS, it also checks that the value after a
rescaling differs little from the exact product.
"""

from __future__ import annotations

import json
from math import prod
from pathlib import Path
from typing import Any

import pytest
from leveled_files import (
    Ciphertext,
    Parameters,
    Polynomial,
    container_of,
    galois_keys_of,
    primes_of_public_key,
    public_key_of,
    relinearization_key_of,
    secret_of,
)
from leveled_model import Model, Poly, add, compose, divide, lift, reduce, scale, sub, tensor

from reference_ring import Prime, automorphism, centred, multiply

MODEL = Path(__file__).parents[1] / "vectors" / "model"
CASES = json.loads((MODEL / "facts.json").read_text())
LARGEST_ERROR = 21  # the largest value of the centred binomial distribution with k = 21
TURN = 5  # x -> x^5 rotates by one slot


class Case:
    """One container of files, with composed residues and with facts that the files do not store."""

    def __init__(self, facts: dict[str, Any]) -> None:
        files = container_of((MODEL / f"{facts['case']}.rfo").read_bytes())
        self.facts, self.given = facts, Parameters.read(files.pop("parameters"), facts["auxiliary"])
        self.scheme, self.n, self.q, self.p = self.given.scheme, self.given.n, self.given.data, self.given.special
        self.level_limbs = self.given.limbs_per_level
        self.primes = {q: Prime(q, self.n) for q in self.q + self.p}
        self.t = self.given.numbers[0] if self.scheme != "ckks" else 1
        self.factor = self.t if self.scheme == "bgv" else 1
        self.secret = secret_of(files.pop("secret"), self.given)
        public = files.pop("public")
        self.public_primes = primes_of_public_key(public, self.given)
        self.public = [self.composed(half, self.public_primes) for half in public_key_of(public, self.given)]
        self.relinearization = self.rows(relinearization_key_of(files.pop("relinearization"), self.given))
        self.galois = {g: self.rows(rows) for g, rows in galois_keys_of(files.pop("galois"), self.given).items()}
        self.ciphertexts = {name: Ciphertext.read(file, self.given) for name, file in files.items()}
        self.model = Model(self.q, self.p, self.given.digit_limbs, self.factor, self.secret)

    def composed(self, evaluations: Polynomial, primes: list[int]) -> Poly:
        limbs = [self.primes[q].interpolate(limb) for q, limb in zip(primes, evaluations, strict=True)]
        return compose(limbs, primes)

    def rows(self, key: list[tuple[Polynomial, Polynomial]]) -> list[tuple[Poly, Poly]]:
        primes = self.p + self.q
        return [(self.composed(b, primes), self.composed(a, primes)) for b, a in key]

    def components(self, name: str) -> list[Poly]:
        return [self.composed(component, self.q[: len(component)]) for component in self.ciphertexts[name].components]

    def count(self, name: str) -> int:
        return len(self.ciphertexts[name].components[0])

    def modulus(self, name: str) -> int:
        return prod(self.q[: self.count(name)])

    def plain(self) -> Poly:
        """Returns the encrypted values. For CKKS, it returns the encoded coefficients."""
        plain = self.facts["plain"]
        return lift(compose(plain, self.q), prod(self.q)) if self.scheme == "ckks" else plain

    def plain_in_phase(self, level_modulus: int) -> Poly:
        """Returns the part of the phase that the plaintext contributes."""
        if self.scheme == "ckks":
            return lift(self.plain(), level_modulus)
        if self.scheme == "bfv":
            return [(level_modulus * m - centred(level_modulus * m, self.t)) // self.t for m in self.plain()]
        return [centred(m, self.t) for m in self.plain()]


def name_of(facts: dict[str, Any]) -> str:
    return facts["case"]


@pytest.fixture(scope="module", params=CASES, ids=name_of)
def case(request: pytest.FixtureRequest) -> Case:
    return Case(request.param)


def assert_small(error: Poly, factor: int, most: int) -> None:
    assert any(error), "a zero error hides nothing"
    for e in error:
        assert e % factor == 0
        assert abs(e) <= most * factor


def test_keys_are_rlwe_samples_of_their_content(case: Case) -> None:
    secret = case.secret
    assert set(secret) <= {-1, 0, 1}
    b, a = case.public
    assert case.public_primes == [case.p[-1], *case.q]
    assert_small(lift(add(b, multiply(a, secret)), prod(case.public_primes)), case.factor, LARGEST_ERROR)
    for error in case.model.key_errors(case.relinearization, multiply(secret, secret), secret):
        assert_small(error, case.factor, LARGEST_ERROR)
    assert set(case.galois) == {TURN, 2 * case.n - 1}
    for g, rows in case.galois.items():
        turned_back = automorphism(secret, pow(g, -1, 2 * case.n))
        for error in case.model.key_errors(rows, secret, turned_back):
            assert_small(error, case.factor, LARGEST_ERROR)


def test_encryptions_hide_the_plaintext_with_small_errors(case: Case) -> None:
    whole = case.modulus("a")
    under_secret = lift(sub(case.model.phase(case.components("a")), case.plain_in_phase(whole)), whole)
    assert_small(under_secret, case.factor, LARGEST_ERROR)
    under_public = lift(sub(case.model.phase(case.components("b")), case.plain_in_phase(whole)), whole)
    # The rounding of both components, and the errors of the products divided by the special prime, which are below 1
    # together. Without the division, the error would be up to 21 (1 + 2 n).
    assert LARGEST_ERROR * (1 + 2 * case.n) < case.p[-1]
    assert_small(under_public, case.factor, (1 + case.n) // 2 + 1)


def test_products_are_exact(case: Case) -> None:
    a, b, whole = case.components("a"), case.components("b"), case.modulus("a")
    if case.scheme == "bfv":
        terms = tensor([lift(x, whole) for x in a], [lift(x, whole) for x in b])
        expected = [reduce(divide(scale(x, case.t), whole, 1), whole) for x in terms]
    else:
        expected = [reduce(x, whole) for x in tensor(a, b)]
    assert case.components("product") == expected


def test_relinearization_rounds_as_stated(case: Case) -> None:
    product, whole = case.components("product"), case.modulus("product")
    switched = case.model.switch(product[2], case.relinearization, case.count("product"))
    assert case.components("relinearized") == [
        reduce(add(x, y), whole) for x, y in zip(product[:2], switched, strict=True)
    ]


def test_removing_a_level_divides_and_rounds_to_nearest(case: Case) -> None:
    whole, rest = case.modulus("relinearized"), case.modulus("switched")
    expected = [reduce(divide(x, whole // rest, case.factor), rest) for x in case.components("relinearized")]
    assert case.count("relinearized") - case.count("switched") == case.level_limbs
    assert case.components("switched") == expected


def test_rotations_switch_and_then_permute(case: Case) -> None:
    low, whole = case.components("switched"), case.modulus("switched")
    u0, u1 = case.model.switch(low[1], case.galois[TURN], case.count("switched"))
    expected = [reduce(automorphism(x, TURN), whole) for x in (add(u0, low[0]), u1)]
    assert case.components("rotated") == expected


def test_decryption_reads_the_phase(case: Case) -> None:
    whole = case.modulus("rotated")
    phase = lift(case.model.phase(case.components("rotated")), whole)
    if case.scheme == "ckks":
        stored = case.facts["phase"]
        assert lift(compose(stored, case.q[: len(stored)]), prod(case.q[: len(stored)])) == phase
        return
    if case.scheme == "bfv":
        found = [centred((2 * case.t * x + whole) // (2 * whole), case.t) for x in phase]
    else:
        found = [centred(x * pow(case.ciphertexts["rotated"].numbers[1], -1, case.t), case.t) for x in phase]
    assert found == case.facts["decrypted"]
    square = automorphism(multiply(case.plain(), case.plain()), TURN)
    assert found == [centred(x, case.t) for x in square]


@pytest.mark.parametrize("case", [c for c in CASES if c["case"].startswith("ckks")], ids=name_of, indirect=True)
def test_rescaling_keeps_the_value_of_ckks(case: Case) -> None:
    dropped = case.modulus("relinearized") // case.modulus("switched")
    expected = automorphism(multiply(case.plain(), case.plain()), TURN)
    phase = lift(case.model.phase(case.components("rotated")), case.modulus("rotated"))
    for found, value in zip(phase, expected, strict=True):
        # The bound covers the noise of a public key. At this scale, a value is about 2^40.
        assert abs(found - value / dropped) < 2**24
