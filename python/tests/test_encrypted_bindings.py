# SPDX-License-Identifier: Apache-2.0
"""Tests that the bindings (the classes of the C++ extension) have the operations that arrays use. Tests that an error
states its cause once, and that its advice names options of rf.Context.
"""

import numpy as np
import pytest

import ringfort as rf
from ringfort import _core, errors
from ringfort.encrypted.packing.arithmetic import Arithmetic

VERBS = {name for name in vars(Arithmetic) if not name.startswith("_")}
RNG = np.random.default_rng(23)
BINDINGS = {
    "real": _core.ckks.Arithmetic,
    "complex": _core.ckks.ComplexArithmetic,
    "bfv": _core.bfv.Arithmetic,
    "bgv": _core.bgv.Arithmetic,
}


@pytest.mark.parametrize("name", BINDINGS)
def test_bindings_have_the_verbs_of_the_protocol_under_its_names(name):
    missing = {"conjugate", "polynomial"} if name in ("bfv", "bgv") else {"swap_rows"}
    found = {verb for verb in dir(BINDINGS[name]) if not verb.startswith("_")}
    assert found == VERBS - missing


@pytest.fixture(scope="module", params=["bfv", "bgv"])
def integers(request):
    ctx = rf.Context("int", depth=2, modular=True, scheme=request.param)
    keys = ctx.keygen(rotations=[])
    return ctx, keys, ctx.encrypt([1, -2, 3], keys)


@pytest.mark.parametrize("value", [65537, 65536, 32768, 32769, -32768, -32769, 2**62, -(2**63) + 1, 0])
def test_plain_integers_of_any_size_are_reduced_by_the_binding(integers, value):
    ctx, keys, x = integers
    t, clear = ctx.plain_modulus, np.array([1, -2, 3], object)
    for found, expected in (
        (x + np.array([value] * 3), clear + value),
        (x * np.array([value, 1, value]), clear * np.array([value, 1, value], object)),
        (x * value, clear * value),
    ):
        assert (found.decrypt(keys) == (expected + t // 2) % t - t // 2).all()


@pytest.mark.parametrize("dtype", ["real", "complex"])
def test_a_mask_of_integers_is_a_mask_of_numbers(dtype):
    ctx = rf.Context(dtype, depth=1, magnitude=2)
    x = ctx.encrypt(np.arange(4) / 4, ctx.keygen(rotations=[]))
    verbs, (ciphertext,) = x._session.on.verbs, x._packed.ciphertexts
    mask = RNG.integers(0, 2, ctx.slots)
    ours, theirs = verbs.multiply_plain(ciphertext, mask), verbs.multiply_plain(ciphertext, mask.astype(ctx.dtype))
    files = [bytes(_core.files.encode_ciphertext(x._session.on.context, each)) for each in (ours, theirs)]
    assert files[0] == files[1]


@pytest.mark.parametrize("dtype", ["real", "complex"])
@pytest.mark.parametrize(("value", "levels"), [(3, 0), (-(2.0**40), 0), (0.0, 0), (0.5, 1), (1j, 1), (2 + 1j, 1)])
def test_products_with_whole_numbers_take_no_level_in_the_dry_run_and_in_the_binding(dtype, value, levels):
    if dtype == "real" and isinstance(value, complex):
        pytest.skip("no real number")
    ctx = rf.Context(dtype, depth=2, magnitude=1, precision=12)
    x = ctx.encrypt([0.5], keys := ctx.keygen(rotations=[]))
    on = x._session.on
    assert on.is_free(value) == (levels == 0)
    product = x * value
    assert product.depth_left == 2 - levels
    assert abs(product.decrypt_raw(keys) - 0.5 * value)[0] <= 2.0**-product.precision_bits


def test_an_exceeded_bound_of_real_numbers_names_the_operation_and_the_declared_magnitude():
    ctx = rf.Context(depth=2, precision=12, slots=64)
    x = ctx.encrypt([0.5], ctx.keygen(rotations=[]))
    with pytest.raises(errors.NoiseBoundExceeded) as caught:
        np.polyval([1, -2, 3, 2], x)
    assert caught.value.problem.startswith(
        "numpy.polyval: operands may have values up to 16, by their declared magnitudes:"
    )
    assert caught.value.problem.count("by their declared magnitudes") == 1
    assert "Context(magnitude=...)" in caught.value.fix


def test_a_budget_of_integers_used_up_by_sums_asks_for_a_larger_depth(integers):
    _, _, x = integers
    with pytest.raises(errors.NoiseBoundExceeded, match=r"^x \+ x: ") as caught:
        for _ in range(1000):
            x = x + x
    assert caught.value.fix.startswith("make the context with a larger depth, Context(depth=...)")


def test_an_exhausted_budget_in_plain_products_is_reported_as_missing_levels(integers):
    _, _, x = integers
    values = RNG.integers(-9, 9, 3)
    with pytest.raises(errors.DepthExhausted, match=r"^x \* an array needs \d levels?, but 0 of 2 are left") as caught:
        for _ in range(20):
            x = x * values
    assert caught.value.fix.startswith("make the context with Context(depth=3)")
