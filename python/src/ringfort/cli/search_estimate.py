# SPDX-License-Identifier: Apache-2.0
"""``ringfort search estimate`` computes the cost and the guarantees of an index and of a search in advance."""

from __future__ import annotations

from typing import Annotated, Any, cast

import typer
from rich.console import Console

from .. import search as rs
from .. import units
from .._core.search import preset as parameters_of
from ..cores import usable_cores
from ..errors import InvalidArgument
from ..search.document import MOST_WORDS
from .facts import estimate_document, estimate_rows
from .groups import search_app
from .messages import AsSender, Distinct, Fields, Format, MostWords, Repeats, Wanted, read_messages
from .options import AllowInsecure, AsJson, HashBits, Threads, hash_bits_of
from .output import Speaker, table


@search_app.command("estimate")
def estimate_command(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SOURCE]...", help="Mail or text to be indexed. Without it, give --words and --documents."
        ),
    ] = None,
    words: Annotated[int, typer.Option(min=0, help="Number of words in all messages.")] = 0,
    documents: Annotated[int, typer.Option(min=0, help="Number of messages.")] = 0,
    format: Format = "auto",
    preset: Annotated[str, typer.Option(help="As for search keygen.")] = "gsw128",
    hash_bits: HashBits = None,
    constant_weight: Annotated[bool, typer.Option("--constant-weight", help="As for search keygen.")] = False,
    allow_insecure: AllowInsecure = False,
    as_sender: AsSender = False,
    repeats: Repeats = None,
    distinct: Distinct = False,
    fields: Fields = False,
    most_words: MostWords = MOST_WORDS,
    answer: Annotated[str, typer.Option(help="documents: a count for each message; total: one count.")] = "documents",
    engine: Annotated[str, typer.Option(help="As for search search: row or literal.")] = "row",
    max_matches: Annotated[
        int,
        typer.Option(
            min=0, help="Most words that equal one query; 0: as many as the text allows, or all if senders have keys."
        ),
    ] = 0,
    count_range: Annotated[int, typer.Option(min=0, help="A power of two above all counts; 0: as the text needs.")] = 0,
    no_time: Annotated[bool, typer.Option("--no-time", help="Do not measure this machine: estimate no times.")] = False,
    threads: Threads = 0,
    as_json: AsJson = False,
) -> None:
    """Estimate the cost and the guarantees of an index and of a search before you make them."""
    with Speaker(as_json).guarded() as speaker:
        most = 0
        repeats = 1 if distinct else repeats or 0
        if sources:
            found = read_messages(speaker, sources, format, Wanted(most_words, fields))
            tokens = [document.tokens(repeats=repeats, fields=fields) for document in found]
            words, documents, most = sum(map(len, tokens)), len(tokens), max(map(len, tokens))
        if not words or not documents:
            raise InvalidArgument("there is nothing to estimate", "give a SOURCE, or --words and --documents")
        by_text = min(words, documents * repeats) if repeats else words
        public = parameters_of(preset, True).public_key_allowed  # senders may choose words whose hashes nearly match
        estimated = rs.estimate(
            words,
            documents,
            preset=preset,
            hash_bits=hash_bits_of(hash_bits, constant_weight),
            constant_weight=constant_weight,
            allow_insecure=allow_insecure,
            as_sender=as_sender,
            most_words=most,
            measure=not no_time,
            answer=cast("Any", answer),
            engine=cast("Any", engine),
            max_matches=max_matches or (0 if public else by_text),
            count_range=count_range,
            threads=threads or usable_cores(),
        )
        document = {"words": words, "documents": documents, **estimate_document(estimated)}
        title = f"{preset}: {units.quantity(words, 'word')} in {units.quantity(documents, 'message')}"
        speaker.result(document, lambda console: _show_rows(console, title, estimate_rows(estimated)))


def _show_rows(console: Console, title: str, rows: list[tuple[str, str]]) -> None:
    shown = table(title, "what", "how much")
    for row in rows:
        shown.add_row(*row)
    console.print(shown)
