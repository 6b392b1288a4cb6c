# SPDX-License-Identifier: Apache-2.0
"""Options for messages, and a function that reads messages: for ``search estimate`` and ``search index``."""

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

Format = Annotated[str, typer.Option("--format", "-f", help=f"Format of the sources: auto, {', '.join(rs.FORMATS)}.")]
Repeats = Annotated[
    int | None,
    typer.Option(
        "--repeats",
        min=0,
        help="Most copies of a word to store per message; 0: all. Default: 0, or the value of the index.",
    ),
]
Distinct = Annotated[
    bool, typer.Option("--distinct", help="Store each word once per message: the same as --repeats 1.")
]
Fields = Annotated[
    bool,
    typer.Option("--fields", help="Also store the words of header fields, as subject:word, from:word and to:word."),
]
MostWords = Annotated[int, typer.Option("--most-words", min=1, help="Skip messages with more words.")]
AsSender = Annotated[bool, typer.Option("--as-sender", help="Encrypt with the public key, as senders do.")]


@dataclass(frozen=True)
class Wanted:
    """Limits on messages. fields: the words of fields also count for ``most_words``. limit: number of messages; 0 means
    all. bodies: keep the bodies."""

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
        raise InvalidArgument(
            f"there is no message in {', '.join(sources)}{skipped}", "give the format of the sources with --format"
        )
    return found


def _within(item: rs.Document | rs.Skipped, most_words: int) -> rs.Document | rs.Skipped:
    if isinstance(item, rs.Skipped) or len(item.words) + sum(len(words) for _, words in item.fields) <= most_words:
        return item
    return rs.Skipped(item.id, f"more than {units.quantity(most_words, 'word')}, including the words of fields")
