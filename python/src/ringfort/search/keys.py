# SPDX-License-Identifier: Apache-2.0
"""Keys of an encrypted mailbox. The set with the secret keys decrypts counts, ids, subjects and bodies, appends
documents, and makes queries. The public set can only append documents and make queries."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from .._core.search import Keys, preset_names
from ..errors import IoOpen, KeyMissing, Passphrase, SecretRefused
from ..key_folders import locked_key_folder, refuse_keys_in
from ..logs import INFO, recorded
from ..secret_memory import warn_where_unlocked
from ..values import require_seal, text, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["CodeOptions", "PUBLIC_FILE", "SECRET_FILE", "Keys", "keygen", "load_keys", "preset_names"]

SECRET_FILE = "secret.rfk"
PUBLIC_FILE = "public.rfk"
_FILES = {
    SECRET_FILE: "without it, indexes of its key would be unreadable",
    PUBLIC_FILE: "it may belong to other keys, or to a keygen that was stopped before it wrote the secret",
}


class CodeOptions(TypedDict, total=False):
    """Options for the encoding of a word as the bits of its hash."""

    hash_bits: int
    """The number of bits of a hash, 8 .. 64. Default: 32. With ``constant_weight``, always 64."""
    constant_weight: bool
    """True encodes a word as 64 bits, of which 8 are set. For each word, a search then multiplies 8 factors in place of
    ``hash_bits`` factors. The index is twice as large as with hashes of 32 bits."""
    allow_insecure: bool
    """True accepts presets (named sets of parameters) below 128 bits of security. All files and reports of such a
    preset say so."""


def code_of(
    preset: str, *, hash_bits: int = 32, constant_weight: bool = False, allow_insecure: bool = False
) -> tuple[str, bool, int, bool]:
    """Converts the options to arguments of the C++ library. Errors: InvalidArgument."""
    bits = 64 if constant_weight else whole("hash_bits", hash_bits, 2**32)
    return text("preset", preset), bool(allow_insecure), bits, bool(constant_weight)


@recorded("search.keygen", INFO)
def keygen(
    folder: str | os.PathLike[str],
    preset: str = "gsw128",
    *,
    passphrase: str | None = None,
    strength: int = 1,
    unsealed: bool = False,
    **code: Unpack[CodeOptions],
) -> Keys:
    """Makes fresh keys in ``folder``. Writes secret.rfk (mode 0600). Writes public.rfk if the preset has a public key.

    passphrase: seals the file of the secret keys. strength: how much memory an attempt to open this file takes: 64 MiB
    for 0, 256 MiB for 1, 1 GiB for 2. unsealed: True writes the file without a passphrase. Then everybody who can read
    the file has the secret keys. Other options: see CodeOptions.

    Errors: SecretRefused (neither a passphrase nor unsealed=True is given), InvalidArgument, InsecureParameters,
    IoWrite (a file cannot be written, or the folder already has keys), IoLocked (another process makes keys in this
    folder), EntropyUnavailable.
    """
    given = code_of(preset, **code)
    require_seal(SECRET_FILE, PUBLIC_FILE, passphrase, unsealed)
    whole("strength", strength, 2**32)
    refuse_keys_in(Path(folder), _FILES)
    keys = Keys.generate(*given)
    warn_where_unlocked()
    with locked_key_folder(folder, _FILES) as target:
        if keys.has_public:
            keys.save_public(target / PUBLIC_FILE)
        keys.save_secret(target / SECRET_FILE, passphrase or "", strength)
    return keys


@recorded("search.load_keys", INFO)
def load_keys(
    path: str | os.PathLike[str],
    passphrase: str = "",
    *,
    need_secret: bool = False,
    allow_insecure: bool = False,
    most_strength: int = 1,
) -> Keys:
    """Reads a key set from its file, or from the folder of ``keygen``. From a folder, reads the secret set if it is
    there, and the public set if not.

    most_strength: the highest accepted strength of a sealed file (see ``keygen``).

    ``keys.fingerprint`` is a digest of all public parts and parameters. The owner tells a sender the fingerprint, and
    the sender compares it with the fingerprint of the received keys.

    Errors: IoLimit (the strength of the file is above most_strength), Passphrase (missing or wrong, or given for a file
    with a public set), KeyMissing (``need_secret`` is True, and the file has a public set), InsecureParameters (the
    parameters have less than 128 bits of security, and ``allow_insecure`` is False), the other Io errors.
    """
    file = _file_of(Path(path))
    try:
        keys = Keys.load_public(str(file), allow_insecure)
    except SecretRefused:
        strongest = whole("most_strength", most_strength, 2**8)
        keys = Keys.load_secret(str(file), text("passphrase", passphrase), allow_insecure, strongest)
        warn_where_unlocked()
        return keys
    if text("passphrase", passphrase):
        raise Passphrase(
            f"a passphrase was given, but {file} holds no secret keys",
            "somebody may have replaced the file; load public keys without a passphrase",
        )
    if need_secret:
        raise KeyMissing(f"{file} holds public keys, but the secret keys are needed", f"name the file {SECRET_FILE}")
    return keys


def _file_of(path: Path) -> Path:
    if not path.is_dir():
        return path
    for name in (SECRET_FILE, PUBLIC_FILE):
        if (path / name).exists():
            return path / name
    raise IoOpen(f"{path} holds neither {SECRET_FILE} nor {PUBLIC_FILE}", "make keys with: ringfort search keygen")
