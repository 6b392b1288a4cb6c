# SPDX-License-Identifier: Apache-2.0
"""Tests the synthetic text. Tests the check of word hashes, with hashes that are known to be good or bad."""

import hashlib

import pytest

from ringfort.search.corpus import absent_words, present_words, synthetic
from ringfort.search.hash_check import check_hash, plain_counts
from ringfort.search.text import split_words

DOCUMENTS = synthetic(300, seed=5)
PRESENT, ABSENT = present_words(DOCUMENTS, 1000), absent_words(DOCUMENTS, 1000)


def good_hash(bits):
    return lambda word: (
        int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8, key=b"k").digest(), "big") >> (64 - bits)
    )


def test_synthetic_text_is_the_same_on_every_machine():
    assert synthetic(300, seed=5) == DOCUMENTS
    assert synthetic(300, seed=6) != DOCUMENTS
    text = "\n".join(" ".join(d.words) for d in DOCUMENTS)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "df886deca24c718f"  # every machine computes it


def test_words_of_the_synthetic_text_are_words():
    assert all(split_words(word) == [word] for d in DOCUMENTS for word in d.words)
    assert all(split_words(word) == [word] for word in ABSENT)


def test_present_words_occur_and_absent_words_do_not():
    assert len(set(PRESENT)) == len(set(ABSENT)) == 1000
    assert all(sum(plain_counts(DOCUMENTS, word)) > 0 for word in PRESENT[:100])
    assert not any(sum(plain_counts(DOCUMENTS, word)) for word in ABSENT[:100])


@pytest.mark.parametrize("bits", [8, 12, 32])
def test_good_hash_passes(bits):
    found = check_hash(DOCUMENTS, good_hash(bits), bits, PRESENT, ABSENT)
    assert found.passed, found
    assert (found.present, found.absent) == (1000, 1000)
    assert bits == 32 or found.predicted > 100


def test_hash_with_too_many_collisions_fails():
    assert not check_hash(DOCUMENTS, good_hash(7), 8, PRESENT, ABSENT).passed
    assert not check_hash(DOCUMENTS, good_hash(16), 32, PRESENT, ABSENT).passed


def test_hash_that_depends_on_more_than_the_word_fails():
    calls = iter(range(10**9))
    assert not check_hash(DOCUMENTS, lambda word: next(calls), 32, PRESENT, ABSENT).passed


def test_hash_with_too_few_collisions_fails():
    assert not check_hash(DOCUMENTS, good_hash(40), 8, PRESENT, ABSENT).passed
