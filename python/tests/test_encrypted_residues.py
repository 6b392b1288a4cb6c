# SPDX-License-Identifier: Apache-2.0
"""Tests integers that exceed one plaintext modulus. They are encrypted modulo several primes. The results of random
programs must equal those of Python's integers. Bounds and facts must include all moduli.
"""

import os
import pickle
from ast import literal_eval
from math import prod

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors
from ringfort.encrypted.array import moduli
from ringfort.encrypted.residues.numbers import Numbers

SMALL = {"n": 1024, "insecure": "a test of residues"}
WIDE = (2, (-(2**20), 2**20))
PROMISES = [
    (1, (-(2**40), 2**40)),
    (1, (2**62 - 9, 2**62)),
    (1, (-(2**90), 3)),
    WIDE,
    (2, (0, 2**21)),
    (3, (-1000, 999)),
    (3, (-2000, -1000)),
    (0, (-(2**100), 2**100)),
]
PROGRAMS = 20000 if os.environ.get("RINGFORT_COUNTS") == "full" else 320
STEPS = 4
REFUSALS = (errors.RangeExceeded, errors.DepthExhausted, errors.NoiseBoundExceeded)
PARTIES = {}


def party(promise, **options):
    """Returns a context and keys for a depth and a range. Makes them only once."""
    wanted = (promise, *options.items())
    if wanted not in PARTIES:
        depth, interval = promise
        ctx = rf.Context("int", depth=depth, range=interval, **{**SMALL, **options})
        PARTIES[wanted] = ctx, ctx.keygen()
    return PARTIES[wanted]


def integers(rng, shape, low, high):
    """Returns Python's integers in low .. high. Both ends are among them."""
    span = high - low + 1
    flat = [low + int.from_bytes(rng.bytes(len(bin(span)) // 8 + 9), "little") % span for _ in range(prod(shape))]
    flat[:2] = [low, high][: len(flat)]
    return np.array(flat, object).reshape(shape)


def small(x, most=3):
    """Returns plain numbers in the shape of x. Some are negative."""
    return (np.arange(x.size).reshape(x.shape) * 7 + 1) % (2 * most + 1) - most


def exact(*values):
    return np.array(values, object)


def pythons(values):
    """Converts the values to Python's integers. np.pad leaves NumPy's integers in an array of objects, and these wrap
    around."""
    return exact(*(int(value) for value in np.asarray(values, object).flat)).reshape(np.shape(values))


def matrices(x):
    return x.ndim == 2


def always(x):
    return True


UNARY = {
    "negate": (always, lambda x: -x),
    "add a number": (always, lambda x: x + 12345),
    "subtract from a long number": (always, lambda x: 2**70 - x),
    "add long values": (always, lambda x: x + small(x).astype(object) * 2**66),
    "subtract values": (always, lambda x: x - small(x, 9)),
    "multiply by a number": (always, lambda x: x * -3),
    "multiply by a long number": (always, lambda x: (2**64 + 1) * x),
    "multiply by values": (always, lambda x: x * small(x)),
    "multiply by zero": (always, lambda x: x * 0),
    "square": (always, lambda x: x**2),
    "cube": (always, lambda x: x**3),
    "sum": (always, lambda x: x.sum()),
    "sum of rows": (matrices, lambda x: x.sum(axis=0)),
    "sum of columns": (matrices, lambda x: x.sum(axis=1)),
    "roll": (always, lambda x: np.roll(x, 3)),
    "transpose": (matrices, lambda x: x.T),
    "reshape": (always, lambda x: x.reshape(-1)),
    "a mask": (always, lambda x: np.where(small(x) > 0, x, 17)),
    "a mask of two": (always, lambda x: np.where(small(x) > 0, x, 2 * x)),
    "rows": (matrices, lambda x: x[::-1]),
    "@ a matrix": (matrices, lambda x: x @ ((np.arange(x.shape[1] * 3).reshape(-1, 3) % 5) - 2)),
    "a matrix @": (matrices, lambda x: np.eye(2, x.shape[0], dtype=int) @ x),
    "join plain values": (lambda x: x.ndim == 1, lambda x: np.concatenate([x, [-5, 2**65]])),
    "pad": (lambda x: x.ndim == 1, lambda x: np.pad(x, 1, constant_values=-7)),
    "running sums": (lambda x: x.ndim == 1, lambda x: np.cumsum(x)),
    "differences": (lambda x: x.ndim == 1 and x.size > 1, lambda x: np.diff(x)),
    "polynomial": (always, lambda x: np.polyval(np.array([2, 0, -1], object), x)),
}
BINARY = {
    "add": (lambda x, y: x.shape == y.shape, lambda x, y: x + y),
    "subtract": (lambda x, y: x.shape == y.shape, lambda x, y: x - y),
    "multiply": (lambda x, y: x.shape == y.shape, lambda x, y: x * y),
    "broadcast a number": (lambda x, y: y.ndim == 0, lambda x, y: x + y),
    "x @ y": (lambda x, y: x.ndim == y.ndim == 2 and x.shape[1] == y.shape[0], lambda x, y: x @ y),
    "join": (lambda x, y: x.ndim == y.ndim == 1, lambda x, y: np.concatenate([x, y])),
    "stack": (lambda x, y: x.ndim == 1 and x.shape == y.shape, lambda x, y: np.stack([x, y])),
}


def step_of(rng, clear):
    """Returns a random step of a program: its name, its function, and the indices of its operands."""
    while True:
        table = UNARY if rng.random() < 0.6 else BINARY
        name = list(table)[rng.integers(len(table))]
        which = [int(i) for i in rng.integers(len(clear), size=1 if table is UNARY else 2)]
        applies, step = table[name]
        if applies(*(clear[i] for i in which)):
            return name, step, which


def require_equal(x, values, keys, names):
    found, (low, high) = x.decrypt(keys), x._interval
    assert found.dtype == x.dtype, names
    assert (x.dtype == object) == (low < -(2**63) or high >= 2**63), names
    np.testing.assert_array_equal(found, values, err_msg=str(names))
    assert all(low <= value <= high for value in np.asarray(values, object).flat), names


def run(seed, promise, **options):
    """Runs a random program. Returns the number of steps that were not refused."""
    (ctx, keys), (low, high) = party(promise, **options), promise[1]
    rng = np.random.default_rng(seed)
    clear = [integers(rng, shape, low, high) for shape in ((3, 4), (4, 3), (6,))]
    arrays, names, done = [ctx.encrypt(values, keys.public) for values in clear], [seed, promise], 0
    for _ in range(STEPS):
        name, step, which = step_of(rng, clear)
        names.append((name, which))
        values = pythons(step(*(clear[i] for i in which)))
        try:
            result = step(*(arrays[i] for i in which))
        except REFUSALS:
            continue
        done += 1
        require_equal(result, values, keys, names)
        arrays.append(result)
        clear.append(values)
    return done


@pytest.mark.parametrize("first", range(8))
def test_random_programs_equal_those_of_pythons_integers(first):
    done = [run(seed, PROMISES[seed % len(PROMISES)]) for seed in range(first, PROGRAMS, 8)]
    assert sum(done) > len(done)  # on average, more than one step of a program is computed


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
def test_guaranteed_products_reach_2_to_the_82_and_are_exact(scheme):
    ctx, keys = party((3, (-1000, 1000)), scheme=scheme)
    values = np.array([-1000, 1000, 999, -1, 0])
    x = ctx.encrypt(values, keys)
    whole = values.astype(object)
    np.testing.assert_array_equal((4 * x**8).decrypt(keys), 4 * whole**8)
    assert (x**8)._interval == (0, 1000**8)
    np.testing.assert_array_equal((x**7 + x**7 - x**7 - x**7 - x**7).decrypt(keys), -(whole**7))
    assert ctx.plain_modulus == prod(ctx.plain_moduli) > 8 * 1000**8
    assert len(ctx.plain_moduli) > 1


def test_a_result_is_refused_exactly_from_the_first_integer_that_wraps():
    ctx, keys = party((0, (-(2**100), 2**100)))
    half = (ctx.plain_modulus - 1) // 2
    margin = half - 2**100
    x = ctx.encrypt([2**100, -(2**100)], keys)
    np.testing.assert_array_equal((x + margin).decrypt(keys), exact(half, margin - 2**100))
    np.testing.assert_array_equal((x - margin).decrypt(keys), exact(2**100 - margin, -half))
    for one_too_many in (
        lambda: x + (margin + 1),
        lambda: x - (margin + 1),
        lambda: (x + margin) + ctx.encrypt([1, 0], keys),
    ):
        with pytest.raises(errors.RangeExceeded) as caught:
            one_too_many()
    wider = literal_eval(caught.value.fix.split("plain_modulus=")[1])
    assert prod(wider) > 2 * half


def test_values_outside_the_range_are_refused():
    ctx, keys = party((1, (-(2**90), 3)))
    for value in (4, -(2**90) - 1, 2**63, 2**200):
        with pytest.raises(errors.InvalidArgument, match="a value is outside"):
            ctx.encrypt([0, value], keys)


def test_numbers_of_numpys_types_are_operands():
    ctx, keys = party(WIDE)
    x = ctx.encrypt(np.array([1, -2], np.int16), keys)
    np.testing.assert_array_equal((x + np.array([2**64 - 1, 1], np.uint64)).decrypt(keys), exact(2**64, -1))
    np.testing.assert_array_equal((x + np.int64(-(2**63))).decrypt(keys), exact(1 - 2**63, -2 - 2**63))
    np.testing.assert_array_equal((x * True).decrypt(keys), [1, -2])
    with pytest.raises(errors.InvalidArgument, match="dtype float64"):
        _ = x + 0.5


@pytest.mark.parametrize("kind", [tuple, list])
def test_moduli_can_be_given(kind):
    primes = (786433, 1099512938497, 5767169)
    ctx = rf.Context("int", depth=1, range=(-9, 9), plain_modulus=kind(primes), **SMALL)
    assert ctx.plain_moduli == primes
    assert "9, modulo 786433 * 1099512938497 * 5767169" in str(ctx.explain())


WRONG_MODULI = {
    "one twice": ((786433, 786433), errors.InvalidArgument, "one of them twice"),
    "none": ((), errors.InvalidArgument, "0 moduli"),
    "nine": (tuple(range(9)), errors.InvalidArgument, "9 moduli"),
    "a composite number": ((786433, 786433 * 5), errors.InvalidArgument, "prime"),
    "no slots": ((786433, 101), errors.InvalidArgument, "not 1 mod 2048"),
    "a text": ((786433, "x"), errors.InvalidArgument, "plain_modulus"),
    "too long": ((786433, 2**61 - 1), errors.InvalidArgument, "2\\^50|prime"),
}


@pytest.mark.parametrize("name", WRONG_MODULI)
def test_wrong_moduli_are_refused(name):
    given, error, message = WRONG_MODULI[name]
    with pytest.raises(error, match=message):
        rf.Context("int", depth=1, range=(-9, 9), plain_modulus=given, **SMALL)


def test_residues_have_one_modulus():
    with pytest.raises(errors.InvalidArgument, match="modular=True was given with several plain moduli"):
        rf.Context("int", depth=1, modular=True, plain_modulus=(65537, 786433), **SMALL)
    ctx = rf.Context("int", depth=1, modular=True, **SMALL)
    assert ctx.plain_moduli == (65537,)
    assert rf.Context(**SMALL, depth=1).plain_moduli == ()


def test_a_range_that_no_moduli_reach_is_refused():
    with pytest.raises(errors.Unsupported, match="8 moduli below 2\\^50") as caught:
        rf.Context("int", depth=9, range=(-1000, 1000))
    assert "depth=5" in caught.value.fix
    with pytest.raises(errors.InvalidArgument, match="400 bits"):
        rf.Context("int", depth=0, range=(0, 10**5000))


@pytest.mark.parametrize("bits", [51, 60, 99, 100, 101, 200, 391])
def test_moduli_are_different_primes_with_a_large_enough_product(bits):
    for count in range(2, 9):
        found = moduli.several(2**bits, count)
        if found is None:
            assert count * 50 < bits + count
            continue
        assert len(set(found)) == count
        assert prod(found) >= 2**bits
        assert all(t % 2**18 == 1 and moduli._is_prime(t) for t in found)
        assert not set(found) & set(moduli.several(2**bits, count, count) or ())


def test_integers_and_intervals_are_their_residues():
    primes = (65537, 786433, 1099512938497)
    numbers, rng = Numbers(primes), np.random.default_rng(1)
    half = numbers.largest
    values = integers(rng, (500,), -half, half)
    values[2:5] = 0, 1, -1
    residues = [(values % t).astype(np.int64) for t in primes]
    centred = [np.where(r > t // 2, r - t, r) for r, t in zip(residues, primes, strict=True)]
    np.testing.assert_array_equal(numbers.recombined(centred), values)
    np.testing.assert_array_equal(numbers.centred(values + 5 * numbers.product), values)
    for a, b in [*zip(values, values[::-1], strict=True), (-half, half), (half, half), (-half, -half)]:
        interval = min(a, b), max(a, b)
        ends = numbers.ends(interval)
        assert all(-(2**63) < low <= 0 <= high < 2**63 for low, high in ends)
        assert numbers.interval(ends) == interval
    assert numbers.interval([(-65537, 0), (0, 0), (0, 0)]) is None
    assert numbers.interval([(0, 1), (0, 1), (1, 1)]) is None
    assert numbers.interval(numbers.ends((1, 0))) is None


def test_facts_are_sums_and_smallest_values():
    ctx, keys = party(WIDE)
    x = ctx.encrypt(np.arange(3), keys)
    ciphertexts = x._packed.ciphertexts[0].per_modulus
    assert x.nbytes == sum(each.bytes for each in ciphertexts)
    assert len(ciphertexts) == len(ctx.plain_moduli)
    facts, of_moduli = ctx.explain().facts, ctx.explain().facts.per_modulus
    assert facts.depth == min(each.depth for each in of_moduli) >= 2
    assert facts.relinearization_key_bytes == sum(each.relinearization_key_bytes for each in of_moduli)
    rotations = [each.plan.galois_bytes for each in keys.public._galois.per_modulus]
    assert keys.public.nbytes == sum(rotations) + facts.relinearization_key_bytes
    assert "relinearize" in str(ctx.explain())
    assert (x * x).depth_left == 1
    measured = keys.measure((x * x) ** 2, expected=np.arange(3) ** 4)
    assert measured.error == 0
    assert measured.budget_bits >= measured.budget_bound > 0
    long = ctx.encrypt([1000], keys) ** 2 * 2**30
    assert keys.measure(long, expected=[10**6 * 2**30]).error == 0
    assert keys.measure(long, expected=[10**6 * 2**30 - 2]).error == 2


def test_one_secret_has_keys_for_every_modulus():
    ctx, keys = party(WIDE)
    secrets, public = keys._secret.per_modulus, keys.public._public.per_modulus
    assert len({key.key_id for key in public}) == 1
    x = ctx.encrypt([3], keys.public)
    assert {each.key_id for each in x._packed.ciphertexts[0].per_modulus} == {public[0].key_id}
    for key in (keys.public._public, keys.public._relinearization, keys.public._galois):
        for secret, own in zip(secrets, key.per_modulus, strict=True):
            rf._core.keys.require_matching(secret, own)
        with pytest.raises(errors.ParametersMismatch):
            rf._core.keys.require_matching(secrets[0], key.per_modulus[1])
    files = dict(rf._core.files.unpack(np.frombuffer(rf.dumps(keys=keys.public), np.uint8)))
    seeds = {data[72:104].tobytes() for name, data in files.items() if "public" in name or "relin" in name}
    assert len(seeds) == 2 * len(secrets)  # every key has a fresh seed for its uniform polynomial


def test_keys_can_be_extended_and_progress_counts_all_moduli():
    ctx, _ = party(WIDE)
    told = []
    keys = ctx.keygen(rotations=[1], progress=lambda done, total: told.append((done, total)))
    count = len(ctx.plain_moduli)
    assert told == [(i + 1, count) for i in range(count)]
    x = ctx.encrypt(np.arange(512), keys)
    with pytest.raises(errors.KeyMissing):
        np.roll(x, 2)
    more = keys.extend(rotations=[2, -2, 510], progress=lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1]
    assert more.public.id == keys.public.id
    assert more.public.fingerprint != keys.public.fingerprint
    one = ctx.plan_keys([1])
    few = ctx.plan_keys(range(1, 40), max_bytes=12 * one.galois_bytes)
    assert one.galois_bytes == count * one.of_moduli[0].galois_bytes < few.galois_bytes <= 12 * one.galois_bytes
    for max_bytes in (1, count - 1, count):
        with pytest.raises(errors.InvalidArgument, match=f"for each of {count} plaintext moduli"):
            ctx.plan_keys(range(1, 40), max_bytes=max_bytes)


def test_debug_mode_compares_every_result():
    ctx, keys = party(WIDE)
    with rf.debug(keys):
        x = ctx.encrypt([5, -(2**20), 2**20], keys)
        y = (x**4 + x * 2**50 - x.sum()) * -1
        padded = np.pad(x, {0: (1, 2)}, constant_values=[(1, 2)])  # NumPy puts numpy.int64 into arrays of Python ints
    assert y._clear is not None
    np.testing.assert_array_equal(y._clear, y.decrypt(keys))
    assert padded.decrypt(keys).tolist() == [1, 5, -(2**20), 2**20, 2, 2]
    with rf.debug(keys), pytest.raises(errors.BoundViolated):
        z = ctx.encrypt([5], keys)
        z._clear = np.array([6])
        _ = z + 1


@pytest.mark.names_device("the simulated devices")
@pytest.mark.parametrize("device", ["emu:0,checks=off", "pim", "rpu"])
def test_random_programs_on_simulated_devices_equal_those_of_pythons_integers(device):
    done = [run(seed, promise, device=device) for seed, promise in enumerate((PROMISES[0], WIDE))]
    assert sum(done) > len(done)


@pytest.mark.parametrize("device", ["emu:0", "ref", "pim", "rpu"])
def test_every_device_computes_the_same(device):
    ctx, keys = party(WIDE)
    x = ctx.encrypt([3, -(2**20), 2**20], keys)
    here, there = np.roll(x, 1) * x + 2**70, np.roll(x.to(device), 1)
    with ctx.profile(device=device) as seen:
        there = there * x.to(device) + 2**70
    assert there.device == device
    np.testing.assert_array_equal(there.decrypt(keys), here.decrypt(keys))
    assert len(seen.records) >= 4 * len(ctx.plain_moduli)
    assert ctx.memory(device).used > 0


def test_batches_of_devices_that_want_them_are_equal():
    ctx, keys = party(WIDE)
    x = ctx.encrypt([4, -5], keys)
    verbs, ciphertexts = x._session.on.verbs, x._packed.ciphertexts
    pair = [ciphertexts[0], verbs.add(ciphertexts[0], ciphertexts[0])]
    for many, one in (
        (verbs.multiply_each(pair, pair), [verbs.multiply(each, each) for each in pair]),
        (verbs.power_each(pair, 3), [verbs.power(each, 3) for each in pair]),
        (verbs.rotate_each(pair, 1), [verbs.rotate(each, 1) for each in pair]),
    ):
        secret = keys.secret_for(x._session)
        for a, b in zip(many, one, strict=True):
            np.testing.assert_array_equal(x._session.on.decrypt(secret, a), x._session.on.decrypt(secret, b))


def test_contexts_keys_and_arrays_can_be_pickled():
    ctx = rf.Context("int", depth=1, range=(-(2**40), 2**40))
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([-(2**40), 8], keys)
    for protocol in (2, 5):
        again, public, y = pickle.loads(pickle.dumps((ctx, keys.public, x * x), protocol))
        assert (again, again.plain_moduli, again._range) == (ctx, ctx.plain_moduli, ctx._range)
        assert public.fingerprint == keys.public.fingerprint
        assert y._interval == (-(2**80), 2**80)
        np.testing.assert_array_equal(y.with_keys(public).decrypt(keys), exact(2**80, 64))
        assert y.bound_is_untrusted
    for each in ctx.explain().facts.per_modulus:  # keys and ciphertexts of all plaintext moduli have this size
        assert each.log2_qp == ctx.explain().facts.log2_qp <= each.log2_qp_limit
    one = rf.Context("int", depth=1, range=(-9, 9), plain_modulus=ctx.plain_moduli[0])
    assert one != ctx


def test_a_plan_finds_several_moduli():
    def program(x, y):
        return (x * y + 5) ** 4 - x.sum()

    plan = rf.plan(program, rf.like((2, 8)), rf.like((2, 8)), dtype="int", range=(-1000, 1000), **SMALL)
    assert prod(plan.options["plain_modulus"]) > 2 * (10**6 + 5) ** 4
    again = rf.Plan.from_json(plan.to_json(), insecure=SMALL["insecure"])
    ctx = again.context()
    assert ctx == plan.context()
    keys = ctx.keygen(again)
    values = np.arange(16).reshape(2, 8) * 60 - 500
    x, y = ctx.encrypt(values, keys), ctx.encrypt(values[::-1], keys)
    wanted = (values * values[::-1] + 5).astype(object) ** 4 - values.sum()
    np.testing.assert_array_equal(program(x, y).decrypt(keys), wanted)
    assert "modulo" in plan.explain()
    np.testing.assert_array_equal(rf.Program(program, plan)(x, y).decrypt(keys), wanted)
    assert plan.predict(device="cpu").seconds > 0
