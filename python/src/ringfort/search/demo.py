# SPDX-License-Identifier: Apache-2.0
"""The demonstration of the word search: a server searches an encrypted mailbox that it cannot read.

For each word, the result is the number of its occurrences in every message. The demonstration also counts the word in
the unencrypted messages, and compares the counts.

Run ``python -m ringfort.search.demo [--words N] [--folder FOLDER]``, or ``./dev demo``, which first sets the machine
up. With the default number of words, the demonstration takes a few minutes and at most 2 GB of temporary disk space. It
writes FOLDER/search.html. The exit code is 1 if a count is wrong.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path

import typer

from .. import search as rs
from .. import units
from ..bench.rows import Row
from ..bench.run import run_benchmark
from ..bench.show import cells
from ..bench.show_search import engine_of
from ..cli.facts import estimate_rows
from ..cli.output import Speaker, table
from ..cores import usable_cores
from ..errors import IoWrite
from .corpus import absent_words, fortunes, synthetic
from .demo_page import COLUMNS, Outcome, page, row_of
from .hash_check import plain_counts

_WORDS = 500  # the index then has 0.8 GB
_LONGEST = 60  # largest number of words in a message, because a mailbox should have many messages
_PRESENT, _ABSENT = 6, 3
_LONG = 6  # smallest number of letters of an absent word
_ROWS = ("search/literal/t", "search/row-b2/t", "search/row-b256/t", "search/gsw128/t", "search/gsw128-cw/t")
_FREE_BYTES = 2_500_000_000


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="ringfort.search.demo", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, default=_WORDS, help="about how many words to index (1.7 MB each)")
    parser.add_argument("--folder", type=Path, default=Path("report"), help="folder of search.html")
    parser.add_argument("--no-engines", action="store_true", help="skip the comparison of engines")
    given = parser.parse_args(arguments)
    try:
        with (
            Speaker(as_json=False).guarded() as speaker,
            tempfile.TemporaryDirectory(prefix="ringfort-demo-") as scratch,
        ):
            if shutil.disk_usage(scratch).free < _FREE_BYTES:
                raise IoWrite(f"{scratch} has too little free space", f"free {units.size(_FREE_BYTES)}, or set TMPDIR")
            return demonstrate(speaker, Path(scratch), given.folder, given.words, not given.no_engines)
    except typer.Exit as left:
        return left.exit_code


def demonstrate(speaker: Speaker, scratch: Path, folder: Path, words: int, engines: bool) -> int:
    """Runs all steps of the demonstration. Returns 0 if every count is correct."""
    begun = time.monotonic()
    name, documents, others = _corpus(words)
    speaker.say(f"1. text: {units.quantity(len(documents), 'message')} of {name}, {_words(documents):,} words")
    keys = rs.keygen(scratch / "keys", unsealed=True)
    speaker.say(f"2. keys: gsw128, {keys.hash_bits} hash bits; the secret key stays with the owner")
    facts = _announce(speaker, documents)
    index, measured = _index(speaker, scratch / "index", keys, documents)
    outcomes = _search_all(speaker, index, keys, documents, _chosen(documents, others))
    measured["answer"] = units.size(outcomes[0].answer_bytes)
    rows = _engines(speaker) if engines else []
    _show(speaker, outcomes, rows)
    path = page(name, facts, measured, outcomes, rows).write(folder / "search.html")
    wrong = sum(not outcome.right for outcome in outcomes)
    verdict = "every count is right" if not wrong else f"{units.quantity(wrong, 'word')} COUNTED WRONG"
    speaker.say(f"{verdict}; {units.duration(time.monotonic() - begun)} in all; report: {path}")
    return 1 if wrong else 0


def _corpus(words: int) -> tuple[str, list[rs.Document], list[rs.Document]]:
    """Returns three values: a name of the text, the messages to index, and the other messages of the source. The
    messages to index have at least ``words`` words in total, if the source has that many.

    The messages come from the fortune files. If there are none, they are synthetic.
    """
    name, source = "the distribution's fortune files", fortunes()
    if not source:
        name, source = "a synthetic mailbox (the package fortunes is not installed)", synthetic(words)
    source = [document for document in source if len(document.words) <= _LONGEST]
    taken: list[rs.Document] = []
    for document in source:
        if _words(taken) >= words:
            break
        taken.append(document)
    return name, taken, source[len(taken) :]


def _words(documents: list[rs.Document]) -> int:
    return sum(len(document.words) for document in documents)


def _announce(speaker: Speaker, documents: list[rs.Document]) -> list[tuple[str, str]]:
    found = rs.estimate(
        _words(documents),
        len(documents),
        most_words=max(len(document.words) for document in documents),
        max_matches=_words(documents),
        threads=usable_cores(),
    )
    facts = estimate_rows(found)
    speaker.say("3. estimate:")
    for name, value in facts:
        speaker.say(f"     {name:32s} {value}")
    return facts


def _index(
    speaker: Speaker, folder: Path, keys: rs.Keys, documents: list[rs.Document]
) -> tuple[rs.Index, dict[str, str]]:
    """Makes the index. Returns the index, and measured figures under the names that the estimate uses."""
    begun, total = time.monotonic(), _words(documents)
    with rs.Index.create(folder, keys) as index, speaker.progress("4. encrypting", total, "word") as tell:
        index.add(documents, keys, threads=usable_cores(), progress=lambda done, _: tell(done))
    seconds = time.monotonic() - begun
    report = rs.Index.verify(folder)
    speaker.say(
        f"4. index: {units.quantity(report.words, 'word')}, {units.size(report.bytes)}, {units.duration(seconds)} "
        f"({units.rate(total / seconds, 'word')}), verified"
    )
    return rs.Index.open(folder), {"index on disk": units.size(report.bytes), "time to index": units.duration(seconds)}


def _search_all(
    speaker: Speaker, index: rs.Index, keys: rs.Keys, documents: list[rs.Document], wanted: list[str]
) -> list[Outcome]:
    server = rs.Server(index)
    outcomes = []
    with speaker.progress("5. searching", len(wanted), "word") as tell:
        for number, word in enumerate(wanted):
            answer = server.search(rs.query(word, keys), threads=usable_cores())
            path = Path(index.folder).with_name("answer.rfa")
            answer.save(str(path))
            counts = rs.decrypt(rs.Answer.load(str(path)), keys).tolist()
            plain = plain_counts(documents, word)
            outcomes.append(Outcome(word, counts, plain, server.report.seconds, path.stat().st_size))
            tell(number + 1)
    speaker.say(f"5. searched {len(outcomes)} words; the server saw hashes and ciphertexts only")
    return outcomes


def _chosen(documents: list[rs.Document], others: list[rs.Document]) -> list[str]:
    """Returns common words, rare words and absent words. Absent words occur only in the other messages. If the other
    messages have no such word, all absent words are made up."""
    ranked = [word for word, _ in Counter(w for d in documents for w in d.words).most_common()]
    steps = [min(4**k, len(ranked)) - 1 for k in range(_PRESENT)]
    absent = sorted({word for d in others for word in d.words if len(word) >= _LONG} - set(ranked))
    drawn = random.Random(1).sample(absent, min(_ABSENT, len(absent)))
    return list(dict.fromkeys([ranked[step] for step in steps])) + (drawn or absent_words(documents, _ABSENT))


def _engines(speaker: Speaker) -> list[Row]:
    speaker.say("6. time per word, by engine:")
    return [
        row
        for row in run_benchmark(
            "search", lambda line: speaker.say(f"     {line}"), quick=True, threads=usable_cores(), only=_ROWS
        )
        if row.unit == "ms/word" and any(row.name.startswith(name) for name in _ROWS)
    ]


def _show(speaker: Speaker, outcomes: list[Outcome], rows: list[Row]) -> None:
    shown = table("present and absent words", *COLUMNS, numbers=6)
    for outcome in outcomes:
        shown.add_row(*row_of(outcome))
    speaker.out.print(shown)
    if rows:
        shown = table("time per word, 32 hash bits", "engine", "median", "published (ratio)")
        for row in rows:
            shown.add_row(", ".join(engine_of(row)), units.duration(row.median / 1000), cells(row)[-1])
        speaker.out.print(shown)


if __name__ == "__main__":
    raise SystemExit(main())
