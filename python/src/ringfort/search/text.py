# SPDX-License-Identifier: Apache-2.0
"""What a word is.

Text is normalised to NFKC, case-folded, and normalised again (case folding may undo NFKC). A word is a longest run of
letters, marks and digits (Unicode general categories L, M and N) with at least one letter or digit; every other
character, the underscore, the apostrophe and NUL among them, separates words. So "Don't" is two words, "don" and "t",
"Straße" is "strasse" and "ﬁne" is "fine".

Of more than 30 marks in a row the rest is left out: no language has them, and to put marks of mixed classes in order,
which normalising does, takes quadratic time.

Text is normalised piece by piece, cut where a word ends anyway: some characters become 18. What goes on for longer
than a piece without an end is cut there.

Of a word its first 64 characters count, in texts and in queries alike: so the words of a text take bounded memory.

A word may carry a field: "subject:invoice" is another word than "invoice". No plain word contains a colon.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from .. import values
from ..errors import InvalidArgument

__all__ = ["FIELDS", "each_word", "normalise", "pieces", "query_word", "split_words", "tagged", "word_end"]

FIELDS = ("subject", "from", "to")

_PIECE, _LONGEST_PIECE = 1 << 13, 1 << 14  # characters
_REMEMBERED = 1 << 13  # characters: more than a text has, fewer than Unicode
_LONGEST_WORD = 64  # characters, normalised
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_RUN = re.compile(r"[^ ]+")
_MARKS_IN_A_ROW = 30  # decomposed, as in the stream-safe format of Unicode's annex 15
_MANY_MARKS = re.compile(b"[^\\0]{8,}")  # of no fewer characters: none decomposes into more than three marks


def normalise(text: str) -> str:
    """NFKC, case folding, NFKC: equal for texts that a reader would call the same."""
    if text.isascii():
        return text.lower()
    text = _with_few_marks(text)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=_REMEMBERED)
def _marks_of(character: str) -> int:
    """How many marks, which normalising may move, a character that is nothing else decomposes into."""
    classes = list(map(unicodedata.combining, unicodedata.normalize("NFKD", character)))
    return len(classes) if classes[0] else 0


def _with_few_marks(text: str) -> str:
    """Counted as decomposed, which composing keeps: so normalising twice changes nothing."""
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
    """Whether words end before it, whatever stands there: it becomes a separator first, which nothing composes with."""
    return not normalise(character) or _as_word_character(normalise(character)[0]) == " "


def pieces(text: str) -> Iterable[str]:
    """The text in pieces with the same words; what is short is one."""
    return (text,) if len(text) <= _PIECE else _cut(text)


def _cut(text: str) -> Iterator[str]:
    begin = 0
    while begin < len(text):
        end = word_end(text, begin + _PIECE)
        yield text[begin:end]
        begin = end


def word_end(text: str, at: int, inside: str = "") -> int:
    """The first place from ``at`` on where words end anyway, at no character of ``inside``; some KiB on, any place."""
    at, last = min(at, len(text)), min(at + _LONGEST_PIECE - _PIECE, len(text))
    while at < last and (text[at] in inside or not _separates(text[at])):
        at += 1
    return at


def each_word(text: str) -> Iterator[str]:
    """The words of split_words, one by one, in memory for some of them."""
    for plain in map(normalise, pieces(text)):
        if plain.isascii():
            yield from (found[0][:_LONGEST_WORD] for found in _ASCII_WORD.finditer(plain))
            continue
        spaced = "".join(map(_as_word_character, plain))
        runs = (run[0][:_LONGEST_WORD] for run in _RUN.finditer(spaced))
        yield from (run for run in runs if any(map(str.isalnum, run)))


def split_words(text: str) -> list[str]:
    """The normalised words of ``text``, in order, repetitions kept."""
    return list(each_word(text))


def tagged(field: str, words: Iterable[str]) -> list[str]:
    """The words as they are stored for a field of the message: ``subject:word``."""
    return [f"{field}:{word}" for word in words]


def query_word(text: str) -> str:
    """The one normalised word that a query asks for; ``field:word`` is kept together.

    Errors: InvalidArgument when ``text`` holds no word, several words or an unknown field.
    """
    field, colon, rest = values.text("the query", text).strip().partition(":")
    prefix = ""
    if colon and not rest.strip() and field.strip().lower() in FIELDS:
        raise InvalidArgument("the query names a field and no word", f"write {field.strip().lower()}:word")
    if colon and rest.strip():
        prefix = field.strip().lower()
        if prefix not in FIELDS:
            raise InvalidArgument(
                "the query names a field that messages do not have",
                f"the fields are {', '.join(FIELDS)}; without a colon all text is searched",
            )
    found = split_words(rest if prefix else text)
    if len(found) != 1:
        raise InvalidArgument(
            f"the query holds {len(found) or 'no'} words",
            "ask for one word of letters and digits",
        )
    return f"{prefix}:{found[0]}" if prefix else found[0]
