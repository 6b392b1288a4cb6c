# SPDX-License-Identifier: Apache-2.0
"""Tests the calls of a function on several threads."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import ringfort as rf
from ringfort import workers
from ringfort.workers import on_threads


@pytest.fixture
def starting(monkeypatch):
    """Makes the system refuse to start more than ``count`` threads."""

    def limit(count):
        start = workers.start_new_thread
        left = iter(range(count))

        def limited(function, args):
            if next(left, None) is None:
                raise RuntimeError("can't start new thread")
            return start(function, args)

        monkeypatch.setattr(workers, "start_new_thread", limited)

    return limit


@pytest.mark.parametrize("threads", [1, 2, 3, 40])
def test_results_are_in_order_and_each_item_is_used_once(threads):
    seen = []

    def verb(item):
        seen.append(item)
        return item * item

    assert on_threads(threads, verb, range(20)) == [item * item for item in range(20)]
    assert sorted(seen) == list(range(20))
    assert on_threads(threads, verb, []) == []


def test_threads_work_at_the_same_time():
    together = threading.Barrier(3, timeout=60)
    on_threads(3, lambda item: together.wait(), range(3))


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_threads_do_the_work_if_the_system_refuses_more(starting, count):
    starting(count)
    assert on_threads(4, str, range(9)) == [str(item) for item in range(9)]


def test_the_first_error_is_raised_and_later_items_are_not_started():
    begun = []

    def verb(item):
        begun.append(item)
        if item == 3:
            raise rf.InvalidArgument("the fourth item", "leave it out")

    with pytest.raises(rf.InvalidArgument, match="the fourth item"):
        on_threads(1, verb, range(100))
    assert begun == [0, 1, 2, 3]
    with pytest.raises(rf.InvalidArgument, match="the fourth item"):
        on_threads(4, verb, range(100))


def test_an_interrupt_waits_for_the_calls_of_other_threads():
    begun, ended = threading.Event(), []

    def verb(item):
        if threading.current_thread() is threading.main_thread():
            begun.wait(60)
            return
        begun.set()
        time.sleep(0.1)  # meanwhile, the thread of the caller finds no item, and waits
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
        ended.append(item)

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore SIGINT
    try:
        with pytest.raises(KeyboardInterrupt):
            on_threads(2, verb, range(2))
    finally:
        signal.signal(signal.SIGINT, handler)
    assert len(ended) == 1


def test_an_interrupt_before_the_callers_first_item_stops_the_other_threads(monkeypatch):
    begun, start = [], workers.start_new_thread

    def interrupted(function, args):
        start(function, args)
        raise KeyboardInterrupt

    def verb(item):
        begun.append(item)
        time.sleep(0.05)

    monkeypatch.setattr(workers, "start_new_thread", interrupted)
    with pytest.raises(KeyboardInterrupt):
        on_threads(2, verb, range(40))
    after = len(begun)
    time.sleep(0.2)
    assert len(begun) == after < 40


def test_arrays_are_computed_if_no_thread_can_be_started(starting):
    ctx = rf.Context(depth=1, threads=4)
    keys = ctx.keygen()
    values = np.linspace(-1, 1, 3 * ctx.explain().facts.slots)
    starting(0)
    x = ctx.encrypt(values, keys)
    assert np.allclose((x * x).decrypt(keys), values**2, atol=1e-5)


def test_a_thread_that_never_runs_is_not_waited_for(monkeypatch):
    late = []
    monkeypatch.setattr(workers, "start_new_thread", lambda function, args: late.append((function, args)))
    assert on_threads(4, str, range(9)) == [str(item) for item in range(9)]
    assert len(late) == 3
    for function, args in late:  # the threads run after the call
        function(*args)


def test_a_late_thread_begins_no_item_after_an_error(monkeypatch):
    late, begun = [], []
    monkeypatch.setattr(workers, "start_new_thread", lambda function, args: late.append((function, args)))

    def verb(item):
        begun.append(item)
        raise rf.InvalidArgument("the first item", "leave it out")

    with pytest.raises(rf.InvalidArgument, match="the first item"):
        on_threads(2, verb, range(5))
    for function, args in late:
        function(*args)
    assert begun == [0]


def test_the_caller_works_alone_while_items_are_short(monkeypatch):
    started = []
    monkeypatch.setattr(workers, "start_new_thread", lambda function, args: started.append(args))
    assert on_threads(4, str, range(9), alone=60) == [str(item) for item in range(9)]
    assert on_threads(1, str, range(9), alone=60) == [str(item) for item in range(9)]
    assert started == []
    with pytest.raises(rf.InvalidArgument):
        on_threads(4, lambda item: (_ for _ in ()).throw(rf.InvalidArgument("an item", "leave it out")), [1], alone=60)
    assert on_threads(4, lambda item: time.sleep(0.001), range(9), alone=1e-6) == [None] * 9
    assert len(started) == 3


def test_additions_of_few_ciphertexts_start_no_thread(monkeypatch):
    ctx = rf.Context(depth=1, n=2048, insecure="a test", threads=4)
    x = ctx.encrypt(np.linspace(-1, 1, 3 * ctx.slots), ctx.keygen(rotations=[]))
    started = []
    monkeypatch.setattr("ringfort.encrypted.array.session._ALONE", 60.0)
    monkeypatch.setattr(workers, "start_new_thread", lambda function, args: started.append(args))
    _ = -(x + x - x).assume(magnitude=2)
    assert started == []
    _ = x * x
    assert len(started) == 2
