# SPDX-License-Identifier: Apache-2.0
"""``ringfort search`` as a user types it."""

import pytest

from ringfort import search as rs

MAIL = """From a
Subject: Invoice one
Message-ID: <1@x>

please pay pay

From b



From c
Subject: hello

pay later
"""


def test_mailbox_is_searched_from_key_to_names(command, tmp_path):
    (tmp_path / "in.mbox").write_text(MAIL)
    made = command("search", "keygen", "--out", "keys", "--constant-weight", "--json")
    assert (made.code, made.json["preset"], made.json["sealed"]) == (0, "gsw128", False)
    indexed = command("search", "index", "in.mbox", "-k", "keys", "-o", "idx", "--fields", "--bodies", "--json")
    assert indexed.code == 0, indexed.err
    assert "skipped in.mbox#2: empty" in indexed.err
    assert (indexed.json["documents"], indexed.json["words"]) == (2, 11)
    asked = command("search", "query", "PAY", "-k", "keys", "-o", "q", "--json")
    assert asked.json["word"] == "pay"
    searched = command("search", "search", "-i", "idx", "-q", "q", "-o", "a", "--json")
    assert searched.code == 0, searched.err
    assert searched.json["failure_log2"] <= -128
    assert searched.json["bytes"] <= 10_000
    read = command("search", "decrypt", "a", "-k", "keys", "-i", "idx", "--json")
    assert read.json["matches"] == [
        {"document": 0, "count": 2, "message_id": "<1@x>", "subject": "Invoice one"},
        {"document": 1, "count": 1, "message_id": "in.mbox#3", "subject": "hello"},
    ]
    shown = command("search", "decrypt", "a", "-k", "keys", "-i", "idx")
    assert "3 matching words in 2 of 2 messages" in shown.out
    assert "Invoice one" in shown.out
    more = command(
        "search", "index", "in.mbox", "-", "-k", "keys", "-o", "idx", "--json", stdin=b"Subject: new\n\nword\n"
    )
    assert "2 messages of these are in the index already" in more.err
    assert (more.json["documents"], more.json["index_documents"]) == (1, 3)
    twice = command("search", "index", "in.mbox", "-k", "keys", "-o", "idx", "--again", "--json")
    assert (twice.json["documents"], twice.json["index_documents"]) == (2, 5)
    assert command("search", "verify", "idx", "--json").json["problems"] == []
    facts = command("search", "inspect", "q", "a", "idx", "keys/secret.rfk", "--json").json["files"]
    assert len(facts) >= 5
    refused = command("search", "search", "-i", "idx", "-q", "keys/secret.rfk", "-o", "b", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "secret_refused")
    assert not (tmp_path / "b").exists()


def test_estimate_says_bits_failure_bytes_and_time_and_refuses_what_would_break(command, tmp_path):
    (tmp_path / "in.txt").write_text("a few words of text")
    found = command("search", "estimate", "in.txt", "--json", "--constant-weight").json
    assert (found["words"], found["documents"], found["security_accepted"]) == (5, 1, True)
    assert found["failure_log2"] <= -128
    assert min(found["index_bytes"], found["answer_bytes"], found["index_seconds"], found["search_seconds"]) > 0
    shown = command("search", "estimate", "--words", 1000, "--documents", 50, "--no-time")
    assert "137 bits" in shown.out
    assert "not measured" in shown.out
    broken = command(
        "search", "estimate", "--words", 10**9, "--documents", 50, "--count-range", 256, "--no-time", "--json"
    )
    assert (broken.code, broken.json["error"]["code"]) == (1, "noise_bound_exceeded")
    assert "fix: " in broken.err


def test_presets_below_128_bits_are_refused_or_marked(command):
    refused = command("search", "keygen", "--out", "keys", "--preset", "paper-row", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "insecure_parameters")
    made = command("search", "keygen", "--out", "keys", "--preset", "paper-row", "--allow-insecure", "--json")
    assert made.json["insecure_reason"]
    assert "BELOW 128 BITS" in made.err


def test_sealed_keys_take_their_passphrase_from_a_file_or_the_environment(command, tmp_path):
    (tmp_path / "phrase").write_text("open sesame\nsecond line\n")
    made = command("search", "keygen", "--out", "keys", "--passphrase-file", "phrase", "--json")
    assert made.json["sealed"] is True
    assert "open sesame" not in made.out + made.err
    refused = command("search", "query", "word", "-k", "keys", "-o", "q", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "passphrase")
    opened = command("search", "query", "word", "-k", "keys", "-o", "q", RINGFORT_PASSPHRASE="open sesame")
    assert opened.code == 0, opened.err


@pytest.mark.parametrize(
    ("arguments", "code", "name"),
    [
        (("query", "two words", "-k", "keys", "-o", "q"), 2, "invalid_argument"),
        (("query", "word", "-k", "nowhere", "-o", "q"), 1, "io_open"),
        (("search", "-i", "nowhere", "-q", "q", "-o", "a"), 1, "io_open"),
        (("index", "nowhere", "-k", "keys", "-o", "idx"), 1, "io_open"),
        (("index", ".", "-k", "keys", "-o", "idx", "-f", "pdf"), 2, "invalid_argument"),
        (("estimate",), 2, "invalid_argument"),
        (("verify", "nowhere"), 1, "io_open"),
        (("inspect", "junk"), 1, None),
        (("decrypt", "junk", "-k", "keys"), 1, None),
        (("keygen", "--out", "keys"), 1, "io_write"),
        (("keygen", "--out", "other", "--hash-bits", "7"), 2, "invalid_argument"),
        (("keygen", "--out", "other", "--preset", "none"), 2, "invalid_argument"),
    ],
)
def test_what_goes_wrong_is_told_with_a_fix_and_an_exit_code(command, tmp_path, mailbox, arguments, code, name):
    (tmp_path / "keys").symlink_to(mailbox.folder / "keys")
    (tmp_path / "junk").write_bytes(b"not a file of ours")
    found = command("search", *arguments, "--json")
    assert found.code == code, found.err
    assert name is None or found.json["error"]["code"] == name
    assert found.json["error"]["fix"]
    assert found.err.startswith("error: ")
    assert "Traceback" not in found.err


def test_large_index_is_announced_and_not_written_without_consent(command, tmp_path, mailbox):
    (tmp_path / "big.txt").write_text("word " * 5000)
    found = command("search", "index", "big.txt", "-k", mailbox.folder / "keys", "-o", "idx", "--json")
    assert (found.code, found.json["error"]["code"]) == (2, "invalid_argument")
    assert "GB in idx" in found.err
    assert not (tmp_path / "idx").exists()


def test_help_names_every_command(command):
    shown = command("search", "--help").out
    for name in ("keygen", "estimate", "index", "query", "search", "decrypt", "inspect", "verify"):
        assert name in shown


def test_interrupted_indexing_keeps_whole_messages_and_goes_on(command, tmp_path, mailbox, monkeypatch):
    (tmp_path / "in.txt").write_text("one two\nthree four\nfive six\n")
    arguments = ("search", "index", "in.txt", "-f", "lines", "-k", mailbox.folder / "keys", "-o", "idx", "--json")
    real, calls = rs.Index.add, []

    def interrupted(self, documents, keys, **options):
        real(self, documents[:1], keys, **options)
        calls.append(len(documents))
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(rs.Index, "add", interrupted)
        stopped = command(*arguments)
    assert calls == [3]
    assert (stopped.code, stopped.json["error"]["code"]) == (1, "interrupted")
    assert command("search", "verify", "idx", "--json").json["documents"] == 1
    resumed = command(*arguments)
    assert (resumed.json["documents"], resumed.json["index_documents"]) == (2, 3)
