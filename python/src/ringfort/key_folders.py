# SPDX-License-Identifier: Apache-2.0
"""Folders for new keys. Refuses to replace files of keys. If an exception ends the work before all keys are written,
removes the files that were written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import IoLocked, IoWrite

try:
    import fcntl
except ImportError:  # on systems without fcntl, folders are not locked
    fcntl = None  # type: ignore[assignment]

__all__ = ["locked_key_folder", "refuse_keys_in"]

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)


def refuse_keys_in(folder: Path, files: Mapping[str, str]) -> None:
    """Requires that the folder has none of the files. files: maps each name to the reason why the file must not be
    replaced. Errors: IoWrite."""
    for name, why in files.items():
        if os.path.lexists(folder / name):
            raise IoWrite(f"{folder / name} exists: {why}", "choose another folder, or remove the file yourself")


@contextmanager
def locked_key_folder(folder: str | os.PathLike[str], files: Mapping[str, str]) -> Iterator[Path]:
    """Makes a folder and locks it. The block of the with statement writes ``files`` into it. files: as for
    ``refuse_keys_in``.

    The first name in ``files`` is the name of the secret key's file. The block must write this file last. If the block
    raises an exception before it has written the secret key, the other files are removed, because they have no use
    without the secret key. Errors: IoLocked (another process makes keys in this folder), IoWrite (the folder cannot be
    written, or one of the files exists).
    """
    target = Path(folder)
    with _locked(target):
        refuse_keys_in(target, files)
        try:
            yield target
        except BaseException:
            _remove_incomplete(target, *files)
            raise


def _remove_incomplete(folder: Path, secret: str, *others: str) -> None:
    if os.path.lexists(folder / secret):  # the error occurred after the keys were complete
        return
    for name in others:
        with suppress(OSError):
            (folder / name).unlink()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Makes a folder, if there is none, and locks it. The lock needs no file. Some network file systems do not support
    locks: there, the folder is not locked. Errors: IoLocked, IoWrite."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder, _FOLDER)
    except OSError as error:
        raise IoWrite(f"{folder} cannot be written: {error.strerror}", "choose another folder") from None
    try:
        if not _lock(descriptor):
            raise IoLocked(f"another process makes keys in {folder}", "choose another folder")
        yield
    finally:
        if fcntl is not None:
            with suppress(OSError):
                # Unlocks explicitly, because a copy of the descriptor in a forked child would keep the lock.
                fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    if fcntl is not None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # the file system has no locks
            return True
    return True
