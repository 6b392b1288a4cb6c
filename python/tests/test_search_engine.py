# SPDX-License-Identifier: Apache-2.0
"""Tests rf.search from keys to counts. Compares the counts with counts in the clear."""

import hashlib
import signal
import threading

import numpy as np
import pytest

import ringfort as rf
from ringfort.search.hash_check import plain_counts

WORDS = ["the", "fox", "dog", "café", "here", "absent", "thefox"]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("kind", ["documents", "total"])
def test_decrypted_counts_are_plain_counts(mailbox, word, kind):
    answer = rf.search.search(mailbox.index, rf.search.query(word, mailbox.keys), answer=kind, threads=2)
    counts = rf.search.decrypt(answer, mailbox.keys)
    wanted = plain_counts(mailbox.documents, word)
    assert counts.dtype == np.uint32
    assert counts.tolist() == (wanted if kind == "documents" else [sum(wanted)])


def test_query_is_normalised_as_the_text_was(mailbox):
    patterns = {rf.search.query(text, mailbox.keys).pattern for text in ("Café", "cafe\u0301", " CAFÉ ")}
    assert len(patterns) == 1
    assert patterns == {mailbox.keys.pattern("café")}


def test_matches_list_messages_with_the_highest_count_first(mailbox):
    counts = rf.search.decrypt(rf.search.search(mailbox.index, rf.search.query("the", mailbox.keys)), mailbox.keys)
    index = rf.search.Index.open(mailbox.index)
    found = [(d.number, d.message_id, d.subject, count) for d, count in index.matches(counts, mailbox.keys)]
    assert found == [(2, "<2@example.org>", "letter 2", 3), (0, "<0@example.org>", "letter 0", 2)]
    assert index.body(3, mailbox.keys).decode() == "café naïve"


def test_server_refuses_a_secret_key_in_place_of_a_query(mailbox):
    with pytest.raises(rf.SecretRefused):
        rf.search.Query.load(str(mailbox.folder / "keys/secret.rfk"))


def test_public_keys_append_and_do_not_read(mailbox, tmp_path):
    public = rf.search.load_keys(mailbox.folder / "keys/public.rfk")
    assert not public.has_secret
    with rf.search.Index.create(tmp_path / "idx", public) as index:
        index.add(mailbox.documents[1:3], public)
    answer = rf.search.search(tmp_path / "idx", rf.search.query("the", public))
    assert rf.search.decrypt(answer, mailbox.keys).tolist() == [0, 3]
    with pytest.raises(rf.KeyMissing):
        rf.search.decrypt(answer, public)
    with pytest.raises(rf.KeyMissing):
        rf.search.load_keys(mailbox.folder / "keys/public.rfk", need_secret=True)


def bytes_read_while(work):
    """Counts the bytes that this process reads from files while ``work`` runs. The server of a network folder would see
    these reads."""

    def counted():
        with open("/proc/self/io") as facts:
            return int(facts.readline().split()[1])

    before = counted()
    work()
    return counted() - before


def test_matches_read_the_whole_map_for_any_selection_of_documents(tmp_path):
    keys = rf.search.keygen(tmp_path / "keys", unsealed=True)
    documents = [rf.search.Document(str(i), f"letter {i}", ()) for i in range(1200)]
    documents.append(rf.search.Document("last", "", ("soup",)))
    with rf.search.Index.create(tmp_path / "idx", keys) as index:
        index.add(documents, keys)
    index = rf.search.Index.open(tmp_path / "idx")
    size = (tmp_path / "idx/documents.rfd").stat().st_size
    for named in ([3], [1199], [3, 700, 1199]):
        counts = np.zeros(len(documents), np.uint32)
        counts[named] = 1
        assert [document.number for document, _ in index.matches(counts, keys)] == named
        read = bytes_read_while(lambda counts=counts: index.matches(counts, keys))
        assert size <= read < size + 2000, f"{named}: {read} of {size}"
    assert [document.subject for document in index.read_documents([700, 3], keys)] == ["letter 700", "letter 3"]


def in_threads(works):
    errors = []

    def done(work):
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=done, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_threads_append_to_one_index_by_turns(mailbox, tmp_path):
    per_call, calls, adders = 2, 4, 4
    documents = [rf.search.Document(str(i), "", ("the", f"word{i}")) for i in range(per_call)]
    with rf.search.Index.create(tmp_path / "idx", mailbox.keys, segment_bytes=1 << 16) as index:

        def add():
            for _ in range(calls):
                index.add(documents, mailbox.keys)
                assert index.documents * 2 <= index.words <= per_call * calls * adders * 2
                index.seal()

        in_threads([add] * adders)
    assert rf.search.Index.verify(tmp_path / "idx").problems == []
    answer = rf.search.search(tmp_path / "idx", rf.search.query("the", mailbox.keys))
    assert rf.search.decrypt(answer, mailbox.keys).tolist() == [1] * per_call * calls * adders


def test_threads_search_one_server_by_turns(mailbox):
    server = rf.search.Server(mailbox.index, memory_bytes=1 << 25)  # memory for only a part of the prepared words

    def count(word):
        asked = rf.search.query(word, mailbox.keys)
        for _ in range(4):
            counts = rf.search.decrypt(server.search(asked), mailbox.keys).tolist()
            assert counts == plain_counts(mailbox.documents, word)
            assert server.report.words == sum(len(document.words) for document in mailbox.documents)

    in_threads([lambda word=word: count(word) for word in ("the", "fox", "dog", "absent")])


def test_a_progress_function_does_not_wait_for_the_work_that_it_watches(mailbox):
    server = rf.search.Server(mailbox.index)
    asked = rf.search.query("fox", mailbox.keys)
    with pytest.raises(rf.InvalidArgument, match="progress function"):
        server.search(asked, progress=lambda *_: server.report)
    assert rf.search.decrypt(server.search(asked), mailbox.keys).sum() == 2


def test_ctrl_c_ends_the_wait_for_a_turn(mailbox):
    server = rf.search.Server(mailbox.index)
    asked = rf.search.query("fox", mailbox.keys)
    begun, over = threading.Event(), threading.Event()

    def hold(*_):
        begun.set()
        over.wait(60)

    holder = threading.Thread(target=lambda: server.search(asked, progress=hold))
    holder.start()
    assert begun.wait(60)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
        with pytest.raises(KeyboardInterrupt):
            server.search(asked)
        assert not over.is_set()
    finally:
        signal.signal(signal.SIGINT, handler)
        over.set()
        holder.join()


class Interrupted:
    """A path whose conversion Ctrl-C interrupts. The paths of pathlib are converted by a function in Python."""

    def __init__(self, error):
        self.error = error

    def __fspath__(self):
        raise self.error


@pytest.mark.parametrize("error", [KeyboardInterrupt, PermissionError])
def test_an_interrupt_while_a_path_is_converted_ends_the_call(mailbox, error):
    with pytest.raises(error):
        rf._core.search.inspect(Interrupted(error))
    with pytest.raises(error):
        mailbox.keys.save_public(Interrupted(error))
    with pytest.raises(TypeError, match="incompatible function arguments"):
        rf._core.search.inspect(Interrupted(TypeError))


def test_repeats_limits_the_stored_copies(mailbox, tmp_path):
    with rf.search.Index.create(tmp_path / "idx", mailbox.keys, repeats=1) as index:
        index.add(mailbox.documents, mailbox.keys)
    answer = rf.search.search(tmp_path / "idx", rf.search.query("the", mailbox.keys))
    assert rf.search.decrypt(answer, mailbox.keys).tolist() == plain_counts(mailbox.documents, "the", repeats=1)


def test_words_of_hand_made_documents_are_normalised_like_queries(mailbox, tmp_path):
    letter = rf.search.Document("<x>", "", ("Soup", "soup salad", "Straße"), (("subject", ("Soup!",)),))
    with rf.search.Index.create(tmp_path / "idx", mailbox.keys) as index:
        index.add([letter], mailbox.keys, fields=True)
    for word, count in (("soup", 2), ("SALAD", 1), ("STRASSE", 1), ("subject:soup", 1), ("salads", 0)):
        answer = rf.search.search(tmp_path / "idx", rf.search.query(word, mailbox.keys))
        assert rf.search.decrypt(answer, mailbox.keys).tolist() == [count]
        assert letter.count(rf.search.query_word(word), fields=True) == count


def test_a_text_instead_of_a_query_is_refused_with_the_call_that_makes_one(mailbox):
    with pytest.raises(rf.InvalidArgument, match=r"of type str; give a query: rf\.search\.query\(word, keys\)"):
        rf.search.search(mailbox.index, "soup")


def test_fields_are_searched_separately(mailbox, tmp_path):
    letter = rf.search.Document("<x>", "invoice", ("invoice", "due"), (("subject", ("invoice",)),))
    with rf.search.Index.create(tmp_path / "idx", mailbox.keys) as index:
        index.add([letter], mailbox.keys, fields=True)
        assert index.words == 3
    for word, count in (("subject:invoice", 1), ("invoice", 1), ("subject:due", 0)):
        answer = rf.search.search(tmp_path / "idx", rf.search.query(word, mailbox.keys))
        assert rf.search.decrypt(answer, mailbox.keys).tolist() == [count]


def test_other_keys_cannot_search_or_decrypt(mailbox, tmp_path):
    others = rf.search.keygen(tmp_path / "keys", constant_weight=True, unsealed=True)
    with pytest.raises(rf.ParametersMismatch):
        rf.search.search(mailbox.index, rf.search.query("fox", others))
    answer = rf.search.search(mailbox.index, rf.search.query("fox", mailbox.keys))
    with pytest.raises(rf.ParametersMismatch):
        rf.search.decrypt(answer, others)


def test_an_answer_is_read_only_with_the_searched_index(mailbox, tmp_path):
    with rf.search.Index.create(tmp_path / "other", mailbox.keys) as other:
        other.add(mailbox.documents, mailbox.keys)
    other = rf.search.Index.open(tmp_path / "other")
    index = rf.search.Index.open(mailbox.index)
    for answer in ("documents", "total"):
        found = rf.search.search(index, rf.search.query("fox", mailbox.keys), answer=answer)
        assert found.index_id == index.id
        found.save(str(tmp_path / "answer"))
        for answer in (found, rf.search.Answer.load(str(tmp_path / "answer"))):
            assert rf.search.decrypt(answer, mailbox.keys, index).sum() == 2
            with pytest.raises(rf.ParametersMismatch, match=index.id.hex()):
                rf.search.decrypt(answer, mailbox.keys, other)


def test_an_exception_in_the_progress_function_stops_the_search_and_propagates(mailbox):
    class Enough(Exception):
        pass

    def stop(done, total):
        raise Enough(f"{done} of {total}")

    with pytest.raises(Enough):
        rf.search.search(mailbox.index, rf.search.query("fox", mailbox.keys), progress=stop)


def test_verification_reports_progress_for_every_word_and_can_be_stopped(mailbox):
    told = []
    report = rf.search.Index.verify(mailbox.index, progress=lambda done, total: told.append((done, total)))
    # The function is called for every word, in order. Calls for documents repeat the number of the last word.
    assert list(dict.fromkeys(told)) == [(n + 1, report.words) for n in range(report.words)]

    def stop(done, total):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        rf.search.Index.verify(mailbox.index, repair=True, progress=stop)


def test_progress_reaches_the_number_of_words(mailbox):
    told = []
    rf.search.search(mailbox.index, rf.search.query("fox", mailbox.keys), progress=lambda d, t: told.append((d, t)))
    total = sum(len(d.words) for d in mailbox.documents)
    assert told == sorted(told)
    assert {t for _, t in told} == {total}
    assert told[-1] == (total, total)


def test_keygen_writes_an_unsealed_secret_only_on_request(tmp_path):
    with pytest.raises(rf.SecretRefused, match=r"secret\.rfk holds a secret key.*public\.rfk"):
        rf.search.keygen(tmp_path / "keys")
    assert not (tmp_path / "keys").exists()


def test_keygen_never_replaces_a_secret_key(mailbox):
    before = (mailbox.folder / "keys/secret.rfk").read_bytes()
    with pytest.raises(rf.IoWrite):
        rf.search.keygen(mailbox.folder / "keys", unsealed=True)
    assert (mailbox.folder / "keys/secret.rfk").read_bytes() == before
    assert (mailbox.folder / "keys/secret.rfk").stat().st_mode & 0o777 == 0o600


def test_sealed_key_opens_with_its_passphrase_alone(tmp_path):
    rf.search.keygen(tmp_path / "keys", passphrase="open sesame", strength=0)
    assert rf.search.load_keys(tmp_path / "keys", "open sesame").has_secret
    for wrong in ("", "sesame"):
        with pytest.raises(rf.Passphrase):
            rf.search.load_keys(tmp_path / "keys", wrong)


def test_a_stronger_passphrase_is_opened_only_when_allowed(tmp_path):
    rf.search.keygen(tmp_path / "keys", passphrase="open sesame", strength=0)
    file = tmp_path / "keys/secret.rfk"
    content = bytearray(file.read_bytes())
    content[64 + 128] = 2
    content[-32:] = hashlib.blake2b(bytes(content[:-32]), digest_size=32).digest()
    file.write_bytes(content)
    with pytest.raises(rf.errors.IoLimit, match=r"1024 MiB.*most_strength=2"):
        rf.search.load_keys(tmp_path / "keys", "open sesame")


def test_owner_and_sender_get_the_same_fingerprint(tmp_path):
    keys = rf.search.keygen(tmp_path / "keys", unsealed=True)
    sender = rf.search.load_keys(tmp_path / "keys/public.rfk")
    assert keys.fingerprint == sender.fingerprint == rf.search.load_keys(tmp_path / "keys").fingerprint
    other = rf.search.keygen(tmp_path / "other", unsealed=True)
    assert other.fingerprint != keys.fingerprint
    content = bytearray((tmp_path / "keys/public.rfk").read_bytes())
    content[64 + 128 + 70] ^= 1  # a bit of the seed of the public key
    content[-32:] = hashlib.blake2b(bytes(content[:-32]), digest_size=32).digest()
    (tmp_path / "keys/public.rfk").write_bytes(content)
    with pytest.raises(rf.errors.IoDigest):
        rf.search.load_keys(tmp_path / "keys/public.rfk")


def test_nothing_is_sealed_to_a_key_that_the_server_put_into_the_folder(tmp_path):
    keys, server = (
        rf.search.keygen(tmp_path / "keys", unsealed=True),
        rf.search.keygen(tmp_path / "server", unsealed=True),
    )
    for name, owner in (("idx", keys), ("other", server)):
        with rf.search.Index.create(tmp_path / name, owner) as index:
            index.add([rf.search.Document("1", "first", ("soup",))], owner)
    facts, theirs = tmp_path / "idx/parameters.rfp", (tmp_path / "other/parameters.rfp").read_bytes()
    content = bytearray(facts.read_bytes())
    content[208:240] = theirs[208:240]  # the sealing key, after header, profile and index id
    content[-32:] = hashlib.blake2b(bytes(content[:-32]), digest_size=32).digest()
    facts.write_bytes(content)
    for opened in ({}, {"append": True}):
        with pytest.raises(rf.errors.IoDigest, match="sealing key"):
            rf.search.Index.open(tmp_path / "idx", **opened)


def test_the_server_sees_rounded_lengths_of_bodies_and_where_asked_of_words(tmp_path):
    keys = rf.search.keygen(tmp_path / "keys", unsealed=True)
    documents = [rf.search.Document(str(i), "", ("soup",) * i, body=b"x" * (300 + i)) for i in (1, 2)]
    for name, options in (("plain", {"pad_bodies": False}), ("bodies", {}), ("words", {"pad_words": True})):
        with rf.search.Index.create(tmp_path / name, keys) as index:
            index.add(documents, keys, **options)
            stored = [index.document(number, keys) for number in range(2)]
            assert [index.body(number, keys) for number in range(2)] == [document.body for document in documents]
            assert [document.body_bytes for document in stored] == ([349, 350] if name == "plain" else [352, 352])
            assert [document.words for document in stored] == ([16, 16] if name == "words" else [1, 2])
        answer = rf.search.search(tmp_path / name, rf.search.query("soup", keys))
        assert rf.search.decrypt(answer, keys).tolist() == [1, 2]


def test_presets_below_128_bits_need_to_be_allowed(tmp_path):
    with pytest.raises(rf.InsecureParameters):
        rf.search.keygen(tmp_path / "a", "paper-row", unsealed=True)
    keys = rf.search.keygen(tmp_path / "b", "paper-row", allow_insecure=True, unsealed=True)
    assert keys.parameters.insecure_reason
    with pytest.raises(rf.InvalidArgument):
        rf.search.keygen(tmp_path / "c", "no-such-preset", unsealed=True)


def test_keys_and_indexes_below_128_bits_are_opened_only_when_allowed(tmp_path):
    keys = rf.search.keygen(tmp_path / "keys", "paper-row-b256", hash_bits=8, allow_insecure=True, unsealed=True)
    with rf.search.Index.create(tmp_path / "idx", keys) as index:
        index.add([rf.search.Document("1", "", ("soup",))], keys)
    asked = rf.search.query("soup", keys)
    for refused in (
        lambda: rf.search.load_keys(tmp_path / "keys"),
        lambda: rf.search.Keys.load_secret(str(tmp_path / "keys/secret.rfk"), ""),
        lambda: rf.search.Index.open(tmp_path / "idx"),
        lambda: rf.search.Index.open(tmp_path / "idx", append=True),
        lambda: rf.search.Server(tmp_path / "idx"),
        lambda: rf.search.search(tmp_path / "idx", asked),
    ):
        with pytest.raises(rf.InsecureParameters, match=r"paper-row-b256.*allow"):
            refused()
    opened = rf.search.load_keys(tmp_path / "keys", allow_insecure=True)
    answer = rf.search.search(tmp_path / "idx", asked, allow_insecure=True)
    assert rf.search.decrypt(answer, opened).tolist() == [1]
    index = rf.search.Index.open(tmp_path / "idx", allow_insecure=True)
    assert rf.search.decrypt(rf.search.search(index, asked), opened, index).tolist() == [1]
    assert rf.search.Index.verify(tmp_path / "idx").problems == []


def test_appending_process_holds_the_lock(mailbox, tmp_path):
    with rf.search.Index.create(tmp_path / "idx", mailbox.keys), pytest.raises(rf.IoLocked):
        rf.search.Index.open(tmp_path / "idx", append=True)


def test_the_estimate_refuses_impossible_searches():
    small = rf.search.estimate(1000, 50, measure=False)
    assert small.security.bits >= 128
    assert small.plan.failure_log2 <= -128
    assert small.false_positives == pytest.approx(1000 / 2**32)
    with pytest.raises(rf.NoiseBoundExceeded) as raised:
        rf.search.estimate(10**9, 2048, count_range=256, measure=False)
    assert raised.value.fix


def test_estimated_bytes_are_the_written_bytes(mailbox):
    words = sum(len(d.words) for d in mailbox.documents)
    found = rf.search.estimate(words, len(mailbox.documents), constant_weight=True, measure=False)
    report = rf.search.Index.verify(mailbox.index)
    assert not report.problems
    assert report.bytes == pytest.approx(found.index_bytes, rel=0.05)


def test_parallel_searches_return_the_same_counts(mailbox):
    asked, results = rf.search.query("dog", mailbox.keys), {}

    def work(name):
        results[name] = rf.search.decrypt(rf.search.search(mailbox.index, asked), mailbox.keys).tolist()

    threads = [threading.Thread(target=work, args=(name,)) for name in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(results.values()) == [plain_counts(mailbox.documents, "dog")] * 3
