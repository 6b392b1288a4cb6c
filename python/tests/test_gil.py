# SPDX-License-Identifier: Apache-2.0
"""Tests that long calls release the GIL (the interpreter's lock, which a thread needs to run Python code): while one
thread is inside the library, another Python thread runs.

The switch interval is half an hour. Therefore the interpreter never asks a thread to release the GIL, and the other
thread runs only if the call itself releases the GIL. The tests compare no times. They repeat a call until the other
thread has run.
"""

import sys
import threading
import time

import numpy as np
import pytest

from ringfort import _core

TRIES = 1000


class Witness(threading.Thread):
    """A thread that counts how often it runs."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen, self.stopped = 0, False

    def run(self):
        while not self.stopped:
            self.seen += 1
            time.sleep(1e-4)

    def is_let_in_by(self, call, tries=TRIES):
        for _ in range(tries):
            before = self.seen
            call()
            if self.seen != before:
                return True
        return False


@pytest.fixture
def witness():
    thread, interval = Witness(), sys.getswitchinterval()
    thread.start()
    sys.setswitchinterval(1800)
    yield thread
    sys.setswitchinterval(interval)
    thread.stopped = True
    thread.join()


def test_the_check_detects_a_call_that_keeps_the_lock(witness):
    assert not witness.is_let_in_by(lambda: sum(range(100_000)), 50)
    assert witness.is_let_in_by(lambda: time.sleep(1e-3))


def requirements(scheme):
    wanted = getattr(_core.parameters, scheme.capitalize() + "Requirements")()
    wanted.depth = 1
    return wanted


class Owner:
    """A context of a scheme, its keys and values, and the long calls on these."""

    def __init__(self, scheme):
        self.module = getattr(_core, scheme)
        self.parameters = _core.parameters.choose(requirements(scheme))
        self.context = self.module.Context(self.parameters, "cpu")
        self.scope = _core.files.scope(self.context)
        self.generator = _core.keys.KeyGenerator(self.context.keys)
        self.secret, self.public = self.generator.secret_key(), self.generator.create_public_key()
        self.relinearization = self.generator.create_relinearization_key()
        self.plan = _core.keys.plan_keys(self.context.keys, [1], True, 0)
        self.galois = self.generator.create_galois_keys(self.plan, None)
        self.evaluator = self.module.Arithmetic(self.context, self.relinearization, self.galois)
        self.values = np.ones(64, dtype=np.float64 if scheme == "ckks" else np.int64)
        self.ciphertext = self.module.encrypt(self.context, self.public, self.values)
        self.file = _core.files.encode_ciphertext(self.context, self.ciphertext)

    def calls(self, folder):
        files, out, c = _core.files, np.empty_like(self.values), self.ciphertext
        yield "Context", lambda: self.module.Context(self.parameters, "cpu")
        yield "KeyGenerator", lambda: _core.keys.KeyGenerator(self.context.keys)
        yield "public_key", self.generator.create_public_key
        yield "relinearization_key", self.generator.create_relinearization_key
        yield "galois_keys", lambda: self.generator.create_galois_keys(self.plan, None)
        for key in (self.secret, self.public):
            yield "encrypt", lambda key=key: self.module.encrypt(self.context, key, self.values)
        yield "decrypt", lambda: self.module.decrypt(self.context, self.secret, c, out)
        yield "add", lambda: self.evaluator.add(c, c)
        yield "multiply", lambda: self.evaluator.multiply(c, c)
        yield "rotate", lambda: self.evaluator.rotate(c, 1)
        yield "encode_ciphertext", lambda: files.encode_ciphertext(self.context, c)
        yield "decode_ciphertext", lambda: files.decode_ciphertext(self.context, self.file, True)
        for key in (self.public, self.relinearization, self.galois):
            yield "encode_key", lambda key=key: files.encode_key(self.scope, key)
        relinearization = files.encode_key(self.scope, self.relinearization)
        yield "decode_key", lambda: files.decode_relinearization_key(self.scope, relinearization)
        array = files.Array()
        array.shape, array.rows, array.cols, array.stride, array.unused_slots = [1, 64], 1, 64, 64, 1
        array.ciphertexts = [self.file]
        stored, path = files.encode_array(array), str(folder / "objects")
        yield "encode_array", lambda: files.encode_array(array)
        yield "decode_array", lambda: files.decode_array(stored)
        yield "save", lambda: files.save(path, [("x", stored)])
        yield "load", lambda: files.load(path, 1 << 30)


@pytest.mark.parametrize("scheme", ["ckks", "bfv", "bgv"])
def test_another_thread_runs_during_every_long_call(scheme, witness, tmp_path):
    kept = [name for name, call in Owner(scheme).calls(tmp_path) if not witness.is_let_in_by(call)]
    assert kept == []
