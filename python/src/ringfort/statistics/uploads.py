# SPDX-License-Identifier: Apache-2.0
"""Uploads, the aggregator that adds them, and its result."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pickle import PickleBuffer
from typing import Any

from numpy.typing import ArrayLike

from .. import encrypted
from ..errors import InvalidArgument, IoLimit, IoOpen, IoWrite, KeyMissing, ParametersMismatch, Unsupported
from ..locks import Turn
from ..units import quantity
from ..values import device_name, kind_of, whole
from ..whole_files import read_whole, write_whole
from .keys import Keys, PublicKeys
from .study import Study

__all__ = ["Aggregator", "Result", "Upload", "encrypt"]

_FILE_SLACK = 1 << 20
_LARGEST_RESULT = 1 << 31


class _Bytes:
    """An object of a study in files and pickles. A pickle contains the study, but no keys."""

    def __init__(self, keys: PublicKeys, found: Any) -> None:
        self.keys = keys
        self._found = found

    def to_bytes(self) -> bytes:
        return bytes(self._found.encode(self.keys.home))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file atomically. Errors: IoWrite."""
        data = self.to_bytes()
        try:
            write_whole(path, data)
        except OSError as error:
            raise IoWrite(f"{path} cannot be written: {error.strerror}", "choose another path") from None

    def __copy__(self) -> _Bytes:
        return self

    def __deepcopy__(self, memo: object) -> _Bytes:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        data = PickleBuffer(self.to_bytes()) if protocol >= 5 else self.to_bytes()
        return _unpickled, (type(self), self.keys.study, self.keys.context, data)


def _unpickled(kind: Any, study: Study, context: encrypted.Context, data: Any) -> Any:
    return kind.load(bytes(data), PublicKeys(study, encrypted.PublicKeys(context, None, None, None)))


class Upload(_Bytes):
    """One user's encrypted records."""

    @classmethod
    def load(cls, source: bytes | str | os.PathLike[str], keys: PublicKeys | Keys) -> Upload:
        """Reads an upload's bytes or file. Errors: ParametersMismatch (another study, another key), the io codes."""
        public = public_part(keys)
        data = read(source, largest_upload(public))
        return cls(public, public.module.decode_upload(public.home, public._plain, data))

    @property
    def records(self) -> int:
        """Number of records, which is public."""
        return int(self._found.records)

    def __repr__(self) -> str:
        return f"Upload({', '.join(self.keys.study.columns)}; {quantity(self.records, 'record')})"


class Result(_Bytes):
    """Encrypted totals; the counts are public."""

    @classmethod
    def load(cls, source: bytes | str | os.PathLike[str], keys: PublicKeys | Keys) -> Result:
        """Reads a result's bytes or file. Errors: ParametersMismatch (another study, other keys), the io codes."""
        public = public_part(keys)
        data = read(source, _LARGEST_RESULT)
        return cls(public, public.module.decode_aggregate(public.home, public._plain, data))

    @property
    def uploads(self) -> int:
        return int(self._found.uploads)

    @property
    def records(self) -> int:
        return int(self._found.records)

    def __repr__(self) -> str:
        columns = ", ".join(self.keys.study.columns)
        return f"Result({columns}; {quantity(self.records, 'record')} of {quantity(self.uploads, 'upload')})"


def encrypt(values: Mapping[str, ArrayLike], keys: PublicKeys | Keys) -> Upload:
    """Encrypts a user's records: one sequence per column, all of equal length.

    Errors: InvalidArgument (a value outside its declared range, columns missing or of different lengths, too many
    records).
    """
    public = public_part(keys)
    table, on = public.study.table(values), public.home
    return Upload(public, public.module.encrypt_records(on, public._plain, public._keys._public, table))


class Aggregator:
    """Adds uploads as they arrive and keeps no upload, so memory does not grow. Threads take turns.

    In a child that was forked while another thread changed the aggregator, its methods raise InvalidArgument.
    device: see ``ringfort.devices()`` (None: the device of the keys). threads: the most threads of one addition.
    Errors: DeviceUnknown, Unsupported.
    """

    def __init__(self, keys: PublicKeys | Keys, device: str | None = None, threads: int = 1) -> None:
        self.keys = public_part(keys)
        self.device = self.keys.context.device if device is None else device_name(device)
        self._turn = Turn()
        self._on = self.keys.on(self.device)
        public, self._relinearization, self._rotations = self.keys.moved(self.device)
        self._found = self.keys.module.Aggregator(self._on, self.keys._plain, public, whole("threads", threads, 2**16))

    def add(self, upload: Upload | bytes | str | os.PathLike[str]) -> None:
        """Adds an upload, given as object, bytes or file. If it raises an error, it adds nothing.

        Errors: ParametersMismatch (another study, another key), ModeForbidden (not a fresh encryption), RangeExceeded
        (a total might wrap around), the io codes.
        """
        if isinstance(upload, _Bytes):
            require_same_study(upload, self.keys, Upload)
        if isinstance(upload, Upload) and self.device == self.keys.context.device and upload.keys is self.keys:
            found = upload._found
        else:
            data = upload.to_bytes() if isinstance(upload, Upload) else read(upload, largest_upload(self.keys))
            found = self.keys.module.decode_upload(self._on, self.keys._plain, data)
        with self._turn:
            self._found.add(found)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise Unsupported("an aggregator is neither copied nor pickled", "send aggregator.result()")

    def __repr__(self) -> str:
        added = f"{quantity(self.records, 'record')} of {quantity(self.uploads, 'upload')}"
        return f"Aggregator({', '.join(self.keys.study.columns)}; {added}, device={self.device!r})"

    @property
    def uploads(self) -> int:
        return int(self._found.uploads)

    @property
    def records(self) -> int:
        return int(self._found.records)

    def result(self) -> Result:
        """Returns the totals so far; you can add more uploads. Errors: InvalidArgument (no uploads yet)."""
        with self._turn:
            found = self._found.result(self._relinearization, self._rotations)
        if self.device != self.keys.context.device:
            home = self.keys.home
            found = self.keys.module.decode_aggregate(home, self.keys._plain, found.encode(self._on))
        return Result(self.keys, found)


def require_same_study(given: _Bytes, keys: PublicKeys, kind: type[_Bytes]) -> None:
    """Requires an object of the same study. Errors: InvalidArgument (an object of another type), ParametersMismatch."""
    if not isinstance(given, kind):
        raise InvalidArgument(f"an object {kind_of(given)} was given", f"give an object of {kind.__name__}")
    if given.keys.study != keys.study or given.keys.context != keys.context:
        raise ParametersMismatch(
            f"{given!r} is of another study, or was made with keys of other parameters",
            "all parties use the keys of one keygen()",
        )


def largest_upload(keys: PublicKeys) -> int:
    return len(keys.study.columns) * int(keys.explain().facts.ciphertext_bytes) + _FILE_SLACK


def read(source: object, limit: int) -> bytes:
    """Reads bytes, or a file of at most ``limit`` bytes. Errors: InvalidArgument, IoOpen, IoLimit."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    if not isinstance(source, (str, os.PathLike)):
        raise InvalidArgument(
            f"an upload or a result is {type(source).__name__}", "give the object, its bytes or its path"
        )
    try:
        data = read_whole(source, limit)
    except (OSError, ValueError) as error:
        raise IoOpen(
            f"{source!s} cannot be read: {getattr(error, 'strerror', None) or 'no path'}", "check the path"
        ) from None
    if len(data) > limit:
        raise IoLimit(f"{source!s} has more than {limit} bytes", "give a file of this study")
    return data


def public_part(keys: object) -> PublicKeys:
    """Returns the public part of a key set. Errors: KeyMissing."""
    public = keys.public if isinstance(keys, Keys) else keys
    if not isinstance(public, PublicKeys):
        raise KeyMissing(f"{type(keys).__name__} is not a key set", "give the result of keygen() or load_keys()")
    return public
