# SPDX-License-Identifier: Apache-2.0
"""Programs of a user, with type annotations. `./dev check` checks their types strictly. pytest runs them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ringfort as rf


def means_of(context: rf.Context, public: rf.PublicKeys, values: NDArray[np.float64]) -> rf.EncryptedArray:
    array: rf.EncryptedArray = context.encrypt(values, public)
    return (array * array).mean(axis=0)


def refusal(array: rf.EncryptedArray) -> str:
    try:
        array[0] = 1.0
    except rf.Error as error:
        return error.code
    return "none"


def distances(array: rf.EncryptedArray) -> rf.EncryptedArray:
    return abs(array - 0.5)


def test_arrays_keys_and_files_have_the_types_that_the_stubs_say(tmp_path: Path) -> None:
    context = rf.Context("real", depth=2, magnitude=2)
    keys: rf.Keys = context.keygen()
    values = np.random.default_rng(1).random((8, 4))
    means = means_of(context, keys.public, values)
    shape: tuple[int, ...] = means.shape
    bits: float = means.precision_bits
    clear: NDArray[Any] = means.decrypt(keys)
    assert shape == (4,)
    assert np.abs(clear - (values**2).mean(axis=0)).max() < 2 ** (1 - bits)
    rf.save(tmp_path / "means.rfc", means=means, keys=keys.public)
    loaded = rf.load(tmp_path / "means.rfc")
    assert isinstance(loaded["means"], rf.EncryptedArray)
    assert refusal(means) == "unsupported"
    with pytest.raises(rf.DepthExhausted):
        distances(means)


def test_a_study_and_a_ring_have_the_types_that_the_stubs_say() -> None:
    study = rf.statistics.Study({"age": (18, 99)}, uploads=4, records=8)
    keys = rf.statistics.keygen(study)
    aggregator = rf.statistics.Aggregator(keys.public)
    aggregator.add(rf.statistics.encrypt({"age": [30, 50]}, keys.public))
    mean: float = rf.statistics.decrypt(aggregator.result(), keys).mean("age")
    assert mean == 40.0
    prime: int = rf.ring.primes(50, 1024, 1)[0]
    product: NDArray[Any] = rf.ring.Ntt(1024, prime).multiply(np.ones(1024, np.uint64), np.ones(1024, np.uint64))
    assert product.shape == (1024,)
