# SPDX-License-Identifier: Apache-2.0
"""Keys of a study (study.py). The analyst keeps the set with the secret key. Users and the aggregator have the public
set.

A folder of keys contains study.json and public.rfc. The folder of the analyst also contains secret.rfc (mode 0600).
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
_FILES = dict.fromkeys((SECRET_FILE, PUBLIC_FILE, STUDY_FILE), "without it, uploads for its study would be lost")
_STUDY_LIMIT = 1 << 20  # largest size of study.json in bytes
MODULES: dict[str, Any] = {"bgv": bgv, "bfv": bfv}


class PublicKeys:
    """The keys of users and of the aggregator. The object contains no secret. Threads can share it."""

    def __init__(self, study: Study, keys: encrypted.PublicKeys) -> None:
        self.study = study
        self._keys = keys
        self._plain = study.plain()

    @property
    def context(self) -> encrypted.Context:
        """The context of the study."""
        return self._keys.context

    def explain(self) -> Any:
        """Returns a description of the parameters, their security and their sizes."""
        return self.context.explain()

    @property
    def capacity(self) -> int:
        """Largest number of records that can be added before a total might wrap around."""
        return self._plain.capacity(self.context.plain_modulus)

    @property
    def fingerprint(self) -> str:
        """A text that people compare: 128 bits of a digest of the study and its public keys.

        An attacker could replace the keys in a file in transit. Therefore the analyst tells users this fingerprint, and
        users compare it with the fingerprint of their keys. The analyst must take the fingerprint from Keys that the
        analyst made, or opened with a passphrase: ``load_keys(folder, secret=True, passphrase=...).public``.

        Errors: KeyMissing.
        """
        both = f"{self.study.to_json()}\n{self._keys.fingerprint}"
        return hashlib.blake2b(both.encode(), digest_size=16).digest().hex(" ", 2)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes study.json and public.rfc. Errors: IoWrite, KeyMissing (the object comes from a pickled upload or
        result)."""
        target = Path(folder)
        try:
            target.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(target / STUDY_FILE, self.study.to_json() + "\n")
        except OSError as error:
            raise IoWrite(f"{target} cannot be written: {error.strerror}", "choose another folder") from None
        encrypted.save(target / PUBLIC_FILE, keys=self._keys)

    @property
    def home(self) -> Any:
        """The C++ library's context on the device of the keys. This context encodes and decodes uploads."""
        return self.context._on(self.context.device)

    def on(self, device: str) -> Any:
        """Returns the C++ library's context on a device."""
        return self.context._on(text("device", device))

    def moved(self, device: str) -> tuple[plain.PublicKey, plain.RelinearizationKey | None, plain.GaloisKeys | None]:
        """Returns the public key, the relinearization key (for products) and the Galois keys (for rotations) on a
        device. Keys that the study does not need are None. Errors: KeyMissing."""
        target, keys = self.on(device).keys, self._keys
        if keys._public is None:
            raise KeyMissing(
                "this object comes from a pickled upload or result, which contains no keys",
                "use the study's public keys",
            )
        relinearization, galois = keys._relinearization, keys._galois
        return (
            keys._public.to(target),
            None if relinearization is None else relinearization.to(target),
            None if galois is None else galois.to(target),
        )

    @property
    def module(self) -> Any:
        """The module of the C++ library for the study's scheme."""
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
    """The keys of the analyst, with the secret key, which decrypts totals. ``public`` is the part for all other
    parties."""

    def __init__(self, public: PublicKeys, keys: encrypted.Keys) -> None:
        self.public = public
        self._keys = keys

    @property
    def study(self) -> Study:
        """The study of these keys."""
        return self.public.study

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        passphrase: str | None = None,
        strength: int = 1,
        unsealed: bool = False,
    ) -> None:
        """Writes study.json, public.rfc and secret.rfc. The passphrase seals secret.rfc. unsealed=True writes
        secret.rfc without a passphrase (see ``ringfort.save``). If this function fails before secret.rfc is complete,
        it leaves none of the files. If it fails later, all three files stay.

        Errors: SecretRefused (neither a passphrase nor unsealed=True is given), IoWrite (a file cannot be written, or
        one of the three files exists), IoLocked (another process makes keys in this folder).
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

    primes: the choice of the primes of the ciphertexts, for instance {"bits": 30, "form": "c*2^16+1"} for devices that
    multiply short words. n: the ring degree, the number of coefficients of the polynomials in a ciphertext. 0 means the
    smallest degree that fits. insecure: your reason to accept less than 128 bits of security. Errors: InvalidArgument,
    Unsupported (the totals are too large for every ring), InsecureParameters.
    """
    if not isinstance(study, Study):
        raise InvalidArgument(f"keygen was given a study {kind_of(study)}", "give an rf.statistics.Study")
    choice, module = core.Choice(), MODULES[study.scheme]
    choice.primes = prime_choice({} if primes is None else primes)
    choice.n, choice.insecure_reason = whole("n", n, 2**32), reason(insecure)
    context = encrypted.Context.of_parameters(module.choose_for_study(study.plain(), choice), "i", threads=threads)
    on = context._on(context.device)
    make = plain.KeyGenerator(on.keys)
    galois = None if study.each_slot else make.create_galois_keys(core.plan_rotations(on.keys), None)
    relinearization = None if study.wanted == "means" else make.create_relinearization_key()
    public = encrypted.PublicKeys(context, make.create_public_key(), relinearization, galois)
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
    """Reads the keys of a folder. Returns PublicKeys, or Keys with secret=True. most_strength: see ``ringfort.load``.

    Errors: KeyMissing (the folder has no secret key), InvalidArgument (study.json is not a study), ParametersMismatch
    (the keys are not of this study), InsecureParameters, Passphrase, the Io errors.
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
    """Returns the associated data of a sealed secret key: the text of the study. This text binds the secret key to the
    study, because the columns of the study state the meaning of totals."""
    return study.to_json().encode()


def _kind(study: Study) -> type[Any]:
    return parameters.BgvParameters if study.scheme == "bgv" else parameters.BfvParameters
