# SPDX-License-Identifier: Apache-2.0
"""Stores a context, keys and arrays in one file or one bytes object: ``ringfort.save``, ``load``, ``dumps`` and
``loads``.

A file contains named objects, its *members*, in Ringfort's own formats (docs/file-format.md). It is never a pickle. The
first member has the parameters of the objects' context. A key set has several members (members.py). A secret key
*covers* all other members of the file: it contains a digest of them.

``writing.py`` makes the members. ``reading.py`` checks and reads them. ``sources.py`` reads and writes their bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._core import files as core
from ..logs import INFO, logged
from ..values import whole
from .context.context import Context, Keys, PublicKeys
from .members import Container
from .reading import Asked, Trust, objects_of
from .sources import LIMIT_BYTES, BinaryFile, Path, file_name, is_file, read_file, unpack, write
from .writing import container_of

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
    """Writes a file with key sets and arrays of one context. objects: the key sets and arrays, each under its name. If
    the file has a secret key, only the owner of the file can read it (mode 0600).

    path: a path, or a file that is open for bytes. The library does not change the mode of an open file.

    A secret key needs a passphrase or unsealed=True. The passphrase seals the secret key. With unsealed=True, everybody
    who can read the file has the secret key. A file without a secret key takes no passphrase. strength: the memory that
    each guess of the passphrase takes (Argon2id). 0 means 64 MiB, 1 means 256 MiB, and 2 means 1 GiB.

    associated: bytes that bind the secret key to a purpose. The file does not contain them. Pass the same bytes to
    load. The seal of a secret key authenticates these bytes, the names of all members, and the content of all members
    except other secret keys.

    A file with two sealed secret keys needs most_secrets=2 in ``load``. Errors: SecretRefused (a secret key with
    neither a passphrase nor unsealed=True), InvalidArgument (no object, an object of another type, a name that a file
    cannot have, or a passphrase but no secret key), ParametersMismatch (objects of two contexts; without a passphrase
    also public keys that differ from those in the key set of their secret key), the Io errors.
    """
    logged("save", lambda: write(path, container_of(objects, passphrase, strength, unsealed, associated)), int, INFO)


def dumps(
    *,
    passphrase: str | None = None,
    strength: int = 1,
    unsealed: bool = False,
    associated: bytes = b"",
    **objects: Any,
) -> bytes:
    """Returns the bytes of a file, for a message or a database. Options and errors: see ``save``.

    The library cannot zero these bytes when they are freed. Therefore seal secret keys with a passphrase.
    """

    def work() -> bytes:
        return core.pack(list(container_of(objects, passphrase, strength, unsealed, associated).items())).tobytes()

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
    """Returns the objects of a file by name. ctx: the context to which the objects must belong. None means the context
    in the file.

    path: a path, or a file that is open for bytes. An open file is read to its end. keys: a key set, or its public
    part. The arrays compute with this public part. None means a key set of the file: the first, by name, that has a
    secret key. If no key set of the file has a secret key, None means the first key set, by name.

    Public keys in the file may belong to a secret key in the file, or to the secret key of ``keys``. Such public keys
    must equal, byte for byte, the public keys in the key set of that secret key. If they belong to ``keys``, the
    parameters, the kind and the range of numbers must also be equal.

    secrets: True accepts a file with a secret key. With neither a passphrase nor secrets=True, load refuses such a
    file: a server needs no secret key. With a passphrase, load opens only secret keys that the passphrase sealed. A
    secret key of an older version does not authenticate all other members. If a file has only such secret keys,
    somebody may have added public keys to it. Therefore, if a passphrase is given, load refuses public keys in such a
    file that belong to none of its secret keys.

    associated: the bytes that were given to ``save``. Other options: see ``Trust``. Errors: the Io errors,
    InvalidArgument, ParametersMismatch, KeyMissing, SecretRefused, Passphrase, ModeForbidden, InsecureParameters.
    """
    asked = Asked(ctx, keys, passphrase, secrets, associated, trust)

    def read() -> Container:
        if is_file(path, "read"):
            return unpack(read_file(path, _limit(trust)), _limit(trust))
        return dict(core.load(file_name(path), _limit(trust)))

    return _loaded("load", "the file" if is_file(path, "read") else str(path), read, asked)


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
    """Returns the objects in bytes of ``dumps`` or of a file, by name. Options and errors: see ``load``."""
    asked = Asked(ctx, keys, passphrase, secrets, associated, trust)
    return _loaded("loads", "the data", lambda: unpack(data, _limit(trust)), asked)


def _loaded(operation: str, source: str, read: Callable[[], Container], asked: Asked) -> dict[str, Any]:
    def work() -> tuple[dict[str, Any], int]:
        found = read()
        return objects_of(source, found, asked), sum(data.size for data in found.values())

    return logged(operation, work, lambda result: result[1], INFO)[0]


def _limit(trust: Trust) -> int:
    return whole("max_bytes", trust.get("max_bytes", LIMIT_BYTES), 2**63)
