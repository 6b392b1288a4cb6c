# SPDX-License-Identifier: Apache-2.0
"""Calls a function for every item, on the caller's thread and further threads.

The caller never waits for a thread that the system has not run yet: it takes items itself, and at the end waits only
for items that other threads have taken. A thread that starts late finds no item and ends. Therefore a call is not
slower than on one thread if other programs use the cores (threading.Thread.start waits until the new thread runs).
"""

from __future__ import annotations

import time
from _thread import start_new_thread
from collections.abc import Callable, Iterable
from typing import Any

from .locks import lock_of_a_call

__all__ = ["on_threads"]

_BETWEEN_LOOKS = 0.002  # seconds


def on_threads(threads: int, verb: Callable[[Any], Any], items: Iterable[Any], alone: float = 0.0) -> list[Any]:
    """Returns ``verb(item)`` for every item, in order. Uses fewer threads if the system refuses to start more.

    alone: seconds for which the caller works alone first: starting a thread costs as much as a short item.
    Errors: the first error of a call. Calls that have not begun by then do not run. After an interrupt, no call runs
    when this function has returned; a second interrupt does not wait for the calls of other threads.
    """
    work = list(items)
    results: list[Any] = [None] * len(work)
    failures: list[BaseException] = []
    waiting = iter(range(len(work)))
    lock = lock_of_a_call()
    others: list[tuple[set[int], Any]] = []  # the item of each other thread, and a lock that it releases when it ends

    def take(held: set[int]) -> int | None:
        with lock:
            index = None if failures else next(waiting, None)
            if index is not None:
                held.add(index)
            return index

    def compute(held: set[int], ended: Any = None) -> None:
        try:
            while (index := take(held)) is not None:
                results[index] = verb(work[index])
                held.clear()
        except BaseException as error:  # raised again in the caller's thread
            failures.append(error)
        finally:
            held.clear()
            if ended is not None:
                ended.release()

    try:
        until, left = time.monotonic() + alone, len(work)
        while alone and threads > 1 and left and time.monotonic() < until:
            index = next(waiting)
            results[index] = verb(work[index])
            left -= 1
        for _ in range(min(threads, left) - 1):
            others.append((set(), lock_of_a_call()))
            others[-1][1].acquire()
            try:
                start_new_thread(compute, others[-1])
            except RuntimeError:  # the system refuses to start more threads
                break
        compute(set())
        for held, ended in others:
            if held:  # no thread takes an item any more: none is left, or a call has failed
                ended.acquire()
    except BaseException as error:  # an interrupt outside the calls
        with lock:
            failures.append(error)
        while any(held for held, _ in others):
            time.sleep(_BETWEEN_LOOKS)
        raise
    if failures:
        raise failures[0]
    return results
