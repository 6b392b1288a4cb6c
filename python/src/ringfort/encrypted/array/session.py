# SPDX-License-Identifier: Apache-2.0
"""Session: the state that all arrays of one key set on one device share. It has the operations on ciphertexts and on
packed tables (packing/packed.py). ``plain_values`` checks operands in the clear."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..._core import files
from ..._core import keys as core
from ..._core.parameters import Release
from ...errors import InvalidArgument, ReleaseRefused
from ...values import is_masked, kind_of_objects, to_doubles
from ...workers import on_threads
from ..packing.packed import Packed, Tables
from .moduli import Interval
from .refusals import in_terms_of

__all__ = ["ArrayContext", "KeySet", "Owner", "Session", "plain_values"]

_REDUCE = "give integers of at most 63 bits; in a context with modular=True, reduce them modulo ctx.plain_modulus first"
_ALONE = 1e-3  # seconds that one thread works on short operations before other threads help


class ArrayContext(Protocol):
    """The members of Context (context/context.py) that arrays use."""

    @property
    def _range(self) -> Interval | None: ...
    @property
    def plain_modulus(self) -> int: ...
    @property
    def insecure(self) -> str: ...


class KeySet(Protocol):
    """The members of PublicKeys (context/context.py) with which an array computes."""

    @property
    def context(self) -> ArrayContext: ...
    @property
    def id(self) -> str: ...
    @property
    def is_empty(self) -> bool: ...
    def session(self, device: str) -> Session: ...
    def _public_part_of(self, keys: object) -> KeySet:
        """Returns the public part of ``keys``, which must belong to this context. Errors: KeyMissing,
        ParametersMismatch."""
        ...


class Owner(Protocol):
    """The members of Keys (context/context.py) with which the owner of the secret key decrypts arrays."""

    @property
    def public(self) -> KeySet: ...
    def secret_for(self, session: Session) -> core.SecretKey: ...
    def use_ledger(
        self, path: str | os.PathLike[str], session: Session, work: Callable[[files.ReleaseLedger], None]
    ) -> None: ...


class Session:
    """The state of one key set on one device. Threads can share a session.

    on: an object of context/real.py or context/integers.py. It encrypts, decrypts, and states facts about ciphertexts.
    ``on.verbs`` has the operations on ciphertexts.
    """

    def __init__(self, keys: KeySet, on: Any, device: str, threads: int) -> None:
        self.keys = keys
        self.on = on
        self.device = device
        self._threads = threads
        self.tables: Tables[Any] = Tables(on.verbs, self.each, self.each_short, on.rotates_sources)
        self.dry_run: Callable[[], Session | None] = lambda: None
        """Makes a session for a dry run of one operation."""

    def each(self, verb: Callable[[Any], Any], items: Iterable[Any]) -> Iterable[Any]:
        """Returns verb(item) for every item, in the order of the items. Works on several items at a time: operations on
        ciphertexts release Python's lock, the GIL."""
        return on_threads(self._threads, verb, items)

    def each_short(self, verb: Callable[[Any], Any], items: Iterable[Any]) -> Iterable[Any]:
        """Works like ``each``, but for short operations such as additions. Other threads help only after _ALONE
        seconds."""
        return on_threads(self._threads, verb, items, _ALONE)

    def plain(self, values: Any) -> NDArray[Any]:
        return plain_values(values, self.on.dtype, self.on.wide)

    def decrypt(self, packed: Packed[Any], owner: Owner, raw: bool = False) -> NDArray[Any]:
        """Decrypts the elements, and returns them in C order (row by row)."""
        secret = owner.secret_for(self)
        verb = self.on.decrypt_raw if raw else self.on.decrypt
        with in_terms_of(self.on, packed.ciphertexts):
            ciphertexts = self.each(lambda ciphertext: verb(secret, ciphertext), packed.ciphertexts)
        return packed.layout.unpack(np.array(list(ciphertexts)))

    def release(
        self, packed: Packed[Any], owner: Owner, release: Release, ledger: str | os.PathLike[str] | None
    ) -> NDArray[Any]:
        """Decrypts the elements with ``release``, for values that others will see. Returns the elements in C order."""
        if self.on.exact:
            raise ReleaseRefused(
                "integers are decrypted exactly, so no release of them is planned or counted",
                "leave release out: an exact result has no error that could reveal the key",
            )
        planned = self.on.context.parameters.release
        if release.bits == 0 or release.queries == 0:
            raise InvalidArgument(f"release is {release!r}", "give at least one bit and one query")
        if release.bits > planned.bits or release.queries > planned.queries:
            raise ReleaseRefused(
                f"release is {release!r}, but the context plans for {planned!r}",
                "give that or less, or make the context with Context(release=rf.Release(bits, queries))",
            )
        if ledger is None:
            raise ReleaseRefused(
                "decryptions for others are counted, but no ledger was given", "make one: keys.create_ledger(path)"
            )
        secret, out = owner.secret_for(self), np.empty((len(packed.ciphertexts), self.on.slots.count), np.complex128)
        owner.use_ledger(
            ledger,
            self,
            lambda opened: files.decrypt_for_others(self.on.context, secret, packed.ciphertexts, release, opened, out),
        )
        return packed.layout.unpack(out if self.on.dtype.kind == "c" else out.real)

    def moved(self, packed: Packed[Any], target: Session) -> Packed[Any]:
        """Returns the same packed table, with ciphertexts that belong to the session ``target``."""
        if target.on.context is self.on.context:
            return packed
        ciphertexts = self.each(lambda ciphertext: self.on.to(ciphertext, target.on), packed.ciphertexts)
        return Packed(packed.layout, tuple(ciphertexts), packed.unused)


def plain_values(values: Any, dtype: np.dtype[Any], wide: bool = False) -> NDArray[Any]:
    """Converts values in the clear to an array of the context's dtype. Errors: InvalidArgument.

    wide: True accepts integers of more than 63 bits. They become Python's integers in an array of dtype object.
    """
    if isinstance(values, np.matrix):
        raise InvalidArgument("numpy.matrix has its own multiplication", "give numpy.asarray(m), and @ for matrices")
    if is_masked(values):
        raise InvalidArgument("the array has masked values", "fill them: x.filled(0)")
    if hasattr(values, "toarray"):  # a sparse matrix of SciPy, which NumPy would take for one object
        raise InvalidArgument("the array is sparse", "give its dense form: m.toarray()")
    try:
        array = _with_long_integers(values) if wide else np.asarray(values)
    except InvalidArgument:  # a list of encrypted numbers raises this error, which is also a ValueError
        raise
    except ValueError:
        raise InvalidArgument(
            "the values are not an array: their rows differ in length", "give rows of one length"
        ) from None
    if array.dtype.kind == "O":
        kind = kind_of_objects(array)
        if kind == "i":
            array = np.asarray(np.frompyfunc(int, 1, 1)(array), object)  # numbers of NumPy's types, too
        if kind == "i" == dtype.kind and max(map(abs, array.flat), default=0) > np.iinfo(np.int64).max:
            if wide:
                return array
            raise InvalidArgument("a value has more than 63 bits", _REDUCE)
        if kind:
            array = _numbers(
                array, np.int64 if kind == "i" == dtype.kind else np.complex128 if kind == "c" else np.float64
            )
    if array.dtype.kind not in "biufc":
        raise InvalidArgument(
            f"values of dtype {array.dtype} cannot be encrypted", "give numbers, without text, None and missing values"
        )
    if array.size == 0:
        raise InvalidArgument(f"an array of shape {array.shape} is empty", "give at least one value")
    if array.dtype.kind == "c" and dtype.kind != "c":
        here = "integers" if dtype.kind == "i" else "real numbers"
        raise InvalidArgument(f"complex values do not fit a context of {here}", 'make the context with dtype="complex"')
    if dtype.kind == "i":
        return _integers(array, wide)
    if not np.all(np.isfinite(array)):
        raise InvalidArgument("the values hold NaN or infinity", "replace them, for instance with numpy.nan_to_num")
    return to_doubles("the array", array, dtype)


def _with_long_integers(values: Any) -> NDArray[Any]:
    """Converts values to an array as NumPy does. But Python's integers in lists stay exact."""
    array = np.asarray(values)
    if array.dtype.kind not in "uf" or isinstance(values, np.ndarray):
        return array
    exact = np.asarray(values, object)
    return exact if all(isinstance(value, int) for value in exact.flat) else array


def _numbers(array: NDArray[Any], dtype: type[Any]) -> NDArray[Any]:
    """Converts Python's numbers. Errors: InvalidArgument (a number is above the largest double)."""
    try:
        return array.astype(dtype)
    except OverflowError:
        raise InvalidArgument("a value is above the largest double", "scale the values down") from None
    except ValueError:  # a Decimal that is a signaling NaN
        raise InvalidArgument("the values hold NaN", "replace it") from None


def _integers(array: NDArray[Any], wide: bool) -> NDArray[Any]:
    if array.dtype.kind not in "biu":
        raise InvalidArgument(
            f"values of dtype {array.dtype} do not fit a context of integers",
            'round and convert these values: numpy.rint(values).astype(int); or make the context with dtype="real"',
        )
    above = array.dtype.kind == "u" and int(array.max()) > np.iinfo(np.int64).max
    if above and not wide:
        raise InvalidArgument("a value is above 2^63 - 1", _REDUCE)
    least = int(array.min()) == np.iinfo(np.int64).min
    if least and not wide:
        raise InvalidArgument("a value is -2^63, which has no negative", _REDUCE)
    return array.astype(object if above or least else np.int64)
