# SPDX-License-Identifier: Apache-2.0
"""Tests the files of the Python layer. A write must not follow links. A read must accept only regular files, so that it
does not wait for a pipe."""

import os
import secrets
import threading
from pathlib import Path

import pytest

import ringfort as rf
from ringfort import report, whole_files


def _written(tmp_path):
    """Returns functions of the Python layer that write a file, by name. Each takes the path of the file."""
    study = rf.statistics.Study({"age": (18, 99)}, records=100, wanted="means")
    keys = rf.statistics.keygen(study, n=1024, insecure="a test")
    upload = rf.statistics.encrypt({"age": [41]}, keys)
    context = rf.Context(depth=1)

    def trace(path):
        with context.profile(path):
            pass

    return {"report": report.Report("title").write, "upload": upload.save, "trace": trace}


def test_writing_replaces_a_link_and_leaves_its_target_unchanged(tmp_path):
    victim = tmp_path / "victim"
    for name, write in _written(tmp_path).items():
        victim.write_text("precious")
        path = tmp_path / name
        path.symlink_to(victim)
        (tmp_path / f"{name}.part").symlink_to(victim)
        write(path)
        assert victim.read_text() == "precious", name
        assert not path.is_symlink(), name
        assert path.stat().st_size > 0, name
    assert not list(tmp_path.glob(".ringfort-*"))


def test_writing_never_replaces_a_link_to_a_device_or_a_link_of_the_system(tmp_path):
    for name, write in _written(tmp_path).items():
        link = tmp_path / name
        link.symlink_to(os.devnull)
        # /proc/self/exe leads to a regular file; no file can be made beside it, so that a fault here harms nothing
        for path in (link, Path("/proc/self/exe")):
            with pytest.raises((OSError, rf.errors.IoOpen), match="regular file"):
                write(path)
        assert link.readlink() == Path(os.devnull), name
    assert not list(tmp_path.glob(".ringfort-*"))


@pytest.mark.parametrize("kind", ["a file", "a link", "a link to nothing"])
def test_writing_refuses_a_temporary_file_that_exists(tmp_path, monkeypatch, kind):
    victim, guessed = tmp_path / "victim", tmp_path / ".ringfort-guessed.part"
    victim.write_bytes(b"theirs")
    if kind == "a file":
        guessed.write_bytes(b"theirs")
    else:
        guessed.symlink_to(victim if kind == "a link" else tmp_path / "nothing")
    monkeypatch.setattr(secrets, "token_hex", lambda _: "guessed")
    with pytest.raises(FileExistsError):
        whole_files.write_whole(tmp_path / "ours", b"ours")
    assert victim.read_bytes() == b"theirs"
    assert sorted(os.listdir(tmp_path)) == [".ringfort-guessed.part", "victim"]
    assert guessed.is_symlink() or guessed.read_bytes() == b"theirs"


def test_writing_never_replaces_a_pipe_or_waits_for_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for name, write in _written(tmp_path).items():
        with pytest.raises((rf.errors.IoWrite, OSError)):
            write(pipe)
        assert pipe.is_fifo(), name


def test_uploads_studies_and_keys_are_not_awaited_from_a_pipe(tmp_path):
    keys = rf.statistics.keygen(
        rf.statistics.Study({"age": (18, 99)}, records=100, wanted="means"), n=1024, insecure="a test"
    )
    keys.public.save(tmp_path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "study.json").unlink()
    os.mkfifo(tmp_path / "study.json")
    with pytest.raises(rf.errors.IoOpen):
        rf.statistics.Upload.load(pipe, keys)
    with pytest.raises(rf.errors.IoOpen):
        rf.statistics.load_keys(tmp_path, allow_insecure=True)
    for path in (pipe, "/dev/zero"):
        with pytest.raises(rf.errors.IoOpen, match="not a regular file"):
            rf.load(path)
        with pytest.raises(rf.errors.IoOpen, match="not a regular file"):
            rf.search.load_keys(path)


def test_only_regular_files_are_appended_to(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "victim")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "private").touch()
    os.link(tmp_path / "private", tmp_path / "hard")
    for name, told in (("link", "symbolic link"), ("pipe", "not a regular file"), ("hard", "another name")):
        with pytest.raises(OSError, match=told):
            whole_files.open_to_append(tmp_path / name)
    for _ in range(2):
        with whole_files.open_to_append(tmp_path / "lines") as file:
            file.write(b"line\n")
    assert sorted(os.listdir(tmp_path)) == ["hard", "lines", "link", "pipe", "private"]
    assert (tmp_path / "lines").read_bytes() == b"line\n" * 2


def test_several_writers_of_one_path_all_succeed_and_one_wins_whole(tmp_path):
    path, errors = tmp_path / "shared", []

    def write(text):
        try:
            for _ in range(30):
                whole_files.write_whole(path, text * 10_000)
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(text,)) for text in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(set(path.read_text())) == 1
    assert path.stat().st_size == 10_000
    assert os.listdir(tmp_path) == ["shared"]


def test_a_failed_writer_leaves_no_file_and_keeps_the_target_unchanged(tmp_path, monkeypatch):
    path = tmp_path / "out"
    path.write_text("before")

    def fail(*_):
        raise OSError(28, "No space left on device")

    for name in ("fsync", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(os, name, fail)
            with pytest.raises(OSError, match="No space left"):
                whole_files.write_whole(path, "after")
        assert path.read_text() == "before"
        assert os.listdir(tmp_path) == ["out"]


def test_saves_of_one_path_from_several_threads_all_succeed(tmp_path):
    context = rf.Context(depth=1)
    keys = context.keygen(rotations=[])
    arrays = [context.encrypt([float(i)] * 8, keys) for i in range(2)]
    errors = []

    def save(array):
        try:
            for _ in range(6):
                rf.save(tmp_path / "x.rfc", x=array)
        except rf.errors.Error as error:
            errors.append(error)

    threads = [threading.Thread(target=save, args=(array,)) for array in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    found = rf.load(tmp_path / "x.rfc", context, keys=keys)["x"].decrypt(keys)
    assert found.round(3).tolist() in ([0.0] * 8, [1.0] * 8)


def test_removing_leftovers_keeps_the_files_of_running_writers(tmp_path, monkeypatch):
    """When an index is opened for appending, the files of killed writers in its folder are removed."""
    keys = rf.search.keygen(tmp_path / "keys", constant_weight=True, unsealed=True)
    rf.search.Index.create(tmp_path, keys).close()
    (tmp_path / ".ringfort-0123456789abcdef.part").write_text("of one that was killed")
    real = os.fsync

    def meanwhile(descriptor):
        real(descriptor)
        if not (tmp_path / "note").exists():
            rf.search.Index.open(tmp_path, append=True).close()

    monkeypatch.setattr(os, "fsync", meanwhile)
    whole_files.write_whole(tmp_path / "note", "{}")
    assert (tmp_path / "note").read_text() == "{}"
    assert not list(tmp_path.glob(".ringfort-*"))
