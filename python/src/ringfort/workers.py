# SPDX-License-Identifier: Apache-2.0
"""Calls a function for every item on several threads, one of them the caller's."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from .locks import lock_of_a_call

__all__ = ["on_threads"]


def on_threads(threads: int, verb: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """Returns verb(item) for every item, in order. Uses fewer threads if the system refuses to start more.

    Errors: the first error of a call. Calls that have not begun by then do not run.
    """
    work = list(items)
    results: list[Any] = [None] * len(work)
    failures: list[BaseException] = []
    waiting = iter(range(len(work)))
    lock = lock_of_a_call()

    def take() -> int | None:
        with lock:
            return None if failures else next(waiting, None)

    def compute() -> None:
        try:
            while (index := take()) is not None:
                results[index] = verb(work[index])
        except BaseException as error:  # raised again in the caller's thread
            failures.append(error)

    others: list[threading.Thread] = []
    for _ in range(min(threads, len(work)) - 1):
        other = threading.Thread(target=compute)
        try:
            other.start()
        except RuntimeError:  # the system refuses to start more threads
            break
        others.append(other)
    compute()
    for other in others:
        other.join()
    if failures:
        raise failures[0]
    return results
