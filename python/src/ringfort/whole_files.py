# SPDX-License-Identifier: Apache-2.0
"""Reads and writes the files of the Python layer. Follows the section "Files in folders that others may write" of
docs/file-format.md.

A write makes a new file with a random name. Then this file replaces the target. A read accepts only regular files.
Therefore it never waits for a writer, unlike a read from a pipe.
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
except ImportError:  # on systems without locks, the library does not remove files of killed writers
    fcntl = None  # type: ignore[assignment]

__all__ = ["open_regular", "open_to_append", "read_whole", "require_replaceable", "write_whole"]

_NEVER_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
_MOST_TRIES = 100
_EXCLUSIVE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)  # O_EXCL does not follow links


def write_whole(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Writes a file atomically. Writes text as UTF-8. If ``path`` is a symbolic link, replaces the link itself. Errors:
    OSError."""
    target = os.fspath(path)
    _require_file(target)
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
    """Checks that ``write_whole`` can make files in the folder of a path, and replace the path. Leaves no file. Errors:
    OSError."""
    target = os.fspath(path)
    _require_file(target)
    with tempfile.TemporaryFile(dir=os.path.dirname(target) or "."):
        pass


def _require_file(target: str) -> None:
    """Refuses a target that exists and is neither a regular file nor a link to one. Also refuses links of the system,
    such as /dev/stdout: whatever they lead to, replacing them would break other programs."""
    try:
        mode = os.lstat(target).st_mode
        if is_link := stat.S_ISLNK(mode):
            mode = os.stat(target).st_mode
    except OSError:  # nothing is there, or a link that leads nowhere
        return
    folder = os.path.realpath(os.path.dirname(target) or ".")
    if not stat.S_ISREG(mode) or (is_link and (folder == "/dev" or f"{folder}/".startswith("/proc/"))):
        raise OSError(errno.EINVAL, "it is not a regular file", target)


def _create_aside(folder: str) -> tuple[str, BinaryIO]:
    """Makes a new locked file.

    A process that opens an index in the folder removes the files of killed writers. The lock shows that the writer of
    this file is still running. If another process removes the file before it is locked, this function makes another
    file.
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
    """Locks the file. Returns False if another process holds the lock. On systems and file systems without locks, does
    nothing and returns True."""
    if fcntl is not None:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
    return True


def _sync_folder(folder: str) -> None:
    """Syncs the folder, so that the new name survives a crash. Does nothing on file systems that cannot sync a
    folder."""
    descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Opens a file for reading. Fails at once if it is not a regular file, for example a pipe. Errors: OSError."""
    return _regular(path, os.O_RDONLY, "rb")


def open_to_append(path: str | os.PathLike[str]) -> BinaryIO:
    """Opens a file for reading and appending. Makes the file if it does not exist.

    Fails if the path is a symbolic link or not a regular file, or if the file has a second name. Errors: OSError.
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
    """Reads at most ``limit_bytes`` + 1 bytes. If the result has more than ``limit_bytes``, the file is too large.
    Errors: OSError."""
    with open_regular(path) as file:
        # Requests the size of the file and not the limit, because read() allocates the requested size at once.
        size = min(os.fstat(file.fileno()).st_size, limit_bytes)
        found = file.read(size + 1)
        return found if len(found) <= size else found + file.read(limit_bytes - size)
