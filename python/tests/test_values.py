# SPDX-License-Identifier: Apache-2.0
"""Tests that invalid arguments of any type or size raise InvalidArgument with a fix."""

from fractions import Fraction

import numpy as np
import pytest

import ringfort as rf
from ringfort import search as rs
from ringfort.values import device_name, numbers_of

Q = rf.ring.primes(50, 8, 1)[0]
LARGE = 2**70


@pytest.mark.parametrize("value", [-1, LARGE, 1.5, "many", None])
@pytest.mark.parametrize(
    "name", ["words", "documents", "most_words", "threads", "max_matches", "count_range", "hash_bits"]
)
def test_estimate_refuses_values_that_are_not_whole_numbers_in_range(name, value):
    given = {"words": 100, "documents": 5, "measure": False, name: value}
    with pytest.raises(rf.InvalidArgument, match=name) as raised:
        rs.estimate(**given)
    assert raised.value.fix


@pytest.mark.parametrize(
    "given",
    [{"hash_bits": LARGE}, {"hash_bits": "x"}, {"strength": -1}, {"strength": "x"}, {"preset": 3}]
    + [{"passphrase": given, "unsealed": False} for given in ("", b"bytes", "\ud800")]
    + [{"passphrase": "words"}, {"unsealed": "no"}],
)
def test_keygen_refuses_before_it_makes_a_folder(tmp_path, given):
    with pytest.raises(rf.InvalidArgument):
        rs.keygen(tmp_path / "keys", **{"unsealed": True, **given})
    assert not (tmp_path / "keys").exists()


def test_index_and_server_refuse_values_that_are_not_whole_numbers_in_range(mailbox, tmp_path):
    index = rs.Index.open(mailbox.index)
    for number in (-1, LARGE, "a"):
        for read in (index.document, index.body):
            with pytest.raises(rf.InvalidArgument):
                read(number, mailbox.keys)
        for option in ("repeats", "segment_bytes"):
            with pytest.raises(rf.InvalidArgument):
                rs.Index.create(tmp_path / "idx", mailbox.keys, **{option: number})
        with pytest.raises(rf.InvalidArgument):
            rs.Server(mailbox.index, memory_bytes=number)
        with pytest.raises(rf.InvalidArgument):
            index.add(mailbox.documents, mailbox.keys, threads=number)
    with pytest.raises(rf.InvalidArgument):
        rs.Server(mailbox.index, device=7)


def test_documents_that_are_not_text_are_refused(mailbox, tmp_path):
    with rs.Index.create(tmp_path / "idx", mailbox.keys) as index:
        for bad in (rs.Document("\ud800", "", ("a",)), rs.Document("a", None, ("a",)), rs.Document("a", "", (3,))):
            with pytest.raises(rf.InvalidArgument):
                index.add([bad], mailbox.keys)
        for bad in (rs.Document("a", "", "soup"), rs.Document("a", "", (), (("subject", "soup"),))):
            with pytest.raises(rf.InvalidArgument, match=r"are one text; split it: rf\.search\.split_words"):
                index.add([bad], mailbox.keys, fields=True)
        assert index.documents == 0


@pytest.mark.parametrize("text", [5, None, b"word"])
def test_a_query_that_is_not_text_is_refused(mailbox, text):
    with pytest.raises(rf.InvalidArgument):
        rs.query(text, mailbox.keys)


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ((8, Q, 5), "str"),
        ((2**40, Q), "such an n"),
        ((2**200, Q), "2^"),
        ((8, 2**127), "below 2^127"),
    ],
)
def test_ring_refuses_with_a_fix_that_helps(given, hint):
    with pytest.raises(rf.InvalidArgument) as raised:
        rf.ring.Ntt(*given)
    assert hint in raised.value.fix


def test_ragged_lists_and_narrow_arrays_of_the_wide_form_are_refused_with_a_fix():
    with pytest.raises(rf.InvalidArgument, match="differ in length"):
        rf.ring.Ntt(8, Q).forward([[1, 2], [3]])
    wide = rf.ring.Ntt(8, Q, wide=True)
    a = np.arange(8, dtype=np.uint64)
    with pytest.raises(rf.InvalidArgument) as raised:
        wide.forward(a)
    assert "numpy.stack([a, numpy.zeros_like(a)], axis=-1)" in raised.value.fix
    out = wide.forward(np.stack([a, np.zeros_like(a)], axis=-1))
    assert (out[:, 0] == rf.ring.Ntt(8, Q).forward(a)).all()
    with pytest.raises(rf.InvalidArgument, match="n = 4"):
        wide.forward(np.zeros((4, 2), np.uint64))


@pytest.mark.parametrize("dtype", ["u4", "u8"])
def test_arrays_of_both_byte_orders_are_accepted(dtype):
    ntt = rf.ring.Ntt(8, rf.ring.primes(28, 8, 1)[0])
    native = np.arange(8, dtype="=" + dtype)
    for order in "<>":
        out = ntt.forward(native.astype(order + dtype))
        assert out.dtype == native.dtype
        assert (out == ntt.forward(native)).all()


def test_a_closed_index_reports_that_it_is_closed_and_can_be_closed_again(mailbox, tmp_path):
    index = rs.Index.create(tmp_path / "idx", mailbox.keys)
    index.close()
    index.close()
    assert "closed" in repr(index)
    for use in (lambda: index.words, lambda: index.document(0, mailbox.keys), lambda: index.add([], mailbox.keys)):
        with pytest.raises(rf.InvalidArgument, match="closed"):
            use()
    with rs.Index.open(tmp_path / "idx", append=True) as again:
        assert again.words == 0


def test_the_repr_of_a_result_states_its_content(mailbox, tmp_path):
    cap = rf.cpu_cap()
    assert repr(cap) == f"CpuCap(requested={cap.requested!r}, used={cap.used!r}, lowered={cap.lowered})"
    answer = rs.search(mailbox.index, rs.query("fox", mailbox.keys))
    assert repr(answer) == "Answer(gsw128, documents=6)"
    with rs.Index.create(tmp_path / "idx", mailbox.keys) as index:
        report = index.add(mailbox.documents[1:2], mailbox.keys)
    assert repr(report).startswith(f"IndexReport(documents=1, words=2, bytes={report.bytes}, ")


def _encrypted(dtype, values):
    ctx = rf.Context(dtype, depth=1, n=2048, insecure="a test")
    return ctx.encrypt(values, ctx.keygen(rotations=[]))


USES_OF_NUMBERS = {
    "x": lambda beyond: rf.logreg.Scaling.of(np.stack([beyond, beyond[::-1]])),
    "a distance": lambda beyond: np.gradient(_encrypted("real", [1.0, 2.0]), beyond[1]),
    "the array": lambda beyond: _encrypted("real", beyond),
    "the array, complex": lambda beyond: _encrypted("complex", 1j * beyond),
    "the array, as a factor": lambda beyond: _encrypted("real", [1.0, 2.0]) * beyond,
    "column 'age'": lambda beyond: rf.statistics.Study({"age": (0, 9)}, "means", uploads=1).table({"age": beyond}),
}


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(np.float64).max, reason="long doubles are doubles")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", USES_OF_NUMBERS)
def test_numbers_that_no_double_can_hold_are_refused_with_the_range_of_doubles(name):
    with pytest.raises(rf.InvalidArgument) as raised:
        USES_OF_NUMBERS[name](np.array([1, -(np.longdouble(2) ** 1024)]))
    subject = name.partition(",")[0]
    assert str(raised.value) == (
        f"{subject} has values outside the range of doubles, about -1.8e308 .. 1.8e308; scale the values down"
    )


@pytest.mark.parametrize(
    ("words", "size"),
    [(2 * 10**9, r"the whole index takes 3277144\d{9} bytes"), (9 * 10**13, "words of 1638572 bytes each")],
)
def test_estimate_of_an_index_that_cannot_be_searched_states_its_size(words, size):
    with pytest.raises(rf.Error, match=size):
        rf.search.estimate(words, 1000, measure=False)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("emu", "emu:0"),
        ("emu:010", "emu:10"),
        ("emu:seed=03", "emu:0,seed=03"),
        ("emu:00,seed=3,checks=off", "emu:0,seed=3,checks=off"),
        ("cuda", "cuda:0"),
        ("opencl:00.01,ntt=auto", "opencl:0.1,ntt=auto"),
        ("cuda:" + "0" * 5000 + "1" * 5000, "cuda:" + "1" * 5000),
        *((name, name) for name in ("emu:", "emu:,seed=1", "emu:x", "cpu", "pim", "deferred:07", "cpu:avx2-fma")),
    ],
)
def test_each_device_has_one_name(given, name):
    assert device_name(given) == device_name(name) == name


def test_numbers_may_be_objects_but_not_text_or_none() -> None:
    table = np.array([[1, 2.5], [True, Fraction(1, 4)]], object)
    found = numbers_of("x", table)
    assert found.dtype == np.float64
    assert found.tolist() == [[1.0, 2.5], [1.0, 0.25]]
    for wrong in ([1, None], [1, "2"], [1, 2j], [[]]):
        with pytest.raises(rf.InvalidArgument, match="x as numbers"):
            numbers_of("x", np.array(wrong, object))
    with pytest.raises(rf.InvalidArgument, match="outside the range of doubles"):
        numbers_of("x", np.array([10**400], object))
