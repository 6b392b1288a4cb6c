# SPDX-License-Identifier: Apache-2.0
"""Tests that every numeric option rejects invalid values before any work. The message must be short and name the
option."""

import math
import re

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors, search, statistics

SMALL = {"n": 1024, "insecure": "a test of options", "depth": 1}
NEVER = [math.nan, math.inf, -math.inf, -1, -1.0, 1e300, "x", 10**5000, -(10**5000), 2j, [1], np.ones(2), object()]
NONE, ZERO, TRUE, HALF, HUGE = None, 0, True, 1.5, 10**30
CTX = rf.Context(**SMALL)
KEYS = CTX.keygen(rotations=[])
STUDY = statistics.Study({"a": (0, 9)})


def context(**options):
    return rf.Context(**SMALL | options)


def integers(**options):
    return rf.Context("int", **SMALL | options)


def study(**options):
    return statistics.Study(**{"columns": {"a": (0, 9)}} | options)


def estimate(words=100, documents=10, **options):
    return search.estimate(words, documents, measure=False, **options)


# Maps each option to a call that passes a value to it, and to its valid values among NONE, ZERO, TRUE, HALF and HUGE.
OPTIONS = {
    "depth": (lambda v, _: context(depth=v), [ZERO]),
    "precision": (lambda v, _: context(precision=v), [ZERO]),
    "magnitude": (lambda v, _: context(magnitude=v), [HALF, HUGE]),
    "slots": (lambda v, _: context(slots=v), [ZERO]),
    "n": (lambda v, _: context(n=v), []),
    "security": (lambda v, _: context(security=v), []),
    "standard": (lambda v, _: context(standard=v), []),
    "threads": (lambda v, _: context(threads=v), [NONE]),
    "plain_modulus": (lambda v, _: integers(modular=True, plain_modulus=v), []),
    "plain_modulus ": (lambda v, _: integers(range=(0, 5), plain_modulus=v), []),
    "range": (lambda v, _: integers(range=(0, v)), [ZERO, HUGE]),
    "primes": (lambda v, _: context(primes={"bits": v}), []),
    "release": (lambda v, _: context(release=v), []),
    "bits": (lambda v, _: rf.Release(v), [ZERO]),
    "queries": (lambda v, _: rf.Release(30, v), [ZERO]),
    "magnitude ": (lambda v, _: CTX.encrypt([0.0], KEYS, magnitude=v), [NONE, HALF, HUGE]),
    "rotations": (lambda v, _: CTX.plan_keys(v), [NONE]),
    "rotations ": (lambda v, _: CTX.plan_keys([v]), [ZERO]),
    "max_bytes": (lambda v, _: CTX.plan_keys(max_bytes=v), [ZERO]),
    "strength": (lambda v, to: rf.save(to / "keys.rfc", keys=KEYS, passphrase="words", strength=v), [ZERO]),
    "max_bytes ": (lambda v, to: rf.load(to / "x.rfc", CTX, keys=KEYS, max_bytes=v), [ZERO]),
    "uploads": (lambda v, _: study(uploads=v), []),
    "records": (lambda v, _: study(records=v), []),
    "range ": (lambda v, _: study(columns={"a": (v, 10**6)}), [ZERO, TRUE]),
    "n ": (lambda v, _: statistics.keygen(STUDY, n=v, insecure="a test"), [ZERO]),
    "threads ": (lambda v, _: statistics.keygen(STUDY, n=1024, insecure="a test", threads=v), [NONE]),
    "hash_bits": (lambda v, _: estimate(hash_bits=v), []),
    "words": (lambda v, _: estimate(words=v), []),
    "documents": (lambda v, _: estimate(documents=v), []),
    "most_words": (lambda v, _: estimate(most_words=v), [ZERO]),
    "strength ": (lambda v, to: search.keygen(to / "search", passphrase="words", strength=v), [ZERO]),
}
SIGNED = {"range": NEVER[3:4], "rotations ": NEVER[3:4], "range ": NEVER[3:5]}  # for these options, -1 is valid


@pytest.mark.parametrize("name", OPTIONS)
def test_invalid_numbers_are_refused_with_the_option_name_in_a_short_message(name, tmp_path):
    give, taken = OPTIONS[name]
    rf.save(tmp_path / "x.rfc", x=CTX.encrypt([1.0], KEYS))
    for value in [*NEVER, *(v for v in (NONE, ZERO, TRUE, HALF, HUGE) if not any(v is each for each in taken))]:
        if any(value is each for each in SIGNED.get(name, [])) or (
            name == "rotations" and isinstance(value, (list, np.ndarray))
        ):
            continue
        with pytest.raises(errors.InvalidArgument) as caught:
            give(value, tmp_path)
        told = str(caught.value)
        assert re.search(name.strip().replace("_", "[_ ]"), told), told
        assert len(told) < 330, told
        assert not re.search(r"nan bits|inf bits|\d{40}", told), told


def test_errors_about_very_large_numbers_are_short():
    for refused in (
        lambda: context(magnitude=10**30),
        lambda: CTX.encrypt([0.0], KEYS, magnitude=10**30),
        lambda: integers(range=(0, 10**120)),
    ):
        with pytest.raises((errors.Unsupported, errors.NoiseBoundExceeded)) as caught:
            refused()
        assert not re.search(r"\d{40}", str(caught.value))
