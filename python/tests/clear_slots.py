# SPDX-License-Identifier: Apache-2.0
"""A scheme without encryption, for tests of arrays. Arrays use it like a real scheme, but its ciphertexts are vectors
in the clear. A slot is a place for one number. An operation computes on all slots of a ciphertext at once.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from ringfort.encrypted.array.array import EncryptedArray
from ringfort.encrypted.array.session import Session
from ringfort.encrypted.packing.layout import Layout, Slots
from ringfort.encrypted.packing.packed import Packed


class Clear:
    """Provides the operations. Counts rotations, and products with plain vectors (masks, which clear some slots)."""

    depth = 9
    exact = wide = False
    rotates_sources = True
    wants_batches = False
    dtype = np.dtype(np.float64)

    def __init__(self, slots: Slots) -> None:
        self.slots = slots
        self.rotations = self.masks = 0
        self.verbs = self

    def add(self, a, b):
        return a + b

    add_plain = add

    def add_apart(self, a, b):
        assert not np.any(np.logical_and(a, b)), "two terms in one slot"
        return a + b

    def subtract(self, a, b):
        return a - b

    def negate(self, a):
        return -a

    def multiply(self, a, b):
        return a * b

    def power(self, a, exponent):
        return a**exponent

    def multiply_number(self, a, value):
        return a * value

    def multiply_plain(self, a, values):
        self.masks += 1
        return a * values

    def inner_product_plain(self, a, values):
        return sum(map(self.multiply_plain, a, values))

    def masked_sum(self, a, masks):
        assert np.sum(masks, axis=0).max() <= 1, "two terms in one slot"
        return self.inner_product_plain(a, masks)

    def rotate(self, a, step):
        self.rotations += 1
        return np.roll(a.reshape(self.slots.orbits, self.slots.orbit), -step, axis=1).reshape(-1)

    def swap_rows(self, a):
        return a.reshape(2, -1)[::-1].reshape(-1)

    def decrypt(self, secret, a):
        return a

    def depth_left(self, a):
        return 9

    def precision_bits(self, a):
        return 40.0

    def nbytes(self, a):
        return a.nbytes


class ClearKeys:
    """Acts as a key set for ``Clear``. Tests use it both as secret keys and as public keys."""

    is_empty = False

    def __init__(self):
        self.context = SimpleNamespace(insecure="", plain_modulus=0, _range=None, owner=self)

    def secret_for(self, session):
        return None


def clear_array(values, slots: Slots, keys: ClearKeys | None = None, threads: int = 1) -> EncryptedArray:
    keys = keys or ClearKeys()
    if not hasattr(keys, "ready"):
        keys.ready = Session(keys, Clear(slots), "clear", threads)
    values = np.asarray(values, float)
    layout = Layout.of_shape(values.shape, slots)
    return EncryptedArray(keys.ready, values.shape, Packed(layout, tuple(layout.pack(values))))
