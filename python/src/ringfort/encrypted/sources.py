# SPDX-License-Identifier: Apache-2.0
"""Reads and writes the bytes of files of keys and arrays. A source or a target is a path, an open binary file, or bytes
in memory.

If the source is a path, the C++ library reads the file, and zeroes bytes that contain secrets when it frees them. The
bytes of other sources are Python objects, which Python does not zero.
"""

from __future__ import annotations

import io
import os
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .._core import files as core
from ..errors import InvalidArgument, IoLimit, IoRead, IoWrite
from ..values import kind_of, text
from .members import Container

__all__ = ["LIMIT_BYTES", "BinaryFile", "Path", "bytes_of", "file_name", "is_file", "limited", "read_file"]
__all__ += ["unpack", "write"]

LIMIT_BYTES = 8 << 30
_CHUNK_BYTES = 1 << 20

Path = str | os.PathLike[str]


class BinaryFile(Protocol):
    """A file that is open for bytes. Reading uses only ``read``, and writing only ``write``. Examples are io.BytesIO,
    the result of open(path, "rb"), and the body of a request."""

    def read(self, size: int = ..., /) -> Any: ...
    def write(self, data: Any, /) -> Any: ...


def is_file(target: object, method: str) -> bool:
    return not isinstance(target, (str, os.PathLike)) and callable(getattr(target, method, None))


def write(target: Path | BinaryFile, container: Container) -> int:
    """Writes a file of members. Returns its size in bytes. Errors: InvalidArgument; for a path, the Io errors; for an
    open file, IoWrite and all exceptions of its ``write`` except OSError and TypeError."""
    if not is_file(target, "write"):
        return core.save(file_name(target), list(container.items()))
    rest = core.pack(list(container.items())).data
    size = len(rest)
    while rest:
        rest = rest[_write_some(target, rest) :]
    return size


def _write_some(file: Any, data: memoryview) -> int:
    try:
        written = file.write(data)
    except TypeError:
        raise InvalidArgument("the file does not take bytes", 'open it for bytes: open(path, "wb")') from None
    except OSError as error:
        raise IoWrite(
            f"the file cannot be written: {_cause(error)}", "check the free space or the connection"
        ) from None
    if written is None and not isinstance(file, io.RawIOBase):  # write() of other libraries may return None
        return len(data)
    if not isinstance(written, int) or not 0 < written <= len(data):
        raise IoWrite("the file took no bytes", "give a file that waits for its writer")
    return written


def _cause(error: OSError) -> str:
    """Returns the text of the system. Errors of sockets and of other libraries may have none: returns their class."""
    return error.strerror or type(error).__name__


def read_file(file: Any, limit: int) -> bytearray:
    """Reads an open file to its end. Requests at most _CHUNK_BYTES bytes at a time. limit: the largest accepted number
    of bytes. Errors: InvalidArgument, IoLimit, IoRead, and all exceptions of the file's ``read`` except OSError."""
    found = bytearray()
    while True:
        try:
            chunk = file.read(min(_CHUNK_BYTES, limit + 1 - len(found)))
        except OSError as error:
            raise IoRead(f"the file cannot be read: {_cause(error)}", "check the disk or the connection") from None
        if not isinstance(chunk, (bytes, bytearray, memoryview)):
            raise InvalidArgument(
                f"reading the file gives an object {kind_of(chunk)}", 'open it for bytes: open(path, "rb")'
            )
        if not chunk:
            return found
        found += chunk
        limited(len(found), limit)


def limited(size: int, limit: int) -> int:
    """Returns ``size``, a number of bytes, if it does not exceed the limit. Errors: IoLimit."""
    if size > limit:
        raise IoLimit(f"the data have more than the allowed {limit} bytes", "raise max_bytes if you expect these data")
    return size


def unpack(data: object, limit: int) -> Container:
    """Returns the members of a file that is in memory. Errors: InvalidArgument, IoLimit, the Io errors."""
    return dict(core.unpack(bytes_of(data, limit)))


def bytes_of(data: object, limit: int) -> NDArray[np.uint8]:
    """Returns the bytes as an array that nobody else can change. Copies ``data``, unless it is an object of type bytes
    or a view of all bytes of such an object. Errors: InvalidArgument, IoLimit."""
    try:
        view = memoryview(data)  # type: ignore[arg-type]
        limited(view.nbytes, limit)
        kept = view.obj if isinstance(view.obj, bytes) and view.nbytes == len(view.obj) else bytes(view)
        return np.frombuffer(kept, np.uint8)
    except (TypeError, BufferError):
        problem, fix = f"the data are {kind_of(data)}", "give bytes: the result of dumps, or of read()"
        raise InvalidArgument(problem, fix) from None


def file_name(path: object) -> str:
    name = path if isinstance(path, str) else _said_path(path)
    if not isinstance(name, str) or not name or "\0" in name:
        if isinstance(name, str):
            raise InvalidArgument("the path is empty or contains a NUL byte", "give a file name")
        raise InvalidArgument(f"the path is {kind_of(name)}", "give a path as text, or a file that is open for bytes")
    return name if _is_name(name) else text("path", name)


def _said_path(path: object) -> object:
    """Returns the path of a path-like object. Returns any other object unchanged."""
    try:
        return os.fspath(path)  # type: ignore[call-overload]
    except TypeError:
        return path


def _is_name(text: str) -> bool:
    """Tells whether the text can be a file name. Python represents bytes of a file name that are not UTF-8 by
    surrogates."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True
