# SPDX-License-Identifier: Apache-2.0
"""Tests the memory of a device: memory in use, memory kept for reuse, frames (blocks of code in which all freed
memory is kept), and kept copies of arrays of other devices.
"""

from __future__ import annotations

import threading

import numpy as np
import pytest

import ringfort as rf


@pytest.fixture(scope="module")
def party() -> tuple[rf.Context, rf.Keys]:
    context = rf.Context(depth=1, device="ref", threads=1, insecure="a test of memory", n=512)
    return context, context.keygen(rotations=[])


def squares(context: rf.Context, keys: rf.Keys, turns: int) -> None:
    x = context.encrypt(np.ones(8), keys)
    for _ in range(turns):
        _ = x * x


def test_freed_memory_is_kept_up_to_the_limit(party: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = party
    squares(context, keys, 2)
    before = context.memory()
    squares(context, keys, 5)
    after = context.memory()
    assert after.hits > before.hits
    assert after.cached <= after.most_cached
    assert after.most >= after.most_used >= after.used > 0
    context.keep_at_most(0)
    assert context.memory().cached == 0
    context.keep_at_most(1 << 26)
    squares(context, keys, 1)
    assert context.memory().cached > 0
    context.trim()
    assert context.memory().cached == 0


def test_memory_of_keys_is_counted_on_every_device_that_has_them(party: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = party
    before = context.memory("emu:1")
    x = context.encrypt(np.ones(8), keys).to("emu:1")
    y = x * x
    after = context.memory("emu:1")
    key_bytes = context.memory("ref").keys
    assert key_bytes > 0
    assert 0 < after.keys - before.keys < key_bytes, "more than the relinearization key was copied"
    assert after.used - after.keys - after.scratch >= x.nbytes + y.nbytes
    assert after.scratch == 0


def test_a_frame_keeps_all_until_it_ends(party: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = party
    context.keep_at_most(0)
    with rf.frame(), rf.frame():
        squares(context, keys, 3)
        assert context.memory().cached > 0
        misses = context.memory().misses
        squares(context, keys, 3)
        kept = context.memory()
    assert kept.hits > 0
    assert kept.misses - misses < 20, "operations did not reuse the memory of the first ones"
    assert context.memory().cached == 0
    context.keep_at_most(1 << 26)


def test_a_frame_ends_in_its_thread() -> None:
    frame = rf.frame()
    frame.__enter__()
    failures: list[Exception] = []

    def end() -> None:
        try:
            frame.__exit__(None, None, None)
        except rf.InvalidArgument as error:
            failures.append(error)

    thread = threading.Thread(target=end)
    thread.start()
    thread.join()
    frame.__exit__(None, None, None)
    assert len(failures) == 1


def test_kept_copies_stay_within_their_budget(party: tuple[rf.Context, rf.Keys]) -> None:
    context, keys = party
    x = context.encrypt(np.ones(8), keys)

    def uploads() -> int:
        with context.profile(device="cpu") as found:
            for _ in range(2):
                _ = x.to("cpu") + 1.0
        return sum(record.verb == "upload" for record in found.records)

    without = uploads()
    context.keep_copies(1 << 24, device="cpu")
    _ = x.to("cpu") + 1.0
    assert context.memory("cpu").copies > 0
    assert uploads() < without
    context.keep_copies(0, device="cpu")
    assert context.memory("cpu").copies == 0


def test_amounts_of_memory_are_whole_numbers(party: tuple[rf.Context, rf.Keys]) -> None:
    for wrong in (-1, 1.5, "1"):
        with pytest.raises(rf.InvalidArgument):
            party[0].keep_at_most(wrong)  # type: ignore[arg-type]
        with pytest.raises(rf.InvalidArgument):
            party[0].keep_copies(wrong)  # type: ignore[arg-type]


def test_the_second_of_two_equal_programs_allocates_nothing_on_a_gpu() -> None:
    context, device = rf.Context(depth=2, insecure="a test of memory", n=512), "emu:1"
    keys = context.keygen()
    values = np.linspace(-1, 1, 64)

    x = context.encrypt(values, keys).to(device)

    def program() -> rf.EncryptedArray:
        return x * x * x + x * x + 3 * x  # no plain arrays: their memory is zeroed and not kept

    first = program()
    expected = values**3 + values**2 + 3 * values
    assert np.allclose(first.decrypt(keys), expected, atol=1e-3)
    del first
    before = context.memory(device)
    for _ in range(3):
        program()
    after = context.memory(device)
    assert after.misses == before.misses
    assert after.hits > before.hits
    assert after.used == before.used
