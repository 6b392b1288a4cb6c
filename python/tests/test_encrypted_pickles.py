# SPDX-License-Identifier: Apache-2.0
"""Tests pickles of contexts, public keys and arrays: with buffers outside the pickle (out of band), between processes,
and from attackers.
"""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors
from ringfort.encrypted import pickles

RNG = np.random.default_rng(17)


@pytest.fixture(scope="module", params=["real", "complex", "bgv", "bfv"])
def party(request):
    integers = {"dtype": "int", "modular": True, "scheme": request.param}
    ctx = rf.Context(**({"dtype": request.param} if request.param in ("real", "complex") else integers), depth=1)
    values = RNG.integers(-9, 9, (5, 6)) * (1 + 1j if request.param == "complex" else 1)
    return ctx, ctx.keygen(rotations=[1]), values


def equal(array, keys, expected):
    np.testing.assert_allclose(array.decrypt(keys), expected, atol=1e-5)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_arrays_and_keys_pickle_under_every_protocol(party, protocol):
    ctx, keys, values = party
    x, public, again = pickle.loads(pickle.dumps((ctx.encrypt(values, keys), keys.public, ctx), protocol))
    assert (x.shape, x.dtype, x.depth_left, again) == (values.shape, ctx.dtype, 1, ctx)
    assert x.precision_bits == ctx.encrypt(values, keys).precision_bits
    equal(x, keys, values)
    equal(x.with_keys(public) * x, keys, values * values)
    equal(ctx.encrypt(values, public), keys, values)


def test_bulk_bytes_leave_the_pickle_and_come_back_without_a_copy_of_it(party):
    ctx, keys, values = party
    x = ctx.encrypt(np.resize(values, (3, ctx.slots)), keys)
    buffers: list[pickle.PickleBuffer] = []
    stream = pickle.dumps((x, keys.public), protocol=5, buffer_callback=buffers.append)
    assert len(stream) < 4000
    assert len(buffers) == len(x._packed.ciphertexts) + 3
    assert sum(buffer.raw().nbytes for buffer in buffers) > 100 * len(stream)
    assert all(buffer.raw().readonly for buffer in buffers)
    arrived = [bytearray(buffer) for buffer in buffers]  # like bytes from a socket or shared memory
    back, public = pickle.loads(stream, buffers=arrived)
    for buffer in arrived:
        buffer[:] = bytes(len(buffer))  # loaded objects own their memory
    equal(back.with_keys(public), keys, x.decrypt(keys))
    with pytest.raises(errors.Error):
        pickle.loads(stream, buffers=arrived)


def test_pickled_arrays_have_no_keys_and_use_those_of_the_other_operand(party):
    ctx, keys, values = party
    x = ctx.encrypt(values, keys)
    assert len(pickle.dumps(x)) < 2 * x.nbytes
    back = pickle.loads(pickle.dumps(x))
    equal(back + back + 1 - values, keys, values + 1)
    with pytest.raises(errors.KeyMissing, match="with_keys"):
        _ = back * back
    equal(back * x, keys, values * values)
    equal(x * back, keys, values * values)
    equal(back.with_keys(keys) * back, keys, values * values)
    other = ctx.keygen(rotations=[])
    for wrong in (other, other.public):
        with pytest.raises(errors.ParametersMismatch):
            _ = back.with_keys(wrong) * back.with_keys(wrong)
    with pytest.raises(errors.ParametersMismatch):
        back.decrypt(other)
    with pytest.raises(errors.KeyMissing):
        back.with_keys(values)
    stranger = rf.Context(depth=3)
    with pytest.raises(errors.ParametersMismatch):
        back.with_keys(stranger.keygen(rotations=[]))


def test_bounds_from_a_pickle_are_claims_and_stay_marked(party):
    ctx, keys, values = party
    x = ctx.encrypt(values, keys)
    assert not (x + x).bound_is_untrusted
    assert not pickle.loads(pickle.dumps(x)).bound_is_untrusted
    computed = pickle.loads(pickle.dumps(x + x))
    assert computed.bound_is_untrusted
    assert (computed + x).bound_is_untrusted
    assert pickle.loads(pickle.dumps(computed)).bound_is_untrusted


def test_objects_in_the_same_pickle_share_their_context(party):
    ctx, keys, values = party
    x, y, public = pickle.loads(pickle.dumps((ctx.encrypt(values, keys), ctx.encrypt(values, keys), keys.public)))
    assert x._session.keys.context is y._session.keys.context is public.context
    equal(x + y, keys, 2 * values)


def test_unpickled_arrays_are_saved_beside_other_arrays(party, tmp_path):
    ctx, keys, values = party
    back = pickle.loads(pickle.dumps(ctx.encrypt(values, keys)))
    rf.save(tmp_path / "both.rfc", back=back, x=ctx.encrypt(values, keys), keys=keys, public=keys.public, unsealed=True)
    loaded = rf.load(tmp_path / "both.rfc", secrets=True)
    equal(loaded["back"] + loaded["x"], loaded["keys"], 2 * values)
    equal(
        rf.load(tmp_path / "both.rfc", keys=keys, secrets=True)["back"] * ctx.encrypt(values, keys),
        keys,
        values * values,
    )


def test_secret_keys_refuse_every_copy(party):
    _, keys, _ = party
    for copier in (pickle.dumps, copy.copy, copy.deepcopy, lambda k: pickle.dumps([k], 5, buffer_callback=print)):
        with pytest.raises(errors.SecretRefused, match=r"keys\.public"):
            copier(keys)


def test_copies_of_immutable_objects_are_the_objects(party):
    ctx, keys, values = party
    for each in (ctx, keys.public, ctx.encrypt(values, keys)):
        assert copy.copy(each) is each
        assert copy.deepcopy([each])[0] is each


def test_releases_are_pickled_and_copied():
    release = rf.Release(bits=30, queries=7)
    for twin in (pickle.loads(pickle.dumps(release)), copy.copy(release), copy.deepcopy(release)):
        assert (twin.bits, twin.queries) == (30, 7)
        assert twin is not release


def test_records_of_devices_are_pickled_and_copied_and_live_profiles_are_not():
    ctx = rf.Context("int", depth=1, modular=True)
    keys = ctx.keygen(rotations=[])
    with ctx.profile(device="emu:0") as profile, profile.section("encryption"):
        ctx.encrypt([1], keys.to("emu:0"))
    records = [rf.devices()[0], rf.cpu_cap(), ctx.memory(), profile.records[0], profile.launches[0], profile.table()[0]]
    for each in records:
        names = [name for name, value in vars(type(each)).items() if isinstance(value, property)]
        for twin in (pickle.loads(pickle.dumps(each)), copy.copy(each), copy.deepcopy(each)):
            assert [getattr(twin, name) for name in names] == [getattr(each, name) for name in names]
    for refused in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(errors.Unsupported, match="it may still record"):
            refused(profile)


def test_contexts_below_the_standard_are_not_pickled():
    ctx = rf.Context(depth=1, n=2048, insecure="a test of pickles")
    with pytest.raises(errors.InsecureParameters):
        pickle.dumps(ctx)
    head = rf._core.files.encode_parameters(ctx._scopes.per_modulus[0])
    with pytest.raises(errors.InsecureParameters):
        pickles._context("f", head, None, None)


def test_files_and_pickles_keep_the_range_of_a_context():
    ctx = rf.Context("int", depth=1, range=(-100, 100))
    x = pickle.loads(pickle.dumps(ctx.encrypt([100], ctx.keygen(rotations=[]))))
    with pytest.raises(errors.RangeExceeded):
        _ = x * 30000


def test_hostile_parts_of_a_pickle_are_refused_by_the_decoders_of_files(party):
    ctx, keys, values = party
    _, (context, head, *ciphertexts) = ctx.encrypt(values, keys).__reduce_ex__(4)
    _, (_, *key_files) = keys.public.__reduce_ex__(4)
    cases = [
        lambda: pickles._array(context, head),
        lambda: pickles._array(context, head, *ciphertexts, *ciphertexts),
        lambda: pickles._array(context, ciphertexts[0], *ciphertexts),
        lambda: pickles._array(keys.public, head, *ciphertexts),
        lambda: pickles._array(context, "text", *ciphertexts),
        lambda: pickles._array(context, head, b""),
        lambda: pickles._array(context, head, *(each[:-1] for each in ciphertexts)),
        lambda: pickles._array(rf.Context(depth=3), head, *ciphertexts),
        lambda: pickles._keys(context, *ciphertexts, None, None),
        lambda: pickles._keys(context, key_files[1], key_files[0], None),
        lambda: pickles._keys(None, *key_files),
        lambda: pickles._context("i" if ctx.dtype.kind != "i" else "f", context.__reduce_ex__(5)[1][1], None, None),
        lambda: pickles._context(ctx.dtype.kind, head, None, None),
        lambda: pickles._context(ctx.dtype.kind, context.__reduce_ex__(5)[1][1], None, "many"),
    ]
    for case in cases:
        with pytest.raises(errors.Error):
            case()


def test_damaged_parts_are_refused_wherever_the_damage_is(party):
    ctx, keys, values = party
    _, (context, head, *ciphertexts) = ctx.encrypt(values, keys).__reduce_ex__(4)
    _, (_, *key_files) = keys.public.__reduce_ex__(4)
    readers = [
        (head, lambda data: pickles._array(context, data, *ciphertexts)),
        (ciphertexts[0], lambda data: pickles._array(context, head, data, *ciphertexts[1:])),
        (key_files[0], lambda data: pickles._keys(context, data, None, None)),
        (key_files[1], lambda data: pickles._keys(context, key_files[0], data, None)),
    ]
    for original, read in readers:
        for at in RNG.integers(0, len(original), 25):
            damaged = bytearray(original)
            damaged[at] ^= 1 << RNG.integers(0, 8)
            with pytest.raises(errors.Error):
                read(damaged)


def _doubled(x):
    return x + x


_worker_keys: list[rf.PublicKeys] = []


def _given(public):
    _worker_keys.append(public)


def _squared(x):
    x = x.with_keys(_worker_keys[0])
    return x * x


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_worker_processes_compute(start):
    if start == "fork" and rf.is_gpu(rf.default_device()):
        pytest.skip("a forked child has no GPU")
    ctx = rf.Context(depth=1)
    keys = ctx.keygen(rotations=[])
    values = RNG.random((4, 10))
    arrays = [ctx.encrypt(row, keys) for row in values]
    _ = arrays[0] * arrays[1]  # before the fork, the parent has started threads
    method = multiprocessing.get_context(start)
    with ProcessPoolExecutor(2, mp_context=method, initializer=_given, initargs=(keys.public,)) as pool:
        for result, row in zip(pool.map(_squared, arrays), values, strict=True):
            equal(result, keys, row**2)
        equal(sum(pool.map(_doubled, arrays)), keys, 2 * values.sum(axis=0))
