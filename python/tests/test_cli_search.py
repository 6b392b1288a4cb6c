# SPDX-License-Identifier: Apache-2.0
"""Tests ``ringfort search``, the search of encrypted words, as a user types it. An owner makes keys and an index of
messages, senders may add messages with the public keys, and a server counts the matches of an encrypted query.
"""

import hashlib
import shutil

import pytest
from checksums import put_checksum

from ringfort import _core, units
from ringfort import search as rs
from ringfort.cli import search, search_index

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
    keys = command("search", "keygen", "--unsealed", "--out", "keys", "--constant-weight", "--json")
    assert (keys.code, keys.json["preset"], keys.json["sealed"]) == (0, "gsw128", False)
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
        {"document": 0, "count": 2, "message_id": "<1@x>", "subject": "Invoice one", "readable": True},
        {
            "document": 1,
            "count": 1,
            "message_id": read.json["matches"][1]["message_id"],
            "subject": "hello",
            "readable": True,
        },
    ]
    assert read.json["matches"][1]["message_id"].startswith("in.mbox#3-")
    shown = command("search", "decrypt", "a", "-k", "keys", "-i", "idx")
    assert "3 matching words in 2 of 2 messages" in shown.out
    assert "Invoice one" in shown.out
    more = command(
        "search", "index", "in.mbox", "-", "-k", "keys", "-o", "idx", "--json", stdin=b"Subject: new\n\nword\n"
    )
    assert "the index already has 2 messages of these" in more.err
    assert (more.json["documents"], more.json["index_documents"], more.json["already_held"]) == (1, 3, 2)
    twice = command("search", "index", "in.mbox", "-k", "keys", "-o", "idx", "--again", "--json")
    assert (twice.json["documents"], twice.json["index_documents"]) == (2, 5)
    assert command("search", "verify", "idx", "--json").json["problems"] == []
    facts = command("search", "inspect", "q", "a", "idx", "keys/secret.rfk", "--json").json["files"]
    assert len(facts) >= 5
    segment = facts["idx/segment-000001.rfs"]
    assert (segment["first_document"], segment["last_document"]) == (0, 1)
    assert (type(segment["words"]), type(segment["q"]), type(segment["key_id"])) == (int, int, str)
    assert type(facts["a"]["failure_log2"]) is float
    refused = command("search", "search", "-i", "idx", "-q", "keys/secret.rfk", "-o", "b", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "secret_refused")
    assert not (tmp_path / "b").exists()


def test_a_range_that_the_counts_of_an_index_may_exceed_is_reported(command, tmp_path):
    (tmp_path / "t.txt").write_text("tea tea tea tea tea milk")
    command("search", "keygen", "--unsealed", "--out", "keys", "--constant-weight")
    command("search", "query", "tea", "-k", "keys", "-o", "q")
    for folder, option in (("all", ()), ("one", ("--distinct",))):
        assert command("search", "index", "t.txt", "-k", "keys", "-o", folder, *option).code == 0

    def counted(folder, *options):
        searched = command("search", "search", "-i", folder, "-q", "q", "-o", "a", *options, "--json")
        read = command("search", "decrypt", "a", "-k", "keys", "-i", folder, "--json")
        most = 2 if folder == "one" else 6  # words with equal hashes are counted together
        warned = [f"allows counts up to {most}" in done.err for done in (searched, read)]
        assert searched.code == read.code == 0, searched.err + read.err
        assert warned[0] == warned[1] == ("too small" in searched.err)
        return read.json["matches_in_all"], warned[0]

    assert counted("all") == (5, False)
    assert counted("all", "--count-range", 4) == (1, True)
    assert counted("all", "--count-range", 4, "--answer", "total") == (1, True)
    assert counted("all", "--count-range", 8) == (5, False)
    assert counted("all", "--count-range", 8, "--max-matches", 5) == (5, False)
    assert counted("one", "--count-range", 2) == (1, True)
    assert counted("one", "--count-range", 4) == (1, False)
    assert counted("one", "--count-range", 2, "--max-matches", 1) == (1, False)


def test_the_estimate_prints_the_requested_number_of_words(command):
    sizes = ("--words", 10_000, "--documents", 5000, "--max-matches", 100, "--count-range", 64, "--no-time", "--json")
    found = command("search", "estimate", *sizes).json
    assert (found["words"], found["documents"]) == (10_000, 5000)
    assert 0 < found["words_an_answer"] < 10_000


def test_words_with_a_field_count_to_the_limit(command, tmp_path):
    (tmp_path / "in.eml").write_text("Subject: one two three\n\nfour\n")
    limited = ("search", "estimate", "in.eml", "--json", "--no-time", "--most-words", 5)
    assert command(*limited).json["words"] == 4
    skipped = command(*limited, "--fields")
    assert skipped.code != 0
    assert "more than 5 words, including the words of fields" in skipped.err


def test_the_estimate_reports_bits_failure_bytes_and_time_and_refuses_impossible_searches(command, tmp_path):
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


def test_the_estimate_of_a_total_is_one_answer_that_can_count_every_match(command):
    given = ("search", "estimate", "--words", 3000, "--documents", 3000, "--no-time", "--json")
    each, total = command(*given).json, command(*given, "--answer", "total").json
    assert (each["answers"], total["answers"]) == (2, 1)
    assert total["count_range"] > 3000 > each["count_range"]


def test_keygen_requires_a_passphrase_or_unsealed(command, tmp_path):
    refused = command("search", "keygen", "--out", "keys", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "secret_refused")
    assert "--unsealed" in refused.json["error"]["fix"]
    assert not (tmp_path / "keys").exists()


def test_presets_below_128_bits_are_refused_or_marked(command):
    refused = command("search", "keygen", "--unsealed", "--out", "keys", "--preset", "paper-row", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "insecure_parameters")
    found = command(
        "search", "keygen", "--unsealed", "--out", "keys", "--preset", "paper-row", "--allow-insecure", "--json"
    )
    assert found.json["insecure_reason"]
    assert "BELOW 128 BITS" in found.err


def test_every_command_that_opens_keys_or_an_index_below_128_bits_needs_permission(command, tmp_path):
    (tmp_path / "in.txt").write_text("soup")
    allow = "--allow-insecure"
    keygen = ("search", "keygen", "--unsealed", "--out", "keys", "--preset", "paper-row-b256", "--hash-bits", 8, allow)
    assert command(*keygen).code == 0
    for arguments in (
        ("index", "in.txt", "-k", "keys", "-o", "idx"),
        ("query", "soup", "-k", "keys", "-o", "q"),
        ("search", "-i", "idx", "-q", "q", "-o", "a"),
        ("decrypt", "a", "-k", "keys", "-i", "idx"),
    ):
        refused = command("search", *arguments, "--json")
        assert (refused.code, refused.json["error"]["code"]) == (1, "insecure_parameters"), arguments
        assert allow in refused.json["error"]["fix"]
        allowed = command("search", *arguments, allow, "--json")
        assert allowed.code == 0, allowed.err
        assert "BELOW 128 BITS" in allowed.err
    assert allowed.json["matches_in_all"] == 1
    assert command("search", "verify", "idx").code == 0
    assert "about 110 bits" in command("search", "inspect", "idx").out


def test_the_passphrase_of_sealed_keys_comes_from_a_file_or_the_environment(command, tmp_path):
    (tmp_path / "phrase").write_text("open sesame\nsecond line\n")
    keys = command("search", "keygen", "--out", "keys", "--passphrase-file", "phrase", "--json")
    assert keys.json["sealed"] is True
    assert "open sesame" not in keys.out + keys.err
    refused = command("search", "query", "word", "-k", "keys", "-o", "q", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "passphrase")
    assert "--passphrase-file" in refused.json["error"]["fix"]
    assert "RINGFORT_PASSPHRASE" in refused.json["error"]["fix"]
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
        (("keygen", "--unsealed", "--out", "keys"), 1, "io_write"),
        (("keygen", "--unsealed", "--out", "other", "--hash-bits", "7"), 2, "invalid_argument"),
        (("keygen", "--unsealed", "--out", "o", "--hash-bits", 16, "--constant-weight"), 2, "invalid_argument"),
        (("estimate", "junk", "-f", "text", "--hash-bits", 32, "--constant-weight"), 2, "invalid_argument"),
        (("keygen", "--unsealed", "--out", "other", "--preset", "none"), 2, "invalid_argument"),
    ],
)
def test_failures_have_a_fix_and_an_exit_code(command, tmp_path, mailbox, arguments, code, name):
    (tmp_path / "keys").symlink_to(mailbox.folder / "keys")
    (tmp_path / "junk").write_bytes(b"not a file of ours")
    found = command("search", *arguments, "--json")
    assert found.code == code, found.err
    assert name is None or found.json["error"]["code"] == name
    assert found.json["error"]["fix"]
    assert found.err.startswith("error: ")
    assert "Traceback" not in found.err


def test_a_large_index_is_announced_and_written_only_with_consent(command, tmp_path, mailbox):
    (tmp_path / "big.txt").write_text("word " * 5000)
    found = command("search", "index", "big.txt", "-k", mailbox.folder / "keys", "-o", "idx", "--json")
    assert (found.code, found.json["error"]["code"]) == (2, "invalid_argument")
    assert "GB in idx" in found.err
    assert not (tmp_path / "idx").exists()


def test_help_names_every_command(command):
    shown = command("search", "--help").out
    names = [registered.name for registered in search.search_app.registered_commands]
    assert len(names) == 10
    assert all(f" {name} " in shown for name in names)


def test_interrupted_indexing_keeps_whole_messages_and_can_continue(command, tmp_path, mailbox, monkeypatch):
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
    assert (stopped.code, stopped.json["error"]["code"]) == (130, "interrupted")
    assert "resumes" in stopped.err
    assert command("search", "verify", "idx", "--json").json["documents"] == 1
    resumed = command(*arguments)
    assert (resumed.json["documents"], resumed.json["index_documents"]) == (2, 3)


def test_a_search_reports_messages_in_an_open_segment_and_a_repair_seals_them(command, tmp_path, mailbox):
    shutil.copytree(mailbox.index, tmp_path / "idx")
    assert command("search", "query", "fox", "-k", mailbox.folder / "keys", "-o", "q").code == 0
    arguments = ("search", "search", "-i", "idx", "-q", "q", "-o", "a", "--json")
    assert "not searched" not in command(*arguments).err
    index = _core.search.Index(str(tmp_path / "idx"), True)
    one = _core.search.Document("<7@example.org>", "letter 7", ["fox"], b"", b"")
    index.add(mailbox.keys, [one], _core.search.IndexOptions(1, False, True, False), None)
    del index
    searched = command(*arguments)
    assert searched.json["documents"] == len(mailbox.documents)
    assert searched.err.count("not searched") == 1
    assert command("search", "verify", "idx", "--json").json["error"]["code"] == "io_checksum"
    repaired = command("search", "verify", "idx", "--repair", "--json")
    assert (repaired.code, repaired.json["repaired"], repaired.json["documents"]) == (0, True, 7)
    assert command(*arguments).json["documents"] == 7


def test_messages_with_equal_ids_and_different_content_are_all_indexed(command, tmp_path, mailbox):
    for folder, text in (("a", "first\n"), ("b", "second\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "1.txt").write_text(text)
    (tmp_path / "x.eml").write_text("Message-ID: <same>\nSubject: one\n\n")
    (tmp_path / "y.eml").write_text("Message-ID: <same>\nSubject: two\n\n")
    for source in ("a", "b", "x.eml", "y.eml"):
        found = command("search", "index", source, "-k", mailbox.folder / "keys", "-o", "idx", "--json").json
        assert (found["documents"], found["already_held"]) == (1, 0)
    again = command("search", "index", "a", "y.eml", "-k", mailbox.folder / "keys", "-o", "idx", "--json").json
    assert (again["documents"], again["already_held"], again["index_documents"]) == (0, 2, 4)


def test_appending_keeps_the_repeats_of_the_index(command, tmp_path, mailbox):
    (tmp_path / "in.txt").write_text("word word word")
    (tmp_path / "more.txt").write_text("more more")
    keys = ("-k", mailbox.folder / "keys", "-o", "idx", "--json")
    assert command("search", "index", "in.txt", *keys, "--distinct").json["words"] == 1
    assert command("search", "index", "more.txt", *keys).json["words"] == 1
    for other in (("--repeats", 2), ("--repeats", 0)):
        refused = command("search", "index", "more.txt", *keys, *other)
        assert (refused.code, refused.json["error"]["code"]) == (1, "parameters_mismatch")
        assert "somebody changed its folder" in refused.json["error"]["fix"]
    for same in (("--distinct",), ("--repeats", 1)):
        assert command("search", "index", "more.txt", *keys, *same).json["already_held"] == 1
    assert command("search", "verify", "idx", "--json").json["documents"] == 2


@pytest.mark.parametrize("out", ["mail", "mail/idx"])
def test_an_index_is_not_written_into_its_source_folder(command, tmp_path, mailbox, out):
    (tmp_path / "mail").mkdir()
    (tmp_path / "mail/1.txt").write_text("word")
    refused = command("search", "index", "mail", "-k", mailbox.folder / "keys", "-o", out, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "invalid_argument")
    assert [file.name for file in (tmp_path / "mail").iterdir()] == ["1.txt"]


def test_folder_of_letters_is_searched_by_subject(command, tmp_path, mailbox):
    (tmp_path / "mail").mkdir()
    (tmp_path / "mail/1.eml").write_text("From: ann@example.org\nSubject: lunch\n\nsoup today\n")
    keys = ("-k", mailbox.folder / "keys")
    assert command("search", "index", "mail", *keys, "-o", "idx", "--fields").code == 0
    assert command("search", "query", "subject:lunch", *keys, "-o", "q").code == 0
    assert command("search", "search", "-i", "idx", "-q", "q", "-o", "a").code == 0
    assert command("search", "decrypt", "a", *keys, "--json").json["matches_in_all"] == 1


def test_an_answer_is_refused_with_an_index_that_is_too_small(command, tmp_path, mailbox):
    (tmp_path / "in.txt").write_text("word")
    keys = ("-k", mailbox.folder / "keys")
    assert command("search", "index", "in.txt", *keys, "-o", "other").code == 0
    assert command("search", "query", "nothing", *keys, "-o", "q").code == 0
    assert command("search", "search", "-i", mailbox.index, "-q", "q", "-o", "a").code == 0
    refused = command("search", "decrypt", "a", *keys, "-i", "other", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "parameters_mismatch")
    assert command("search", "decrypt", "a", *keys, "-i", mailbox.index).code == 0


@pytest.mark.parametrize("answer", ["documents", "total"])
def test_an_answer_is_not_read_with_another_index_of_the_same_keys_and_size(command, tmp_path, mailbox, answer):
    keys = ("-k", mailbox.folder / "keys")
    with rs.Index.create(tmp_path / "other", mailbox.keys) as other:
        other.add(mailbox.documents, mailbox.keys)
    assert command("search", "query", "fox", *keys, "-o", "q").code == 0
    assert command("search", "search", "-i", mailbox.index, "-q", "q", "-o", "a", "--answer", answer).code == 0
    refused = command("search", "decrypt", "a", *keys, "-i", "other", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "parameters_mismatch")
    shown = command("search", "inspect", "a", mailbox.index / "parameters.rfp", "other/parameters.rfp", "--json").json
    ids = [facts["index_id"] for facts in shown["files"].values()]
    assert ids[0] == ids[1] != ids[2]
    assert all(name in refused.json["error"]["problem"] for name in ids[1:])
    shutil.copytree(mailbox.index, tmp_path / "copy")
    assert command("search", "decrypt", "a", *keys, "-i", "copy", "--json").json["matches_in_all"] == 2


def test_bodies_cannot_be_read_without_their_index(command, tmp_path, mailbox):
    keys = ("-k", mailbox.folder / "keys")
    assert command("search", "query", "fox", *keys, "-o", "q").code == 0
    assert command("search", "search", "-i", mailbox.index, "-q", "q", "-o", "a").code == 0
    refused = command("search", "decrypt", "a", *keys, "--bodies", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "invalid_argument")


def test_only_bodies_that_are_shown_are_read(command, tmp_path, monkeypatch):
    (tmp_path / "in.mbox").write_text(MAIL)
    command("search", "keygen", "--unsealed", "--out", "keys")
    assert command("search", "index", "in.mbox", "-k", "keys", "-o", "idx", "--bodies").code == 0
    command("search", "query", "pay", "-k", "keys", "-o", "q")
    command("search", "search", "-i", "idx", "-q", "q", "-o", "a")
    asked = []
    monkeypatch.setattr("ringfort.cli.search._body", lambda index, number, keys: asked.append(number) or "words")
    every = ("search", "decrypt", "a", "-k", "keys", "-i", "idx", "--bodies")
    matches = command(*every, "--json").json["matches"]
    assert len(asked) == len(matches) == 2
    asked.clear()
    assert command(*every, "--limit", 1).code == 0
    assert asked == [matches[0]["document"]]


def test_owner_and_sender_see_the_same_fingerprint(command):
    command("search", "keygen", "--unsealed", "--out", "keys")
    owner = command("search", "fingerprint", "keys", "--json")
    sender = command("search", "fingerprint", "keys/public.rfk", "--json")
    assert owner.code == sender.code == 0
    assert owner.json == sender.json
    assert command("search", "fingerprint", "keys").out.strip() == owner.json["fingerprint"]


def test_lengths_are_padded_by_default(command, tmp_path):
    (tmp_path / "in.mbox").write_text(MAIL)
    command("search", "keygen", "--unsealed", "--out", "keys")
    indexed = {}
    for name, options in (("plain", ["--exact-bodies"]), ("padded", ["--pad-words"])):
        found = command("search", "index", "in.mbox", "-k", "keys", "-o", name, "--bodies", *options, "--json")
        assert found.code == 0, found.err
        indexed[name] = found.json["words"]
        with rs.Index.open(tmp_path / name) as index:
            sizes = [index.document(number, rs.load_keys(tmp_path / "keys")).body_bytes - 48 for number in range(2)]
        assert (sizes == [256, 256]) == (name == "padded")
    assert indexed["padded"] == 32 > indexed["plain"]


def test_a_senders_copy_of_a_letter_does_not_keep_the_owners_letter_out(command, tmp_path):
    """Suppose that a sender's copy kept the owner's letter out. Then a sender could guess the id and the subject of
    another letter, and the number of documents that the owner adds would confirm the guess."""
    (tmp_path / "1.eml").write_text("Message-ID: <1@x>\nSubject: support group\n\nwords\n")
    assert command("search", "keygen", "--unsealed", "--out", "keys", "--constant-weight").code == 0
    assert command("search", "index", "1.eml", "--key", "keys/public.rfk", "--out", "idx", "--json").code == 0
    for times in (1, 0):
        done = command("search", "index", "1.eml", "--key", "keys", "--out", "idx", "--json")
        assert (done.json["documents"], done.json["already_held"]) == (times, 1 - times)


@pytest.mark.parametrize("guess", ["support group", "another subject"])
def test_a_strangers_mail_under_a_guessed_id_and_subject_keeps_no_letter_out(command, tmp_path, guess):
    """The owner indexes both letters, in both orders. The number of added documents is the same for a correct and for a
    wrong guess."""
    (tmp_path / "hers.eml").write_text("Message-ID: <1@x>\nSubject: support group\n\nwords\n")
    (tmp_path / "mailed.eml").write_text(f"Message-ID: <1@x>\nSubject: {guess}\n\nother\n")
    assert command("search", "keygen", "--unsealed", "--out", "keys", "--constant-weight").code == 0
    for first, then in (("hers", "mailed"), ("mailed", "hers")):
        arguments = ("--key", "keys", "--out", f"{first}-first", "--json")
        assert command("search", "index", f"{first}.eml", *arguments).code == 0
        for added in (1, 0):
            done = command("search", "index", f"{first}.eml", f"{then}.eml", *arguments).json
            assert (done["documents"], done["already_held"], done["index_documents"]) == (added, 2 - added, 2)


def rename_preset(path, name):
    """Changes the name of the preset in a file, and corrects the checksums. Whoever can write the file can do this."""
    data = bytearray(path.read_bytes())
    data[64:88] = name.encode().ljust(24, b"\0")
    put_checksum(data, 64, 188)
    data[-32:] = hashlib.blake2b(data[:-32], digest_size=32).digest()
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("file", "name"), [("secret.rfk", "gsw128-compact"), ("public.rfk", "gsw128-compact"), ("public.rfk", "mine")]
)
def test_the_announced_size_depends_on_the_parameters_and_not_on_the_presets_name(command, tmp_path, file, name):
    """Somebody changed the name of the preset in the key file. Now it names a preset whose words take half the bytes,
    or no preset."""
    assert command("search", "keygen", "--unsealed", "--out", "keys", "--constant-weight").code == 0
    rename_preset(tmp_path / "keys" / file, name)
    (tmp_path / "in.eml").write_text("Subject: one\n\ntwo\n")
    arguments = ("--key", f"keys/{file}", "--json")
    done = command("search", "index", "in.eml", "--out", "idx", *arguments)
    assert done.code == 0, done.err
    assert rs.load_keys(tmp_path / "keys" / file).parameters.name == name
    assert f"2 words in 1 message: {units.size(done.json['bytes'])} in idx" in done.err
    enough = 10**9 // (done.json["bytes"] // 2) + 1
    (tmp_path / "long.eml").write_text(f"Subject: \n\n{'word ' * enough}\n")
    refused = command("search", "index", "long.eml", "--out", "new", *arguments)
    assert (refused.code, refused.json["error"]["code"]) == (2, "invalid_argument")
    assert "the index would take 1 GB" in refused.json["error"]["problem"]
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("constant_weight", [False, True])
def test_the_announced_bytes_of_a_word_equal_those_of_an_index_in_every_preset(tmp_path, constant_weight):
    for preset in rs.preset_names():
        code = {"constant_weight": True} if constant_weight else {"hash_bits": 13}
        keys = rs.keygen(tmp_path / preset, preset, allow_insecure=True, **code, unsealed=True)
        with rs.Index.create(tmp_path / f"{preset}-index", keys) as index:
            for as_sender in (False, True):
                announced = search_index._word_bytes(keys, as_sender)
                assert announced == index.word_bytes(as_sender=as_sender), f"{preset}, {as_sender}"


def test_a_sender_is_refused_before_any_write_if_the_preset_allows_none(command, tmp_path):
    (tmp_path / "in.eml").write_text("Subject: one\n\ntwo\n")
    assert command("search", "keygen", "--unsealed", "--out", "keys", "--preset", "gsw128-compact").code == 0
    done = command("search", "index", "in.eml", "--key", "keys", "--out", "idx", "--as-sender", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "mode_forbidden")
    assert not (tmp_path / "idx").exists()
