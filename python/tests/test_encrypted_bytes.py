# SPDX-License-Identifier: Apache-2.0
"""Tests objects that are saved as bytes or in open files. The format, the refusals and the error codes must be the same
as for a file that a path names."""

from __future__ import annotations

import io
import os

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors

VALUES = np.array([1.0, -2.0, 3.0])
CTX = rf.Context(depth=1, n=2048, precision=8, magnitude=4, insecure="a test")
KEYS = CTX.keygen(rotations=[1])
X = CTX.encrypt(VALUES, KEYS)
LOAD = {"allow_insecure": True}
SEAL = {"passphrase": "w", "strength": 0}


@pytest.fixture(scope="module")
def data():
    return rf.dumps(x=X, keys=KEYS.public)


def test_bytes_are_those_of_a_file(data, tmp_path):
    rf.save(tmp_path / "x.rfc", x=X, keys=KEYS.public)
    opened = io.BytesIO()
    rf.save(opened, x=X, keys=KEYS.public)
    with (tmp_path / "y.rfc").open("wb") as file:
        rf.save(file, x=X, keys=KEYS.public)
    found = [data, opened.getvalue(), (tmp_path / "y.rfc").read_bytes()]
    assert all(each == (tmp_path / "x.rfc").read_bytes() for each in found)


@pytest.mark.parametrize("form", [bytes, bytearray, memoryview, lambda d: np.frombuffer(d, np.uint8), io.BytesIO])
def test_a_server_computes_on_bytes_and_answers_in_bytes(data, form):
    read = rf.load if form is io.BytesIO else rf.loads
    server = read(form(data), **LOAD)
    assert isinstance(server["keys"], rf.PublicKeys)
    answer = rf.dumps(y=server["x"] * server["x"])
    y = rf.loads(answer, CTX, keys=KEYS)["y"]
    np.testing.assert_allclose(y.decrypt(KEYS), VALUES**2, atol=0.1)


def test_no_file_is_made_on_the_way(data, monkeypatch):
    def refused(*_args, **_options):
        raise AssertionError("a file was opened")

    monkeypatch.setattr(os, "open", refused)
    monkeypatch.setattr("builtins.open", refused)
    assert rf.loads(rf.dumps(x=X, keys=KEYS.public), CTX, keys=KEYS)["x"].shape == (3,)


def test_a_secret_key_leaves_only_sealed_or_by_request():
    for write in (rf.dumps, lambda **objects: rf.save(io.BytesIO(), **objects)):
        with pytest.raises(errors.SecretRefused, match=r"keys holds a secret key.*keys\.public"):
            write(x=X, keys=KEYS)
    for options, accepted in (({"unsealed": True}, {"secrets": True}), (SEAL, {"passphrase": "w"})):
        secret = rf.dumps(keys=KEYS, **options)
        for read, form in ((rf.loads, bytes), (rf.load, io.BytesIO)):
            with pytest.raises(errors.SecretRefused, match="holds a secret key"):
                read(form(secret), **LOAD)
            back = read(form(secret), **LOAD, **accepted)["keys"]
            np.testing.assert_allclose(X.decrypt(back), VALUES, atol=0.1)


def test_associated_bytes_are_compared():
    sealed = rf.dumps(keys=KEYS, passphrase="w", strength=0, associated=b"purpose")
    with pytest.raises(errors.ParametersMismatch, match="or the argument associated= differs from that of save"):
        rf.loads(sealed, CTX, passphrase="w")
    assert isinstance(rf.loads(sealed, CTX, passphrase="w", associated=b"purpose")["keys"], rf.Keys)


def code_of(read, source):
    try:
        read(source, CTX)
    except rf.Error as error:
        return error.code
    return "none"


def changed(data, at):
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]


@pytest.fixture(scope="module")
def hostile(data):
    """Returns copies of ``data``. Each copy is cut, extended or changed."""
    head = 4000
    lengths = {0, 1, 8, 63, 64, 65, 72, 95, 96, 97, 103, 175, head, len(data) // 2, len(data) - 33, len(data) - 1}
    offsets = {*range(0, 180, 7), *range(180, len(data), len(data) // 40), len(data) - 1}
    return [data[:length] for length in lengths] + [data + b"x", b"\0" * 500] + [changed(data, at) for at in offsets]


def test_damaged_bytes_have_the_codes_of_damaged_files(hostile, tmp_path):
    codes = set()
    for each in hostile:
        (tmp_path / "h.rfc").write_bytes(each)
        by_path, in_memory = code_of(rf.load, tmp_path / "h.rfc"), code_of(rf.loads, each)
        assert by_path == in_memory == code_of(rf.load, io.BytesIO(each)), len(each)
        codes.add(by_path)
    assert codes == {"io_truncated", "io_magic", "io_checksum", "io_length"}


def test_larger_data_than_the_limit_are_refused_before_they_are_read(data):
    read = []

    class Endless(io.RawIOBase):
        def read(self, size=-1):
            read.append(size)
            return b"\0" * size

    for source in (lambda: rf.loads(data, CTX, max_bytes=len(data) - 1), lambda: rf.load(Endless(), max_bytes=10**6)):
        with pytest.raises(errors.IoLimit, match="max_bytes"):
            source()
    assert sum(read) == 10**6 + 1
    assert rf.loads(data, CTX, max_bytes=len(data))["x"].shape == (3,)


def test_objects_that_are_no_bytes_are_refused(data, tmp_path):
    (tmp_path / "x.rfc").write_bytes(data)
    for wrong in ("text", None, 7, [1, 2]):
        with pytest.raises(errors.InvalidArgument, match="give bytes"):
            rf.loads(wrong)
    with (tmp_path / "x.rfc").open(encoding="latin-1") as file, pytest.raises(errors.InvalidArgument, match="rb"):
        rf.load(file)
    with (tmp_path / "t").open("w") as file, pytest.raises(errors.InvalidArgument, match="wb"):
        rf.save(file, x=X)
    for call in (lambda: rf.load(7), lambda: rf.save(7, x=X)):
        with pytest.raises(errors.InvalidArgument, match="open for bytes"):
            call()


def test_a_writer_that_takes_some_bytes_at_a_time_gets_all(data):
    class Slow(io.BytesIO):
        def write(self, some):
            return super().write(some[:70_000])

    slow = Slow()
    rf.save(slow, x=X, keys=KEYS.public)
    assert slow.getvalue() == data


def test_failures_of_a_file_have_a_code():
    class Full(io.RawIOBase):
        def write(self, data):
            raise OSError(28, "No space left on device")

        def read(self, size=-1):
            raise OSError(5, "Input/output error")

    with pytest.raises(errors.IoWrite, match="No space left"):
        rf.save(Full(), x=X)
    with pytest.raises(errors.IoRead, match="Input/output"):
        rf.load(Full())


def test_an_error_without_a_text_of_the_system_has_the_name_of_its_class():
    class Peer(io.RawIOBase):
        def write(self, data):
            raise BrokenPipeError

        def read(self, size=-1):
            raise TimeoutError("timed out")

    with pytest.raises(errors.IoWrite, match="written: BrokenPipeError"):
        rf.save(Peer(), x=X)
    with pytest.raises(errors.IoRead, match="read: TimeoutError"):
        rf.load(Peer())


def test_a_file_that_cannot_take_the_bytes_now_is_an_error():
    """write() of a raw file returns None if it would have to wait. Then the bytes must not count as written."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with os.fdopen(reader, "rb"), os.fdopen(writer, "wb", buffering=0) as pipe:
        while pipe.write(bytes(1 << 16)) is not None:
            pass
        with pytest.raises(errors.IoWrite, match="took no bytes"):
            rf.save(pipe, x=X)
