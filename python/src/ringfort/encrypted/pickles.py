# SPDX-License-Identifier: Apache-2.0
"""Pickles contexts, public keys and arrays. A pickle contains the bytes of their files. From protocol 5 on, these bytes
can be outside of the pickle's stream (*out of band*).

Secret keys cannot be pickled. The pickle of a context contains its parameters. The loaded context is equal to the
original context. It is on the default device of the receiver.

The pickle of an array contains its context. It contains no keys, because keys are often a hundred times as large as the
array. An array without keys supports operations that need no keys. For other operations, combine it with an array that
has keys, or call ``with_keys``.

The decoders of files check every byte. Bounds are claims of the writer. A pickle from a stranger can run any program on
your machine. Therefore accept files from strangers, but never pickles.
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
from .residues.parameters import joined_parameters
from .residues.stored import decoded_key, encoded_key

__all__ = ["reduced_array", "reduced_context", "reduced_keys"]


def reduced_context(context: Context) -> Any:
    if context.insecure:
        raise InsecureParameters(
            "contexts below 128 bits are not pickled: their receiver could not refuse them",
            "save to a file, which rf.load(path, allow_insecure=True) reads",
        )
    parameters = [core.encode_parameters(scope).tobytes() for scope in context._scopes.per_modulus]
    return _context, (context.dtype.kind, _single(parameters), context._range, context._asked_threads)


def reduced_keys(keys: PublicKeys, protocol: int) -> Any:
    scope = keys.context._scopes
    files = [
        [_buffer(data, protocol) for data in encoded_key(scope, key)]
        for key in (keys._public, keys._relinearization, keys._galois)
    ]
    return _keys, (keys.context, *map(_single, files))


def reduced_array(array: EncryptedArray, protocol: int) -> Any:
    if array._source is not None:
        return _transposed, (array._source,)
    session = array._session
    ciphertexts = [each for files in records.encoded_ciphertexts(array) for each in files]
    heads = [core.encode_array(record).tobytes() for record in records.records_of(array)]
    return _array, (session.keys.context, _single(heads), *(_buffer(each, protocol) for each in ciphertexts))


def _single(items: list[Any]) -> Any:
    """Returns what a pickle contains in place of the list: None for no item, the item itself for one item, and the list
    for several items."""
    return items if len(items) > 1 else items[0] if items else None


def _listed(found: object) -> list[Any]:
    """Inverts ``_single``: returns the list of items."""
    return found if isinstance(found, list) else [] if found is None else [found]


def _buffer(data: Any, protocol: int) -> Any:
    return PickleBuffer(data) if protocol >= 5 else data.tobytes()


def _bytes(data: object) -> NDArray[np.uint8]:
    try:
        return np.frombuffer(data, np.uint8)  # type: ignore[call-overload]
    except (TypeError, ValueError, BufferError):
        raise InvalidArgument("a part of the pickle is not bytes", "pickle the object again") from None


def _context(kind: str, parameters: object, interval: object, threads: int | None) -> Context:
    found = [core.decode_parameters(_bytes(each), False, 2**17, 128) for each in _listed(parameters)]
    return Context.of_parameters(joined_parameters(found), kind, threads=threads, promise=interval)


def _keys(context: object, public: object, relinearization: object, galois: object) -> PublicKeys:
    scope, encoded = _owned(context)._scopes, (public, relinearization, galois)
    decoders = (core.decode_public_key, core.decode_relinearization_key, core.decode_galois_keys)
    keys: list[Any] = [
        decoded_key(decode, scope, list(map(_bytes, _listed(each))))
        for decode, each in zip(decoders, encoded, strict=True)
    ]
    return PublicKeys(_owned(context), *keys)


def _array(context: object, head: object, *ciphertexts: object) -> EncryptedArray:
    found = [core.decode_array(_bytes(each)) for each in _listed(head)]
    count = len(ciphertexts) // max(1, len(found))
    for index, record in enumerate(found):
        record.ciphertexts = [_bytes(each) for each in ciphertexts[index * count : (index + 1) * count]]
    if not found or count * len(found) != len(ciphertexts):
        raise InvalidArgument("the pickle of an array lacks a part", "pickle the object again")
    return records.array_of(found, PublicKeys(_owned(context), None, None, None), "of the pickle", trust_bound=True)


def _transposed(source: object) -> EncryptedArray:
    if not isinstance(source, EncryptedArray):
        raise InvalidArgument("the pickle has no array to transpose", "pickle the object again")
    return source.transpose()


def _owned(context: object) -> Context:
    if not isinstance(context, Context):
        raise InvalidArgument("the pickle has no context", "pickle the object again")
    return context
