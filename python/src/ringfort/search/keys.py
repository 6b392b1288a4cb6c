# SPDX-License-Identifier: Apache-2.0
"""Keys of an encrypted mailbox. The secret set reads counts and names and can append; the public set only appends."""

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
    SECRET_FILE: "indexes of its key would be unreadable",
    PUBLIC_FILE: "it may belong to other keys, or to a keygen that was stopped before it wrote the secret",
}


class CodeOptions(TypedDict, total=False):
    """Options for the encoding of words as bits."""

    hash_bits: int
    """8 .. 64. Default: 32; always 64 with the constant-weight code."""
    constant_weight: bool
    """True sets 8 of 64 bits: a search multiplies 8 factors per word instead of hash_bits; the index doubles."""
    allow_insecure: bool
    """True accepts presets below 128 bits of security; all their files and reports are marked."""


def code_of(
    preset: str, *, hash_bits: int = 32, constant_weight: bool = False, allow_insecure: bool = False
) -> tuple[str, bool, int, bool]:
    """Converts the options to arguments of the bindings. Errors: InvalidArgument."""
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
    """Makes a fresh key pair in ``folder``: secret.rfk (mode 0600) and, if the preset has a public key, public.rfk.

    Other options: see CodeOptions. passphrase: seals the file of the secret keys; strength 0, 1, 2: an attempt to open
    this file takes 64 MiB, 256 MiB or 1 GiB of memory. unsealed=True: everybody who reads the secret file has the key.
    Errors: SecretRefused (neither a passphrase nor unsealed=True), InvalidArgument, InsecureParameters, IoWrite (also
    if keys exist there), IoLocked (another process makes keys there), EntropyUnavailable.
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
    """Returns a secret or public set, from its file or from the folder of ``keygen`` (the secret set, if it is there).

    most_strength: the highest strength of a sealed file (see ``keygen``). The owner reads out ``keys.fingerprint``, a
    digest of all public parts and parameters, and a sender compares it with that of the received keys. Errors: IoOpen,
    IoLimit (a stronger passphrase), Passphrase (missing or wrong), KeyMissing (``need_secret`` and a public set),
    InsecureParameters (below 128 bits, unless that is allowed), the Io errors.
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
        raise KeyMissing(
            f"{file} holds public keys, but this command needs the secret keys", f"name the file {SECRET_FILE}"
        )
    return keys


def _file_of(path: Path) -> Path:
    if not path.is_dir():
        return path
    for name in (SECRET_FILE, PUBLIC_FILE):
        if (path / name).exists():
            return path / name
    raise IoOpen(f"{path} holds neither {SECRET_FILE} nor {PUBLIC_FILE}", "make keys with: ringfort search keygen")
