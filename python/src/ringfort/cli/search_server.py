# SPDX-License-Identifier: Apache-2.0
"""``ringfort search search`` and ``ringfort search verify``: commands for the server, which has no secret key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.console import Console

from .. import search as rs
from .. import units
from ..cores import usable_cores
from ..errors import IoChecksum
from .facts import warn_insecure, warn_of_wrapped_counts
from .groups import search_app
from .options import AllowInsecure, AsJson, Devices, Threads, devices_of, refuse_foreign
from .output import Speaker


@search_app.command("search")
def search_command(
    index_path: Annotated[Path, typer.Option("--index", "-i", help="The index folder.")],
    query_path: Annotated[Path, typer.Option("--query", "-q", help="The query file.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file for the answer, which the owner gets.")],
    answer: Annotated[str, typer.Option(help="documents: a count for each message; total: one count.")] = "documents",
    engine: Annotated[str, typer.Option(help="row: quick; literal: the published algorithm, slow.")] = "row",
    max_matches: Annotated[
        int,
        typer.Option(
            min=0,
            help="You promise that at most this many words match, and that nobody chose words with similar hashes. "
            "0: as many as the index allows.",
        ),
    ] = 0,
    count_range: Annotated[
        int,
        typer.Option(
            min=0,
            help="You promise that all counts are below this power of two; larger ones appear too small. "
            "0: a power above all counts that the index allows.",
        ),
    ] = 0,
    words_at_once: Annotated[int, typer.Option(min=1, help="Only --engine literal: number of words per product.")] = 8,
    device: Devices = "",
    threads: Threads = 0,
    allow_insecure: AllowInsecure = False,
    as_json: AsJson = False,
) -> None:
    """For the server: count the words of an index that equal a query, without reading them."""
    with Speaker(as_json).guarded() as speaker:
        refuse_foreign(out, rs.Answer.load, "an answer")
        asked = rs.Query.load(str(query_path))
        index = rs.Index.open(index_path, allow_insecure=allow_insecure)
        server = rs.Server(index, devices=devices_of(device))
        warn_insecure(speaker, index.parameters)
        if any(index_path.glob("segment-*.open")):
            speaker.warn("messages of an unfinished indexing are not searched: finish it, or give verify --repair")
        with speaker.progress("searching", index.words, "word") as tell:
            found = server.search(
                asked,
                answer=cast("Any", answer),
                engine=cast("Any", engine),
                threads=threads or usable_cores(),
                max_matches=max_matches,
                count_range=count_range,
                words_at_once=words_at_once,
                progress=lambda done, _: tell(done),
            )
        found.save(str(out))
        report, size = server.report, out.stat().st_size
        for lost in report.lost_devices:
            speaker.warn(f"device {lost} failed: the other devices repeated its work")
        warn_of_wrapped_counts(speaker, index, report.plan, found.total)
        document = {
            "answer": str(out),
            "bytes": size,
            "words": report.words,
            "documents": found.documents,
            "seconds": report.seconds,
            "read_seconds": report.read_seconds,
            "lost_devices": report.lost_devices,
            "engine": engine,
            "count_range": report.plan.count_range,
            "steps": report.plan.steps,
            "noise_bits": report.plan.noise_bits,
            "margin_bits": report.plan.margin_bits,
            "failure_log2": report.plan.failure_log2,
            "insecure_reason": index.parameters.insecure_reason,
        }

        def show(console: Console) -> None:
            each = units.duration(report.seconds / max(report.words, 1))
            console.print(
                f"{out}: {units.quantity(report.words, 'word')} compared in {units.duration(report.seconds)} "
                f"({each} per word), {units.size(size)}"
            )
            console.print(f"a count is wrong with probability below 2^{report.plan.failure_log2:.0f}")

        speaker.result(document, show)


@search_app.command("verify")
def verify_command(
    index_path: Annotated[Path, typer.Argument(metavar="INDEX", help="The index folder.")],
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Drop incomplete and damaged messages at the end of an interrupted indexing."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check all checksums of an index, and the ranges of all its values."""
    with Speaker(as_json).guarded() as speaker:
        with speaker.progress("checking", 0, "word") as tell:
            report = rs.Index.verify(index_path, repair=repair, progress=tell)
        for problem in report.problems:
            speaker.say(problem)
        if report.problems and not report.repaired:
            tail_only = all(problem.startswith("open ") for problem in report.problems)
            damaged = tail_only and report.dropped_documents != 0
            raise IoChecksum(
                f"{index_path} has {units.quantity(len(report.problems), 'problem')}: {report.problems[0]}",
                f"restore a copy, or let --repair drop {units.quantity(report.dropped_documents, 'damaged message')}"
                if damaged
                else "index again, or give --repair: both keep the whole messages of the interrupted run"
                if tail_only
                else "restore the files from a copy; --repair only cuts an interrupted tail",
            )
        document = {
            "words": report.words,
            "documents": report.documents,
            "segments": report.segments,
            "bytes": report.bytes,
            "dropped_words": report.dropped_words,
            "dropped_documents": report.dropped_documents,
            "repaired": report.repaired,
            "problems": [],
        }

        def show(console: Console) -> None:
            console.print(
                f"{index_path}: {units.quantity(report.words, 'word')} in "
                f"{units.quantity(report.documents, 'message')}, {units.quantity(report.segments, 'segment')}, "
                f"{units.size(report.bytes)}: no problem found"
            )
            if report.dropped_words:
                state = "dropped" if report.repaired else "to be dropped by the next indexing, or --repair"
                console.print(f"unfinished tail: {units.quantity(report.dropped_words, 'word')} {state}")

        speaker.result(document, show)
