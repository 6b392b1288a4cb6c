# SPDX-License-Identifier: Apache-2.0
"""Tests the values and the levels of products with a transposed matrix. These products do not move elements as a
transpose does."""

import numpy as np
import pytest

import ringfort as rf
from ringfort.errors import Unsupported

RNG = np.random.default_rng(12)
A, B = RNG.integers(-3, 4, (20, 5)), RNG.integers(-3, 4, (20, 3))
C, V = RNG.integers(-3, 4, (4, 5)), RNG.integers(-3, 4, 20)
W = RNG.integers(-3, 4, 5)

PRODUCTS = {
    "a.T @ a": lambda a, b, c, v, w: a.T @ a,
    "a.T @ b": lambda a, b, c, v, w: a.T @ b,
    "b.T @ a": lambda a, b, c, v, w: b.T @ a,
    "a @ c.T": lambda a, b, c, v, w: a @ c.T,
    "c @ c.T": lambda a, b, c, v, w: c @ c.T,
    "c @ a.T": lambda a, b, c, v, w: c @ a.T,
    "a.T @ v": lambda a, b, c, v, w: a.T @ v,
    "v @ b": lambda a, b, c, v, w: v @ b.T.T,
    "w @ a.T": lambda a, b, c, v, w: w @ a.T,
    "a.T @ plain": lambda a, b, c, v, w: a.T @ V,
    "plain @ a.T": lambda a, b, c, v, w: W @ a.T,
    "a matrix @ a.T": lambda a, b, c, v, w: C @ a.T,
    "einsum over rows": lambda a, b, c, v, w: np.einsum("ri,rj->ij", a, b),
    "einsum over rows, transposed": lambda a, b, c, v, w: np.einsum("ri,rj->ji", a, b),
    "einsum over columns": lambda a, b, c, v, w: np.einsum("ri,si->rs", a, c),
    "tensordot": lambda a, b, c, v, w: np.tensordot(a, b, (0, 0)),
    "inner": lambda a, b, c, v, w: np.inner(a, c),
    "a sum with a transposed matrix": lambda a, b, c, v, w: a.T + A.T,
}


@pytest.fixture(scope="module", params=["real", "int", "complex"])
def party(request):
    options = {"modular": True} if request.param == "int" else {"magnitude": 4}
    ctx = rf.Context(request.param, depth=5, n=2048, insecure="a test", **options)
    return ctx, ctx.keygen()


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_of_pairs_equal_numpys(party, name):
    ctx, keys = party
    found = PRODUCTS[name](*(ctx.encrypt(each, keys) for each in (A, B, C, V, W)))
    expected = PRODUCTS[name](A, B, C, V, W)
    assert found.shape == expected.shape
    assert np.abs(found.decrypt(keys) - expected).max() < 1e-2


@pytest.mark.names_device("counts the verbs of cpu")
def test_a_product_with_itself_takes_about_half_of_the_products():
    ctx = rf.Context(depth=4, magnitude=1)
    x = ctx.encrypt(A[:, :4] / 3, keys := ctx.keygen())
    with ctx.profile() as seen:
        y = x.T @ x
    tensors = [record.verb for record in seen.records].count("tensor")
    assert tensors <= 4 // 2 + 1
    assert np.abs(y.decrypt(keys) - A[:, :4].T @ A[:, :4] / 9).max() < 1e-3
    with ctx.profile() as seen:
        _ = x.T @ ctx.encrypt(A[:, :4] / 3, keys)
    assert [record.verb for record in seen.records].count("tensor") > tensors


def test_a_product_of_many_rows_needs_no_transpose(monkeypatch):
    monkeypatch.setattr("ringfort.encrypted.packing.ways._MOST_WAYS", 100)
    ctx = rf.Context(depth=4, magnitude=1)
    values = RNG.uniform(-1, 1, (1000, 3))
    x = ctx.encrypt(values, keys := ctx.keygen())
    assert np.abs((x.T @ x).decrypt(keys) - values.T @ values).max() < 0.1
    with pytest.raises(Unsupported, match=r"transpose of shape \(1000, 3\) would take"):
        _ = x.T + 0


def test_a_plan_makes_no_keys_for_a_transpose_that_is_not_needed():
    shape = rf.like((20, 5), magnitude=1)
    least, moved = rf.plan(lambda x: x.T @ V, shape), rf.plan(lambda x: x.T + 0, shape)
    assert least.depth < moved.depth + 1
    assert not set(least.rotations) & set(moved.rotations)


FUNCTIONS = {
    "exp": np.exp,
    "std": np.std,
    "norm": lambda x: np.linalg.norm(x, axis=0),
    "sigmoid": lambda x: rf.sigmoid(x, error=0.1) if isinstance(x, rf.EncryptedArray) else 1 / (1 + np.exp(-x)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_a_transposed_matrix_know_its_magnitude(name):
    ctx = rf.Context(depth=12, n=4096, insecure="a test", magnitude=1)
    keys = ctx.keygen()
    rows = np.random.default_rng(1).uniform(-1, 1, (4, 3))
    found = FUNCTIONS[name](ctx.encrypt(rows, keys).T)
    assert np.abs(found.decrypt(keys) - FUNCTIONS[name](rows.T)).max() < 0.1
    assert ctx.encrypt(rows, keys).T.magnitude == 1


def test_a_transposed_matrix_without_levels_has_the_facts_of_its_source():
    ctx = rf.Context(depth=1, n=2048, insecure="a test")
    keys = ctx.keygen()
    x = ctx.encrypt(np.ones((2, 3)), keys)
    spent = (x * x).T
    assert "(3, 2)" in repr(spent)
    assert spent.key_id == keys.public.id
    assert not spent.bound_is_untrusted
    assert spent.depth_left == 0


LEVELS = {  # for each shape, the number of levels that docs/encrypted-arrays.md states
    "x.T @ x": (lambda x: x.T @ x, {(5, 3): 3, (4, 4): 3, (2, 9): 5}),
    "x @ x.T": (lambda x: x @ x.T, {(3, 5): 3, (4, 4): 3, (8, 3): 4, (16, 2): 4}),
    "prod": (np.prod, {(3, 5): 5, (4, 4): 4, (5, 3): 5}),
    "prod over another axis": (lambda x: np.prod(x, axis=1), {(2, 3, 4): 4}),
    "cumprod": (lambda x: np.cumprod(x, axis=1), {(3, 5): 4}),
    "cumprod along another axis": (lambda x: np.cumprod(x, axis=0), {(3, 5): 5}),
    "cov": (np.cov, {(3, 5): 3, (2, 2): 4, (2, 9): 4}),
}


def test_levels_that_depend_on_shapes_are_those_of_the_page():
    ctx = rf.Context(depth=8, n=1024, insecure="a test", magnitude=1)
    keys = ctx.keygen()
    for name, (function, levels) in LEVELS.items():
        found = {shape: 8 - function(ctx.encrypt(np.ones(shape) / 2, keys)).depth_left for shape in levels}
        assert found == levels, name
