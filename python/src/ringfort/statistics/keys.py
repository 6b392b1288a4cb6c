# SPDX-License-Identifier: Apache-2.0
"""Keys of a study. The analyst keeps the secret set; users and aggregator have the public set.

A folder holds study.json, public.rfc and, for the analyst only, secret.rfc (mode 0600).
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from .. import encrypted
from .._core import bfv, bgv, parameters
from .._core import keys as plain
from .._core import statistics as core
from ..encrypted.context.options import Primes, prime_choice, reason
from ..errors import InsecureParameters, InvalidArgument, IoOpen, IoWrite, KeyMissing, ParametersMismatch, SecretRefused
from ..key_folders import locked_key_folder
from ..logs import INFO, recorded
from ..values import kind_of, require_seal, text, whole
from ..whole_files import read_whole, write_whole
from .study import Study

__all__ = ["Keys", "PublicKeys", "keygen", "load_keys"]

STUDY_FILE, PUBLIC_FILE, SECRET_FILE = "study.json", "public.rfc", "secret.rfc"
_FILES = dict.fromkeys((SECRET_FILE, PUBLIC_FILE, STUDY_FILE), "uploads for its study would be lost")
_STUDY_LIMIT = 1 << 20  # bytes of study.json
MODULES: dict[str, Any] = {"bgv": bgv, "bfv": bfv}


class PublicKeys:
    """Keys of users and the aggregator, without a secret. Shareable between threads."""

    def __init__(self, study: Study, keys: encrypted.PublicKeys) -> None:
        self.study = study
        self._keys = keys
        self._plain = study.plain()

    @property
    def context(self) -> encrypted.Context:
        """The context of the study."""
        return self._keys.context

    def explain(self) -> Any:
        """Describes ring, security and sizes."""
        return self.context.explain()

    @property
    def capacity(self) -> int:
        """Number of records that can be added before a total might wrap around."""
        return self._plain.capacity(self.context.plain_modulus)

    @property
    def fingerprint(self) -> str:
        """128 bits of a digest of the study and its public keys, for people to compare.

        An attacker could replace keys in files in transit. Therefore the analyst reads out this fingerprint, and users
        compare it with the fingerprint of their files. The analyst must take it from the Keys that she made, or opened
        with her passphrase: ``load_keys(folder, secret=True, passphrase=...).public``.

        Errors: KeyMissing.
        """
        both = f"{self.study.to_json()}\n{self._keys.fingerprint}"
        return hashlib.blake2b(both.encode(), digest_size=16).digest().hex(" ", 2)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes study.json and public.rfc. Errors: IoWrite."""
        target = Path(folder)
        try:
            target.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(target / STUDY_FILE, self.study.to_json() + "\n")
        except OSError as error:
            raise IoWrite(f"{target} cannot be written: {error.strerror}", "choose another folder") from None
        encrypted.save(target / PUBLIC_FILE, keys=self._keys)

    @property
    def home(self) -> Any:
        """The library's context for the device of the keys. Uploads are encoded and decoded in this context."""
        return self.context._on(self.context.device)

    def on(self, device: str) -> Any:
        """Returns the library's context on a device."""
        return self.context._on(text("device", device))

    def moved(self, device: str) -> tuple[plain.PublicKey, plain.RelinearizationKey | None, plain.GaloisKeys | None]:
        """Returns the keys on another device."""
        target, keys = self.on(device).keys, self._keys
        if keys._public is None:
            raise KeyMissing(
                "these keys came with a pickled upload or result, which contains no keys", "use the study's public keys"
            )
        relinearization, galois = keys._relinearization, keys._galois
        return (
            keys._public.to(target),
            None if relinearization is None else relinearization.to(target),
            None if galois is None else galois.to(target),
        )

    @property
    def module(self) -> Any:
        """The bindings of the study's scheme."""
        return MODULES[self.study.scheme]

    def __repr__(self) -> str:
        return f"PublicKeys({self.study!r}, {self.context!r})"

    def __copy__(self) -> PublicKeys:
        return self

    def __deepcopy__(self, memo: object) -> PublicKeys:
        return self

    def __reduce__(self) -> Any:
        return PublicKeys, (self.study, self._keys)


class Keys:
    """Keys with the secret key, which decrypts totals. ``public`` is for all other parties."""

    def __init__(self, public: PublicKeys, keys: encrypted.Keys) -> None:
        self.public = public
        self._keys = keys

    @property
    def study(self) -> Study:
        """The study that the keys are for."""
        return self.public.study

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        passphrase: str | None = None,
        strength: int = 1,
        unsealed: bool = False,
    ) -> None:
        """Writes the public files and secret.rfc, sealed by the passphrase or with unsealed=True (see
        ``ringfort.save``). If it fails, it leaves no key.

        Errors: SecretRefused (without either option), IoWrite (also if one of the three files exists), IoLocked
        (another process makes keys there).
        """
        require_seal("keys", "keys.public", passphrase, unsealed)
        with locked_key_folder(folder, _FILES) as target:
            self.public.save(target)
            encrypted.save(
                target / SECRET_FILE,
                keys=self._keys,
                passphrase=passphrase,
                strength=strength,
                unsealed=unsealed,
                associated=_belongs_to(self.study),
            )

    def __repr__(self) -> str:
        return f"Keys({self.study!r}, secret not shown)"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise SecretRefused(
            "secret keys are never copied or pickled",
            "send keys.public; keep the secret with keys.save(folder, passphrase=...)",
        )


@recorded("statistics.keygen", INFO)
def keygen(
    study: Study,
    *,
    primes: Primes | None = None,
    n: int = 0,
    insecure: str = "",
    threads: int | None = None,
) -> Keys:
    """Chooses parameters for the study and makes fresh keys.

    primes: {"bits": 30, "form": "c*2^16+1"} for devices that multiply short words. n: the ring degree (0: the smallest
    that fits). insecure: your reason if the ring has less than 128 bits of security. Errors: InvalidArgument,
    Unsupported (no ring holds such totals), InsecureParameters.
    """
    if not isinstance(study, Study):
        raise InvalidArgument(f"keygen was given a study {kind_of(study)}", "give a rf.statistics.Study")
    choice, module = core.Choice(), MODULES[study.scheme]
    choice.primes = prime_choice({} if primes is None else primes)
    choice.n, choice.insecure_reason = whole("n", n, 2**32), reason(insecure)
    context = encrypted.Context.of_parameters(module.choose_for_study(study.plain(), choice), "i", threads=threads)
    on = context._on(context.device)
    make = plain.KeyGenerator(on.keys)
    galois = None if study.each_slot else make.galois_keys(core.plan_rotations(on.keys), None)
    relinearization = None if study.wanted == "means" else make.relinearization_key()
    public = encrypted.PublicKeys(context, make.public_key(), relinearization, galois)
    return Keys(PublicKeys(study, public), encrypted.Keys(public, make.secret_key()))


@recorded("statistics.load_keys", INFO)
def load_keys(
    folder: str | os.PathLike[str],
    *,
    secret: bool = False,
    passphrase: str = "",
    allow_insecure: bool = False,
    most_strength: int = 1,
) -> Any:
    """Returns the PublicKeys of a folder; with secret=True, its Keys. most_strength: see ``ringfort.load``.

    Errors: IoOpen, KeyMissing (no secret in the folder), ParametersMismatch, InsecureParameters, Passphrase, and
    those of reading files (Io...).
    """
    source = Path(folder)
    try:
        study = Study.from_json(read_whole(source / STUDY_FILE, _STUDY_LIMIT).decode())
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise IoOpen(f"{source / STUDY_FILE} cannot be read: {why}", "give a folder of keygen()") from None
    if secret and not (source / SECRET_FILE).exists():
        raise KeyMissing(f"{source} holds no secret key", "only the analyst has the secret key and can decrypt")
    name = SECRET_FILE if secret else PUBLIC_FILE
    found = encrypted.load(
        source / name,
        passphrase=passphrase,
        secrets=secret,
        associated=_belongs_to(study),
        allow_insecure=allow_insecure,
        most_strength=most_strength,
    )
    kind = encrypted.Keys if secret else encrypted.PublicKeys
    if not isinstance(found.get("keys"), kind) or not isinstance(found["context"]._parameters, _kind(study)):
        raise ParametersMismatch(f"{source / name} holds no keys of the study beside it", "give a folder of keygen()")
    if found["context"].insecure and not allow_insecure:
        raise InsecureParameters(f"{source} holds keys below 128 bits", "allow them explicitly")
    keys = found["keys"]
    return Keys(PublicKeys(study, keys.public), keys) if secret else PublicKeys(study, keys)


def _belongs_to(study: Study) -> bytes:
    """Returns the associated data that binds a sealed secret to its study, whose columns give totals their meaning."""
    return study.to_json().encode()


def _kind(study: Study) -> type[Any]:
    return parameters.BgvParameters if study.scheme == "bgv" else parameters.BfvParameters
