# SPDX-License-Identifier: Apache-2.0
"""Options and functions for reading messages. ``search estimate`` and ``search index`` use them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Annotated

import typer

from .. import search as rs
from .. import units
from ..errors import InvalidArgument
from .output import Speaker

__all__ = ["AsSender", "Distinct", "Fields", "Format", "MostWords", "Repeats", "Wanted", "read_messages"]

Format = Annotated[str, typer.Option("--format", "-f", help=f"auto, {', '.join(rs.FORMATS)}.")]
Repeats = Annotated[
    int | None,
    typer.Option("--repeats", min=0, help="Most copies of a word to store per message; 0: all copies."),
]
Distinct = Annotated[bool, typer.Option("--distinct", help="Store each word once per message (--repeats 1).")]
Fields = Annotated[bool, typer.Option("--fields", help='Also "subject:word", "from:word", "to:word".')]
MostWords = Annotated[int, typer.Option("--most-words", min=1, help="Messages with more words are skipped.")]
AsSender = Annotated[bool, typer.Option("--as-sender", help="Encrypt with the public key.")]


@dataclass(frozen=True)
class Wanted:
    """Limits on messages. With ``fields``, the words of fields also count for ``most_words``. limit: 0 means all
    messages."""

    most_words: int
    fields: bool = False
    limit: int = 0
    bodies: bool = False


def read_messages(speaker: Speaker, sources: list[str], format: str, wanted: Wanted) -> list[rs.Document]:
    found: list[rs.Document] = []
    reasons: Counter[str] = Counter()
    for source in sources:
        for read in rs.read(source, format, keep_body=wanted.bodies, most_words=wanted.most_words):
            item = _within(read, wanted.most_words) if wanted.fields else read
            if isinstance(item, rs.Skipped):
                reasons[item.reason] += 1
                speaker.say(str(item))
            elif not wanted.limit or len(found) < wanted.limit:
                found.append(item)
    if not found:
        skipped = f"; {units.quantity(sum(reasons.values()), 'item')} skipped" if reasons else ""
        raise InvalidArgument(f"there is no message in {', '.join(sources)}{skipped}", "give its format with --format")
    return found


def _within(item: rs.Document | rs.Skipped, most_words: int) -> rs.Document | rs.Skipped:
    if isinstance(item, rs.Skipped) or len(item.words) + sum(len(words) for _, words in item.fields) <= most_words:
        return item
    return rs.Skipped(item.id, f"more than {units.quantity(most_words, 'word')}, including the words of fields")
