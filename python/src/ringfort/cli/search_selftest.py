# SPDX-License-Identifier: Apache-2.0
"""``ringfort search selftest`` tests the guarantees of the search on a text.

The first part compares words of the text and other words (--words of each) with the hashes of the text. It computes in
the clear what the server computes, with 8, 12 and 32 bits of the hash. There must be no false negative. The number of
false positives must be within 3 sigma of the prediction. If the prediction is below 0.1, as with 32 bits, there must be
no false positive. The second part encrypts, searches and decrypts a sample. It predicts every count of every message
from equal hashes, and the decrypted counts must equal the predictions.
"""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from .. import search as rs
from .. import units
from ..cores import usable_cores
from ..search.corpus import absent_words, fortunes, present_words, synthetic
from ..search.hash_check import HashCheck, check_hash
from .groups import search_app
from .options import AsJson, Threads
from .output import Speaker, table

_HASH_BITS = (8, 12, 32)
_SAMPLE_WORDS, _SAMPLE_QUERIES = 96, 5


@dataclass(frozen=True)
class _Sample:
    hash_bits: int
    messages: int
    words: int
    queries: int
    wrong_counts: int


@search_app.command("selftest")
def selftest_command(
    asked: Annotated[
        int,
        typer.Option("--words", min=1, help="Number of queried words in the text, and of others that are not in it."),
    ] = 1000,
    messages: Annotated[int, typer.Option(min=1, help="Number of messages of the synthetic text.")] = 15000,
    threads: Threads = 0,
    as_json: AsJson = False,
) -> None:
    """Test the guarantees of the search on the quotations of the program fortune, or else on a synthetic text."""
    with Speaker(as_json).guarded() as speaker:
        documents = fortunes() or synthetic(messages)
        present, absent = present_words(documents, asked), absent_words(documents, asked)
        speaker.say(f"{units.quantity(len(documents), 'message')}; {len(present)} words present, {len(absent)} absent")
        checks, samples = [], []
        for bits in _HASH_BITS:
            keys = rs.Keys.generate("gsw128", False, bits, False)
            checks.append(check_hash(documents, keys.pattern, bits, present, absent))
            speaker.say(f"{bits} hash bits: compared in the clear; now a sample under encryption")
            samples.append(_through_encryption(keys, documents, threads or usable_cores()))
        failed = [c.hash_bits for c in checks if not c.passed] + [s.hash_bits for s in samples if s.wrong_counts]
        speaker.result(_document(checks, samples), lambda console: _show(console, checks, samples))
        if failed:
            speaker.warn(f"the search violated its guarantees at {failed} hash bits: report this with the output above")
            raise typer.Exit(1)


def _through_encryption(keys: rs.Keys, documents: list[rs.Document], threads: int) -> _Sample:
    taken: list[rs.Document] = []
    for document in documents:
        if sum(len(d.words) for d in taken) + len(document.words) <= _SAMPLE_WORDS:
            taken.append(document)
    queries = present_words(taken, _SAMPLE_QUERIES) + absent_words(taken, _SAMPLE_QUERIES)
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="ringfort-selftest-") as scratch:
        with rs.Index.create(Path(scratch) / "index", keys) as index:
            index.add(taken, keys, threads=threads)
        server = rs.Server(Path(scratch) / "index")
        for word in queries:
            counts = rs.decrypt(server.search(rs.query(word, keys), threads=threads), keys)
            pattern = keys.pattern(word)
            wanted = [sum(keys.pattern(other) == pattern for other in d.words) for d in taken]
            wrong += sum(int(a) != b for a, b in zip(counts, wanted, strict=True))
    return _Sample(keys.hash_bits, len(taken), sum(len(d.words) for d in taken), len(queries), wrong)


def _document(checks: list[HashCheck], samples: list[_Sample]) -> dict[str, Any]:
    return {
        "hash": [{**asdict(c), "deviation": c.deviation, "passed": c.passed} for c in checks],
        "encrypted": [asdict(s) for s in samples],
    }


def _show(console: Console, checks: list[HashCheck], samples: list[_Sample]) -> None:
    shown = table(
        "compared in the clear", "bits", "false negatives", "false positives", "predicted", "sigma", "verdict"
    )
    for c in checks:
        shown.add_row(
            str(c.hash_bits),
            str(c.false_negatives),
            f"{c.meetings:,}",
            f"{c.predicted:,.4g}",
            f"{c.sigma:.3g}",
            "passed" if c.passed else "FAILED",
        )
    console.print(shown)
    shown = table("encrypted, searched, decrypted", "bits", "messages", "words", "queries", "wrong counts", numbers=5)
    for s in samples:
        shown.add_row(*map(str, (s.hash_bits, s.messages, s.words, s.queries, s.wrong_counts)))
    console.print(shown)
