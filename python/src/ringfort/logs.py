# SPDX-License-Identifier: Apache-2.0
"""Writes log records of operations, for services. Uses the logger "ringfort" of Python's ``logging``.

An operation that a user calls writes one record when it ends. The level is INFO for operations on plans, keys and
files, and DEBUG for all other operations. While an operation that will write a record runs, the operations inside it
write nothing.

A record has these attributes: ``operation``, the name of the operation; ``bytes``, the size of the result, or 0;
``milliseconds``; ``request_id``, the argument of the block ``ringfort.request_id``; and ``error``. ``error`` is empty
after a success. After a failure it is the code of an ``rf.Error``, or "internal" for other exceptions. Except for
``request_id``, a record contains no value that the caller passed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

from .errors import Error, InvalidArgument
from .values import text

__all__ = ["INFO", "logged", "recorded", "request_id"]

T = TypeVar("T")
P = ParamSpec("P")
INFO = logging.INFO
_LONGEST_ID = 200
_logger = logging.getLogger("ringfort")
_logger.addHandler(logging.NullHandler())
_request: ContextVar[str] = ContextVar("ringfort request", default="")
_is_inside: ContextVar[bool] = ContextVar("ringfort operation", default=False)


@contextmanager
def request_id(name: str) -> Iterator[None]:
    """Sets the ``request_id`` of all records that this thread or task writes inside the block.

    name: printable text of at most 200 characters. Other characters could forge lines of a log. Errors:
    InvalidArgument.
    """
    if not text("request_id", name).isprintable() or len(name) > _LONGEST_ID:
        raise InvalidArgument("request_id is not printable, or too long", "give printable text of up to 200 characters")
    token = _request.set(name)
    try:
        yield
    finally:
        _request.reset(token)


def logged(operation: str, work: Callable[[], T], bytes_of: Callable[[T], int], level: int = logging.DEBUG) -> T:
    """Calls work(), and returns its result. Writes a record if the logger is enabled for this level and the call is not
    inside another operation. bytes_of: returns the size of the result in bytes."""
    if not _logger.isEnabledFor(level) or _is_inside.get():
        return work()
    size, code, token, began = 0, "internal", _is_inside.set(True), time.perf_counter()
    try:
        result = work()
        size, code = bytes_of(result), ""
        return result
    except Error as error:
        code = error.code
        raise
    finally:
        _is_inside.reset(token)
        _write(level, operation, size, 1000 * (time.perf_counter() - began), code)


def recorded(operation: str, level: int = logging.DEBUG) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorates a function, so that ``logged`` calls it. ``bytes`` in a record is ``nbytes`` of the result, or 0 if the
    result has no such attribute."""

    def of(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def run(*args: P.args, **options: P.kwargs) -> T:
            return logged(
                operation, lambda: function(*args, **options), lambda result: getattr(result, "nbytes", 0), level
            )

        return run

    return of


def _write(level: int, operation: str, size: int, milliseconds: float, code: str) -> None:
    request = _request.get()
    facts = {"operation": operation, "bytes": size, "milliseconds": milliseconds, "request_id": request, "error": code}
    shown = f"{operation}: {code or f'{size} bytes'}, {milliseconds:.1f} ms"
    _logger.log(level, "%s%s", shown, f", request {request}" if request else "", extra=facts)
