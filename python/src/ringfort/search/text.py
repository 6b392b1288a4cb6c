# SPDX-License-Identifier: Apache-2.0
"""Splits text into words.

Text is normalised to NFKC, case-folded, and normalised again (case folding may undo NFKC). A word is a longest run of
letters, marks and digits (Unicode general categories L, M and N) with at least one letter or digit; every other
character, including the underscore, the apostrophe and NUL, separates words. So "Don't" is two words, "don" and "t",
"Straße" is "strasse" and "ﬁne" is "fine".

This module drops marks after 30 in a row. No language has more, and normalisation would take quadratic time to sort
them.

It normalises text in pieces, because one character may become 18. A piece ends between words, unless a word is longer
than a piece.

It keeps only the first 64 characters of a word, in texts and in queries. Therefore no single word takes much memory.

A word may have a field: "subject:invoice" differs from "invoice". No plain word contains a colon.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from .. import values
from ..errors import InvalidArgument

__all__ = ["FIELDS", "cut_anew", "each_word", "normalise", "pieces", "query_word", "split_words", "tagged", "word_end"]

FIELDS = ("subject", "from", "to")

_PIECE, _LONGEST_PIECE = 1 << 13, 1 << 14  # characters
_REMEMBERED = 1 << 13  # characters in each cache: a text has fewer distinct characters, Unicode has more
_LONGEST_WORD = 64  # characters, normalised
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_RUN = re.compile(r"[^ ]+")
_MARKS_IN_A_ROW = 30  # decomposed, as in the stream-safe format of Unicode's annex 15
_MANY_MARKS = re.compile(
    b"[^\\0]{8,}"
)  # fewer cannot exceed the limit: a character decomposes into at most three marks


def normalise(text: str) -> str:
    """Applies NFKC, case folding and NFKC. Texts that a reader would call the same have equal results."""
    if text.isascii():
        return text.lower()
    text = _with_few_marks(text)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=_REMEMBERED)
def _marks_of(character: str) -> int:
    """Returns the number of marks in the decomposed character; 0 if its first part is not a mark."""
    classes = list(map(unicodedata.combining, unicodedata.normalize("NFKD", character)))
    return len(classes) if classes[0] else 0


def _with_few_marks(text: str) -> str:
    """Drops excess marks. Counts them in decomposed form, so that a second normalisation changes nothing."""
    marks, at, kept = bytes(map(_marks_of, text)), 0, []
    for found in _MANY_MARKS.finditer(marks):
        before = unicodedata.normalize("NFKD", text[max(found.start() - 1, 0) : found.start()])
        count = len(before) - len(before.rstrip("".join(filter(unicodedata.combining, before))))
        end = found.start()
        while end < found.end() and (count := count + marks[end]) <= _MARKS_IN_A_ROW:
            end += 1
        kept.append(text[at:end])
        at = found.end()
    return "".join(kept) + text[at:]


@lru_cache(maxsize=_REMEMBERED)
def _as_word_character(character: str) -> str:
    return character if unicodedata.category(character)[0] in "LMN" else " "


@lru_cache(maxsize=_REMEMBERED)
def _separates(character: str) -> bool:
    """Tells whether a word always ends before the character: it becomes a separator, and never joins a neighbour."""
    return not normalise(character) or _as_word_character(normalise(character)[0]) == " "


def pieces(text: str) -> Iterable[str]:
    """Cuts the text between words; the pieces together have the words of the text. A short text is one piece."""
    return (text,) if len(text) <= _PIECE else _cut(text)


def _cut(text: str) -> Iterator[str]:
    begin = 0
    while begin < len(text):
        end = word_end(text, begin + _PIECE)
        yield text[begin:end]
        begin = end


def cut_anew(texts: Iterable[str]) -> Iterator[str]:
    """Yields pieces of the joined texts, with little in memory. A word may continue from one text to the next."""
    held: list[str] = []
    size = 0
    for text in filter(None, texts):
        held.append(text)
        size += len(text)
        if size >= _LONGEST_PIECE:
            joined, begin = "".join(held), 0
            while len(joined) - begin >= _LONGEST_PIECE:
                end = word_end(joined, begin + _PIECE)
                yield joined[begin:end]
                begin = end
            held, size = [joined[begin:]], len(joined) - begin
    yield from pieces("".join(held))


def word_end(text: str, at: int, inside: str = "") -> int:
    """Returns the first place at or after ``at`` where a word ends.

    A place directly in front of a character of ``inside`` does not count.
    If no word ends within some KiB, returns the last place that was tried.
    """
    at, last = min(at, len(text)), min(at + _LONGEST_PIECE - _PIECE, len(text))
    while at < last and (text[at] in inside or not _separates(text[at])):
        at += 1
    return at


def each_word(text: str) -> Iterator[str]:
    """Yields the words of split_words one by one, with only some of them in memory."""
    for plain in map(normalise, pieces(text)):
        if plain.isascii():
            yield from (found[0][:_LONGEST_WORD] for found in _ASCII_WORD.finditer(plain))
            continue
        spaced = "".join(map(_as_word_character, plain))
        runs = (run[0][:_LONGEST_WORD] for run in _RUN.finditer(spaced))
        yield from (run for run in runs if any(map(str.isalnum, run)))


def split_words(text: str) -> list[str]:
    """Returns the normalised words of ``text``, in order, with repetitions."""
    return list(each_word(text))


def tagged(field: str, words: Iterable[str]) -> list[str]:
    """Returns the words of a field in their stored form: ``subject:word``."""
    return [f"{field}:{word}" for word in words]


def query_word(text: str) -> str:
    """Returns the one normalised word of a query; ``field:word`` is one word.

    Errors: InvalidArgument if ``text`` has no word, several words or an unknown field.
    """
    field, colon, rest = values.text("the query", text).strip().partition(":")
    prefix = ""
    if colon and not rest.strip() and field.strip().lower() in FIELDS:
        raise InvalidArgument("the query has a field but no word", f"write {field.strip().lower()}:word")
    if colon and rest.strip():
        prefix = field.strip().lower()
        if prefix not in FIELDS:
            raise InvalidArgument(
                "the query has a field that messages do not have",
                f"the fields are {', '.join(FIELDS)}; a query without a colon searches all text",
            )
    found = split_words(rest if prefix else text)
    if len(found) != 1:
        raise InvalidArgument(
            f"the query holds {len(found) or 'no'} words",
            "ask for one word of letters and digits",
        )
    return f"{prefix}:{found[0]}" if prefix else found[0]
