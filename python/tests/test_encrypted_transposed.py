# SPDX-License-Identifier: Apache-2.0
"""Tests transposed matrices. Until its elements move, a transposed matrix consists of its source and the order of the
axes. A program must do the same whether or not it has read facts of the matrix.

Random programs have ``x.T`` in any place. Each program runs four times: as a dry run, normally, with a read of every
fact of every array, and in a block of ``ringfort.debug``. The last three runs must have the same calls of operations,
levels, bounds and refusals. The dry run must predict shapes, sizes and, for real numbers, precision. If the dry run is
refused, the runs on ciphertexts must be refused with the same error.
"""

import pickle
from contextlib import nullcontext

import numpy as np
import pytest

import ringfort as rf
from ringfort._core import files as core
from ringfort.errors import DepthExhausted, Error, InvalidArgument, NoiseBoundExceeded, ParametersMismatch
from ringfort.planning.attempt import Inputs, _Recorder, dry_context, run_dry

RNG = np.random.default_rng(7)
OPTIONS = {"n": 1024, "insecure": "a test"}
KINDS = {"real": {"magnitude": 1, "precision": 12}, "int": {"modular": True}}
STEPS = 5


def _matrices(x):
    return x.ndim == 2


UNARY = {
    "transpose": (_matrices, lambda x: x.T),
    "transpose twice": (_matrices, lambda x: x.T.T),
    "negate": (lambda x: True, lambda x: -x),
    "add a number": (lambda x: True, lambda x: x + 1),
    "multiply by values": (lambda x: True, lambda x: x * (np.arange(x.size).reshape(x.shape) % 3 - 1)),
    "rows": (_matrices, lambda x: x[:2]),
    "sum of rows": (_matrices, lambda x: x.sum(axis=0)),
    "@ a vector": (_matrices, lambda x: x @ (np.arange(x.shape[1]) % 3 - 1)),
    "a vector @": (_matrices, lambda x: (np.arange(x.shape[0]) % 3 - 1) @ x),
    "a transposed vector product": (_matrices, lambda x: x.T @ (np.arange(x.shape[0]) % 3 - 1)),
    "a matrix @": (_matrices, lambda x: np.eye(2, x.shape[0], dtype=int) @ x),
}
BINARY = {
    "add": (lambda x, y: x.shape == y.shape, lambda x, y: x + y),
    "multiply": (lambda x, y: x.shape == y.shape, lambda x, y: x * y),
    "x.T @ y": (lambda x, y: x.ndim == y.ndim == 2 and x.shape[0] == y.shape[0], lambda x, y: x.T @ y),
    "x @ y.T": (lambda x, y: x.ndim == y.ndim == 2 and x.shape[1] == y.shape[1], lambda x, y: x @ y.T),
    "x @ y": (lambda x, y: x.ndim == y.ndim == 2 and x.shape[1] == y.shape[0], lambda x, y: x @ y),
}


def _program(seed):
    """Returns a program on two matrices, and the names of its steps. The program returns all arrays that it
    computes."""
    rng = np.random.default_rng(seed)
    shapes, steps = [np.zeros((3, 5)), np.zeros((3, 5))], [("transpose", UNARY["transpose"][1], (0,))]
    shapes.append(shapes[0].T)
    while len(steps) < STEPS:
        table = UNARY if rng.random() < 0.6 else BINARY
        name = list(table)[rng.integers(len(table))]
        which = tuple(int(i) for i in rng.integers(len(shapes), size=1 if table is UNARY else 2))
        applies, step = table[name]
        if applies(*(shapes[i] for i in which)):
            shapes.append(step(*(shapes[i] for i in which)))
            steps.append((name, step, which))

    def run(x, y, seen=lambda arrays: None):
        arrays = [x, y]
        for _, step, which in steps:
            arrays.append(step(*(arrays[i] for i in which)))
            seen(arrays)
        return arrays

    return run, [name for name, *_ in steps]


def _planned(program, inputs, ctx):
    """Returns the facts of a dry run. If the run is refused, returns the name of the error."""
    try:
        return run_dry(program, inputs, ctx), ""
    except (DepthExhausted, NoiseBoundExceeded) as error:
        return None, type(error).__name__


def _read(keys):
    """Returns a function that reads every fact of every array."""

    def seen(arrays):
        for x in arrays:
            _ = x.depth_left, x.precision_bits, x.magnitude, x.nbytes, len(x), x.shape, x.columns, x.key_id, x.device
            _ = repr(x), x._repr_html_(), x.bound_is_untrusted, x.dtype, x.size, x.copy(), x.to(x.device)
            values = x.decrypt(keys)
            keys.measure(x, expected=values)
            x.decrypt_raw(keys)
            rf.dumps(x=x)

    return seen


def _run(ctx, keys, program, values, reads=False, debug=False):
    """Returns the calls of operations, the facts of all arrays, and the values. If the run is refused, returns the
    error."""
    session = keys.public.session(ctx.device)
    kept, recorder = session.tables.on, _Recorder(session.tables.on)
    session.tables.on = recorder
    try:
        with rf.debug(keys) if debug else nullcontext():
            arrays = program(*(ctx.encrypt(each, keys.public) for each in values), *([_read(keys)] if reads else []))
        facts = [(x.shape, x.precision_bits, x.magnitude, x.nbytes, x.depth_left) for x in arrays]
        calls = sorted(recorder.rotated.items()), sorted(recorder.calls.items())
        return (calls, facts), [x.decrypt(keys) for x in arrays]
    except Error as error:
        return (type(error).__name__, str(error)), None
    finally:
        session.tables.on = kept


@pytest.mark.names_device("no decision depends on the device")
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", KINDS)
def test_programs_do_the_same_whatever_was_read_before(kind, seed):
    (program, steps), values = _program(seed), RNG.integers(-1, 2, (2, 3, 5))
    expected = program(*values.astype(float if kind == "real" else int))
    for depth in (0, 1, 2, 4):
        options = {**OPTIONS, **KINDS[kind], "depth": depth}
        like = {"magnitude": 1} if kind == "real" else {}
        inputs = Inputs((rf.like((3, 5), **like), rf.like((3, 5), **like)), {})
        ctx = rf.Context(kind, **options)
        planned, refused = _planned(program, inputs, dry_context(kind, options))
        if planned is None:
            plain, _ = _run(ctx, keys := ctx.keygen(), program, values)
            assert plain[0] == refused, steps
            assert plain == _run(ctx, keys, program, values, reads=True)[0], steps
            continue
        keys = ctx.keygen(planned)
        plain, found = _run(ctx, keys, program, values)
        assert plain[0] != "KeyMissing", (steps, plain)
        assert _run(ctx, keys, program, values, reads=True)[0] == plain, steps
        assert _run(ctx, keys, program, values, debug=True)[0] == plain, steps
        if found is None:  # a dry run of integers may use less noise budget than the run itself
            assert kind == "int", (steps, plain)
            continue
        results = [(r.shape, r.nbytes) for r in planned.results]
        assert results == [(shape, nbytes) for shape, _, _, nbytes, _ in plain[1]], steps
        if kind == "real":
            bits = zip((r.precision_bits for r in planned.results), (each[1] for each in plain[1]), strict=True)
            assert all(least <= real < least + 1 for least, real in bits), steps
        for got, want in zip(found, expected, strict=True):
            assert np.abs(got - want).max() < (1e-2 if kind == "real" else 1), steps


@pytest.fixture(scope="module")
def party():
    ctx = rf.Context(depth=2, magnitude=1, precision=12, **OPTIONS)
    return ctx, ctx.keygen()


def test_a_matrix_without_levels_is_read_decrypted_and_written_transposed(party):
    ctx, keys = party
    values = RNG.uniform(-1, 1, (3, 4))
    spent = ctx.encrypt(values, keys) ** 4
    with ctx.profile() as seen:
        flipped = spent.T
        assert (flipped.depth_left, flipped.precision_bits) == (0, spent.precision_bits)
        assert (flipped.shape, flipped.nbytes) == ((4, 3), spent.nbytes)
    assert seen.records == []
    for found in (flipped.decrypt(keys), flipped.decrypt_raw(keys)):
        assert np.abs(found - values.T**4).max() < 1e-2
        assert found.flags.c_contiguous
    assert keys.measure(flipped, expected=values.T**4).error < 1e-2
    with pytest.raises(DepthExhausted, match=r"x \+ a number needs 1 level"):
        _ = flipped + 1


@pytest.mark.parametrize("read", ["nothing", "repr", "precision_bits", "depth_left", "decrypt", "add"])
def test_a_product_with_no_level_to_spare_runs_whatever_was_read_before(party, read):
    ctx, keys = party
    values, vector = RNG.uniform(-1, 1, (3, 4)), RNG.uniform(-1, 1, 3)
    y = (ctx.encrypt(values, keys) * 0.99).T
    reads = {"nothing": id, "repr": repr, "decrypt": lambda y: y.decrypt(keys), "add": lambda y: y + 1}
    reads.get(read, lambda y: getattr(y, read))(y)
    assert np.abs((y @ vector).decrypt(keys) - 0.99 * values.T @ vector).max() < 1e-2


def test_a_plan_of_a_returned_transposed_matrix_counts_no_move_and_none_is_made():
    values = np.arange(12).reshape(3, 4) % 10
    for program in (lambda x: (x + 1).T, lambda x: [(x + 1).T, x * x]):
        plan = rf.plan(program, rf.like((3, 4)), dtype="int", range=(0, 9), **OPTIONS)
        assert plan.rotations == ()
        assert plan.found.results[0].shape == (4, 3)
        ctx = plan.context()
        keys = ctx.keygen(plan)
        found = program(ctx.encrypt(values, keys.public))
        found = found[0] if isinstance(found, list) else found
        assert np.array_equal(found.decrypt(keys), values.T + 1)
        back = rf.loads(rf.dumps(y=found), ctx, keys=keys)["y"]
        assert np.array_equal(back.decrypt(keys), values.T + 1)
        assert back.depth_left == found.depth_left


def test_debug_mode_needs_no_levels_and_keys_beyond_the_plan():
    values, vector = RNG.uniform(-1, 1, (3, 5)), RNG.uniform(-1, 1, 3)
    plan = rf.plan(lambda x: x.T @ vector, rf.like((3, 5)), precision=10, **OPTIONS)
    ctx = plan.context()
    keys = ctx.keygen(plan)
    with rf.debug(keys):
        found = ctx.encrypt(values, keys, magnitude=1).T @ vector
    assert np.abs(found.decrypt(keys) - values.T @ vector).max() < 1e-2


def test_operands_that_share_their_ciphertexts_are_one_in_a_dry_run_too():
    def program(x):
        return x.T @ x.T.T

    values = RNG.uniform(-1, 1, (8, 6))
    plan = rf.plan(program, rf.like((8, 6)), precision=10, **OPTIONS)
    ctx = plan.context()
    keys = ctx.keygen(plan)
    assert np.abs(program(ctx.encrypt(values, keys, magnitude=1)).decrypt(keys) - values.T @ values).max() < 1e-2


def test_files_keep_the_order_of_the_axes_and_what_it_saves(party):
    ctx, keys = party
    values, vector = RNG.uniform(-1, 1, (3, 4)), RNG.uniform(-1, 1, 3)
    saved = rf.dumps(x=(ctx.encrypt(values, keys) * 0.99).T, keys=keys.public)
    objects = rf.loads(saved, allow_insecure=True)
    assert set(objects) == {"x", "keys", "context"}
    assert objects["x"].shape == (4, 3)
    assert np.abs((rf.loads(saved, ctx, keys=keys)["x"] @ vector).decrypt(keys) - 0.99 * values.T @ vector).max() < 1e-2
    entry = rf.inspect(saved).entries["x"]
    assert (entry.facts["shape"], set(rf.inspect(saved).entries)) == ([4, 3], {"x", "keys"})
    stranger = rf.loads(rf.dumps(x=ctx.encrypt(values, keys).T), ctx, keys=keys, trust_bound=False)["x"]
    assert np.abs(stranger.decrypt(keys) - values.T).max() < 1e-2


def test_a_damaged_order_of_axes_is_refused(party):
    ctx, keys = party
    matrix = dict(core.unpack(np.frombuffer(rf.dumps(x=ctx.encrypt(np.ones((3, 4)), keys).T), np.uint8)))
    vector = dict(core.unpack(np.frombuffer(rf.dumps(x=ctx.encrypt(np.ones(3), keys)), np.uint8)))
    axes = matrix["x.axes"]
    for members, error in (
        ({**matrix, "x.axes": matrix["x"]}, ParametersMismatch),  # the array instead of the order of its axes
        ({**vector, "x.axes": axes}, ParametersMismatch),
        ({**vector, "y.axes": axes}, InvalidArgument),
        ({**vector, "x.axes.axes": axes}, InvalidArgument),
    ):
        with pytest.raises(error) as caught:
            rf.loads(core.pack(list(members.items())).tobytes(), ctx, keys=keys)
        assert "damaged" in str(caught.value) or "not the name of a member" in str(caught.value)


def test_pickles_keep_the_order_of_the_axes():
    ctx = rf.Context("int", depth=0, range=(0, 9))
    keys, values = ctx.keygen(rotations=[]), np.arange(6).reshape(2, 3)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(ctx.encrypt(values, keys).T, protocol))
        assert np.array_equal(back.with_keys(keys).decrypt(keys), values.T)
