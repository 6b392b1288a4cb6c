# SPDX-License-Identifier: Apache-2.0
"""Tests that sums, means and sizes of groups of rows equal those in the clear. Each row has a label that names its
group. Labels are plain or encrypted.
"""

import numpy as np
import pytest

import ringfort as rf
from ringfort.errors import InvalidArgument, Unsupported

RNG = np.random.default_rng(13)
ROWS = RNG.integers(0, 9, (30, 4))
LABELS = RNG.integers(0, 5, 30) * 10
TEXTS = np.array(["ash", "oak", "elm"])[LABELS // 10 % 3]


def sums(rows, labels):
    return np.stack([rows[labels == label].sum(axis=0) for label in np.unique(labels)])


@pytest.fixture(scope="module", params=["real", "int"])
def party(request):
    options = {"modular": True} if request.param == "int" else {"magnitude": 9}
    ctx = rf.Context(request.param, depth=5, n=2048, insecure="a test", **options)
    return ctx, ctx.keygen()


@pytest.mark.parametrize("labels", [LABELS, TEXTS, list(TEXTS), LABELS / 4, np.zeros(30)], ids=lambda x: str(type(x)))
@pytest.mark.parametrize("rows", [ROWS, ROWS[:, 0]], ids=["matrix", "vector"])
def test_sums_of_groups_take_one_level(party, rows, labels):
    ctx, keys = party
    x = ctx.encrypt(rows, keys)
    groups = rf.group_by(x, labels)
    found = groups.sum()
    assert np.array_equal(groups.labels, np.unique(labels))
    assert len(groups) == len(groups.labels)
    assert np.abs(found.decrypt(keys) - sums(rows, np.asarray(labels))).max() < 1e-3
    assert np.array_equal(groups.sizes(), np.unique(labels, return_counts=True)[1])
    assert found.depth_left >= x.depth_left - 1


def test_means_of_groups(party):
    ctx, keys = party
    groups = rf.group_by(ctx.encrypt(ROWS, keys), TEXTS)
    if ctx.dtype.kind == "i":
        with pytest.raises(Unsupported, match="then divide"):
            groups.mean()
        return
    assert np.abs(groups.mean().decrypt(keys) - sums(ROWS, TEXTS) / groups.sizes()[:, None]).max() < 1e-4


@pytest.mark.parametrize("rows", [ROWS, ROWS[:, 0]], ids=["matrix", "vector"])
def test_encrypted_labels_give_encrypted_sizes(party, rows):
    ctx, keys = party
    member = (LABELS[:, None] == np.unique(LABELS)).astype(int)
    groups = rf.group_by(ctx.encrypt(rows, keys), ctx.encrypt(member, keys))
    assert np.abs(groups.sum().decrypt(keys) - sums(rows, LABELS)).max() < 1e-2
    assert np.abs(groups.sizes().decrypt(keys) - member.sum(axis=0)).max() < 1e-3
    assert groups.labels is None
    with pytest.raises(Unsupported, match="sizes are encrypted"):
        groups.mean()


def test_labels_must_fit_the_rows(party):
    ctx, keys = party
    x = ctx.encrypt(ROWS, keys)
    for labels in (LABELS[:-1], np.stack([LABELS, LABELS]), [None] * 30, np.full(30, np.nan), [1j] * 30):
        with pytest.raises(InvalidArgument):
            rf.group_by(x, labels)
    with pytest.raises(InvalidArgument, match="indicator"):
        rf.group_by(x, x[:3])
    with pytest.raises(InvalidArgument, match="encrypt it"):
        rf.group_by(ROWS, LABELS)
    assert repr(rf.group_by(x, LABELS)) == "Groups(5 groups of 30 rows)"


@pytest.mark.parametrize(
    "labels",
    [
        ["a", np.nan, "b"],
        [1, "1", "b"],
        [2**63, 2**63 + 1, -1],
        [2**53, 2**53 + 1, 0.5],
        [10**400, 0.5, 1],
        [True, 1, 2],
        np.array(["a\0", "a", "b"], dtype=object),
    ],
    ids=str,
)
def test_labels_that_numpy_would_merge_are_refused(party, labels):
    ctx, keys = party
    x = ctx.encrypt(ROWS[:3], keys)
    with pytest.raises(InvalidArgument, match="convert the labels to one type"):
        rf.group_by(x, labels)
    with pytest.raises(InvalidArgument, match="convert the labels to one type"):
        rf.group_by(x, tuple(labels))


@pytest.mark.parametrize(
    "labels", [[2**63, 2**64 - 1, 0], [2, 2.5, -1], [b"a", b"b", b"a"], [True, False, True], ["", "a", "b"]], ids=str
)
def test_labels_of_one_type_are_kept(party, labels):
    ctx, keys = party
    assert rf.group_by(ctx.encrypt(ROWS[:3], keys), labels).labels.tolist() == sorted(set(labels))
