# SPDX-License-Identifier: Apache-2.0
"""Tests that options of load limit the cost of a file, and that an error names the option."""

import pytest

import ringfort as rf


@pytest.fixture
def saved(tmp_path):
    context = rf.Context(depth=1)
    keys = context.keygen(rotations=[])
    path = tmp_path / "x.rfc"
    rf.save(path, x=context.encrypt([1.0, 2.0], keys), keys=keys.public)
    rf.save(tmp_path / "secret.rfc", keys=keys, passphrase="four words of mine", strength=0)
    return context, tmp_path


def test_a_ring_above_the_readers_limits_is_refused_with_its_option(saved):
    context, folder = saved
    n = context.explain().facts.n
    with pytest.raises(rf.errors.IoLimit, match=f"degree is {n}.*most_degree"):
        rf.load(folder / "x.rfc", most_degree=n // 2)
    with pytest.raises(rf.errors.IoLimit, match=r"primes.*most_primes"):
        rf.load(folder / "x.rfc", most_primes=1)
    assert "x" in rf.load(folder / "x.rfc", most_degree=n)


def test_a_strength_above_the_readers_limit_is_refused_before_it_is_paid(saved, tmp_path):
    context, folder = saved
    assert "keys" in rf.load(folder / "secret.rfc", passphrase="four words of mine", most_strength=0)
    keys = context.keygen(rotations=[])
    rf.save(tmp_path / "strong.rfc", keys=keys, passphrase="four words of mine", strength=1)
    with pytest.raises(rf.errors.IoLimit, match=r"256 MiB.*most_strength=1"):
        rf.load(tmp_path / "strong.rfc", passphrase="four words of mine", most_strength=0)


@pytest.mark.parametrize("option", ["most_degree", "most_primes", "most_strength", "most_secrets"])
def test_limits_are_whole_numbers(saved, option):
    with pytest.raises(rf.InvalidArgument, match=option):
        rf.load(saved[1] / "x.rfc", **{option: -1})
