# SPDX-License-Identifier: Apache-2.0
"""``ringfort search index`` encrypts the words of messages into a folder."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from .. import search as rs
from .. import units
from .._core.search import padded_words
from ..cores import usable_cores
from ..errors import InvalidArgument, ModeForbidden
from ..search.document import MOST_WORDS
from .facts import security_line, warn_insecure
from .groups import search_app
from .messages import AsSender, Distinct, Fields, Format, MostWords, Repeats, Wanted, read_messages
from .options import AllowInsecure, AsJson, MostStrength, PassphraseFile, Prompt, Threads, opened_keys
from .output import Speaker

_ASK_ABOVE_BYTES = 1_000_000_000
_WORDS_A_CALL = 512
# An encrypted word has a head and its encrypted bits. An encrypted bit has polynomials and a checksum.
_HEAD_BYTES, _CHECKSUM_BYTES = 44, 4


@search_app.command("index")
def index_command(
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Mail or text: files, folders, or - for standard input.")
    ],
    keys_path: Annotated[
        Path, typer.Option("--key", "-k", help="The folder of the keys, or a file in it: secret or public.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The index folder. If it has an index, append to it.")],
    format: Format = "auto",
    repeats: Repeats = None,
    distinct: Distinct = False,
    fields: Fields = False,
    most_words: MostWords = MOST_WORDS,
    bodies: Annotated[bool, typer.Option("--bodies", help="Also store the messages in the index, encrypted.")] = False,
    pad_bodies: Annotated[
        bool,
        typer.Option(
            "--pad-bodies/--exact-bodies",
            help="Round up the lengths of stored messages, because the server sees these lengths.",
        ),
    ] = True,
    pad_words: Annotated[
        bool,
        typer.Option(
            "--pad-words", help="Hide the number of words of a message: add words that match only by accident."
        ),
    ] = False,
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="Largest number of messages to index, from the first on; 0: all.")
    ] = 0,
    as_sender: AsSender = False,
    again: Annotated[bool, typer.Option("--again", help="Also add messages that the index already has.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before more than 1 GB is written.")] = False,
    threads: Threads = 0,
    allow_insecure: AllowInsecure = False,
    prompt: Prompt = False,
    passphrase_file: PassphraseFile = None,
    most_strength: MostStrength = 1,
    as_json: AsJson = False,
) -> None:
    """For the owner or senders: encrypt the words of messages into a new index, or append messages to an index.

    The owner's command skips messages that the index has. After an interruption, the same command adds the rest. A
    sender's command adds all messages again. When you append, repeat the option --distinct or --repeats. Otherwise the
    command uses the value in the index, which a stranger may have set.
    """
    with Speaker(as_json).guarded("the index has every message that was complete: the same command resumes") as speaker:
        _refuse_own_source(out, sources)
        keys = opened_keys(
            keys_path, passphrase_file, prompt, allow_insecure=allow_insecure, most_strength=most_strength
        )
        warn_insecure(speaker, keys.parameters)
        found = read_messages(speaker, sources, format, Wanted(most_words, fields, limit, bodies))
        padding: rs.Padding = {"pad_bodies": pad_bodies, "pad_words": pad_words}
        job = _Job(speaker, keys, out, threads or usable_cores(), as_sender or not keys.has_secret, fields, padding)
        repeats = 1 if distinct else repeats
        if (out / "parameters.rfp").exists():
            with rs.Index.open(out, append=True, allow_insecure=allow_insecure, repeats=repeats) as index:
                added = job.append(index, found, again, yes)
        else:
            total = job.announce(found, repeats or 0, yes)
            with rs.Index.create(out, keys, repeats=repeats or 0) as index:
                added = job.add(index, found, total)
        speaker.result(added, partial(_show_added, out, added))


def _refuse_own_source(out: Path, sources: list[str]) -> None:
    for source in sources:
        if source != "-" and out.resolve().is_relative_to(Path(source).resolve()):
            raise InvalidArgument(
                f"the index {out} would be inside {source}, which is a source", "give a folder outside the source"
            )


@dataclass(frozen=True)
class _Job:
    speaker: Speaker
    keys: rs.Keys
    out: Path
    threads: int
    sender: bool
    fields: bool
    padding: rs.Padding

    def announce(self, found: list[rs.Document], repeats: int, yes: bool) -> int:
        """Prints the size of all words. If the size is above 1 GB, asks whether to go on. Returns the number of
        words."""
        each = [len(document.tokens(repeats=repeats, fields=self.fields)) for document in found]
        words = sum(map(padded_words, each) if self.padding["pad_words"] else each)
        parameters = self.keys.parameters
        if self.sender and not parameters.public_key_allowed:
            raise ModeForbidden("the preset of these keys does not allow senders", "index with the secret keys")
        size = words * _word_bytes(self.keys, self.sender)
        self.speaker.say(
            f"{units.quantity(words, 'word')} in {units.quantity(len(found), 'message')}: "
            f"{units.size(size)} in {self.out} ({security_line(parameters)})"
        )
        if size <= _ASK_ABOVE_BYTES or yes:
            return words
        if not sys.stdin.isatty():
            raise InvalidArgument(
                f"the index would take {units.size(size)}",
                "give --yes, or take fewer messages with --limit, or no long messages with --most-words",
            )
        if not typer.confirm(f"Write {units.size(size)}?", err=True):
            raise InvalidArgument(
                "nothing was written",
                "take fewer messages with --limit, shorter messages with --most-words, or --distinct",
            )
        return words

    def unknown(self, index: rs.Index, found: list[rs.Document]) -> list[rs.Document]:
        """Returns the messages whose digests differ from those of all messages that the owner has added. If the keys
        have no secret key, returns all messages.

        Ids and subjects are not compared, because a stranger could send a message with a guessed id and subject. Then
        the true message would be left out, and the unchanged number of documents would confirm the guess.
        """
        if not self.keys.has_secret:
            return found
        contained = index.contains(found, self.keys)
        left = [document for document, known in zip(found, contained, strict=True) if not known]
        if len(left) < len(found):
            there = units.quantity(len(found) - len(left), "message")
            self.speaker.say(f"the index already has {there} of these (--again adds them once more)")
        return left

    def append(self, index: rs.Index, found: list[rs.Document], again: bool, yes: bool) -> dict[str, Any]:
        if index.recovered.dropped_words:
            lost = units.quantity(index.recovered.dropped_words, "word")
            self.speaker.warn(f"an earlier run stopped in the middle of a message: {lost} of it dropped")
        left = found if again else self.unknown(index, found)
        added = self.add(index, left, self.announce(left, index.repeats, yes) if left else 0)
        return {**added, "already_held": len(found) - len(left)}

    def add(self, index: rs.Index, found: list[rs.Document], total: int) -> dict[str, Any]:
        begun, done, size = time.monotonic(), 0, 0

        def told(words: int, _: int) -> None:
            tell(done + words)

        with self.speaker.progress("indexing", total, "word") as tell:
            for batch in _batches(found):
                report = index.add(
                    batch,
                    self.keys,
                    threads=self.threads,
                    as_sender=self.sender,
                    fields=self.fields,
                    progress=told,
                    **self.padding,
                )
                done, size = done + report.words, size + report.bytes
                tell(done)
        return {
            "documents": len(found),
            "words": done,
            "bytes": size,
            "seconds": time.monotonic() - begun,
            "index_words": index.words,
            "index_documents": index.documents,
            "already_held": 0,
        }


def _word_bytes(keys: rs.Keys, as_sender: bool) -> int:
    """Returns the number of bytes of an encrypted word (docs/file-format.md)."""
    parameters = keys.parameters
    residues = 2 * parameters.digits * parameters.n * (2 if as_sender else 1)
    packed_bytes = (residues * (parameters.q - 1).bit_length() + 7) // 8
    return _HEAD_BYTES + keys.hash_bits * (packed_bytes + _CHECKSUM_BYTES)


def _show_added(out: Path, added: dict[str, Any], console: Console) -> None:
    pace = units.rate(added["words"] / max(added["seconds"], 1e-9), "word")
    console.print(
        f"{out}: {units.quantity(added['words'], 'word')} in {units.quantity(added['documents'], 'message')} added, "
        f"{units.size(added['bytes'])}, {units.duration(added['seconds'])} ({pace})"
    )


def _batches(found: list[rs.Document]) -> list[list[rs.Document]]:
    """Divides documents into groups of about _WORDS_A_CALL words. Each group is one call."""
    groups: list[list[rs.Document]] = [[]]
    words = 0
    for document in found:
        if words >= _WORDS_A_CALL:
            groups.append([])
            words = 0
        groups[-1].append(document)
        words += len(document.words)
    return groups
