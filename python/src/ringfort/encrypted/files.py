# SPDX-License-Identifier: Apache-2.0
"""Contexts, keys and arrays in one file or one bytes object: ``ringfort.save``, ``load``, ``dumps`` and ``loads``.

A file is a container of named objects in Ringfort's own formats (docs/file-format.md), never a pickle. It begins with
the parameters of the objects' context. A key set is stored in parts (members.py). Its secret part *covers* all other
members: it contains a digest of them. ``writing.py`` makes the members, ``reading.py`` checks and reads them,
``sources.py`` moves their bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._core import files as core
from ..logs import INFO, logged
from ..values import whole
from .context.context import Context, Keys, PublicKeys
from .members import Parts
from .reading import Asked, Trust, objects_of
from .sources import LIMIT_BYTES, BinaryFile, Path, file_name, is_file, read_file, unpack, write
from .writing import parts_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Trust", "dumps", "load", "loads", "save"]


def save(
    path: Path | BinaryFile,
    *,
    passphrase: str | None = None,
    strength: int = 1,
    unsealed: bool = False,
    associated: bytes = b"",
    **objects: Any,
) -> None:
    """Writes key sets and arrays of one context, by name. A file with a secret key is readable by its owner only
    (0600).

    path: a path, or a file that is open for bytes; the library leaves its mode as it is. A secret key needs a
    passphrase, which seals it, or unsealed=True: then everybody who reads the file has the key.
    strength: memory that one try of a passphrase needs (Argon2id): 0, 1, 2 for 64 MiB, 256 MiB, 1 GiB. associated:
    bytes that bind the secret key to a purpose. The file does not contain them; pass the same bytes to load. A
    passphrase authenticates these bytes and all members of the file with their names. To load a file with two sealed
    secret keys, give most_secrets=2.
    Errors: SecretRefused (a secret key without either option), InvalidArgument (nothing to save, or an object of
    another type), ParametersMismatch (objects of two contexts), the Io errors.
    """
    logged("save", lambda: write(path, parts_of(objects, passphrase, strength, unsealed, associated)), int, INFO)


def dumps(
    *,
    passphrase: str | None = None,
    strength: int = 1,
    unsealed: bool = False,
    associated: bytes = b"",
    **objects: Any,
) -> bytes:
    """Returns the bytes of a file, for a message or a database. Options and errors: see ``save``.

    Unlike the library's own memory, the bytes are not zeroed when they are freed; a passphrase seals secret keys.
    """

    def work() -> bytes:
        return core.pack(list(parts_of(objects, passphrase, strength, unsealed, associated).items())).tobytes()

    return logged("dumps", work, len, INFO)


def load(
    path: Path | BinaryFile,
    ctx: Context | None = None,
    *,
    keys: Keys | PublicKeys | None = None,
    passphrase: str = "",
    secrets: bool = False,
    associated: bytes = b"",
    **trust: Unpack[Trust],
) -> dict[str, Any]:
    """Returns the objects of a file by name. ctx: the context that they must belong to (None: the file's own context).

    path: a path, or a file that is open for bytes, which is read to its end. keys: the key set whose public part the
    arrays compute with. Default: the set with the file's secret key, else the file's first key set. If public keys in
    the file belong to a secret key of the file or to ``keys``, they must be byte for byte the public keys of that set.
    Public keys of the file that belong to ``keys`` must also agree with ``keys`` in parameters, kind and range of
    numbers. secrets: True accepts a file with a secret key. Without a passphrase or secrets=True, load refuses such a
    file: a server needs no secret key. With a passphrase, load opens only secret keys that the passphrase sealed, and
    returns only objects that these cover: somebody may have replaced the others. associated: the bytes given to save.
    Other options: see ``Trust``. Errors: the Io errors, ParametersMismatch, KeyMissing, SecretRefused, Passphrase,
    ModeForbidden, InsecureParameters.
    """
    asked = Asked(ctx, keys, passphrase, secrets, associated, trust)

    def parts() -> Parts:
        if is_file(path, "read"):
            return unpack(read_file(path, _limit(trust)), _limit(trust))
        return dict(core.load(file_name(path), _limit(trust)))

    return _loaded("load", "the file" if is_file(path, "read") else str(path), parts, asked)


def loads(
    data: bytes | bytearray | memoryview,
    ctx: Context | None = None,
    *,
    keys: Keys | PublicKeys | None = None,
    passphrase: str = "",
    secrets: bool = False,
    associated: bytes = b"",
    **trust: Unpack[Trust],
) -> dict[str, Any]:
    """Returns the objects in the bytes of a file by name. Options and errors: see ``load``."""
    asked = Asked(ctx, keys, passphrase, secrets, associated, trust)
    return _loaded("loads", "the data", lambda: unpack(data, _limit(trust)), asked)


def _loaded(operation: str, source: str, parts: Callable[[], Parts], asked: Asked) -> dict[str, Any]:
    def work() -> tuple[dict[str, Any], int]:
        found = parts()
        return objects_of(source, found, asked), sum(data.size for data in found.values())

    return logged(operation, work, lambda result: result[1], INFO)[0]


def _limit(trust: Trust) -> int:
    return whole("max_bytes", trust.get("max_bytes", LIMIT_BYTES), 2**63)
