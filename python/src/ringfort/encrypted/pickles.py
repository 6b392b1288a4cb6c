# SPDX-License-Identifier: Apache-2.0
"""Pickles contexts, public keys and arrays as the bytes of their files, out of band from protocol 5 on.

Secret keys cannot be pickled. The pickle of a context contains its parameters; the loaded context is on the receiver's
default device and equals the original. The pickle of an array contains its context but no keys, which are a hundred
times larger. An array without keys supports operations that need no keys. For other operations, combine it with an
array that has keys, or call ``with_keys``. The decoders of files read every byte, and bounds are claims of the writer.
A pickle from a stranger can run any program on your machine: accept files from strangers, never pickles.
"""

from __future__ import annotations

from pickle import PickleBuffer
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import files as core
from ..errors import InsecureParameters, InvalidArgument
from . import records
from .array.array import EncryptedArray
from .context.context import Context, PublicKeys

__all__ = ["reduced_array", "reduced_context", "reduced_keys"]


def reduced_context(context: Context) -> Any:
    if context.insecure:
        raise InsecureParameters(
            "contexts below 128 bits are not pickled: their receiver could not refuse them",
            "save to a file, which rf.load(path, allow_insecure=True) reads",
        )
    parameters = core.encode_parameters(context._scope).tobytes()
    return _context, (context.dtype.kind, parameters, context._range, context._asked_threads)


def reduced_keys(keys: PublicKeys, protocol: int) -> Any:
    held = (keys._public, keys._relinearization, keys._galois)
    scope = keys.context._scope
    parts = [None if key is None else _part(core.encode_key(scope, key), protocol) for key in held]
    return _keys, (keys.context, *parts)


def reduced_array(array: EncryptedArray, protocol: int) -> Any:
    if array._source is not None:
        return _transposed, (array._source,)
    session = array._session
    ciphertexts = records.encoded_ciphertexts(array)
    head = core.encode_array(records.record_of(array)).tobytes()
    return _array, (session.keys.context, head, *(_part(each, protocol) for each in ciphertexts))


def _part(data: Any, protocol: int) -> Any:
    return PickleBuffer(data) if protocol >= 5 else data.tobytes()


def _bytes(data: object) -> NDArray[np.uint8]:
    try:
        return np.frombuffer(data, np.uint8)  # type: ignore[call-overload]
    except (TypeError, ValueError, BufferError):
        raise InvalidArgument("a part of the pickle is not bytes", "pickle the object again") from None


def _context(kind: str, parameters: object, interval: object, threads: int | None) -> Context:
    found = core.decode_parameters(_bytes(parameters), False, 2**17, 128)
    return Context.of_parameters(found, kind, threads=threads, promise=interval)


def _keys(context: object, public: object, relinearization: object, galois: object) -> PublicKeys:
    scope, held = _owned(context)._scope, (public, relinearization, galois)
    decoders = (core.decode_public_key, core.decode_relinearization_key, core.decode_galois_keys)
    keys: list[Any] = [
        None if part is None else decode(scope, _bytes(part)) for decode, part in zip(decoders, held, strict=True)
    ]
    return PublicKeys(_owned(context), *keys)


def _array(context: object, head: object, *ciphertexts: object) -> EncryptedArray:
    record = core.decode_array(_bytes(head))
    record.ciphertexts = [_bytes(each) for each in ciphertexts]
    return records.array_of(record, PublicKeys(_owned(context), None, None, None), "of the pickle", trust_bound=True)


def _transposed(source: object) -> EncryptedArray:
    if not isinstance(source, EncryptedArray):
        raise InvalidArgument("the pickle has no array to transpose", "pickle the object again")
    return source.transpose()


def _owned(context: object) -> Context:
    if not isinstance(context, Context):
        raise InvalidArgument("the pickle has no context", "pickle the object again")
    return context
