# SPDX-License-Identifier: Apache-2.0
"""Raises every error class that Python code can cause. C++ tests raise the three other classes, which need a failing
machine."""

from __future__ import annotations

import hashlib
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from checksums import put_checksum

import ringfort as rf
from ringfort import errors
from ringfort._core import files

# Only injected faults raise these error classes. The tests are in tests/unit/runtime, tests/fault and
# tests/unit/math_entropy.
ONLY_IN_CPP = {"device_lost", "entropy_unavailable", "internal"}
HEADER, TRAILER = 64, 32


class Stand:
    """The state that the tests share: a context, keys, an array and its file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ctx = rf.Context(depth=1)
        self.keys = self.ctx.keygen(rotations=[])
        self.x = self.ctx.encrypt([1.0, 2.0], self.keys)
        rf.save(folder / "x.rfc", x=self.x)
        rf.save(folder / "computed.rfc", x=self.x + self.x)
        rf.save(folder / "sealed.rfc", keys=self.keys, passphrase="four words of mine", strength=0)
        self.ciphertext = bytes(files.encode_ciphertext(self.x._session.on.context, self.x._packed.ciphertexts[0]))

    def load(self, name, **options):
        return rf.load(self.folder / name, self.ctx, keys=self.keys, **options)

    def decode(self, data):
        return files.decode_ciphertext(self.x._session.on.context, bytes(data), True)


@pytest.fixture(scope="module")
def stand(tmp_path_factory):
    return Stand(tmp_path_factory.mktemp("errors"))


def changed(data, at, value, *, sealed=True):
    """Changes bytes of a file. sealed: True also corrects the checksums."""
    result = bytearray(data)
    result[at : at + len(value)] = value
    if sealed:
        put_checksum(result, 0, HEADER - 4)
        result[-TRAILER:] = hashlib.blake2b(result[:-TRAILER], digest_size=32).digest()
    return result


def used_up(x):
    while True:
        x = x + x


def beyond_memory(stand):
    """Runs a program in a process that can allocate little more memory. Raises the error of the program here."""
    program = """
import resource, ringfort as rf
ctx = rf.Context(depth=8)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**26, used + 2**26))
try:
    ctx.keygen()
except rf.OutOfMemory as error:
    print(error.code)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment())
    assert done.stdout.strip() == "out_of_memory", done.stderr
    raise errors.OutOfMemory("as the other process said")


def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def violated(stand):
    with rf.debug(stand.keys):
        x = stand.ctx.encrypt([1.0, 2.0], stand.keys)
        x._clear = x._clear + 1  # simulates a wrong ciphertext
        _ = x + 1


def in_two_processes(stand):
    keys = rf.search.keygen(stand.folder / "search", constant_weight=True, unsealed=True)
    with rf.search.Index.create(stand.folder / "index", keys):
        rf.search.Index.open(stand.folder / "index", append=True)


def unreadable():
    """Loads a regular file that can be opened but not read. It is the file for the speed of the loopback device."""
    path = Path("/sys/class/net/lo/speed")
    if not path.exists():
        pytest.skip("needs a file that cannot be read")
    return rf.load(path)


def on_a_full_disk(stand):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        rf.save(stand.folder / "large.rfc", x=stand.x)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


PROVOKED = {
    "invalid_argument": lambda s: s.ctx.encrypt([np.nan], s.keys),
    "parameters_mismatch": lambda s: rf.Context(depth=2).encrypt([1.0], s.keys),
    "insecure_parameters": lambda s: rf.load(_insecure(s)),
    "noise_bound_exceeded": lambda s: used_up(s.x),
    "depth_exhausted": lambda s: s.x**4,
    "range_exceeded": lambda s: _counted(s) * 100_000,
    "bound_violated": violated,
    "release_refused": lambda s: s.x.decrypt(s.keys, release=rf.Release(30, 1), ledger=s.folder / "none"),
    "mode_forbidden": lambda s: s.load("computed.rfc", trust_bound=False),
    "key_missing": lambda s: s.x.sum(),
    "secret_refused": lambda s: s.keys.__reduce_ex__(5),
    "out_of_memory": beyond_memory,
    "device_unknown": lambda s: s.x.to("abacus"),
    "unsupported": lambda s: np.exp(s.x),
    "io_open": lambda s: s.load("nothing.rfc"),
    "io_read": lambda s: unreadable(),
    "io_write": lambda s: on_a_full_disk(s),
    "io_truncated": lambda s: s.decode(s.ciphertext[:40]),
    "io_magic": lambda s: s.decode(b"something else" * 10),
    "io_version": lambda s: s.decode(changed(s.ciphertext, 8, b"\x09")),
    "io_type": lambda s: files.decode_array(s.ciphertext),
    "io_flags": lambda s: s.decode(changed(s.ciphertext, 12, b"\x80")),
    "io_digest": lambda s: s.decode(changed(s.ciphertext, 16, b"another digest")),
    "io_length": lambda s: s.decode(s.ciphertext + b"more"),
    "io_checksum": lambda s: s.decode(changed(s.ciphertext, 3000, b"\x00\x01\x02", sealed=False)),
    "io_range": lambda s: s.decode(changed(s.ciphertext, HEADER + 8, b"\x63")),  # a level that does not exist
    "io_limit": lambda s: s.load("x.rfc", max_bytes=100),
    "io_locked": in_two_processes,
    "passphrase": lambda s: s.load("sealed.rfc", passphrase="another"),
    "stopped": lambda s: s.ctx.keygen(rotations=[1, 2], progress=lambda done, total: done < 1),
}


def _insecure(stand):
    ctx = rf.Context(depth=1, n=2048, insecure="a test of errors")
    rf.save(stand.folder / "insecure.rfc", keys=ctx.keygen(rotations=[]).public)
    return stand.folder / "insecure.rfc"


def _counted(stand):
    ctx = rf.Context("int", depth=1, range=(0, 100))
    return ctx.encrypt([1], ctx.keygen(rotations=[]))


def test_every_error_code_is_provoked():
    assert PROVOKED.keys() | ONLY_IN_CPP == errors.BY_CODE.keys()


@pytest.mark.parametrize("code", PROVOKED)
def test_every_error_has_the_class_of_its_code(stand, code):
    with pytest.raises(errors.Error) as caught:
        PROVOKED[code](stand)
    assert (type(caught.value), caught.value.code) == (errors.BY_CODE[code], code)
    assert caught.value.problem
