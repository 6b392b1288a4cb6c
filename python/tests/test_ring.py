# SPDX-License-Identifier: Apache-2.0
"""Tests rf.ring: transforms and products of polynomials modulo x^n + 1 and q. They are compared with vectors of Intel's
library HEXL and with Python's integers. Also tests the errors of rf.ring.
"""

import hashlib
import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ringfort as rf

VECTORS = json.loads((Path(__file__).resolve().parents[2] / "tests/vectors/ntt_hexl.json").read_text())["cases"]
CASES = [pytest.param(case, id=f"n{case['N']}-q{case['bits']}") for case in VECTORS]
M64 = 2**64 - 1


def splitmix64(x: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def vector_inputs(case):
    index = np.arange(case["N"], dtype=np.uint64)
    return splitmix64(index) % np.uint64(case["q"]), splitmix64(index + np.uint64(2**32)) % np.uint64(case["q"])


def sha(a):
    return hashlib.sha256(np.ascontiguousarray(a, "<u8").tobytes()).hexdigest()


def bit_reverse(j, n):
    return int(format(j, f"0{n.bit_length() - 1}b")[::-1], 2) if n > 1 else 0


def evaluate(a, x, q):
    total = 0
    for c in reversed(a):
        total = (total * x + c) % q
    return total


def schoolbook(a, b, q):
    n = len(a)
    out = [0] * n
    for i in range(n):
        for j in range(n):
            k = i + j
            out[k % n] = (out[k % n] + (a[i] * b[j] if k < n else -a[i] * b[j])) % q
    return out


def to_words(values, wide):
    if not wide:
        return np.array(values, np.uint64)
    return np.array([[v & M64, v >> 64] for v in values], np.uint64)


def to_ints(words, wide):
    return [int(w[0]) | int(w[1]) << 64 for w in words] if wide else [int(w) for w in words]


@pytest.mark.parametrize("case", CASES)
def test_transform_and_product_equal_the_stored_vectors(case):
    ntt = rf.ring.Ntt(case["N"], case["q"])
    a, b = vector_inputs(case)
    assert ntt.psi == case["psi"]
    forward = ntt.forward(a)
    assert (sha(forward), forward[:4].tolist(), int(forward[-1])) == (
        case["forward_sha256"],
        case["forward_head"],
        case["forward_last"],
    )
    assert np.array_equal(ntt.inverse(forward), a)
    product = ntt.multiply(a, b)
    assert (sha(product), product[:4].tolist()) == (case["product_sha256"], case["product_head"])


@pytest.mark.parametrize("case", [c for c in CASES if c.values[0]["bits"] < 32 and c.values[0]["N"] <= 8192])
def test_results_in_32_bit_words_equal_those_in_64_bit_words(case):
    ntt = rf.ring.Ntt(case["N"], case["q"])
    a, b = (x.astype(np.uint32) for x in vector_inputs(case))
    assert sha(ntt.forward(a)) == case["forward_sha256"]
    product = ntt.multiply(a, b)
    assert product.dtype == np.uint32
    assert sha(product) == case["product_sha256"]
    assert np.array_equal(ntt.inverse(ntt.forward(a)), a)


@pytest.mark.parametrize("case", [c for c in CASES if c.values[0]["N"] in (16, 2048)])
def test_results_in_128_bit_words_equal_those_in_64_bit_words(case):
    ntt = rf.ring.Ntt(case["N"], case["q"], wide=True)
    a, b = (np.stack([x, np.zeros_like(x)], axis=-1) for x in vector_inputs(case))
    forward = ntt.forward(a)
    assert not forward[:, 1].any()
    assert sha(forward[:, 0]) == case["forward_sha256"]
    assert sha(ntt.multiply(a, b)[:, 0]) == case["product_sha256"]


@pytest.mark.parametrize("case", CASES[::10])
def test_primes_are_the_vectors_primes(case):
    wanted = [q for q in [case["q"], *case["next_primes"]] if q]
    assert rf.ring.primes(case["bits"], case["N"], len(wanted)) == wanted


@pytest.mark.parametrize("bits", [28, 31, 50, 62, 64, 100, 127])
@pytest.mark.parametrize("n", [2, 4, 64])
def test_evaluations_are_the_polynomial_at_bit_reversed_powers_of_the_minimal_root(bits, n):
    q = rf.ring.primes(bits, n, 1)[0]
    ntt = rf.ring.Ntt(n, q)
    assert ntt.wide == (q >= 2**62)
    assert pow(ntt.psi, n, q) == q - 1
    assert ntt.psi == min(pow(ntt.psi, k, q) for k in range(1, 2 * n, 2))
    rng = random.Random(bits * n)
    a = [rng.randrange(q) for _ in range(n)]
    got = to_ints(ntt.forward(to_words(a, ntt.wide)), ntt.wide)
    assert got == [evaluate(a, pow(ntt.psi, 2 * bit_reverse(j, n) + 1, q), q) for j in range(n)]


@st.composite
def ring_and_elements(draw):
    n = 2 ** draw(st.integers(1, 5))
    q = draw(st.sampled_from(rf.ring.primes(draw(st.sampled_from([17, 20, 30, 31, 50, 61, 62, 63, 90, 127])), n, 2)))
    edge = st.sampled_from([0, 1, q // 2, q - 1])
    element = st.lists(st.integers(0, q - 1) | edge, min_size=n, max_size=n)
    return n, q, draw(element), draw(element), draw(st.integers(0, q - 1))


@settings(max_examples=120, deadline=None)
@given(ring_and_elements())
def test_product_is_schoolbook_and_transform_is_linear_and_invertible(case):
    n, q, a, b, c = case
    ntt = rf.ring.Ntt(n, q)
    words_a, words_b = to_words(a, ntt.wide), to_words(b, ntt.wide)
    assert to_ints(ntt.multiply(words_a, words_b), ntt.wide) == schoolbook(a, b, q)
    assert np.array_equal(ntt.inverse(ntt.forward(words_a)), words_a)
    combined = to_words([(x + c * y) % q for x, y in zip(a, b)], ntt.wide)
    coefficients = [to_ints(ntt.forward(w), ntt.wide) for w in (combined, words_a, words_b)]
    assert coefficients[0] == [(x + c * y) % q for x, y in zip(*coefficients[1:])]


Q = rf.ring.primes(50, 64, 1)[0]
RING = rf.ring.Ntt(64, Q)
RNG = np.random.default_rng(1)


def elements(*shape):
    return RNG.integers(0, Q, (*shape, 64), np.uint64)


@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3, 2), (0,), (2, 0)])
def test_any_leading_shape_is_transformed_row_by_row(shape):
    a = elements(*shape)
    got = RING.forward(a)
    assert (got.shape, got.dtype) == (a.shape, a.dtype)
    for row, wanted in zip(got.reshape(-1, 64), a.reshape(-1, 64)):
        assert np.array_equal(row, RING.forward(wanted))


@pytest.mark.parametrize(("left", "right"), [((3,), ()), ((), (3,)), ((2, 1), (4,)), ((2, 1, 3), (5, 1))])
def test_products_broadcast_their_leading_shapes(left, right):
    a, b = elements(*left), elements(*right)
    got = RING.multiply(a, b)
    wide_a, wide_b = np.broadcast_arrays(a, b)
    assert got.shape == wide_a.shape
    assert np.array_equal(
        got.reshape(-1, 64), [RING.multiply(x, y) for x, y in zip(wide_a.reshape(-1, 64), wide_b.reshape(-1, 64))]
    )


def test_input_that_is_not_contiguous_or_not_aligned_works_and_stays_as_it_was():
    whole = elements(4, 6)
    for a in (whole[::2, ::-1], whole.transpose(1, 0, 2), whole[:, 0, ::-1], np.asfortranarray(whole)):
        before = a.copy()
        assert np.array_equal(RING.forward(a), RING.forward(before))
        assert np.array_equal(a, before)
    q = rf.ring.primes(100, 4, 1)[0]
    wide = rf.ring.Ntt(4, q)
    a = np.arange(9, dtype=np.uint64)[1:].reshape(4, 2)
    assert np.array_equal(wide.inverse(wide.forward(a)), a)


def test_results_of_several_threads_are_identical():
    a, b = elements(9), elements(9)
    for threads in (2, 7):
        assert np.array_equal(RING.multiply(a, b, threads=threads), RING.multiply(a, b))
        assert np.array_equal(RING.forward(a, threads=threads), RING.forward(a))


@pytest.mark.parametrize("at", [0, 63, 64, 127])
@pytest.mark.parametrize("verb", ["forward", "inverse", "multiply", "multiplied"])
@pytest.mark.parametrize("value", [Q, M64])
def test_a_value_of_q_or_more_is_refused_at_every_position(at, verb, value):
    a = elements(2)
    a.reshape(-1)[at] = value
    with pytest.raises(rf.InvalidArgument) as raised:
        if verb == "multiply":
            RING.multiply(a, elements(2))
        elif verb == "multiplied":
            RING.multiply(elements(2), a)
        else:
            getattr(RING, verb)(a)
    assert isinstance(raised.value, ValueError)
    assert raised.value.fix


def test_masked_values_are_refused():
    transform = rf.ring.Ntt(8, rf.ring.primes(30, 8, 1)[0])
    hidden = np.ma.array(np.arange(8, dtype=np.uint64), mask=[0, 1, 0, 0, 0, 0, 0, 0])
    for work in (transform.forward, transform.inverse, lambda a: transform.multiply(a, a)):
        with pytest.raises(rf.InvalidArgument, match="masked values"):
            work(hidden)


def test_128_bit_value_of_q_or_more_is_refused():
    q = rf.ring.primes(100, 4, 1)[0]
    ntt = rf.ring.Ntt(4, q)
    for bad in (q, q + 1, 2**128 - 1):
        with pytest.raises(rf.InvalidArgument):
            ntt.forward(to_words([0, 0, 0, bad], True))


REFUSED = {
    "signed": lambda: RING.forward(np.zeros(64, np.int64)),
    "float": lambda: RING.forward(np.zeros(64)),
    "16 bits": lambda: RING.forward(np.zeros(64, np.uint16)),
    "bool": lambda: RING.forward(np.zeros(64, bool)),
    "objects": lambda: RING.forward(np.zeros(64, object)),
    "a list of ints": lambda: RING.forward([0] * 64),
    "uint32 for a large q": lambda: RING.forward(np.zeros(64, np.uint32)),
    "mixed words": lambda: rf.ring.Ntt(4, 17).multiply(np.zeros(4, np.uint32), np.zeros(4, np.uint64)),
    "last axis": lambda: RING.forward(np.zeros((64, 32), np.uint64)),
    "no axis": lambda: RING.forward(np.uint64(1)),
    "product shapes": lambda: RING.multiply(elements(2), elements(3)),
    "wide without the word axis": lambda: rf.ring.Ntt(4, 17, wide=True).forward(np.zeros(4, np.uint64)),
    "word axis without wide": lambda: RING.forward(np.zeros((64, 2), np.uint64)),
    "no thread": lambda: RING.forward(elements(), threads=0),
    "composite q": lambda: rf.ring.Ntt(64, 129 * 257),
    "composite q that is 1 mod 2n": lambda: rf.ring.Ntt(4, 17 * 41),
    "q != 1 mod 2n": lambda: rf.ring.Ntt(64, 97),
    "q = 0": lambda: rf.ring.Ntt(64, 0),
    "q = 1": lambda: rf.ring.Ntt(64, 1),
    "q = 2": lambda: rf.ring.Ntt(64, 2),
    "q < 0": lambda: rf.ring.Ntt(64, -17),
    "q of 128 bits": lambda: rf.ring.Ntt(4, 2**128),
    "q not whole": lambda: rf.ring.Ntt(4, 17.0),
    "narrow words for a wide q": lambda: rf.ring.Ntt(4, rf.ring.primes(100, 4, 1)[0], wide=False),
    "n = 0": lambda: rf.ring.Ntt(0, 17),
    "n = 1": lambda: rf.ring.Ntt(1, 17),
    "n = 48": lambda: rf.ring.Ntt(48, Q),
    "n < 0": lambda: rf.ring.Ntt(-64, Q),
    "n = 2^40": lambda: rf.ring.Ntt(2**40, Q),
    "primes for n = 48": lambda: rf.ring.primes(50, 48, 1),
    "primes of 1 bit": lambda: rf.ring.primes(1, 2, 1),
    "primes of 129 bits": lambda: rf.ring.primes(129, 2, 1),
    "a negative count": lambda: rf.ring.primes(50, 64, -1),
}


@pytest.mark.parametrize("name", REFUSED)
def test_invalid_ring_arguments_raise_invalid_argument(name):
    with pytest.raises(rf.InvalidArgument) as raised:
        REFUSED[name]()
    assert raised.value.code == "invalid_argument"
    assert raised.value.fix


def test_a_ring_larger_than_the_plan_is_refused():
    with pytest.raises(rf.Error) as raised:
        rf.ring.Ntt(2**18, rf.ring.primes(50, 2**18, 1)[0])
    assert raised.value.code in ("unsupported", "invalid_argument")


def test_modulus_of_128_bits_is_refused():
    with pytest.raises(rf.Error) as raised:
        rf.ring.Ntt(4, rf.ring.primes(128, 4, 1)[0])
    assert raised.value.code in ("unsupported", "invalid_argument")


def test_too_few_primes_raise_unsupported():
    with pytest.raises(rf.Unsupported):
        rf.ring.primes(20, 131072, 100)


@pytest.mark.parametrize("device", ["gpu", "cpu:mmx", "cuda:99"])
def test_unknown_device_is_a_coded_error(device):
    with pytest.raises(rf.DeviceUnknown) as raised:
        rf.ring.Ntt(64, Q, device=device)
    assert raised.value.fix


@pytest.mark.parametrize("device", [d.name for d in rf.devices()])
def test_results_on_every_device_are_identical(device):
    a, b = elements(3), elements(3)
    ntt = rf.ring.Ntt(64, Q, device=device)
    assert np.array_equal(ntt.forward(a), RING.forward(a))
    assert np.array_equal(ntt.multiply(a, b), RING.multiply(a, b))


def test_advice_on_a_wrong_length_names_only_degrees_that_exist():
    for length, told in ((128, "make an Ntt with n = 128"), (63, "reshape it$")):
        with pytest.raises(rf.InvalidArgument, match=told):
            RING.forward(np.ones(length, np.uint64))
