# SPDX-License-Identifier: Apache-2.0
"""Calls a function for every item, on the caller's thread and on further threads.

The caller takes items itself. At the end, it waits only for items that other threads have taken. A thread that starts
late finds no item and ends. Therefore the caller never waits for a thread that the system has not run yet. If other
programs use the cores, a call is hardly slower than on one thread. threading.Thread.start is not used, because it waits
until the new thread runs.
"""

from __future__ import annotations

import time
from _thread import start_new_thread
from collections.abc import Callable, Iterable
from typing import Any

from .locks import lock_of_a_call

__all__ = ["on_threads"]

_BETWEEN_LOOKS = 0.002  # seconds between two checks of the other threads


def on_threads(threads: int, verb: Callable[[Any], Any], items: Iterable[Any], alone: float = 0.0) -> list[Any]:
    """Returns ``verb(item)`` for every item, in the order of the items. If the system refuses to start a thread, uses
    fewer threads.

    alone: seconds during which the caller first works alone, because the start of a thread takes as long as a short
    item.

    Errors: the first error of a call. After it, no further call begins. After an error or an interrupt, this function
    waits until the calls on other threads have ended. Further interrupts end this wait.
    """
    work = list(items)
    results: list[Any] = [None] * len(work)
    failures: list[BaseException] = []
    waiting = iter(range(len(work)))
    lock = lock_of_a_call()
    others: list[tuple[set[int], Any]] = []  # each other thread's item, and a lock that is released at its end

    def take(taken: set[int]) -> int | None:
        with lock:
            index = None if failures else next(waiting, None)
            if index is not None:
                taken.add(index)
            return index

    def compute(taken: set[int], ended: Any = None) -> None:
        try:
            while (index := take(taken)) is not None:
                results[index] = verb(work[index])
                taken.clear()
        except BaseException as error:  # the caller's thread raises it again
            failures.append(error)
        finally:
            taken.clear()
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
            except RuntimeError:  # the system starts no more threads
                break
        compute(set())
        for taken, ended in others:
            if taken:  # this set is final: no items are left, or a call has failed
                ended.acquire()
    except BaseException as error:  # an interrupt that came outside the calls
        with lock:
            failures.append(error)
        while any(taken for taken, _ in others):
            time.sleep(_BETWEEN_LOOKS)
        raise
    if failures:
        raise failures[0]
    return results
