# SPDX-License-Identifier: Apache-2.0
"""Calls a function for every item on several threads, one of them the caller's."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from .locks import lock_of_a_call

__all__ = ["on_threads"]

_BETWEEN_LOOKS = 0.002  # seconds


def on_threads(threads: int, verb: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """Returns verb(item) for every item, in order. Uses fewer threads if the system refuses to start more.

    Errors: the first error of a call. Calls that have not begun by then do not run. After an interrupt, no call runs
    when this function has returned; a second interrupt does not wait for the calls of other threads.
    """
    work = list(items)
    results: list[Any] = [None] * len(work)
    failures: list[BaseException] = []
    waiting = iter(range(len(work)))
    lock = lock_of_a_call()

    def take(held: set[int]) -> int | None:
        with lock:
            index = None if failures else next(waiting, None)
            if index is not None:
                held.add(index)
            return index

    def compute(held: set[int]) -> None:
        """held: the item of this thread."""
        try:
            while (index := take(held)) is not None:
                results[index] = verb(work[index])
                held.clear()
        except BaseException as error:  # raised again in the caller's thread
            failures.append(error)
        finally:
            held.clear()

    others: list[threading.Thread] = []
    busy: list[set[int]] = []  # the items of other threads
    try:
        for _ in range(min(threads, len(work)) - 1):
            busy.append(set())
            other = threading.Thread(target=compute, args=(busy[-1],))
            try:
                other.start()
            except RuntimeError:  # the system refuses to start more threads
                break
            others.append(other)
        compute(set())
        for other in others:
            other.join()
    except BaseException as error:  # an interrupt outside the calls
        with lock:
            failures.append(error)
        while any(busy):  # not join: Python takes a thread for ended whose join was interrupted
            time.sleep(_BETWEEN_LOOKS)
        raise
    if failures:
        raise failures[0]
    return results
