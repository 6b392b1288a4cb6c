# SPDX-License-Identifier: Apache-2.0
"""Tests plans of programs: rf.plan runs a program dry, and finds parameters and keys for it. The planned bits, levels
and keys must be those of the program on real ciphertexts.
"""

from __future__ import annotations

import json
import random
from contextlib import suppress

import numpy as np
import pytest

import ringfort as rf
from ringfort.errors import (
    DepthExhausted,
    DeviceUnknown,
    Error,
    InsecureParameters,
    InvalidArgument,
    KeyMissing,
    RangeExceeded,
    Unsupported,
)
from ringfort.values import require_kind_of_device

RNG = np.random.default_rng(7)
MATRIX = RNG.uniform(-1, 1, (6, 3))
SMALL = {"n": 2048, "insecure": "a test"}


def cubic(x):
    z = x @ MATRIX
    return 0.5 + 0.2 * z - 0.004 * z**3


PROGRAMS = {
    "sum of squares": (lambda x: (x * x).sum(), [(40,)]),
    "cubic of a product": (cubic, [(9, 6)]),
    "two arguments": (lambda x, y: x @ y - y[:6], [(6, 6), (6, 6)]),
    "moments": (lambda x: (x.mean(axis=0), x.var(axis=0)), [(12, 4)]),
    "moves": (lambda x: np.roll(x, 3) + x[::-1], [(20,)]),
    "nothing": (lambda x: x, [(5,)]),
}


def flat(result):
    return list(result) if isinstance(result, tuple) else [result]


class Frame:
    """Has the members of a DataFrame that plans read."""

    def __init__(self, values, columns):
        self.values, self.columns = np.asarray(values), columns

    def to_numpy(self):
        return self.values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)


def test_examples_that_are_tables_keep_the_names_of_their_columns():
    table = Frame([[30.0, 1.5], [40.0, 2.5]], ["age", "dose"])
    mixed = Frame(np.array([[30.0, True], [40.0, False]], dtype=object), ["age", "dose"])
    plan = rf.plan(lambda z: z["age"] * 2 + z["dose"], inputs=[table, mixed])
    assert plan.inputs.positional[0].columns == ("age", "dose")
    document = json.loads(plan.to_json())
    assert rf.Plan.from_json(plan.to_json()) == plan
    for wrong in (["age"], ["age", "age"], [1, 2], "ab", [[], []]):
        document["inputs"]["positional"][0]["columns"] = wrong
        with pytest.raises(InvalidArgument):
            rf.Plan.from_json(json.dumps(document))
    del document["inputs"]["positional"][0]["columns"]  # older plans have no columns
    assert rf.Plan.from_json(json.dumps(document)).options == plan.options
    with pytest.raises(InvalidArgument, match="different columns"):
        rf.plan(lambda z: z, inputs=[table, Frame(table.values, ["dose", "age"])])


def test_a_program_that_names_devices_has_the_plan_of_one_that_does_not():
    plain = rf.plan(lambda x: x * x + x, rf.like(4), precision=16)
    for move in (lambda x: x.to("emu:0"), lambda x: x.to("cuda:3"), lambda x: x.to("pim"), rf.EncryptedArray.gpu):
        plan = rf.plan(lambda x, move=move: (move(x) * x.cpu()).to("cpu") + move(x), rf.like(4), precision=16)
        assert (plan.options, plan.found) == (plain.options, plain.found)
    with pytest.raises(DeviceUnknown, match=r"no device .abacus:1.*cuda"):
        rf.plan(lambda x: x.to("abacus:1"), rf.like(4))
    for device in rf.devices():
        require_kind_of_device(device.name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_have_the_planned_bits_with_the_planned_keys(name):
    program, shapes = PROGRAMS[name]
    plan = rf.plan(program, *(rf.like(shape, magnitude=2) for shape in shapes), precision=16)
    assert plan.precision_bits >= 16
    ctx = plan.context()
    keys = ctx.keygen(plan)
    values = [RNG.uniform(-2, 2, shape) for shape in shapes]
    found = flat(program(*(ctx.encrypt(value, keys.public, magnitude=2) for value in values)))
    for result, expected, planned in zip(found, flat(program(*values)), plan.found.results, strict=True):
        assert result.shape == planned.shape == np.shape(expected)
        assert planned.precision_bits <= result.precision_bits < planned.precision_bits + 1
        assert result.magnitude == planned.magnitude
        assert result.nbytes == planned.nbytes
        assert np.abs(result.decrypt(keys) - expected).max() <= 2.0**-planned.precision_bits
    assert sorted(keys.public._galois.plan.steps) == list(plan.rotations)


def test_a_key_less_is_too_few_and_at_most_one_level_is_left_over():
    plan = rf.plan(cubic, rf.like((9, 6)))
    ctx = plan.context()
    x = RNG.uniform(-1, 1, (9, 6))
    keys = ctx.keygen(plan.rotations[1:])
    with pytest.raises(KeyMissing):
        cubic(ctx.encrypt(x, keys, magnitude=1))
    needed = next(d for d in range(9) if runs_at(d, x))
    assert needed <= plan.depth <= needed + 1


def runs_at(depth, x):
    ctx = rf.Context(depth=depth, precision=30, magnitude=8, **SMALL)
    try:
        cubic(ctx.encrypt(x, ctx.keygen(), magnitude=1))
    except DepthExhausted:
        return False
    return True


def test_keys_of_a_program_are_a_quarter_of_those_for_all_arrays():
    program = PROGRAMS["sum of squares"][0]
    plan = rf.plan(program, rf.like((30,)))
    ctx = plan.context()
    assert ctx.plan_keys(plan).galois_bytes * 4 <= ctx.plan_keys().galois_bytes


def test_more_bits_need_a_larger_modulus_and_more_depth_a_larger_ring():
    few, many = (rf.plan(cubic, rf.like((9, 6)), precision=bits) for bits in (8, 40))
    assert few.found.log2_qp < many.found.log2_qp
    assert many.precision_bits >= 40
    deep = rf.plan(lambda x: x**1024, rf.like((4,)))
    assert deep.found.n > few.found.n


def test_without_a_precision_the_errors_of_functions_limit_the_bits():
    def score(x):
        return rf.sigmoid((x @ MATRIX).assume(magnitude=8), domain=(-8, 8), error=1e-2)

    plan = rf.plan(score, rf.like((9, 6), magnitude=5))
    assert 5 <= plan.precision_bits < 20
    ctx = plan.context()
    keys = ctx.keygen(plan)
    values = RNG.uniform(-1, 1, (9, 6))
    found = score(ctx.encrypt(values, keys.public, magnitude=5)).decrypt(keys)
    assert np.abs(found - 1 / (1 + np.exp(-values @ MATRIX))).max() <= 2.0**-plan.precision_bits
    with pytest.raises(Unsupported, match="with 20 bits") as caught:
        rf.plan(score, rf.like((9, 6), magnitude=5), precision=20)
    assert "smaller error" in caught.value.fix


def test_integers_are_planned_without_wrapping_around():
    def program(x, y):
        return (x * y).sum() * 3 - x[0]

    plan = rf.plan(program, rf.like((50,)), rf.like((50,)), dtype="int", range=(-100, 100))
    ctx = plan.context()
    keys = ctx.keygen(plan)
    x, y = RNG.integers(-100, 101, (2, 50))
    assert program(ctx.encrypt(x, keys), ctx.encrypt(y, keys)).decrypt(keys) == program(x, y)
    assert ctx.plain_modulus > 2 * (3 * 50 * 100**2 + 100)
    wide = rf.plan(lambda x: x + x, rf.like((4,)), dtype="int", range=(-(2**60), 40000))
    assert wide.context().plain_modulus > 2**62
    with pytest.raises(Unsupported, match="wrap around"):
        rf.plan(lambda x: x**8, rf.like((4,)), dtype="int", range=(-(2**60), 2**60))


def test_orbits_and_conjugates_get_their_key():
    reverse = rf.plan(lambda x: x[::-1] + 1, rf.like((2, 2048)), dtype="int", range=(0, 9))
    assert reverse.swap
    ctx = reverse.context()
    keys = ctx.keygen(reverse)
    x = RNG.integers(0, 9, (2, 2048))
    assert np.array_equal((ctx.encrypt(x, keys)[::-1] + 1).decrypt(keys), x[::-1] + 1)
    conjugate = rf.plan(lambda z: z * z.conj(), rf.like((3,)), dtype="complex")
    assert conjugate.swap
    ctx = conjugate.context()
    keys = ctx.keygen(conjugate)
    z = np.array([0.5 + 0.5j, -1j, 0.25])
    product = ctx.encrypt(z, keys, magnitude=1)
    assert np.allclose((product * product.conj()).decrypt(keys), z * z.conj(), atol=1e-5)
    assert not rf.plan(lambda z: z * z, rf.like((3,)), dtype="complex").swap


def test_a_promise_inside_the_program_makes_it_possible():
    def power(x, bound):
        y = x @ MATRIX
        return (y.assume(magnitude=bound) if bound else y) ** 32

    plan = rf.plan(lambda x: power(x, 1), rf.like((9, 6), magnitude=100))
    assert plan.precision_bits >= 20
    with pytest.raises(Unsupported, match="no parameters run the program"):
        rf.plan(lambda x: power(x, None), rf.like((9, 6), magnitude=100))


@pytest.mark.parametrize("options", [{}, {"dtype": "int", "range": (0, 9)}])
def test_a_ring_that_is_too_small_is_the_reason_of_the_refusal(options):
    with pytest.raises(
        Unsupported, match=r"n = 1024: log2 QP = \d+ is needed, 26 is the limit.*use a larger n"
    ) as refused:
        rf.plan(lambda z: z * z, rf.like((3,)), n=1024, **options)
    assert ("range" in refused.value.fix) == bool(options) != ("magnitude" in refused.value.fix)


def test_numbers_that_are_too_large_are_the_reason_of_the_refusal():
    with pytest.raises(Unsupported, match=r"results of power may reach from 0 to 2\^951.*a smaller range"):
        rf.plan(lambda z: z**300, rf.like((3,)), dtype="int", range=(0, 9))
    with pytest.raises(Unsupported, match=r"a double has only 53 bits.*use fewer.*smaller magnitudes"):
        rf.plan(lambda z: z * z, rf.like((3,), magnitude=1e12))


def test_examples_give_shapes_and_magnitudes():
    examples = [RNG.uniform(-3, 3, (4, 6)) for _ in range(5)]
    plan = rf.plan(cubic, inputs=examples)
    like = plan.inputs.positional[0]
    largest = max(np.abs(example).max() for example in examples)
    assert like.shape == (4, 6)
    assert largest <= like.magnitude <= 1.25 * largest
    two = rf.plan(lambda x, y: x * y, inputs=[(np.ones(3), np.full(3, 0.25))])
    assert [each.magnitude for each in two.inputs.positional] == [1.0, 0.25]


def test_a_compiled_program_checks_its_arguments():
    program = rf.compile(cubic, rf.like((9, 6), magnitude=2), precision=16)
    ctx = program.context()
    keys = ctx.keygen(program.plan)
    values = RNG.uniform(-2, 2, (9, 6))
    (x,) = program.encrypt(ctx, keys.public, values)
    assert np.abs(program(x).decrypt(keys) - cubic(values)).max() < 2.0**-16
    for bad, message in (
        ((), "not those of the plan"),
        ((values,), "argument 0 is"),
        ((ctx.encrypt(values[:3], keys),), "shape"),
        ((ctx.encrypt(values, keys, magnitude=3),), "magnitude"),
        ((x * 0.25,), "levels left"),
        (
            (rf.Context(depth=9, magnitude=2).encrypt(values, rf.Context(depth=9, magnitude=2).keygen()),),
            "another context",
        ),
    ):
        with pytest.raises(InvalidArgument, match=message):
            program(*bad)
    with pytest.raises(InvalidArgument, match="shape"):
        program.encrypt(ctx, keys, values[:3])
    with pytest.raises(InvalidArgument, match="1 positional argument;"):
        program.encrypt(ctx, keys)


def test_plans_survive_as_text_and_damaged_text_is_refused():
    plan = rf.plan(cubic, rf.like((9, 6), magnitude=2))
    document = plan.to_json()
    assert rf.Plan.from_json(document) == plan
    assert {plan, rf.Plan.from_json(document)} == {plan}
    assert rf.Plan.from_json(document).context() == plan.context()
    rng = random.Random(3)
    for _ in range(300):
        characters = list(document)
        for _ in range(rng.randint(1, 3)):
            characters[rng.randrange(len(characters))] = chr(rng.randrange(32, 127))
        with suppress(InvalidArgument, Unsupported, InsecureParameters, RangeExceeded):
            rf.Plan.from_json("".join(characters)).explain()
    for bad in ("", "[]", "{}", "null", json.dumps({"format": "ringfort plan 1"}), "[" * 10000):
        with pytest.raises(InvalidArgument, match="not a plan"):
            rf.Plan.from_json(bad)


def test_a_stored_plan_cannot_allow_parameters_without_security():
    document = json.loads(rf.plan(cubic, rf.like((9, 6))).to_json())
    document["options"].update(insecure="because", n=1024)
    with pytest.raises(InvalidArgument, match="allows insecure parameters"):
        rf.Plan.from_json(json.dumps(document))
    secure = rf.plan(cubic, rf.like((9, 6))).to_json()
    with pytest.raises(InvalidArgument, match="allows no insecure parameters"):
        rf.Plan.from_json(secure, insecure="because")
    reason = "a test of small rings, " * 20 + "\u200b"  # rf.Context accepts this reason
    small = rf.plan(cubic, rf.like((9, 6)), n=2048, insecure=reason)
    assert rf.Plan.from_json(small.to_json(), insecure=reason) == small
    for other in ("", "another reason"):
        with pytest.raises(InvalidArgument, match="repeat the reason"):
            rf.Plan.from_json(small.to_json(), insecure=other)


@pytest.mark.parametrize(
    ("entry", "name", "value"),
    [
        *(("options", name, value) for name, value in {"device": "cpu", "threads": 4, "foo": 1, "depth": "3"}.items()),
        *(pytest.param("options", name, 10**400, id=f"huge {name}") for name in ("depth", "magnitude", "precision")),
        *(
            ("found", name, value)
            for name in ("n", "multiplications", "input_bytes")
            for value in ("x", None, True, -1)
        ),
        *(("found", "rotations", value) for value in ([1.5], [True], [2**17], "12", None)),
        *(("found", name, value) for name, value in {"results": [], "swap": "yes", "log2_qp": "600", "foo": 1}.items()),
        pytest.param("found", "log2_qp", 10**400, id="huge log2_qp"),  # no double is so large
        *(("result", "precision_bits", value) for value in ("x", None, True, float("nan"))),
        *(
            ("result", name, value)
            for name, value in {"nbytes": None, "shape": "abc", "magnitude": "1", "foo": 1}.items()
        ),
        ("input", "shape", [2**40]),
        ("input", "magnitude", float("inf")),
        ("document", "name", "\x1b[31m"),
        ("document", "dtype", []),
    ],
)
def test_every_field_of_a_stored_plan_is_checked(entry, name, value):
    document = json.loads(rf.plan(lambda x: x * x, rf.like((3,))).to_json())
    found = document["found"]
    entries = {
        "document": document,
        "options": document["options"],
        "found": found,
        "result": found["results"][0],
        "input": document["inputs"]["positional"][0],
    }
    entries[entry][name] = value
    with pytest.raises(InvalidArgument):
        rf.Plan.from_json(json.dumps(document))


def test_what_is_no_program_is_refused():
    one = rf.like((3,))
    for arguments, options, message in (
        ((7, one), {}, "function is"),
        ((cubic,), {}, "no encrypted argument"),
        ((cubic, 3), {}, "an argument is"),
        ((lambda x: 3, one), {}, "the program returns"),
        ((lambda x: [], one), {}, "returns no array"),
        ((lambda x: x, one), {"dtype": "float"}, "dtype is"),
        ((lambda x: x, one), {"depth": 3}, "finds depth itself"),
        ((lambda x: x, one), {"device": "cpu"}, r"plan\.context\(device="),
        ((lambda x: x, one), {"threads": 1, "dtype": "int"}, r"plan\.context\(threads="),
        ((lambda x: x, one), {"precisoin": 3}, "no option 'precisoin'; write precision=...; the options are: dtype"),
        ((lambda x: x, one), {"multiplicative_depth": 3}, r"; the options are: (?!.*\b(depth|magnitude|device)\b)"),
        ((lambda x: x, one), {"dtype": "int"}, "need a range"),
        ((lambda x: x, one), {"inputs": [np.ones(3)]}, "likes and inputs"),
        ((lambda x: x,), {"inputs": []}, "no examples"),
        ((lambda x: x,), {"inputs": [np.ones(3), np.ones(2)]}, "different shapes"),
        ((lambda x: x,), {"inputs": [np.array([np.nan])]}, "finite"),
        ((lambda x: x,), {"inputs": np.ones((2, 3))}, r"inputs is of type ndarray; .* inputs=\[array\]"),
        ((lambda x: x,), {"inputs": 5}, "inputs is of type int"),
        ((lambda x, y: x + y,), {"inputs": [np.ones(3), np.ones(3)]}, r"'y'; .* give tuples: inputs=\[\(a, b\)\]"),
        ((lambda x, y: x + y,), {"inputs": [np.ones(3), np.ones(2)]}, r"give tuples: inputs=\[\(a, b\)\]"),
    ):
        for plan in (rf.plan, rf.compile):
            with pytest.raises(InvalidArgument, match=message):
                plan(*arguments, **options)
    for shape in (0, (2, -1), (2**40,), "3", 1.5):
        with pytest.raises(InvalidArgument, match="shape"):
            rf.like(shape)
    with pytest.raises(Unsupported, match="different moves"):
        scattered = np.random.default_rng(1).permutation(12000)
        rf.plan(lambda x: x[scattered], rf.like((12000,)), dtype="int", range=(0, 9), n=16384)
    with pytest.raises(ZeroDivisionError):
        rf.plan(lambda x: x / (1 // 0), one)


def test_nothing_is_decrypted_in_a_dry_run():
    def peeks(x):
        return x * float(x.decrypt(rf.Context(device="dry").keygen())[0])

    with pytest.raises(Error):
        rf.plan(peeks, rf.like((3,)))


def test_the_explanation_names_what_a_user_wants_to_know():
    text = rf.plan(cubic, rf.like((9, 6), magnitude=2)).explain()
    for row in ("program", "result", "ring", "modulus", "security", "rotations", "keys", "inputs", "work"):
        assert f"\n{row}" in "\n" + text


def test_a_plan_counts_verbs_by_level_and_rotations_by_key():
    plan = rf.plan(lambda x: x.sum() * x[0], rf.like((8,), magnitude=1), n=4096, insecure="a test")
    counts = {}
    for name, level, count in plan.found.calls:
        assert 0 <= level <= plan.depth + 1
        counts[name] = counts.get(name, 0) + count
    assert counts["multiply"] == 1
    assert counts["rotate"] >= 3  # for the sum of eight elements
    powers = rf.plan(lambda x: x**7, rf.like((8,), magnitude=1), n=4096, insecure="a test")
    assert sum(count for name, _, count in powers.found.calls if name == "multiply") == 4
    assert not any(name == "rotate" for name, _, _ in powers.found.calls)
    assert rf.Plan.from_json(powers.to_json(), insecure="a test") == powers


@pytest.mark.parametrize("dtype", ["real", "int"])
def test_predicted_seconds_are_those_of_measured_verbs(dtype):
    options = {"range": (0, 9)} if dtype == "int" else {}
    n = 2048 if dtype == "int" else 4096
    plan = rf.plan(lambda x: (3 * x * x).sum() + x[1], rf.like((8,)), dtype=dtype, n=n, insecure="a test", **options)
    found = plan.predict("cpu")
    assert found.seconds == pytest.approx(sum(seconds for _, seconds in found.calls.values()))
    assert sum(count for count, _ in found.calls.values()) == sum(count for _, _, count in plan.found.calls)
    assert all(count > 0 and seconds > 0 for count, seconds in found.calls.values())
    assert "on one thread of cpu" in repr(found)
    assert plan.predict("cpu") == found  # this call measures nothing
    document = json.loads(plan.to_json())
    document["found"]["calls"] = [[name, level, 2 * count] for name, level, count in document["found"]["calls"]]
    twice = rf.Plan.from_json(json.dumps(document), insecure="a test")
    assert twice.predict("cpu").seconds == pytest.approx(2 * found.seconds)


def test_an_operation_at_a_level_below_a_product_has_a_time():
    plan = rf.plan(lambda x: (x * x) * (x * x) + 1, rf.like((8,)), dtype="int", range=(0, 3), n=2048, insecure="a test")
    assert ("add_plain", plan.depth - 1, 1) in plan.found.calls
    assert all(seconds > 0 for _, seconds in plan.predict("cpu").calls.values())


def test_explain_shows_the_time_once_it_is_predicted():
    plan = rf.plan(lambda x: x * x, rf.like((5,), magnitude=3), n=4096, insecure="a test of times")
    assert "one thread" not in plan.explain()
    plan.predict()
    assert f"one thread of {plan.context().device}" in plan.explain()


def test_a_stored_plan_without_counts_is_not_predicted():
    plan = rf.plan(lambda x: x * x, rf.like((5,), magnitude=3), n=4096, insecure="a test")
    document = json.loads(plan.to_json())
    del document["found"]["calls"]
    older = rf.Plan.from_json(json.dumps(document), insecure="a test")
    assert older.context() == plan.context()
    with pytest.raises(Unsupported, match=r"rf\.plan"):
        older.predict()
    for bad in ([["sleep", 1, 1]], [["add", -1, 1]], [["add", 1, True]], [["add", 1]], 7):
        document["found"]["calls"] = bad
        with pytest.raises(InvalidArgument, match="not a plan"):
            rf.Plan.from_json(json.dumps(document), insecure="a test")


def test_markup_in_a_stored_plan_is_text_in_a_notebook():
    plan = rf.plan(lambda x: x * x, rf.like((4,)), precision=10, n=1024, insecure="a <b>test</b>")
    document = json.loads(plan.to_json())
    document["name"] = "<img src=x onerror=alert(1)>"
    shown = rf.Plan.from_json(json.dumps(document), insecure="a <b>test</b>")._repr_html_()
    assert "&lt;img" in shown
    assert "&lt;b&gt;" in shown
    assert "<" not in shown.removeprefix("<pre>").removesuffix("</pre>")


def test_a_precision_out_of_range_is_refused_with_the_range():
    with pytest.raises(InvalidArgument, match=r"precision is in 0 \.\. 52$"):
        rf.plan(lambda x: x, rf.like((3,)), precision=53)


def test_arrays_of_other_keys_have_no_shadow_in_debug_mode():
    ctx = rf.Context(depth=1, **SMALL)
    keys, others = ctx.keygen(), ctx.keygen()
    integers = rf.Context("int", depth=1, range=(0, 9), **SMALL)
    of_integers = integers.keygen()
    with rf.debug(keys):
        assert (ctx.encrypt([1.0, 2.0], others) + 1).decrypt(others)[1] == pytest.approx(3)
        assert list((integers.encrypt([1, 2], of_integers) + 1).decrypt(of_integers)) == [2, 3]
        assert rf.plan(lambda x: x * x, rf.like((3,)), precision=10, **SMALL).depth == 1
        assert (ctx.encrypt([1.0], keys) + 1)._clear == [2]


def test_a_stored_plan_of_integers_has_a_range():
    document = json.loads(rf.plan(lambda x: x * x, rf.like((1,)), dtype="int", range=(0, 9)).to_json())
    rf.Plan.from_json(json.dumps(document))
    for change in ({"range": None}, {"range": None, "modular": True}, {"modular": True}):
        changed = {**document, "options": {**document["options"], **change}}
        with pytest.raises(InvalidArgument, match="the document is not a plan"):
            rf.Plan.from_json(json.dumps(changed))
    del document["options"]["range"]
    document["options"] |= {"modular": True, "plain_modulus": 65537}
    with pytest.raises(InvalidArgument, match="the document is not a plan"):
        rf.Plan.from_json(json.dumps(document))
