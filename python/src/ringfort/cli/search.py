# SPDX-License-Identifier: Apache-2.0
"""``ringfort search keygen``, ``query`` and ``decrypt``: commands for the owner of a mailbox."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from .. import search as rs
from .. import units
from ..errors import InvalidArgument, IoChecksum, IoRange, IoTruncated
from ..search.keys import SECRET_FILE
from ..search.mail import decode
from .facts import security_line, warn_insecure, warn_of_wrapped_counts
from .groups import search_app
from .options import (
    AllowInsecure,
    AsJson,
    HashBits,
    MostStrength,
    PassphraseFile,
    Prompt,
    Unsealed,
    hash_bits_of,
    opened_keys,
    passphrase_for,
    refuse_foreign,
)
from .output import Speaker, table

_UNREADABLE = "(unreadable: sealed wrongly, or changed)"


@search_app.command("keygen")
def keygen_command(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the keys secret.rfk and public.rfk.")],
    preset: Annotated[
        str,
        typer.Option(
            help="gsw128, gsw128-compact; with --allow-insecure (110 bits): paper-gsw, paper-row, paper-row-b256."
        ),
    ] = "gsw128",
    hash_bits: HashBits = None,
    constant_weight: Annotated[
        bool,
        typer.Option(
            "--constant-weight",
            help="Use hashes of 64 bits, of which 8 are set. Searches are quicker, and the index is larger.",
        ),
    ] = False,
    allow_insecure: AllowInsecure = False,
    prompt: Prompt = False,
    passphrase_file: PassphraseFile = None,
    unsealed: Unsealed = False,
    as_json: AsJson = False,
) -> None:
    """For the owner: make the keys of a mailbox."""
    with Speaker(as_json).guarded() as speaker:
        bits = hash_bits_of(hash_bits, constant_weight)
        sealed = passphrase_for(out / SECRET_FILE, passphrase_file, prompt, unsealed)
        keys = rs.keygen(
            out,
            preset,
            hash_bits=bits,
            constant_weight=constant_weight,
            allow_insecure=allow_insecure,
            passphrase=sealed,
            unsealed=unsealed,
        )
        warn_insecure(speaker, keys.parameters)
        document = {
            "preset": keys.parameters.name,
            "key_id": keys.key_id.hex(),
            "hash_bits": keys.hash_bits,
            "constant_weight": keys.constant_weight,
            "sealed": bool(sealed),
            "secret": str(out / "secret.rfk"),
            "public": str(out / "public.rfk") if keys.has_public else None,
            "insecure_reason": keys.parameters.insecure_reason,
        }

        def show(console: Console) -> None:
            seal = ", sealed by a passphrase" if sealed else ""
            console.print(f"{document['secret']}  reads and adds messages: keep it secret{seal}")
            if keys.has_public:
                console.print(
                    f"{document['public']}  adds messages: for senders, who can also test words against queries"
                )
            console.print(security_line(keys.parameters))

        speaker.result(document, show)


@search_app.command("fingerprint")
def fingerprint_command(
    keys_path: Annotated[Path, typer.Argument(metavar="KEYS", help="The folder of the keys, or a file in it.")],
    allow_insecure: AllowInsecure = False,
    prompt: Prompt = False,
    passphrase_file: PassphraseFile = None,
    most_strength: MostStrength = 1,
    as_json: AsJson = False,
) -> None:
    """Show a digest of all public keys. The owner reads it out, and senders compare it before they encrypt anything."""
    with Speaker(as_json).guarded() as speaker:
        keys = opened_keys(
            keys_path, passphrase_file, prompt, allow_insecure=allow_insecure, most_strength=most_strength
        )
        found = keys.fingerprint
        speaker.result({"fingerprint": found}, lambda console: console.print(found))


@search_app.command("query")
def query_command(
    word: Annotated[str, typer.Argument(help='One word, or "subject:word", "from:word", "to:word".')],
    keys_path: Annotated[Path, typer.Option("--key", "-k", help="The folder of the keys, or a file in it.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file for the query, which the server gets.")],
    allow_insecure: AllowInsecure = False,
    prompt: Prompt = False,
    passphrase_file: PassphraseFile = None,
    most_strength: MostStrength = 1,
    as_json: AsJson = False,
) -> None:
    """For the owner: turn a word into a query for the server, the keyed hash of the word."""
    with Speaker(as_json).guarded() as speaker:
        refuse_foreign(out, rs.Query.load, "a query")
        keys = opened_keys(
            keys_path, passphrase_file, prompt, allow_insecure=allow_insecure, most_strength=most_strength
        )
        warn_insecure(speaker, keys.parameters)
        rs.query(word, keys).save(str(out))
        size = out.stat().st_size
        document = {"query": str(out), "word": rs.query_word(word), "bytes": size}
        speaker.result(
            document,
            lambda console: console.print(
                f"{out}  {units.size(size)}; hides the word from the server, but not whether queries are equal"
            ),
        )


@search_app.command("decrypt")
def decrypt_command(
    answer_path: Annotated[Path, typer.Argument(metavar="ANSWER", help="The answer file from the server.")],
    keys_path: Annotated[Path, typer.Option("--key", "-k", help="The folder of the keys, or the file secret.rfk.")],
    index_path: Annotated[
        Path | None, typer.Option("--index", "-i", help="The index folder, to show ids and subjects of messages.")
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="Most messages to show; 0: all. --json shows all.")] = 20,
    bodies: Annotated[
        bool, typer.Option("--bodies", help="Also show the messages, if search index --bodies stored them.")
    ] = False,
    allow_insecure: AllowInsecure = False,
    prompt: Prompt = False,
    passphrase_file: PassphraseFile = None,
    most_strength: MostStrength = 1,
    as_json: AsJson = False,
) -> None:
    """For the owner: read how many words match, and in which messages."""
    with Speaker(as_json).guarded() as speaker:
        keys = opened_keys(
            keys_path,
            passphrase_file,
            prompt,
            need_secret=True,
            allow_insecure=allow_insecure,
            most_strength=most_strength,
        )
        answer = rs.Answer.load(str(answer_path))
        index = rs.Index.open(index_path, allow_insecure=allow_insecure) if index_path else None
        if bodies and index is None:
            raise InvalidArgument("--bodies needs an index", "give the index that has the bodies: --index")
        counts = rs.decrypt(answer, keys, index)
        warn_insecure(speaker, answer.parameters)
        if index is not None and answer.plans:
            warn_of_wrapped_counts(speaker, index, answer.plans[0], answer.total)
        document = _answer_facts(answer, counts)
        if not answer.total:
            document["matches"] = _named(counts, keys, index)
        if bodies and index is not None:
            _add_bodies(document.get("matches", [])[: None if as_json else limit or None], keys, index)
        speaker.result(document, lambda console: _show_answer(console, document, limit))


def _answer_facts(answer: rs.Answer, counts: Any) -> dict[str, Any]:
    return {
        "kind": "total" if answer.total else "documents",
        "matches_in_all": int(counts.sum()),
        "documents": answer.documents,
        "documents_with_a_match": None if answer.total else int((counts > 0).sum()),
        "failure_log2": max((plan.failure_log2 for plan in answer.plans), default=None),
        "insecure_reason": answer.parameters.insecure_reason,
    }


def _named(counts: Any, keys: rs.Keys, index: rs.Index | None) -> list[dict[str, Any]]:
    if index is None:
        return [{"document": int(n), "count": int(counts[n])} for n in counts.nonzero()[0]]
    return [
        {
            "document": d.number,
            "count": count,
            "message_id": d.message_id,
            "subject": d.subject,
            "readable": d.readable,
        }
        for d, count in index.matches(counts, keys)
    ]


def _add_bodies(shown: list[dict[str, Any]], keys: rs.Keys, index: rs.Index) -> None:
    for match in shown:
        match["body"] = _body(index, match["document"], keys)


def _body(index: rs.Index, number: int, keys: rs.Keys) -> str | None:
    """Returns the body of a message, or None if the body was sealed wrongly, cut or changed."""
    try:
        return decode(index.body(number, keys))
    except (IoChecksum, IoRange, IoTruncated):
        return None


def _name(match: dict[str, Any]) -> str:
    return match["message_id"] if match.get("readable") else f"number {match['document']}"


def _subject(match: dict[str, Any]) -> str:
    return match.get("subject", "") if match.get("readable", True) else _UNREADABLE


def _show_answer(console: Console, document: dict[str, Any], limit: int) -> None:
    total = units.quantity(document["matches_in_all"], "matching word")
    if document["kind"] == "total":
        console.print(f"{total} in {units.quantity(document['documents'], 'message')}")
        return
    found = document["matches"]
    console.print(f"{total} in {len(found):,} of {units.quantity(document['documents'], 'message')}")
    if not found:
        return
    rows = table("", "message", "subject", "count", numbers=1)
    for match in found[: limit or None]:
        rows.add_row(_name(match), _subject(match), str(match["count"]))
    console.print(rows)
    for match in found[: limit or None]:
        if "body" in match:
            console.rule(_name(match))
            console.print(_UNREADABLE if match["body"] is None else match["body"].replace("\r\n", "\n"))
    if limit and len(found) > limit:
        console.print(f"... and {len(found) - limit:,} more (--limit 0 shows all)")
