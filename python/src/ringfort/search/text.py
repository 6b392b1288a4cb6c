# SPDX-License-Identifier: Apache-2.0
"""Splits the text of documents and queries into words.

Text is normalised to Unicode's form NFKC, then case-folded, then normalised again, because case folding may undo NFKC.
A word is a sequence of letters, marks and digits (the Unicode general categories L, M and N). It is as long as
possible, and has at least one letter or digit. Every other character separates words. Examples are the underscore, the
apostrophe and NUL. Therefore "Don't" is two words, "don" and "t". "Straße" becomes "strasse", and "ﬁne" becomes "fine".

This module removes all marks after the first 30 marks of a sequence, because normalisation sorts the marks of a
sequence, which takes quadratic time. In natural languages, sequences have at most 30 marks.

Text is normalised in pieces, because one character may become 18 characters. A piece ends between words, unless a word
is longer than a piece.

Only the first 64 normalised characters of a word count, in texts and in queries. Therefore a single word does not take
much memory.

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

_PIECE, _LONGEST_PIECE = 1 << 13, 1 << 14  # lengths in characters
_REMEMBERED = 1 << 13  # entries of each cache; most texts have fewer different characters, but Unicode has more
_LONGEST_WORD = 64  # normalised characters
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_RUN = re.compile(r"[^ ]+")
_MARKS_IN_A_ROW = 30  # decomposed marks, as in the stream-safe format of Unicode's annex 15
_MANY_MARKS = re.compile(
    b"[^\\0]{8,}"
)  # seven characters have at most 21 marks, because a character decomposes into at most three marks


def normalise(text: str) -> str:
    """Applies NFKC, case folding, and NFKC again. Texts that differ only in case or in compatible forms of characters
    have equal results."""
    if text.isascii():
        return text.lower()
    text = _with_few_marks(text)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=_REMEMBERED)
def _marks_of(character: str) -> int:
    """Returns the number of marks into which a character decomposes. Returns 0 if the first part is not a mark."""
    classes = list(map(unicodedata.combining, unicodedata.normalize("NFKD", character)))
    return len(classes) if classes[0] else 0


def _with_few_marks(text: str) -> str:
    """Removes the marks after the first 30 marks of a sequence. Counts decomposed marks. Therefore a second
    normalisation changes nothing."""
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
    """Tells whether a word always ends before this character. This is true for characters that normalisation turns into
    separators."""
    return not normalise(character) or _as_word_character(normalise(character)[0]) == " "


def pieces(text: str) -> Iterable[str]:
    """Cuts the text between words. The words of all pieces are the words of the text, unless a word is longer than a
    piece. A short text is one piece."""
    return (text,) if len(text) <= _PIECE else _cut(text)


def _cut(text: str) -> Iterator[str]:
    begin = 0
    while begin < len(text):
        end = word_end(text, begin + _PIECE)
        yield text[begin:end]
        begin = end


def cut_anew(texts: Iterable[str]) -> Iterator[str]:
    """Joins the texts, and yields pieces of the result. Keeps only a few pieces in memory. A word may begin in one text
    and end in the next."""
    waiting: list[str] = []
    size = 0
    for text in filter(None, texts):
        waiting.append(text)
        size += len(text)
        if size >= _LONGEST_PIECE:
            joined, begin = "".join(waiting), 0
            while len(joined) - begin >= _LONGEST_PIECE:
                end = word_end(joined, begin + _PIECE)
                yield joined[begin:end]
                begin = end
            waiting, size = [joined[begin:]], len(joined) - begin
    yield from pieces("".join(waiting))


def word_end(text: str, at: int, inside: str = "") -> int:
    """Returns the first place at or after ``at`` where a word ends.

    A place before a character of ``inside`` does not count. If no word ends in the next _LONGEST_PIECE - _PIECE
    characters, returns the place after them.
    """
    at, last = min(at, len(text)), min(at + _LONGEST_PIECE - _PIECE, len(text))
    while at < last and (text[at] in inside or not _separates(text[at])):
        at += 1
    return at


def each_word(text: str) -> Iterator[str]:
    """Yields the words of ``split_words`` one by one. Keeps only one piece of the text with its words in memory."""
    for plain in map(normalise, pieces(text)):
        if plain.isascii():
            yield from (found[0][:_LONGEST_WORD] for found in _ASCII_WORD.finditer(plain))
            continue
        spaced = "".join(map(_as_word_character, plain))
        runs = (run[0][:_LONGEST_WORD] for run in _RUN.finditer(spaced))
        yield from (run for run in runs if any(map(str.isalnum, run)))


def split_words(text: str) -> list[str]:
    """Returns the normalised words of ``text`` in their order. A word that occurs twice is in the list twice."""
    return list(each_word(text))


def tagged(field: str, words: Iterable[str]) -> list[str]:
    """Returns the words in the form in which the index stores words of a field: ``subject:word``."""
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
