# SPDX-License-Identifier: Apache-2.0
"""Tests that dry runs (the checks of operations, without their arithmetic) detect missing levels before any work, and
count the levels that operations take. A context has ``depth`` levels, and a product takes one of them.
"""

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors
from ringfort.encrypted.verbs import dry_run, functions

RNG = np.random.default_rng(11)
WORK = ("add", "subtract", "multiply", "power", "add_plain", "multiply_plain", "multiply_number", "rotate", "swap_rows")
MATRIX = RNG.random((3, 4))


TALL = RNG.random((5, 6))

ON_A_MATRIX = {  # maps the operation that an error names to a program on a matrix of shape (4, 5)
    r"x \*\* 8": lambda x: x**8,
    r"x \*\* 5": lambda x: x**5,
    "an array @ x": lambda x: MATRIX @ x,
    "x @ an array": lambda x: x @ TALL,
    "x @ x": lambda x: x[:, :4] @ x[:, :4],
    "numpy.mean": lambda x: x.mean(),
    "numpy.sum": lambda x: x.reshape(2, 2, 5).sum(axis=1),
    "numpy.roll": lambda x: np.roll(x, 1, axis=1),
    r"x \+ a number": lambda x: x.T + 1,
    "an index": lambda x: x[1, 2],
    "numpy.flip": lambda x: np.flip(x),
    r"x \* an array": lambda x: x * RNG.random((4, 5)),
    r"x \* 0.5": lambda x: x * 0.5,
    r"x \* y": lambda x: x * x.mean(axis=1, keepdims=True),
    r"x \+ y": lambda x: x + x[1],
    "numpy.stack": lambda x: np.stack([x, TALL[:4, :5], x], axis=1),
    "numpy.polyval": lambda x: np.polyval([1, -2, 3, 0.5], x),
    "numpy.where": lambda x: np.where(TALL[:4, :5] > 0.5, x, 1),
    "numpy.var": lambda x: np.var(x, axis=0),
}
OF_INTEGERS = [r"x \*\* 8", r"x \*\* 5", "numpy.roll", r"x \+ a number", "an index"]


@pytest.fixture(scope="module", params=["real", "int"])
def spent(request):
    """Makes a context with two levels, a matrix with one level left, and a matrix with no level left."""
    ctx = rf.Context(request.param, depth=2, **({"magnitude": 1} if request.param == "real" else {"modular": True}))
    x = ctx.encrypt(RNG.integers(0, 2, (4, 5)), ctx.keygen())
    return request.param, x * x, x**4


def worked_by(monkeypatch, x):
    worked = []
    for verb in WORK:
        if hasattr(x._session.on.verbs, verb):
            monkeypatch.setattr(
                type(x._session.on.verbs), verb, lambda self, a, *rest, verb=verb: worked.append(verb) or a
            )
    return worked


def test_missing_levels_are_detected_before_any_work(spent, monkeypatch):
    dtype, _, x = spent
    worked = worked_by(monkeypatch, x)
    for name in ON_A_MATRIX if dtype == "real" else OF_INTEGERS:
        verb = f"{name}|an index|numpy.mean|x . y|x . a number"  # an earlier operation may lack the level
        told = f"^({verb}) needs \\d levels?, but 0 of 2 are left"
        with pytest.raises(errors.DepthExhausted, match=told):
            ON_A_MATRIX[name](x)
    assert worked == []


def test_a_missing_last_level_is_detected_before_the_first_level_is_used(spent, monkeypatch):
    dtype, x, _ = spent
    programs = {"x ** 4 needs 2 levels": lambda: x**4, "x ** 8 needs 3 levels": lambda: x**8}
    if dtype == "real":
        programs["numpy.mean needs 2 levels"] = lambda: x.reshape(2, 2, 5).mean(axis=1)
        programs["x @ y needs"] = lambda: x @ x.reshape(5, 4)
    worked = worked_by(monkeypatch, x)
    for told, program in programs.items():
        with pytest.raises(errors.DepthExhausted) as caught:
            program()
        assert caught.value.problem.startswith(told)
        assert "1 of 2 is left" in caught.value.problem
        assert caught.value.fix.startswith("make the context with Context(depth=")
    assert worked == []


def test_the_dry_run_predicts_the_levels_of_real_numbers_exactly(monkeypatch):
    ctx = rf.Context(depth=6, precision=10, magnitude=1)
    x, left = ctx.encrypt(RNG.random((4, 5)), ctx.keygen()), []
    check_dry_run = functions.check_dry_run

    def noted(verb, args, options):
        levels = check_dry_run(verb, args, options)
        arrays = [a for arg in args for a in (arg if isinstance(arg, list) else [arg]) if functions.is_encrypted(a)]
        if (dry_session := arrays[0]._session.dry_run()) is None:  # None inside a dry run
            return levels
        dry = verb(*map(dry_run._DryArrays(dry_session).of, args), **options)
        if functions.is_encrypted(dry):
            left.append([each.budget for each in dry._packed.ciphertexts])
        return levels

    monkeypatch.setattr(functions, "check_dry_run", noted)
    for name, program in ON_A_MATRIX.items():
        result = program(x)
        assert left[-1] == [levels_left(result, ciphertext) for ciphertext in result._packed.ciphertexts], name


def levels_left(array, ciphertext):
    return array._session.on.depth_left(ciphertext)


def test_a_missing_rotation_error_names_all_missing_steps():
    ctx = rf.Context(depth=1)
    x = ctx.encrypt(np.arange(8) / 8, keys := ctx.keygen(rotations=[1]))
    with pytest.raises(errors.KeyMissing, match=r"rotations by \[-2, 6\] .* keys are for \[1\]") as caught:
        np.roll(x, 2)
    given = {"keys": keys, "x": x}
    exec(caught.value.fix.partition("secret: ")[2].replace(" then: x", " x = x"), given)  # the advice works as it is
    moved = np.roll(given["x"], 2)
    assert np.allclose(moved.decrypt(keys), np.roll(np.arange(8) / 8, 2), atol=1e-4)
