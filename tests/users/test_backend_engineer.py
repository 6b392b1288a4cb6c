# SPDX-License-Identifier: Apache-2.0
"""Tests what a back-end engineer tries in the first hour: bytes in and out, keys of many clients, an uploaded secret,
and another rotation."""

from __future__ import annotations

import numpy as np
import pytest

import ringfort as rf

CTX = rf.Context(depth=1)


def serve(store: dict[str, rf.PublicKeys], body: bytes) -> bytes:
    """A server. It keeps public keys by their id, computes x * x, and never uses a disk."""
    shown = rf.inspect(body, max_bytes=64 << 20)
    if shown.holds_secret:
        raise PermissionError("this is your secret key: send keys.public")
    needed = shown.entries["x"].key_id
    if "keys" in shown.entries:
        store[needed] = rf.loads(body)["keys"]
    keys = store[needed]
    x = rf.loads(body, keys.context, keys=keys)["x"]
    return rf.dumps(y=x * x)


def test_bytes_go_in_and_come_out_and_keys_are_sent_once():
    store: dict[str, rf.PublicKeys] = {}
    clients = [CTX.keygen(rotations=[]) for _ in range(2)]
    for number, keys in enumerate(clients):
        serve(store, rf.dumps(x=CTX.encrypt([1.0], keys), keys=keys.public))
        body = rf.dumps(x=CTX.encrypt([number + 2.0], keys))
        assert len(body) < len(rf.dumps(keys=keys.public))
        answer = rf.loads(serve(store, body), CTX, keys=keys)["y"]
        assert abs(answer.decrypt(keys) - (number + 2) ** 2).max() < 1e-4
    assert set(store) == {keys.public.id for keys in clients}


def test_an_upload_of_a_secret_is_refused_on_both_sides():
    keys = CTX.keygen(rotations=[])
    x = CTX.encrypt([1.0], keys)
    with pytest.raises(rf.SecretRefused, match=r"keys\.public"):
        rf.dumps(x=x, keys=keys)
    forced = rf.dumps(x=x, keys=keys, unsealed=True)
    with pytest.raises(rf.SecretRefused):
        rf.loads(forced)
    with pytest.raises(PermissionError):
        serve({}, forced)


def test_one_more_rotation_keeps_the_secret_and_all_stored_ciphertexts():
    keys = CTX.keygen(rotations=[1])
    stored = rf.dumps(x=CTX.encrypt(np.arange(8.0), keys))
    x = rf.loads(stored, CTX, keys=keys.public)["x"]
    with pytest.raises(rf.KeyMissing, match=r"keys\.extend\(rotations=\[-2, 6\]\)"):
        np.roll(x, 2)
    more = keys.extend(rotations=[-2, 6])
    moved = np.roll(rf.loads(stored, CTX, keys=more.public)["x"], 2)
    assert np.allclose(moved.decrypt(keys), np.roll(np.arange(8.0), 2), atol=1e-4)
    assert more.public.id == keys.public.id
