# SPDX-License-Identifier: Apache-2.0
"""Folders of new keys. No file of keys is replaced, and keys that could not be written whole leave no file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import IoLocked, IoWrite

try:
    import fcntl
except ImportError:  # folders are not locked on systems without locks
    fcntl = None  # type: ignore[assignment]

__all__ = ["locked_key_folder", "refuse_keys_in"]

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)


def refuse_keys_in(folder: Path, files: Mapping[str, str]) -> None:
    """Requires a folder without these files. files: for each file, the reason why it must not be replaced. Errors:
    IoWrite."""
    for name, why in files.items():
        if os.path.lexists(folder / name):
            raise IoWrite(f"{folder / name} exists: {why}", "choose another folder, or remove the file yourself")


@contextmanager
def locked_key_folder(folder: str | os.PathLike[str], files: Mapping[str, str]) -> Iterator[Path]:
    """Makes a folder, into which the block writes ``files``.

    The first name in ``files`` is that of the secret key, which the block must write last. Only one block at a time can
    write to a folder. If a block fails before it has written the secret key, its files are removed: without the secret
    key they have no use. Errors: IoLocked (another process makes keys there), IoWrite (also if one of the files
    exists).
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
    if os.path.lexists(folder / secret):  # the keys are complete, and the error occurred later
        return
    for name in others:
        with suppress(OSError):
            (folder / name).unlink()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Makes and locks a folder. The lock leaves no file; some network file systems do not support it."""
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
                fcntl.flock(descriptor, fcntl.LOCK_UN)  # a forked child may have a copy of the descriptor
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
