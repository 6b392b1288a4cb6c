# SPDX-License-Identifier: Apache-2.0
"""``ringfort statistics create``, ``fingerprint``, ``encrypt``, ``aggregate`` and ``decrypt``: the commands of the
parties of a study."""

from __future__ import annotations

import csv
import glob
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from .. import statistics as rs
from .. import units
from ..cores import usable_cores
from ..encrypted.context.options import Primes as PrimeChoice
from ..errors import Error, InvalidArgument, IoOpen, ParametersMismatch
from ..statistics.keys import PUBLIC_FILE, SECRET_FILE
from ..whole_files import open_regular
from .groups import statistics_app
from .options import (
    AllowInsecure,
    AsJson,
    Devices,
    PassphraseFile,
    Prompt,
    Threads,
    Unsealed,
    devices_of,
    passphrase,
    passphrase_for,
    refuse_foreign,
)
from .output import Speaker, table

__all__ = ["Primes", "primes_of", "statistics_document", "statistics_table"]

_DECIMAL = re.compile(r"[ \t]*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t]*")
_LINE_END = re.compile(r"\r\n?|\n")

Folder = Annotated[Path, typer.Argument(help="Folder of the study: study.json and keys.")]
Primes = Annotated[
    str,
    typer.Option(
        help="Primes for devices with short words: BITS or BITS:FORM, as in 30:c*2^16+1. Default: the library chooses."
    ),
]


@statistics_app.command("create")
def create_command(
    folder: Folder,
    column: Annotated[
        list[str],
        typer.Option(
            "--column", "-c", help="A column: NAME:LOW:HIGH or NAME:LOW:HIGH:DECIMALS. Repeat the option for more."
        ),
    ],
    wanted: Annotated[str, typer.Option(help="What to compute: means, variances or regressions.")] = "variances",
    uploads: Annotated[int, typer.Option(min=1, help="Largest number of uploads.")] = 10_000,
    records: Annotated[
        int,
        typer.Option(min=1, help="Largest number of records in one upload. With --each-slot: length of the vectors."),
    ] = 1,
    each_slot: Annotated[
        bool,
        typer.Option("--each-slot", help="An upload is one record of vectors. Compute statistics for each element."),
    ] = False,
    scheme: Annotated[str, typer.Option(help="bgv or bfv.")] = "bgv",
    primes: Primes = "",
    passphrase_file: PassphraseFile = None,
    prompt: Prompt = False,
    unsealed: Unsealed = False,
    as_json: AsJson = False,
) -> None:
    """For the analyst: declare a study, and make its keys. Give study.json and public.rfc to others, not secret.rfc."""
    with Speaker(as_json).guarded() as speaker:
        study = rs.Study(_columns_of(column), wanted, uploads, records, each_slot, scheme)
        sealed = passphrase_for(folder / SECRET_FILE, passphrase_file, prompt, unsealed)
        keys = rs.keygen(study, primes=primes_of(primes), threads=usable_cores())
        keys.save(folder, passphrase=sealed, unsealed=unsealed)
        facts = keys.public.explain().facts
        document = {
            "folder": str(folder),
            "n": facts.n,
            "security": facts.security,
            "plain_modulus": keys.public.context.plain_modulus,
            "capacity": keys.public.capacity,
            "upload_bytes": facts.ciphertext_bytes * len(study.columns),
            "fingerprint": keys.public.fingerprint,
        }

        def show(console: Console) -> None:
            console.print(f"{folder}: n = {facts.n}, {facts.security}; an upload has about {_size(document)}")
            console.print(
                f"totals modulo {document['plain_modulus']}: at most {units.quantity(document['capacity'], 'record')}"
            )
            console.print(f"fingerprint {document['fingerprint']}: read it out to the users, who compare theirs")

        speaker.result(document, show)


@statistics_app.command("fingerprint")
def fingerprint_command(
    folder: Folder,
    passphrase_file: PassphraseFile = None,
    prompt: Prompt = False,
    allow_insecure: AllowInsecure = False,
    as_json: AsJson = False,
) -> None:
    """Show a digest of the study and its public keys. The analyst reads it out, and users compare it.

    If the analyst gives the passphrase, the command shows the digest of the keys in secret.rfc. It fails if public.rfc
    has other keys.
    """
    with Speaker(as_json).guarded() as speaker:
        given = passphrase(passphrase_file, prompt)
        owned = bool(given) or os.path.lexists(folder / SECRET_FILE)
        keys = rs.load_keys(folder, allow_insecure=allow_insecure)
        found = keys.fingerprint
        if owned:
            secret = rs.load_keys(folder, secret=True, passphrase=given, allow_insecure=allow_insecure)
            found = secret.public.fingerprint
        if keys.fingerprint != found:
            raise ParametersMismatch(
                f"{folder / PUBLIC_FILE} has other public keys than the secret key in {folder / SECRET_FILE}",
                "somebody replaced the file, and can read uploads made with it: restore it with "
                "ringfort.statistics.load_keys(folder, secret=True, passphrase=...).public.save(folder)",
            )
        speaker.result({"fingerprint": found, "secret": owned}, lambda console: console.print(found))


@statistics_app.command("encrypt")
def encrypt_command(
    folder: Folder,
    source: Annotated[
        Path, typer.Argument(help="CSV file: a line with the names of columns, then one line per record.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file for the upload, which the aggregator gets.")],
    allow_insecure: AllowInsecure = False,
    as_json: AsJson = False,
) -> None:
    """For users: encrypt your records for a study."""
    with Speaker(as_json).guarded() as speaker:
        keys = rs.load_keys(folder, allow_insecure=allow_insecure)
        refuse_foreign(out, lambda path: rs.Upload.load(path, keys), "an upload of this study")
        upload = rs.encrypt(_records(source, keys.study), keys)
        upload.save(out)
        bytes_written = out.stat().st_size
        document = {"upload": str(out), "records": upload.records, "bytes": bytes_written}
        shown = f"{out}: {units.quantity(upload.records, 'record')}, {units.size(bytes_written)}"
        speaker.result(document, lambda console: console.print(shown))


@statistics_app.command("aggregate")
def aggregate_command(
    folder: Folder,
    uploads: Annotated[list[str], typer.Argument(help="Files of uploads, or patterns in quotes, as in 'uploads/*'.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file for the result, which the analyst gets.")],
    device: Devices = "",
    threads: Threads = 0,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Skip uploads that have errors, and report them.")
    ] = False,
    allow_insecure: AllowInsecure = False,
    as_json: AsJson = False,
) -> None:
    """For the aggregator: add up uploads without reading them."""
    with Speaker(as_json).guarded() as speaker:
        keys = rs.load_keys(folder, allow_insecure=allow_insecure)
        refuse_foreign(out, lambda path: rs.Result.load(path, keys), "a result of this study")
        aggregator = rs.Aggregator(keys, threads=threads or usable_cores(), devices=devices_of(device))
        paths, again = _each_once(uploads)
        with speaker.progress("adding", len(paths), "upload") as tell:
            refused = _add_all(aggregator, paths, tell, keep_going)
        for path in again:
            speaker.warn(f"{path} skipped: the same file was already added")
        for one in refused:
            speaker.warn(f"{one['upload']} skipped: {one['problem']}")
        result = aggregator.result()
        result.save(out)
        document = {"result": str(out), "uploads": result.uploads, "records": result.records, "refused": refused}
        shown = f"{out}: {units.quantity(result.records, 'record')} of {units.quantity(result.uploads, 'upload')}"
        speaker.result(document, lambda console: console.print(shown))


def _each_once(given: list[str]) -> tuple[list[str], list[str]]:
    """Expands patterns. Returns one name for each file, and a second list with all further names of the same files. If
    a pattern is also the name of a file, it means this file only, because others choose the names of uploads."""
    paths = [
        path for name in given for path in ([name] if os.path.lexists(name) else sorted(glob.glob(name)) or [name])
    ]
    first: dict[object, str] = {}
    again = []
    for path in paths:
        try:
            facts = os.stat(path)
            file: object = facts.st_dev, facts.st_ino
        except (OSError, ValueError):
            file = path  # opening the file fails later, with a message
        if file in first:
            again.append(path)
        else:
            first[file] = path
    return list(first.values()), again


def _add_all(
    aggregator: rs.Aggregator, paths: list[str], tell: Callable[[int], None], keep_going: bool
) -> list[dict[str, str]]:
    """Adds all uploads. With keep_going, skips uploads that have errors, and returns facts about these."""
    refused: dict[int, dict[str, str]] = {}

    def refuse(number: int, error: Error) -> None:
        if not keep_going:
            raise type(error)(f"{paths[number]}: {error.problem}", error.fix) from None
        refused[number] = {"upload": paths[number], "code": error.code, "problem": error.problem}

    aggregator.add_all(paths, refused=refuse, progress=tell)
    return [refused[number] for number in sorted(refused)]


@statistics_app.command("decrypt")
def decrypt_command(
    folder: Folder,
    source: Annotated[Path, typer.Argument(help="The file of the result from the aggregator.")],
    regress: Annotated[
        str, typer.Option(help="Compute a regression: fit this column by the others, or by the columns of --on.")
    ] = "",
    on: Annotated[
        list[str] | None, typer.Option("--on", help="A column that --regress uses. Repeat the option for more.")
    ] = None,
    passphrase_file: PassphraseFile = None,
    prompt: Prompt = False,
    allow_insecure: AllowInsecure = False,
    as_json: AsJson = False,
) -> None:
    """For the analyst: decrypt the totals, and show the statistics."""
    with Speaker(as_json).guarded() as speaker:
        if on and not regress:
            raise InvalidArgument("--on needs --regress", "name the column to fit: --regress COLUMN")
        given = passphrase(passphrase_file, prompt)
        keys = rs.load_keys(folder, secret=True, passphrase=given, allow_insecure=allow_insecure)
        summary = rs.decrypt(source, keys)
        fit = _fit(summary, regress, on) if regress else None
        document = statistics_document(summary, fit)
        speaker.result(document, lambda console: console.print(statistics_table(document)))


def primes_of(given: str) -> PrimeChoice | None:
    """Parses the value of --primes. Errors: InvalidArgument."""
    bits, _, form = given.partition(":")
    if not given:
        return None
    if not (bits.isascii() and bits.isdecimal()) or form not in ("", "any", "c*2^16+1"):
        raise InvalidArgument(f"--primes {given} is not understood", "give BITS, BITS:any or BITS:c*2^16+1")
    return {"bits": int(bits), "form": "c*2^16+1" if form == "c*2^16+1" else "any"}


def statistics_document(summary: rs.Summary, fit: rs.Regression | None) -> dict[str, Any]:
    has_squares = summary.study.wanted != "means"
    columns = {
        name: {"mean": _plain(summary.mean(name)), "variance": _plain(summary.variance(name)) if has_squares else None}
        for name in summary.study.columns
    }
    document: dict[str, Any] = {"uploads": summary.uploads, "records": summary.records, "columns": columns}
    if fit is not None:
        document["regression"] = {
            "target": fit.target,
            "intercept": fit.intercept,
            "coefficients": fit.coefficients,
            "r_squared": fit.r_squared,
        }
    return document


def statistics_table(document: dict[str, Any]) -> Any:
    counts = f"{units.quantity(document['records'], 'record')} of {units.quantity(document['uploads'], 'upload')}"
    shown = table(counts, "what", "value", numbers=1)
    for name, found in document["columns"].items():
        for what in ("mean", "variance"):
            if found[what] is not None:
                shown.add_row(f"{what} of {name}", _number(found[what]))
    if fit := document.get("regression"):
        shown.add_row(f"{fit['target']} = intercept", _number(fit["intercept"]))
        for name, coefficient in fit["coefficients"].items():
            shown.add_row(f"  + {name} times", _number(coefficient))
        shown.add_row("R squared", _number(fit["r_squared"]))
    return shown


def _fit(summary: rs.Summary, target: str, on: list[str] | None) -> rs.Regression:
    if summary.study.wanted != "regressions":
        raise InvalidArgument(
            f"--regress: this study computes {summary.study.wanted}, not regressions",
            "create a study with --wanted regressions, whose uploads have products of two columns",
        )
    return summary.regress(target, on or [name for name in summary.study.columns if name != target])


def _parsed(given: str) -> float:
    """Parses a decimal number.

    Refuses forms that only Python accepts: 1_0, inf, and digits of other scripts. Errors: ValueError.
    """
    if _DECIMAL.fullmatch(given) is None:
        raise ValueError
    return float(given)


def _parsed_whole(given: str) -> int:
    if not (given.isascii() and given.isdecimal()):
        raise ValueError
    return int(given)


def _column(given: str) -> tuple[str, tuple[float, ...]]:
    name, *numbers = given.split(":")
    try:
        ends = [_parsed(number) for number in numbers[:2]]
        return name, (*ends, *map(_parsed_whole, numbers[2:]))
    except ValueError:
        raise InvalidArgument(
            f"--column {given} is not understood", "give NAME:LOW:HIGH, or NAME:LOW:HIGH:DECIMALS"
        ) from None


def _columns_of(given: list[str]) -> dict[str, tuple[float, ...]]:
    columns = dict(map(_column, given))
    if len(columns) != len(given):
        raise InvalidArgument("--column names one column twice", "give each column once")
    return columns


def _records(source: Path, study: rs.Study) -> dict[str, list[float]]:
    try:
        # The encoding utf-8-sig accepts text with and without a byte order mark.
        with io.TextIOWrapper(open_regular(source), encoding="utf-8-sig", newline="") as file:
            return _columns(csv.DictReader(file), source, study)
    except UnicodeDecodeError:
        raise IoOpen(f"{source} cannot be read: it is not UTF-8 text", "save it as CSV in UTF-8") from None
    except (OSError, csv.Error) as error:
        why = getattr(error, "strerror", None) or "it is not CSV text"
        raise IoOpen(f"{source} cannot be read: {why}", "give a CSV file with a line of names") from None


def _columns(lines: csv.DictReader[str], source: Path, study: rs.Study) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in study.columns}
    names = list(lines.fieldnames or ())
    if len(set(names)) != len(names):
        raise InvalidArgument(f"{source} has one column name twice", "give each column its own name")
    if missing := [name for name in found if name not in names]:
        raise InvalidArgument(
            f"{source} has no column {missing[0]!r} in its first line",
            f"write names with commas and without spaces between, as in {_csv_line(found)}",
        )
    for number, line in _numbered(lines):
        if None in line:  # cells without a column name
            raise InvalidArgument(f"{source}, line {number} has more cells than names", "write a cell for each name")
        for name, values in found.items():
            try:
                values.append(_parsed(line[name]))
            except (KeyError, TypeError, ValueError):
                raise InvalidArgument(
                    f"{source}, line {number}: no number for {name!r}", "write a number there"
                ) from None
    records = max(map(len, found.values()))
    if records > study.records and not study.each_slot:
        raise InvalidArgument(
            f"{source} has {units.quantity(records, 'record')}; "
            f"the study allows {units.quantity(study.records, 'record')} per upload",
            "write several files, and encrypt each as an upload",
        )
    return found


def _numbered(lines: csv.DictReader[str]) -> Iterator[tuple[int, dict[str | Any, Any]]]:
    """Yields each record with the number of the line in which it begins. The reader skips empty lines, and cells in
    quotes may have line ends."""
    end = lines.line_num
    for line in lines:
        first, end = end + 1, lines.line_num
        if first < end:
            cells = (cell for value in line.values() for cell in (value if isinstance(value, list) else (value or "",)))
            first = max(first, end - sum(len(_LINE_END.findall(cell)) for cell in cells))
        yield first, line


def _csv_line(cells: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)
    return line.getvalue()


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else f"{units.quantity(len(value), 'value')}, {value[0]:.6g} ..."


def _size(document: dict[str, Any]) -> str:
    return units.size(document["upload_bytes"])
