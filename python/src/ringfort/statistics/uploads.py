# SPDX-License-Identifier: Apache-2.0
"""Upload, Aggregator and Result of a study (study.py). A user encrypts records as an upload. The aggregator adds
uploads. The result contains the encrypted totals."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Mapping
from pickle import PickleBuffer
from typing import Any

from numpy.typing import ArrayLike

from .. import encrypted
from ..errors import (
    DeviceLost,
    Error,
    Internal,
    InvalidArgument,
    IoLimit,
    IoOpen,
    IoWrite,
    KeyMissing,
    NoiseBoundExceeded,
    OutOfMemory,
    ParametersMismatch,
    Unsupported,
)
from ..locks import Lock, Turn, lock_of_a_call
from ..logs import recorded
from ..units import quantity
from ..values import device_names, kind_of, whole
from ..whole_files import read_whole, write_whole
from ..workers import on_threads
from .keys import Keys, PublicKeys
from .study import Study

__all__ = ["Aggregator", "Result", "Upload", "encrypt"]

_FILE_SLACK = 1 << 20
_LARGEST_RESULT = 1 << 31


class _Bytes:
    """The base class of Upload and Result. It converts an object to a file or a pickle. A pickle contains the study,
    but no keys. A copy is the object itself."""

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
        """Reads an upload from its bytes or its file. Does not check that ``keys`` encrypted the upload:
        ``Aggregator.add`` does.

        Errors: ParametersMismatch (another number of columns, other parameters), the Io errors.
        """
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
    """Encrypted totals. The numbers of uploads and of records are public."""

    @classmethod
    def load(cls, source: bytes | str | os.PathLike[str], keys: PublicKeys | Keys) -> Result:
        """Reads a result from its bytes or its file. Does not check that the result belongs to ``keys``: ``decrypt``
        does.

        Errors: ParametersMismatch (another number of totals, other parameters), the Io errors.
        """
        public = public_part(keys)
        data = read(source, _LARGEST_RESULT)
        return cls(public, public.module.decode_aggregate(public.home, public._plain, data))

    @property
    def uploads(self) -> int:
        """Number of uploads in the totals."""
        return int(self._found.uploads)

    @property
    def records(self) -> int:
        """Number of records in the totals."""
        return int(self._found.records)

    def __repr__(self) -> str:
        columns = ", ".join(self.keys.study.columns)
        return f"Result({columns}; {quantity(self.records, 'record')} of {quantity(self.uploads, 'upload')})"


@recorded("statistics.encrypt")
def encrypt(values: Mapping[str, ArrayLike], keys: PublicKeys | Keys) -> Upload:
    """Encrypts a user's records. values: maps each column of the study to a sequence of numbers, or is a DataFrame with
    these columns. All sequences have the same length.

    Errors: InvalidArgument (a value outside its declared range, columns missing or of different lengths, too many
    records), KeyMissing.
    """
    public = public_part(keys)
    table, on = public.study.table(values), public.home
    return Upload(public, public.module.encrypt_records(on, public._plain, public._keys._public, table))


class _DeviceTotals:
    """A device of an aggregator, and the totals of the uploads that the device has added. Threads use a device in
    turn."""

    def __init__(self, device: str, on: Any, found: Any) -> None:
        self.device, self.on, self.found = device, on, found
        self.turn = Turn()


class Aggregator:
    """Adds uploads as they arrive. Keeps no upload: its memory does not grow. Threads that add to one device take
    turns.

    device: one of ``ringfort.devices()``. None means the device of the keys. devices: several devices. They divide the
    uploads among themselves. The result is the same for any number of devices. threads: the largest number of threads
    of an addition.

    If a device fails, the totals of the uploads that it has added are lost, and ``result`` raises an error. Then add
    all uploads to a new aggregator. If a process forks while another thread changes the aggregator, the methods raise
    InvalidArgument in the child process. Errors: KeyMissing, DeviceUnknown, Unsupported.
    """

    def __init__(
        self,
        keys: PublicKeys | Keys,
        device: str | None = None,
        threads: int = 1,
        *,
        devices: Iterable[str] | None = None,
    ) -> None:
        self.keys = public_part(keys)
        one = device is None and devices is None
        names = [self.keys.context.device] if one else device_names(device, devices)
        self.device, self._next = names[0], Lock()
        self._on = self.keys.on(self.device)
        public, self._relinearization, self._rotations = self.keys.moved(self.device)
        most = whole("threads", threads, 2**16)
        found = self.keys.module.Aggregator(self._on, self.keys._plain, public, most)
        self._totals = [_DeviceTotals(self.device, self._on, found)]
        for name in names[1:]:
            on = self.keys.on(name)
            self._totals.append(_DeviceTotals(name, on, found.beside(on, most)))
        self._turns = itertools.cycle(self._totals)

    @property
    def devices(self) -> tuple[str, ...]:
        """Names of the devices that add uploads."""
        return tuple(totals.device for totals in self._totals)

    @recorded("statistics.add")
    def add(self, upload: Upload | bytes | str | os.PathLike[str]) -> None:
        """Adds an upload. upload: an Upload, its bytes or the path of its file.

        Errors that leave the aggregator unchanged: ParametersMismatch (another study, another key), ModeForbidden (the
        upload's ciphertexts are not fresh encryptions: they were computed from others), RangeExceeded (a total might
        wrap around), InvalidArgument, the Io errors. Errors that can leave the upload added in part: DeviceLost,
        OutOfMemory, NoiseBoundExceeded. After this, ``add`` raises Internal and ``result`` raises an error: add all
        uploads to a new aggregator.
        """
        with self._next.inner:
            totals = next(self._turns)
        self._add(upload, totals)

    def _add(self, upload: Upload | bytes | str | os.PathLike[str], totals: _DeviceTotals) -> None:
        if isinstance(upload, _Bytes):
            require_same_study(upload, self.keys, Upload)
        if isinstance(upload, Upload) and totals.device == self.keys.context.device and upload.keys is self.keys:
            found = upload._found
        else:
            data = upload.to_bytes() if isinstance(upload, Upload) else read(upload, largest_upload(self.keys))
            found = self.keys.module.decode_upload(totals.on, self.keys._plain, data)
        with totals.turn.inner:
            totals.found.add(found)

    @recorded("statistics.add_all")
    def add_all(
        self,
        uploads: Iterable[Upload | bytes | str | os.PathLike[str]],
        *,
        refused: Callable[[int, Error], None] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Adds many uploads. Whenever a device is free, it takes the next upload.

        refused: called with the number of a bad upload, from 0, and its error. ``refused`` may raise this error.
        Without ``refused``, ``add_all`` raises the error, and does not begin to add further uploads. ``add_all`` always
        raises the errors that can leave an upload added in part, and Internal. progress: called with the number of
        uploads that are added or refused. Errors: those of ``add``.
        """
        numbered, done, lock = enumerate(uploads), itertools.count(1), lock_of_a_call()
        failures: list[BaseException] = []

        def take() -> tuple[int, Any] | None:
            with lock:
                return None if failures else next(numbered, None)

        def serve(totals: _DeviceTotals) -> None:
            try:
                while taken := take():
                    self._add_or_tell(*taken, totals, refused)
                    with lock:
                        told(next(done))
            except BaseException as error:
                failures.append(error)
                raise

        told = progress or (lambda _: None)
        on_threads(len(self._totals), serve, self._totals)

    def _add_or_tell(
        self, number: int, upload: Any, totals: _DeviceTotals, refused: Callable[[int, Error], None] | None
    ) -> None:
        try:
            self._add(upload, totals)
        except (DeviceLost, Internal, NoiseBoundExceeded, OutOfMemory):  # the totals may be wrong: see add()
            raise
        except Error as error:
            if refused is None:
                raise
            refused(number, error)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise Unsupported("an aggregator is neither copied nor pickled", "send aggregator.result()")

    def __repr__(self) -> str:
        added = f"{quantity(self.records, 'record')} of {quantity(self.uploads, 'upload')}"
        where = f"device={self.device!r}" if len(self._totals) == 1 else f"devices={list(self.devices)}"
        return f"Aggregator({', '.join(self.keys.study.columns)}; {added}, {where})"

    @property
    def uploads(self) -> int:
        """Number of uploads that were added."""
        return sum(int(totals.found.uploads) for totals in self._totals)

    @property
    def records(self) -> int:
        """Number of records that were added."""
        return sum(int(totals.found.records) for totals in self._totals)

    @recorded("statistics.result")
    def result(self) -> Result:
        """Returns the totals of the uploads that were added. More uploads can follow. Errors: InvalidArgument (there
        are no uploads), DeviceLost, OutOfMemory, NoiseBoundExceeded, and InvalidArgument or Internal if an upload was
        added only in part."""
        first = self._totals[0]
        with first.turn.inner:
            for totals in self._totals[1:]:
                with totals.turn.inner:
                    first.found.merge(totals.found)
            found = first.found.result(self._relinearization, self._rotations)
        if self.device != self.keys.context.device:
            home = self.keys.home
            found = self.keys.module.decode_aggregate(home, self.keys._plain, found.encode(self._on))
        return Result(self.keys, found)


def require_same_study(given: _Bytes, keys: PublicKeys, kind: type[_Bytes]) -> None:
    """Requires that the object has the type ``kind`` and belongs to the study of ``keys``. Errors: InvalidArgument
    (another type), ParametersMismatch."""
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
    """Returns the bytes, or the content of a file of at most ``limit`` bytes. Errors: InvalidArgument, IoOpen,
    IoLimit."""
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
