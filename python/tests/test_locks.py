# SPDX-License-Identifier: Apache-2.0
"""Tests the locks of the package in a forked child. The child must not wait for ever for a lock, whichever thread of
the parent held it during the fork.

Each test runs in its own process. A process that hangs is killed after a long time, and the test fails.
"""

import ast
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import ringfort
import ringfort.distinct

KILLED_AFTER_S = 120
PARENT = """
    import os, signal, threading
    import numpy as np
    import ringfort as rf
    from ringfort.rpu.explore import Results

    def release():
        return x.decrypt(keys, release=shown, ledger="ledger").round(1).tolist()

    shown = rf.Release(bits=10, queries=100)
    context = rf.Context(depth=1, precision=10, release=shown)
    keys = context.keygen(rotations=[])
    keys.create_ledger("ledger")
    x = context.encrypt([1.0, 2.0], keys)
    study = rf.statistics.Study({{"a": (0, 9)}}, uploads=9, records=1)
    of_study = rf.statistics.keygen(study)
    aggregator = rf.statistics.Aggregator(of_study.public)
    aggregator.add(rf.statistics.encrypt({{"a": [5]}}, of_study.public))
    {before}

    locked, forked = threading.Event(), threading.Event()

    def hold():
        with {lock}:
            locked.set()
            forked.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    locked.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            answer = {use}
        except rf.InvalidArgument as error:
            answer = str(error)
        print("child:", answer, flush=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    forked.set()
    thread.join()
    print("parent:", status, {use})
"""
RELEASED = "[1.0, 2.0]"
LOCKS = {  # setup of the parent, the lock, the code that both processes run after the fork, and the output of both
    "ledgers": ("", "keys._ledgers._lock.inner", "release()", RELEASED),
    "ledgers in use": (
        "release()",
        "keys._ledgers._lock.inner",
        "release()",
        RELEASED,
    ),
    "secrets": ("", "keys._lock.inner", "x.decrypt(keys).round(1).tolist()", RELEASED),
    "contexts": ("", "context._lock.inner", "len(context.rotations_of_arrays()) > 0", "True"),
    "sessions": ("", "keys.public._sessions._lock.inner", "context.encrypt([1.0], keys).shape", "(1,)"),
    "explorations": ("found = Results(None)", "found._lock.inner", "found._lock.inner.acquire(blocking=False)", "True"),
}


def ended(code, folder):
    command = [sys.executable, "-c", textwrap.dedent(code)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
    try:
        return process.communicate(timeout=KILLED_AFTER_S)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"the process was still there after {KILLED_AFTER_S} s; it said {process.communicate()}")


@pytest.mark.parametrize("name", LOCKS)
def test_locks_held_by_another_thread_are_free_in_a_forked_child(name, tmp_path):
    before, lock, use, answer = LOCKS[name]
    out, error = ended(PARENT.format(before=before, lock=lock, use=use), tmp_path)
    assert out.splitlines() == [f"child: {answer}", f"parent: 0 {answer}"], error


AGGREGATOR = "aggregator._totals[0].turn.inner", "rf.statistics.decrypt(aggregator.result(), of_study).mean('a')"


def test_a_child_that_was_forked_during_an_addition_refuses_the_aggregator(tmp_path):
    lock, use = AGGREGATOR
    out, error = ended(PARENT.format(before="", lock=lock, use=use), tmp_path)
    child, parent = out.splitlines()
    assert child.startswith("child: this process was forked while another thread used the object"), error
    assert parent == "parent: 0 5.0"


def test_a_child_that_was_forked_between_additions_uses_the_aggregator(tmp_path):
    _, use = AGGREGATOR
    out, error = ended(PARENT.format(before="", lock="threading.Lock()", use=use), tmp_path)
    assert out.splitlines() == ["child: 5.0", "parent: 0 5.0"], error


def test_a_lock_held_by_the_forking_thread_is_held_in_the_child(tmp_path):
    code = """
        import os
        from ringfort.locks import Lock, Turn
        for kind in (Lock, Turn):
            lock = kind()
            with lock.inner:
                child = os.fork()
                was = lock.inner._is_owned()
            with lock.inner:
                pass
            if child == 0:
                os._exit(0 if was else 1)
            print(os.waitpid(child, 0)[1])
    """
    out, error = ended(code, tmp_path)
    assert out.split() == ["0", "0"], error


def test_an_interrupt_at_any_moment_leaves_no_lock_locked(tmp_path):
    """If a Python function acquired the lock, Ctrl-C could come between the acquisition and the return of the function.
    Then the lock would stay locked."""
    code = """
        import random, signal, threading
        import ringfort as rf
        from ringfort.locks import Lock, Turn

        class Interrupt(BaseException):
            pass

        def interrupt(*_):
            global seen
            seen = True
            raise Interrupt

        signal.signal(signal.SIGALRM, interrupt)
        context = rf.Context(depth=1, n=1024, insecure="a test")
        keys = context.keygen(rotations=[])
        x = context.encrypt([1.0], keys)
        locks, turns = [Lock() for _ in range(50)], [Turn() for _ in range(50)]

        def use():
            while not seen:  # an exception in a finalizer is lost
                for lock in (*locks, *turns):
                    with lock.inner:
                        pass
                x.decrypt(keys)

        interrupts = 0
        for seed in range(300):
            seen = False
            try:
                signal.setitimer(signal.ITIMER_REAL, random.Random(seed).uniform(1e-4, 2e-3))
                use()
            except Interrupt:
                interrupts += 1
        every = [*locks, *turns, keys._lock, context._lock, keys.public._sessions._lock]
        print(interrupts > 250, sum(lock.inner._is_owned() for lock in every))
    """
    out, error = ended(code, tmp_path)
    assert out.split() == ["True", "0"], error


def test_a_cached_property_is_computed_once():
    class Square:
        def __init__(self, side):
            self.side, self.computed = side, 0

        @ringfort.locks.CachedProperty
        def area(self):
            self.computed += 1
            return self.side**2

    squares = Square(2), Square(3)
    assert [each.area for each in squares * 2] == [4, 9, 4, 9]
    assert [each.computed for each in squares] == [1, 1]


FORKED_LOCKED = {
    "threading": {"Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore", "Event", "Barrier"},
    "functools": {"cached_property"},  # this class has a lock before Python 3.12
    "queue": {"Queue", "LifoQueue", "PriorityQueue"},
}


def locks_of(source):
    """Yields the names of locks of the standard library that a module imports or uses."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            yield from FORKED_LOCKED.get(node.module, set()) & {name.name for name in node.names}
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield from FORKED_LOCKED.get(node.value.id, set()) & {node.attr}


def test_the_check_detects_a_lock_in_every_form():
    assert list(locks_of("import threading\nx = threading.Lock()")) == ["Lock"]
    assert list(locks_of("from functools import cached_property as c")) == ["cached_property"]


def test_a_fork_leaves_no_lock_of_the_package_locked():
    package = Path(ringfort.__file__).parent
    found = {path.name: list(locks_of(path.read_text())) for path in package.rglob("*.py")}
    assert {name: locks for name, locks in found.items() if locks} == {"locks.py": ["Lock", "RLock", "RLock"]}


# Functions of NumPy that wait for the interpreter's lock in C++: see distinct.py. With return_inverse, unique sorts.
ABORTING = {"unique", "unique_values", "union1d", "intersect1d", "setdiff1d", "setxor1d", "in1d", "isin"}


def test_the_package_calls_no_function_that_aborts_a_process_with_daemon_threads():
    found = []
    for path in Path(ringfort.__file__).parent.rglob("*.py"):
        calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
        found += [
            (path.name, call.func.attr)
            for call in calls
            if isinstance(call.func, ast.Attribute)
            and call.func.attr in ABORTING
            and ast.unparse(call.func.value) == "np"
            and "return_inverse" not in {keyword.arg for keyword in call.keywords}
        ]
    assert found == []


@pytest.mark.parametrize("values", [[], [3], [[2, 1], [2, 2]], [1.5, -0.0, 0.0, 1.5], [True, False, True]])
def test_distinct_elements_are_those_of_numpy(values):
    given = np.array(values)
    assert ringfort.distinct.distinct(given).tolist() == np.unique(given).tolist()
