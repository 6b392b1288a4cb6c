# SPDX-License-Identifier: Apache-2.0
"""``ringfort search estimate`` and ``index``: what it will take, and doing it."""

from __future__ import annotations

import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from .. import search as rs
from ..errors import InvalidArgument
from . import units
from .facts import estimate_document, estimate_rows, security_line, warn_insecure
from .options import AllowInsecure, AsJson, PassphraseFile, Prompt, Threads, cores, passphrase
from .output import Speaker, table

__all__ = ["estimate_command", "index_command"]

_ASK_ABOVE_BYTES = 1_000_000_000
_WORDS_A_CALL = 512

Source = Annotated[
    list[str], typer.Argument(metavar="SOURCE...", help="Mail or text: files, folders, or - for standard input.")
]
Format = Annotated[str, typer.Option("--format", "-f", help=f"auto, {', '.join(rs.FORMATS)}.")]
Repeats = Annotated[
    int, typer.Option("--repeats", min=0, help="How often one word of a message is stored; 0: as often as it occurs.")
]
Distinct = Annotated[bool, typer.Option("--distinct", help="Each word once a message (--repeats 1).")]
Fields = Annotated[bool, typer.Option("--fields", help='Also "subject:word", "from:word", "to:word".')]
Limit = Annotated[int, typer.Option("--limit", min=0, help="Only the first messages; 0: all.")]
AsSender = Annotated[bool, typer.Option("--as-sender", help="Encrypt with the public key.")]


def estimate_command(
    sources: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE]...", help="Text to estimate for; or give --words.")
    ] = None,
    words: Annotated[int, typer.Option(min=0, help="Words in all.")] = 0,
    documents: Annotated[int, typer.Option(min=0, help="Messages.")] = 0,
    format: Format = "auto",
    preset: Annotated[str, typer.Option(help="As of keygen.")] = "gsw128",
    hash_bits: Annotated[int, typer.Option(help="Bits of a word's hash.")] = 32,
    constant_weight: Annotated[bool, typer.Option("--constant-weight")] = False,
    allow_insecure: AllowInsecure = False,
    as_sender: AsSender = False,
    repeats: Repeats = 0,
    distinct: Distinct = False,
    fields: Fields = False,
    engine: Annotated[str, typer.Option(help="row or literal.")] = "row",
    max_matches: Annotated[int, typer.Option(min=0, help="Most words equal to one query; 0: by the text.")] = 0,
    count_range: Annotated[int, typer.Option(min=0, help="A power of two above every count; 0: by the text.")] = 0,
    no_time: Annotated[bool, typer.Option("--no-time", help="Do not measure this machine.")] = False,
    threads: Threads = 0,
    as_json: AsJson = False,
) -> None:
    """Say what an index and a search would take and promise, before anything is done."""
    with Speaker(as_json).guarded() as speaker:
        most = 0
        repeats = 1 if distinct else repeats
        if sources:
            found = _read(speaker, sources, format)
            tokens = [document.tokens(repeats=repeats, fields=fields) for document in found]
            words, documents, most = sum(map(len, tokens)), len(tokens), max(map(len, tokens))
        if not words or not documents:
            raise InvalidArgument("there is nothing to estimate for", "name a SOURCE, or give --words and --documents")
        matches = max_matches or (min(words, documents * repeats) if repeats else words)
        estimated = rs.estimate(
            words,
            documents,
            preset=preset,
            hash_bits=hash_bits,
            constant_weight=constant_weight,
            allow_insecure=allow_insecure,
            as_sender=as_sender,
            most_words=most,
            measure=not no_time,
            engine=engine,
            max_matches=matches,
            count_range=count_range,
            threads=threads or cores(),
        )
        document = {"words": words, "documents": documents, **estimate_document(estimated)}
        title = f"{preset}: {units.quantity(words, 'word')} in {units.quantity(documents, 'message')}"
        speaker.result(document, lambda console: _show_rows(console, title, estimate_rows(estimated)))


def index_command(
    sources: Source,
    keys_path: Annotated[Path, typer.Option("--key", "-k", help="Secret or public keys: their folder or file.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The index folder; made, or appended to.")],
    format: Format = "auto",
    repeats: Repeats = 0,
    distinct: Distinct = False,
    fields: Fields = False,
    bodies: Annotated[bool, typer.Option("--bodies", help="Keep the messages, sealed, beside the index.")] = False,
    limit: Limit = 0,
    as_sender: AsSender = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a large index.")] = False,
    threads: Threads = 0,
    prompt: Prompt = False,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Encrypt the words of messages into an index, or append them to one."""
    with Speaker(as_json).guarded() as speaker:
        keys = rs.load_keys(keys_path, passphrase(passphrase_file, prompt))
        warn_insecure(speaker, keys.parameters)
        found = _read(speaker, sources, format, limit, bodies)
        sender = as_sender or not keys.has_secret
        made = (out / "parameters.rfp").exists()
        repeats = rs.Index.open(out).repeats if made else 1 if distinct else repeats
        total = sum(len(document.tokens(repeats=repeats, fields=fields)) for document in found)
        _announce(speaker, keys, out, total, len(found), sender, yes)
        if not made:
            rs.Index.create(out, keys, repeats=repeats).close()
        with rs.Index.open(out, append=True) as index:
            if index.recovered.dropped_words:
                lost = units.quantity(index.recovered.dropped_words, "word")
                speaker.warn(f"an earlier run ended in mid-message: {lost} of it dropped")
            document = _add_all(speaker, index, keys, found, total, threads or cores(), sender, fields)
        speaker.result(document, partial(_show_added, out, document))


def _show_added(out: Path, added: dict[str, Any], console: Console) -> None:
    pace = units.rate(added["words"] / max(added["seconds"], 1e-9), "word")
    console.print(
        f"{out}: {units.quantity(added['words'], 'word')} in {units.quantity(added['documents'], 'message')} added, "
        f"{units.size(added['bytes'])}, {units.duration(added['seconds'])} ({pace})"
    )


def _add_all(
    speaker: Speaker,
    index: rs.Index,
    keys: rs.Keys,
    found: list[rs.Document],
    total: int,
    threads: int,
    sender: bool,
    fields: bool,
) -> dict[str, Any]:
    begun, done, size = time.monotonic(), 0, 0

    def told(words: int, _: int) -> None:
        tell(done + words)

    with speaker.progress("indexing", total, "word") as tell:
        for batch in _batches(found):
            report = index.add(batch, keys, threads=threads, as_sender=sender, fields=fields, progress=told)
            done, size = done + report.words, size + report.bytes
            tell(done)
    return {
        "documents": len(found),
        "words": done,
        "bytes": size,
        "seconds": time.monotonic() - begun,
        "index_words": index.words,
        "index_documents": index.documents,
    }


def _batches(found: list[rs.Document]) -> list[list[rs.Document]]:
    """Documents in groups of about _WORDS_A_CALL words: one call into the library each."""
    groups: list[list[rs.Document]] = [[]]
    words = 0
    for document in found:
        if words >= _WORDS_A_CALL:
            groups.append([])
            words = 0
        groups[-1].append(document)
        words += len(document.words)
    return groups


def _read(speaker: Speaker, sources: list[str], format: str, limit: int = 0, bodies: bool = False) -> list[rs.Document]:
    found: list[rs.Document] = []
    reasons: Counter[str] = Counter()
    for source in sources:
        for item in rs.read(source, format, keep_body=bodies):
            if isinstance(item, rs.Skipped):
                reasons[item.reason] += 1
                speaker.say(str(item))
            elif not limit or len(found) < limit:
                found.append(item)
    if not found:
        skipped = f"; {units.quantity(sum(reasons.values()), 'item')} skipped" if reasons else ""
        raise InvalidArgument(f"no message was found in {', '.join(sources)}{skipped}", "name its format with --format")
    return found


def _announce(speaker: Speaker, keys: rs.Keys, out: Path, words: int, documents: int, sender: bool, yes: bool) -> None:
    """Says what will be written, and asks before a large index. Nothing is written before that."""
    parameters = keys.parameters
    size = rs.estimate(
        words,
        documents,
        preset=parameters.name,
        hash_bits=keys.hash_bits,
        constant_weight=keys.constant_weight,
        allow_insecure=bool(parameters.insecure_reason),
        as_sender=sender,
        measure=False,
        max_matches=1,
    ).index_bytes
    speaker.say(
        f"{units.quantity(words, 'word')} in {units.quantity(documents, 'message')}: "
        f"{units.size(size)} in {out} ({security_line(parameters)})"
    )
    if size <= _ASK_ABOVE_BYTES or yes:
        return
    if not sys.stdin.isatty():
        raise InvalidArgument(
            f"the index would take {units.size(size)}", "say --yes, or take fewer messages with --limit"
        )
    if not typer.confirm(f"Write {units.size(size)}?", err=True):
        raise InvalidArgument("nothing was written", "take fewer messages with --limit, or --distinct")


def _show_rows(console: Console, title: str, rows: list[tuple[str, str]]) -> None:
    shown = table(title, "what", "how much")
    for row in rows:
        shown.add_row(*row)
    console.print(shown)
