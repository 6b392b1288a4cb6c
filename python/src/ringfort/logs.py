# SPDX-License-Identifier: Apache-2.0
"""Records of operations for a service: the logger "ringfort" of Python's ``logging``.

Each operation of a user writes one record when it ends: DEBUG for operations on arrays, INFO for keys and files. A
record has the attributes ``operation``, ``bytes`` (of the result), ``milliseconds``, ``request_id`` (of the block
``ringfort.request_id``) and ``error`` (a code, or empty). It contains no value that the caller passed. Operations
inside another operation write nothing.
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
    """Sets the ``request_id`` of all records that the block writes, in this thread or task only.

    name: printable text of at most 200 characters, so that nobody forges lines of a log. Errors: InvalidArgument.
    """
    if not text("request_id", name).isprintable() or len(name) > _LONGEST_ID:
        raise InvalidArgument("request_id is not printable, or too long", "give printable text of up to 200 characters")
    token = _request.set(name)
    try:
        yield
    finally:
        _request.reset(token)


def logged(operation: str, work: Callable[[], T], bytes_of: Callable[[T], int], level: int = logging.DEBUG) -> T:
    """Returns work(), and writes a record if the logger wants this level."""
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
    """Decorates a function so that each call writes a record. Its ``bytes`` are the result's ``nbytes``, or 0."""

    def of(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def run(*args: P.args, **options: P.kwargs) -> T:
            return logged(operation, lambda: function(*args, **options), lambda made: getattr(made, "nbytes", 0), level)

        return run

    return of


def _write(level: int, operation: str, size: int, milliseconds: float, code: str) -> None:
    request = _request.get()
    facts = {"operation": operation, "bytes": size, "milliseconds": milliseconds, "request_id": request, "error": code}
    shown = f"{operation}: {code or f'{size} bytes'}, {milliseconds:.1f} ms"
    _logger.log(level, "%s%s", shown, f", request {request}" if request else "", extra=facts)
