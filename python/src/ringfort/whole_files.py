# SPDX-License-Identifier: Apache-2.0
"""Reads and writes files of the Python layer by the rule of docs/file-format.md.

A write makes a new file with a random name, which then replaces the target. A read accepts only regular files, and
never waits.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import tempfile
from contextlib import suppress
from typing import BinaryIO, cast

try:
    import fcntl
except ImportError:  # the library removes no leftovers on systems without locks
    fcntl = None  # type: ignore[assignment]

__all__ = ["open_regular", "open_to_append", "read_whole", "require_replaceable", "write_whole"]

_NEVER_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
_MOST_TRIES = 100
_EXCLUSIVE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)  # O_EXCL follows no link


def write_whole(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Writes atomically; text as UTF-8. Replaces a link at ``path`` and does not follow it. Errors: OSError."""
    target = os.fspath(path)
    _require_regular_or_link(target)
    aside, file = _create_aside(os.path.dirname(target))
    try:
        with file:
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
            os.replace(aside, target)  # while the file is still locked
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(aside)
        raise
    _sync_folder(os.path.dirname(target) or ".")


def require_replaceable(path: str | os.PathLike[str]) -> None:
    """Checks that ``write_whole`` can write to a path; changes nothing and follows no link. Errors: OSError."""
    target = os.fspath(path)
    _require_regular_or_link(target)
    with tempfile.TemporaryFile(dir=os.path.dirname(target) or "."):
        pass


def _require_regular_or_link(target: str) -> None:
    try:
        mode = os.lstat(target).st_mode
    except FileNotFoundError:
        return
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        raise OSError(errno.EINVAL, "it is not a regular file", target)


def _create_aside(folder: str) -> tuple[str, BinaryIO]:
    """Makes a new locked file.

    A process that opens an index in the folder removes the files of killed writers; the lock shows that this writer
    runs. If another process removed the file before it was locked, makes it again.
    """
    for _ in range(_MOST_TRIES):
        aside = os.path.join(folder, f".ringfort-{secrets.token_hex(8)}.part")
        file = os.fdopen(os.open(aside, _EXCLUSIVE, 0o666), "wb")
        if _locked(file) and os.path.lexists(aside):
            return aside, file
        file.close()
        with suppress(FileNotFoundError):
            os.unlink(aside)
    raise OSError(errno.EBUSY, "another process keeps removing the temporary file", folder or ".")


def _locked(file: BinaryIO) -> bool:
    """Locks the file; returns False if another process holds the lock. Does nothing on systems without locks."""
    if fcntl is not None:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
    return True


def _sync_folder(folder: str) -> None:
    """Syncs the folder, so that the new name survives a crash; some file systems do not support this."""
    descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Opens a file for reading; fails at once on a pipe or a device. Errors: OSError."""
    return _regular(path, os.O_RDONLY, "rb")


def open_to_append(path: str | os.PathLike[str]) -> BinaryIO:
    """Opens a file for reading and appending; makes a missing file.

    Fails on a link, and on a file with a second name. Errors: OSError.
    """
    file = _regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), "a+b")
    if os.fstat(file.fileno()).st_nlink <= 1:
        return file
    file.close()
    raise OSError(errno.EMLINK, "the file has another name", os.fspath(path))


def _regular(path: str | os.PathLike[str], flags: int, mode: str) -> BinaryIO:
    descriptor = os.open(path, flags | _NEVER_WAIT, 0o666)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return cast(BinaryIO, os.fdopen(descriptor, mode))
    os.close(descriptor)
    raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))


def read_whole(path: str | os.PathLike[str], limit_bytes: int) -> bytes:
    """Reads at most ``limit_bytes`` + 1 bytes; the extra byte shows that the file is larger. Errors: OSError."""
    with open_regular(path) as file:
        size = min(os.fstat(file.fileno()).st_size, limit_bytes)  # read() allocates the whole requested size
        found = file.read(size + 1)
        return found if len(found) <= size else found + file.read(limit_bytes - size)
