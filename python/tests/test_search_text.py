# SPDX-License-Identifier: Apache-2.0
"""Tests the normalisation of text and its split into words."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ringfort as rf
from ringfort.search.text import normalise, query_word, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, World!", ["hello", "world"]),
        ("Don't", ["don", "t"]),
        ("snake_case", ["snake", "case"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("ﬁne", ["fine"]),
        ("x² + ½", ["x2", "1", "2"]),
        ("cafe\u0301 caf\u00e9", ["café", "café"]),
        ("ΜΆΪΟΣ μάϊος", ["μάϊοσ", "μάϊοσ"]),
        ("हिन्दी 日本語", ["हिन्दी", "日本語"]),
        ("a\0b", ["a", "b"]),
        ("\u0301 \u200b", []),
        ("", []),
    ],
)
def test_words_are_runs_of_letters_marks_and_digits(text, words):
    assert split_words(text) == words


@given(st.text())
def test_normalisation_is_idempotent(text):
    assert normalise(normalise(text)) == normalise(text)


@given(st.lists(st.sampled_from("a\u1f82\u0301\u0316\u0344\u0345\u0f73\u0f71\u3099\uff9e\u0d4d "), max_size=120))
def test_normalisation_of_many_marks_is_idempotent(characters):
    once = normalise("".join(characters))
    assert normalise(once) == once
    for word in split_words(once):
        assert split_words(word) == [word]


@given(st.text())
def test_words_split_again_are_themselves(text):
    for word in split_words(text):
        assert split_words(word) == [word]


@given(
    st.text(
        st.sampled_from("ab1\u00e9\u0301\u0327\uac00\u11a8\ufdfa\u338f\u00a8\u2100\ufe70 \n.,_-\u3002\u00ad"),
        max_size=60,
    )
)
def test_words_do_not_depend_on_where_a_long_text_is_cut(text):
    whole = split_words(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ringfort.search.text._PIECE", 1)
        patch.setattr("ringfort.search.text._LONGEST_PIECE", 100)
        assert split_words(text) == whole


def test_words_without_an_end_are_cut():
    assert len(split_words("x" * 100_000)) < 20
    assert len(split_words("\u3300" * 100_000)) < 20


@pytest.mark.parametrize("character", ["x", "\u00e9", "\u3300", "\U00010428"])
def test_only_the_first_64_characters_of_a_word_count_in_queries_too(character):
    known = "1" + normalise(character) * 80
    assert split_words(f"a {known} b") == ["a", known[:64], "b"]
    assert query_word(known) == query_word(known[:64] + "z") == known[:64]
    assert query_word("subject:" + known[:63]) == "subject:" + known[:63]
    assert split_words("\u0903" * 64 + "a") == []


@given(st.text(alphabet=st.characters(max_codepoint=0x24F)))
def test_case_and_composition_do_not_matter(text):
    assert split_words(unicodedata.normalize("NFD", text)) == split_words(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize(("query", "word"), [(" Computer ", "computer"), ("Subject: Invoice", "subject:invoice")])
def test_a_query_is_one_normalised_word(query, word):
    assert query_word(query) == word


@pytest.mark.parametrize("query", ["", "   ", "two words", "don't", "colour:red", "subject:", "subject:a b", "!!"])
def test_a_query_of_zero_or_several_words_is_refused(query):
    with pytest.raises(rf.InvalidArgument) as raised:
        query_word(query)
    assert raised.value.fix
    assert query != "subject:" or "subject:word" in raised.value.fix
