# SPDX-License-Identifier: Apache-2.0
"""Tests contexts, keys and arrays of real and complex numbers with real encryption."""

from __future__ import annotations

import copy
import json
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors
from ringfort.encrypted.array.session import plain_values
from ringfort.planning.like import like_all

RNG = np.random.default_rng(11)


@pytest.fixture(scope="module")
def ctx():
    return rf.Context(depth=2)


@pytest.fixture(scope="module")
def keys(ctx):
    return ctx.keygen()


def close(array, keys, expected):
    assert array.shape == np.shape(expected)
    np.testing.assert_allclose(array.decrypt(keys), expected, rtol=0, atol=2.0 ** -(array.precision_bits + 1) + 1e-12)
    assert array.precision_bits >= 18


def test_a_polynomial_of_a_matrix_is_right_to_six_digits(ctx, keys):
    values = RNG.random((300, 64))
    x = ctx.encrypt(values, keys.public)
    y = 3 * x + x**2 - values
    close(y, keys, 3 * values + values**2 - values)
    np.testing.assert_allclose(y.decrypt(keys), 3 * values + values**2 - values, atol=1e-6)
    assert y.depth_left == 1


def test_numpy_functions_work_with_the_default_keys(ctx, keys):
    values, matrix, vector = RNG.random((5, 8)), RNG.random((8, 3)), RNG.random(8)
    x, v = ctx.encrypt(values, keys), ctx.encrypt(vector, keys)
    close(x @ matrix, keys, values @ matrix)
    close(np.dot(x, vector), keys, values @ vector)
    close(v @ v, keys, vector @ vector)
    close(x.sum(), keys, values.sum())
    close(np.sum(x, axis=1), keys, values.sum(axis=1))
    close(x.mean(axis=0), keys, values.mean(axis=0))
    close(np.roll(x, 3), keys, np.roll(values, 3))
    close(x + v, keys, values + vector)
    close(x[:, 2:4], keys, values[:, 2:4])


def test_complex_numbers():
    ctx = rf.Context("complex", depth=1)
    keys = ctx.keygen(rotations=[])
    values = RNG.random(20) + 1j * RNG.random(20)
    z = ctx.encrypt(values, keys)
    assert z.dtype == np.complex128
    close(z * z + 2j, keys, values * values + 2j)
    with pytest.raises(errors.KeyMissing, match="conjugates need their own key"):
        z.conj()


def test_conjugates_and_parts_of_complex_numbers():
    ctx = rf.Context("complex", depth=2)
    keys = ctx.keygen()
    values = RNG.random((3, 7)) + 1j * RNG.random((3, 7))
    z = ctx.encrypt(values, keys)
    for verb in (np.conj, np.conjugate, lambda a: a.conj(), lambda a: a.conjugate()):
        close(verb(z), keys, values.conj())
    assert z.conj().depth_left == z.depth_left == 2
    close(z * z.conj(), keys, abs(values) ** 2)
    close(z.real, keys, values.real)
    close(np.imag(z), keys, values.imag)
    assert z.real.depth_left == 1


@pytest.mark.parametrize("dtype", ["real", "int"])
def test_real_numbers_and_integers_are_their_own_conjugates(dtype):
    ctx = rf.Context(dtype, depth=1, **{"int": {"modular": True}}.get(dtype, {}))
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([1, -2, 3], keys)
    assert np.conj(x) is x
    assert x.real is x
    assert (x.imag.decrypt(keys).round(6) == 0).all()


def test_a_number_is_an_array_without_axes(ctx, keys):
    x = ctx.encrypt(2.5, keys)
    assert x.shape == ()
    close(x * x, keys, 6.25)


def test_an_exhausted_depth_error_says_what_to_change(ctx, keys):
    x = ctx.encrypt([0.5, 0.25], keys)
    with pytest.raises(
        errors.DepthExhausted,
        match=r"^x \*\* 8 needs 3 levels, but 2 of 2 are left; make the context with Context\(depth=3\)",
    ):
        _ = x**8
    with pytest.raises(errors.DepthExhausted, match=r"^x \* y needs 1 level, but 0 of 2 are left"):
        _ = x**4 * x


@pytest.mark.parametrize(
    "values",
    [np.nan, [1, np.inf], [1j], np.array([object()]), [], np.zeros((0, 3)), [[1, 2], [3]], "text", [17.0]],
    ids=["NaN", "infinity", "complex", "objects", "empty", "empty rows", "ragged", "text", "above the magnitude"],
)
def test_values_that_cannot_be_encrypted_are_refused(ctx, keys, values):
    with pytest.raises(errors.InvalidArgument):
        ctx.encrypt(values, keys)


def test_decimals_and_fractions_are_real_numbers(ctx, keys):
    values = [Decimal("0.1"), Fraction(1, 3), 1, 0.25]
    close(ctx.encrypt(values, keys) * Decimal("1.5"), keys, [0.15, 0.5, 1.5, 0.375])
    assert like_all([values]) == like_all([[0.1, 1 / 3, 1.0, 0.25]])
    assert plain_values([Decimal("0.5"), 2j], np.dtype(np.complex128)).tolist() == [0.5, 2j]
    for wrong in ("NaN", "sNaN", "Infinity", "1e400"):
        for use in (lambda row: ctx.encrypt(row, keys), lambda row: like_all([row])):
            with pytest.raises(errors.InvalidArgument):
                use([Decimal(wrong)])
    with pytest.raises(errors.InvalidArgument):
        like_all([[10**400]])


def test_keys_and_contexts_do_not_mix(ctx, keys):
    other = rf.Context(depth=1)
    stranger = other.keygen(rotations=[])
    with pytest.raises(errors.ParametersMismatch) as encrypted:
        ctx.encrypt([1.0], stranger)
    with pytest.raises(errors.ParametersMismatch) as decrypted:
        other.encrypt([1.0], stranger).decrypt(keys)
    with pytest.raises(errors.ParametersMismatch) as added:
        _ = other.encrypt([1.0], stranger) + ctx.encrypt([1.0], keys)
    for refusal in (encrypted, decrypted, added):
        assert repr(ctx) in str(refusal.value)
        assert repr(other) in str(refusal.value)
    with pytest.raises(errors.KeyMissing):
        ctx.encrypt([1.0], None)


def test_lists_of_encrypted_numbers_are_refused_with_the_reason(ctx, keys):
    x = ctx.encrypt([1.0, 2.0, 3.0], keys)
    for program in (lambda: ctx.encrypt([x[0], x[1]], keys), lambda: x + [x[0], 1, 2], lambda: x * (x[0], x[1], x[2])):
        with pytest.raises(errors.InvalidArgument, match="no values to convert"):
            program()


def test_errors_name_the_operation(ctx):
    values = np.arange(8) / 8
    x = ctx.encrypt(values, ctx.keygen())
    spent = x**4
    for name, program in {
        "numpy.roll": lambda: np.roll(spent, 2),
        "an index": lambda: spent[3],
        "x . x": lambda: spent * spent,
    }.items():
        with pytest.raises(errors.DepthExhausted, match=f"^{name} needs 1 level, but 0 of 2 are left"):
            program()


def test_a_missing_rotation_key_is_named(ctx):
    keys = ctx.keygen(rotations=[1])
    with pytest.raises(errors.KeyMissing, match=r"rotations by \[2, 4\].*keys\.extend"):
        ctx.encrypt(RNG.random(8), keys).sum()


@pytest.mark.parametrize("dtype", ["real", "int"])
def test_a_missing_key_is_detected_before_any_work(dtype, monkeypatch):
    ctx = rf.Context(dtype, depth=2, **{"int": {"modular": True}}.get(dtype, {}))
    keys = ctx.keygen(rotations=[1, 2])
    x, row = ctx.encrypt(np.arange(12).reshape(2, 6), keys), ctx.encrypt(np.arange(6), keys)
    again = row.with_keys(pickle.loads(pickle.dumps(keys.public)))
    worked = []
    for verb in ("rotate", "multiply_plain", "add", "multiply"):
        monkeypatch.setattr(type(x._session.on.verbs), verb, lambda self, a, *rest: worked.append(a) or a)
    for program in (
        lambda: x.sum(),
        lambda: x @ np.ones((6, 40), int),
        lambda: np.ones((3, 2), int) @ x,
        lambda: x.T + 1,
        lambda: np.roll(x, 5),
        lambda: row * x,
        lambda: again * x,
        lambda: x - again,
        lambda: x * x.sum(axis=1, keepdims=True),
    ):
        with pytest.raises(errors.KeyMissing, match=r"\[1, 2\]") as caught:
            program()
        assert "keys.extend(" in caught.value.fix
        assert worked == []
    _ = x[:, 1:]
    assert worked


@pytest.mark.parametrize("dtype", ["real", "int"])
def test_a_dry_run_reports_a_missing_key_if_the_rotation_does(dtype):
    ctx = rf.Context(dtype, depth=1, n=2048, insecure="a test of dry runs", **{"int": {"modular": True}}.get(dtype, {}))
    keys = ctx.keygen(rotations=[1, -1, 2, 16, 3, 7, 11, 13, 14], max_bytes=8 * ctx.plan_keys([1]).bytes_per_key)
    session = ctx.encrypt(1, keys)._session
    ciphertext = ctx.encrypt(1, keys)._packed.ciphertexts[0]
    answers = set()
    for step in [*range(-40, 40), 100, -100, 500, -500, 512, 1024, 1023, -1024, 924]:
        told = [
            _refused(lambda step=step: session.on.verbs.rotate(ciphertext, step)),
            _lacks_a_key(session, ciphertext, step),
        ]
        assert told[0] == told[1], step
        answers.add(told[0])
    assert answers == {True, False}


def _lacks_a_key(session, ciphertext, step):
    on = session.dry_run().on
    on.rotate(on.ciphertext_for(ciphertext), step)
    return _refused(on.require_budget)


def _refused(rotation):
    try:
        rotation()
    except errors.KeyMissing:
        return True
    return False


def test_keys_are_planned_before_they_are_made(ctx):
    everything = ctx.plan_keys()
    assert repr(everything).startswith(
        f"KeyPlan({len(everything.steps)} rotation keys of {everything.bytes_per_key} bytes"
    )
    few = ctx.plan_keys([1, 2, 3, 4, 5, 6, 7, 8, 9], max_bytes=7 * everything.bytes_per_key)
    assert few.galois_bytes <= 7 * everything.bytes_per_key < everything.galois_bytes
    with pytest.raises(errors.InvalidArgument):
        ctx.plan_keys([3], max_bytes=1)
    with pytest.raises(errors.InvalidArgument):
        ctx.plan_keys([1.5])


def test_arrays_move_between_devices_with_equal_results(ctx, keys):
    values = RNG.random(16)
    x = ctx.encrypt(values, keys)
    there = x.to("ref")
    assert there.device == "ref"
    result = (there * values + 1).cpu()
    assert result.device == "cpu"
    np.testing.assert_array_equal(result.decrypt(keys), (x * values + 1).decrypt(keys))
    other = "emu:1" if rf.is_gpu(rf.default_device()) else "ref"  # an array on ref would move to the GPU
    with pytest.raises(errors.ParametersMismatch):
        _ = x.to(other) + x
    with pytest.raises(errors.DeviceUnknown):
        x.to("abacus")


def test_arrays_are_created_on_the_device_of_their_keys(ctx, keys):
    values = RNG.random(16)
    there = keys.to("ref")
    assert (there.device, there.public.device, there.cpu().device) == ("ref", "ref", "cpu")
    assert keys.device == ctx.device
    assert "device='ref'" in repr(there)
    assert "device='ref'" in repr(there.public)
    x = ctx.encrypt(values, there.public)
    assert x.device == "ref"
    assert (x * x).device == "ref"
    np.testing.assert_array_equal((x * x).decrypt(keys), (x.cpu() * x.cpu()).decrypt(there))
    assert (x + ctx.encrypt(values, keys).to("ref")).device == "ref"
    with pytest.raises(errors.DeviceUnknown):
        keys.to("abacus")


def test_a_profile_has_sections_and_tables(ctx, keys):
    x = ctx.encrypt([0.5, 0.25], keys)
    with ctx.profile() as found:
        with found.section("square"):
            y = x * x
        with found.section("sum"):
            y + y
    sections = {row.name: row for row in found.table("section")}
    assert set(sections) == {"square", "sum"}
    assert sum(row.count for row in sections.values()) == len(found.records)
    assert sections["square"].transform_share > 0 == sections["sum"].transform_share
    assert sum(row.time_share for row in found.table()) == pytest.approx(1)
    assert {row["name"] for row in json.loads(found.json())["sections"]} == {"square", "sum"}
    assert found.csv("verb").startswith("name,device,count,us,")
    assert bool(found.launches) == x.device.startswith(("emu", "cuda", "opencl"))  # only these devices launch kernels
    with pytest.raises(rf.InvalidArgument):
        found.table("device")
    with pytest.raises(rf.InvalidArgument), found.section(""):
        pass


@pytest.mark.names_device("a device that fuses nothing has other verbs")
def test_a_profile_has_every_verb_and_opens_as_a_trace(ctx, keys, tmp_path):
    x = ctx.encrypt(RNG.random(8), keys)
    with ctx.profile(tmp_path / "trace.json") as found:
        _ = x * x
    verbs = [record.verb for record in found.records]
    assert {record.device for record in found.records} == {"cpu"}
    assert {"tensor", "intt", "mod_down_rescale"} <= set(verbs)
    assert all(r.end_us >= r.start_us and r.bytes > 0 and not r.simulated for r in found.records)
    trace = json.loads((tmp_path / "trace.json").read_text())
    assert len(trace["traceEvents"]) == len(verbs) + 1
    _ = x + x
    assert len(found.records) == len(verbs)


def test_debug_mode_names_the_operation_that_exceeds_its_bound(ctx, keys, monkeypatch):
    with rf.debug(keys):
        x = ctx.encrypt(RNG.random(8), keys)
        close(x * x + 1, keys, x._clear**2 + 1)
        monkeypatch.setattr(type(x._session.on.verbs), "negate", lambda self, a: a)
        told = r"^negative at test_encrypted_context\.py:\d+: element \(0,\) is off by more than its bound allows; "
        with pytest.raises(errors.BoundViolated, match=told):  # the message has neither a value nor code of the line
            _ = -x
    assert (x + 1)._clear is None


def test_secrets_are_not_shown_copied_or_pickled(ctx, keys):
    assert "secret" in repr(keys)
    for copier in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(errors.SecretRefused):
            copier(keys)


@pytest.mark.parametrize(
    "options",
    [
        {"dtype": "text"},
        {"depth": -1},
        {"depth": 1.5},
        {"precision": "high"},
        {"magnitude": 0},
        {"magnitude": np.nan},
        {"security": 100},
        {"n": 1000},
        {"threads": 0},
        {"device": 7},
    ],
    ids=str,
)
def test_contexts_refuse_invalid_options(options):
    with pytest.raises(errors.Error):
        rf.Context(**options)


def test_an_impossible_depth_is_refused_with_a_possible_one():
    with pytest.raises(errors.Unsupported, match=r"choose depth <= \d+"):
        rf.Context(depth=200)


def test_parameters_below_the_standard_are_marked_everywhere():
    with pytest.raises(errors.Error):
        rf.Context(depth=4, n=4096)
    ctx = rf.Context(depth=1, n=2048, insecure="a test of marks")
    keys = ctx.keygen(rotations=[])
    for shown in (repr(ctx), repr(ctx.encrypt(1.0, keys)), str(ctx.explain())):
        assert "INSECURE" in shown or "insecure" in shown


def test_explanations_of_equal_contexts_are_equal(ctx):
    small = {"n": 2048, "insecure": "a test"}
    first, second = (
        {rf.Context("int", depth=0, range=(0, most), **small).explain() for most in (3, 4)} for _ in range(2)
    )
    assert first == second
    assert len(first) == 2
    assert ctx.explain() == rf.Context(depth=2).explain()
    assert ctx.explain() not in first
    assert ctx.explain() != str(ctx.explain())


def test_explain_prints_ring_security_sizes_and_slots(ctx, keys):
    text = str(ctx.explain())
    for word in ("n = ", "log2 QP", "slots", "128 bits", "MB", "rotations"):
        assert word in text
    for shown in (ctx, keys, keys.public):
        assert "<table" in shown._repr_html_()
    assert "secret not shown" in keys._repr_html_()


@pytest.fixture(scope="module", params=["bgv", "bfv"])
def whole(request):
    ctx = rf.Context("int", depth=2, scheme=request.param, modular=True)
    return ctx, ctx.keygen()


def centred(values, t=65537):
    return (np.asarray(values) + t // 2) % t - t // 2


def test_integers_are_exact_modulo_the_plain_modulus(whole):
    ctx, keys = whole
    values, matrix = RNG.integers(-30000, 30000, (40, 8)), RNG.integers(-9, 9, (8, 3))
    x = ctx.encrypt(values, keys.public)
    assert (x.dtype, x.precision_bits, x.depth_left) == (np.int64, np.inf, 2)
    for result, expected in (
        (3 * x + x**2 - values, 3 * values + values**2 - values),
        (x @ matrix, values @ matrix),
        (x.sum(), values.sum()),
        (x.sum(axis=0), values.sum(axis=0)),
        (x[1] * x, values[1] * values),
        (np.roll(x, 5), np.roll(values, 5)),
    ):
        assert result.shape == np.shape(expected)
        np.testing.assert_array_equal(result.decrypt(keys), centred(expected))
    assert (x * x).depth_left == 1


def test_values_that_are_not_integers_in_range_are_refused(whole):
    ctx, keys = whole
    for values in ([0.5], [40000], [2**63], np.nan):
        with pytest.raises(errors.InvalidArgument):
            ctx.encrypt(values, keys)
    with pytest.raises(errors.Unsupported):
        ctx.encrypt([1, 2], keys).mean()
    with pytest.raises(errors.DepthExhausted):
        _ = ctx.encrypt([1], keys) ** 1000


def test_results_stay_within_the_tracked_range():
    ctx = rf.Context("int", depth=2, range=(-100, 100))
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([7, -100], keys)
    np.testing.assert_array_equal((x * x + 5 * x).decrypt(keys), [84, 9500])
    np.testing.assert_array_equal((4 * x**4).decrypt(keys), [4 * 7**4, 4 * 10**8])  # the guaranteed maximum
    with pytest.raises(errors.RangeExceeded, match="from 0 to 600000000"):
        _ = 6 * x**4
    with pytest.raises(errors.RangeExceeded):
        _ = x * 10**7
    with pytest.raises(errors.InvalidArgument):
        ctx.encrypt([101], keys)
    with pytest.raises(errors.InvalidArgument):
        rf.Context("int", range=(5, 1))


def test_a_range_is_tracked_through_operands_without_a_range():
    followed = rf.Context("int", depth=1, range=(0, 100), plain_modulus=65537)
    free = rf.Context("int", depth=1, modular=True)
    keys, free_keys = followed.keygen(rotations=[]), free.keygen(rotations=[])
    x = followed.encrypt([50, 100], keys)
    with pytest.raises(errors.InvalidArgument, match=r"0 \.\. 100"):  # the keys' context has the range
        free.encrypt([30000, 1], keys)
    anything = free.encrypt([30000, -1], free_keys)
    assert list((anything + anything).decrypt(free_keys)) == [-5537, -2]  # residues, because no range was declared
    with pytest.raises(errors.RangeExceeded, match="from -32768 to 32868"):
        _ = x + anything.with_keys(keys) - 1
    beside = followed.encrypt([1, 2], free_keys)  # the values are in range, but the keys have no range
    for verb in (np.add, np.subtract, np.multiply, np.matmul):
        with pytest.raises(errors.RangeExceeded):
            verb(anything, beside)


def test_the_range_of_a_sum_over_an_axis_counts_only_its_terms():
    ctx = rf.Context("int", depth=1, range=(5, 1000))
    keys = ctx.keygen()
    x = ctx.encrypt(np.arange(5, 17), keys).reshape(3, 4)
    total = x.sum(axis=0)
    assert list(total.decrypt(keys)) == [27, 30, 33, 36]
    with pytest.raises(errors.RangeExceeded, match="from 30000 to 6000000"):
        _ = total * 2000


def test_large_integers_are_reduced_before_anything_wraps(whole):
    ctx, keys = whole
    x = ctx.encrypt([1, -2], keys)
    for large in (2**63 - 1, -(2**63) + 1, 2**62 + 12345):
        for result, expected in (
            (x + large, [1 + large, large - 2]),
            (x - large, [1 - large, -2 - large]),
            (x * large, [large, -2 * large]),
        ):
            assert list(result.decrypt(keys)) == [(v + 32768) % 65537 - 32768 for v in expected]
    with pytest.raises(errors.InvalidArgument):
        _ = x + np.int64(-(2**63))


def test_ranges_of_matrix_products_do_not_overflow():
    ctx = rf.Context("int", depth=1, range=(0, 4))
    x = ctx.encrypt([1, 2, 3], ctx.keygen(rotations=[]))
    with pytest.raises(errors.RangeExceeded):
        _ = x @ np.array([[2**62]] * 3)
    with pytest.raises(errors.DepthExhausted):
        _ = x ** (10**8)


def test_precision_is_never_more_than_doubles_have(ctx, keys):
    x = ctx.encrypt([0.1], keys) + 1e9
    assert abs(x.decrypt(keys)[0] - (1e9 + 0.1)) <= 2.0 ** -(x.precision_bits + 1)


def test_only_owners_decrypt_and_public_keys_show_their_size(ctx, keys):
    x = ctx.encrypt([1.0], keys)
    for nobody in (None, keys.public, "keys"):
        with pytest.raises(errors.KeyMissing):
            x.decrypt(nobody)
    assert "MB of evaluation keys" in repr(keys.public)
    assert keys.public.nbytes > 10**6


def test_debug_computes_integers_modulo_the_plain_modulus():
    ctx = rf.Context("int", depth=3, modular=True)
    keys = ctx.keygen(rotations=[])
    with rf.debug(keys):
        x = ctx.encrypt([30000], keys)
        assert list((x**8).decrypt(keys)) == [(30000**8 + 32768) % 65537 - 32768]


def test_key_generation_prints_its_size_and_then_its_progress(ctx, capsys):
    told = []
    ctx.keygen(rotations=[1, 2, 3], progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert capsys.readouterr() == ("", "")
    ctx.keygen(rotations=[1, 2, 3], progress=True)
    shown = capsys.readouterr()
    plan = ctx.plan_keys([1, 2, 3])
    assert shown.out == ""
    assert shown.err.startswith(f"3 rotation keys of {plan.bytes_per_key / 1e6:.3g} MB and a relinearization key: ")
    with pytest.raises(errors.InvalidArgument):
        ctx.keygen(rotations=[], progress="yes")


def test_an_exception_in_the_progress_function_stops_key_generation(ctx):
    def stop(done, total):
        if done == 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ctx.keygen(rotations=[1, 2, 3], progress=stop)


def test_debug_checks_arrays_in_keyword_arguments(ctx, keys):
    with rf.debug(keys):
        y = ctx.encrypt([1.0, 2.0, 3.0], keys)
        for result, expected in (
            (np.sum(a=y), 6),
            (np.mean(a=y, keepdims=True), [2]),
            (np.roll(a=y, shift=1), [3, 1, 2]),
            (np.dot(a=y, b=y), 14),
            (np.dot(a=[1, 0, 0], b=y), 1),
        ):
            np.testing.assert_allclose(result.decrypt(keys), expected, atol=1e-4)
            np.testing.assert_allclose(result._clear, expected, atol=1e-12)


def test_debug_checks_matrix_products_moves_and_sums():
    ctx = rf.Context("int", depth=3, modular=True)
    keys = ctx.keygen()
    values = RNG.integers(-5, 5, (6, 4))
    with rf.debug(keys):
        x, y = ctx.encrypt(values, keys), ctx.encrypt(values.T, keys)
        results = [values.T @ x, x @ values.T, x @ y, x.T, x.reshape(2, 3, 4).sum(0), np.flip(x, 1), x - x.sum(axis=0)]
    assert all(result._clear is not None for result in results)


def test_default_keys_rotate_by_every_step_if_slots_are_fewer_than_the_ring_has():
    ctx = rf.Context(depth=2, precision=10, slots=64)
    keys = ctx.keygen()
    values = np.arange(64.0) / 64
    x = ctx.encrypt(values, keys)
    for step in (1, 21, 42, 43, 48, 60, 63):
        np.testing.assert_allclose(np.roll(x, -step).decrypt(keys), np.roll(values, -step), atol=1e-2)
    np.testing.assert_allclose(np.repeat(x[:4], 3).decrypt(keys), np.repeat(values[:4], 3), atol=1e-2)
