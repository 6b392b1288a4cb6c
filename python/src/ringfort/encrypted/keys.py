# SPDX-License-Identifier: Apache-2.0
"""Key sets: the secret one decrypts, its public part encrypts and computes."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .._core import files
from .._core import keys as core
from ..errors import InvalidArgument, KeyMissing, ParametersMismatch, SecretRefused
from ..secret_memory import warn_where_unlocked
from ..units import quantity, size
from ..values import kind_of, text
from . import pickles, show
from .rehearsal import HeldRotations, Rehearsal
from .session import Session

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .context import Context

__all__ = ["Keys", "PublicKeys", "announced", "public_part"]


class PublicKeys:
    """What a server needs: encryption, products and rotations. Holds no secret; shareable between threads.

    Without any key it is what an array stands on that came by pickle.
    """

    def __init__(
        self,
        context: Context,
        public: core.PublicKey | None,
        relinearization: core.RelinearizationKey | None,
        galois: core.GaloisKeys | None,
    ) -> None:
        self.context = context
        self._public = public
        self._relinearization = relinearization
        self._galois = galois
        self._device = context.device
        self._lock = threading.Lock()
        self._sessions: dict[str, Session] = {}
        self._encryptors: dict[str, core.PublicKey | None] = {}

    @property
    def device(self) -> str:
        """Where what is encrypted under these keys begins."""
        return self._device

    def to(self, device: str) -> PublicKeys:
        """The same keys for what begins on a device; each goes there at its first use, once. Errors: DeviceUnknown."""
        self.session(text("device", device))
        there = object.__new__(PublicKeys)
        there.__dict__ = self.__dict__ | {"_device": device}
        return there

    def cpu(self) -> PublicKeys:
        return self.to("cpu")

    def session(self, device: str) -> Session:
        """Contexts and keys on a device: made at the first use, kept afterwards. Errors: DeviceUnknown."""
        with self._lock:
            if device not in self._sessions:
                self._sessions[device] = self._open(device)
            return self._sessions[device]

    def encryption_key(self, device: str) -> core.PublicKey:
        """Errors: KeyMissing."""
        self.session(device)
        if (key := self._encryptors[device]) is None:
            raise KeyMissing("these keys have no public one", "encrypt with keys.public of the owner")
        return key

    @property
    def is_empty(self) -> bool:
        return self._public is None

    def _open(self, device: str) -> Session:
        ready = self.context._on(device)
        target = ready.keys

        def moved(key: Any) -> Any:
            return None if key is None else key.to(target)

        self._encryptors[device] = moved(self._public)
        on = self.context._arithmetic(ready, moved(self._relinearization), moved(self._galois))
        session = Session(self, on, device, self.context.threads)
        held = None
        if self._galois is not None and not self._has_all_rotations():
            held = HeldRotations(target.chain.n // 2, self._galois)
        session.rehearsal = lambda: Session(
            self, Rehearsal(on, self._relinearization, self._galois, held), device, threads=1
        )
        return session

    def _has_all_rotations(self) -> bool:
        if self._galois is None:
            return False
        plan = self._galois.plan
        return set(self.context.rotations_of_arrays()) <= set(plan.steps) and (
            plan.conjugation or self.context.dtype.kind == "f"
        )

    @property
    def nbytes(self) -> int:
        """Memory of the evaluation keys on one device."""
        plan = self._galois.plan if self._galois is not None else None
        rotations = plan.galois_bytes if plan is not None else 0
        return rotations + (
            self.context.plan_keys(()).relinearization_bytes if self._relinearization is not None else 0
        )

    @property
    def fingerprint(self) -> str:
        """128 bits of a digest of all public parts, kind and range of the numbers, in groups to compare by voice.

        A file without a secret may have been given other public keys on its way, which no reader can find out: its
        sender and its receiver can, before anything is encrypted. Errors: KeyMissing.
        """
        if self.is_empty:
            raise KeyMissing("these keys have no public one", "ask the owner for keys.public")
        digest = hashlib.blake2b(digest_size=16, person=b"ringfort public")
        promise = self.context._range
        meaning = self.context.dtype.kind + ("" if promise is None else f" {promise[0]} {promise[1]}")
        digest.update(f"{meaning}\0".encode())
        for key in (self._public, self._relinearization, self._galois):
            data = b"" if key is None else files.encode_key(self.context._scope, key).tobytes()
            digest.update(len(data).to_bytes(8, "little"))
            digest.update(data)
        return digest.digest().hex(" ", 2)

    def __repr__(self) -> str:
        return f"PublicKeys({self.context!r}, {size(self.nbytes)} of evaluation keys, device={self._device!r})"

    def _repr_html_(self) -> str:
        return show.keys("PublicKeys", self.context, self.nbytes, self._device)

    def __copy__(self) -> PublicKeys:
        return self

    def __deepcopy__(self, memo: object) -> PublicKeys:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        return pickles.reduced_keys(self, protocol)


class Keys:
    """A key set with its secret. ``public`` is the part for servers; this object stays with its owner."""

    def __init__(self, public: PublicKeys, secret: core.SecretKey) -> None:
        warn_where_unlocked()
        self.public = public
        self._secret = secret
        self._ledgers: dict[str, files.ReleaseLedger] = {}
        self._releasing = threading.Lock()
        self._lock = threading.Lock()
        self._secrets: dict[str, core.SecretKey] = {}

    @property
    def context(self) -> Context:
        return self.public.context

    def secret_for(self, session: Session) -> core.SecretKey:
        """The secret on the session's device. Errors: ParametersMismatch when the array is of another context."""
        if session.keys.context != self.context:
            raise ParametersMismatch(
                "the array was encrypted under other keys", "decrypt with the keys of its encryption"
            )
        if session.keys.context is not self.context:  # it came by pickle
            return self._secret.to(session.on.context.keys)
        with self._lock:
            if session.device not in self._secrets:
                self._secrets[session.device] = self._secret.to(session.on.context.keys)
            return self._secrets[session.device]

    @property
    def device(self) -> str:
        """Where what is encrypted under these keys begins."""
        return self.public.device

    def to(self, device: str) -> Keys:
        """The same keys on a device: see ``PublicKeys.to``. Errors: DeviceUnknown."""
        there = object.__new__(Keys)
        there.__dict__ = self.__dict__ | {"public": self.public.to(device)}
        return there

    def cpu(self) -> Keys:
        return self.to("cpu")

    def create_ledger(self, path: str | os.PathLike[str]) -> None:
        """Makes the file that counts decryptions for others; keep it beside the secret key.

        Make it before the keys are saved: what is saved then remembers that there is one, and how far it had counted.
        Errors: IoWrite (it exists), ReleaseRefused (the key has one), InvalidArgument (no release is planned).
        """
        if not self._releases:
            raise InvalidArgument(
                "the context plans for no release", "make it with Context(release=rf.Release(bits, queries))"
            )
        files.ReleaseLedger.create(os.fspath(path), self.context._on(self.context.device), self._secret)

    @property
    def _releases(self) -> bool:
        planned = getattr(self.context._parameters, "release", None)
        return planned is not None and planned.bits != 0

    def ledger_mark(self) -> list[NDArray[np.uint8]]:
        """What a file of these keys says of their ledger; nothing where no release is planned."""
        return [files.ReleaseLedger.mark(self.context._on(self.context.device), self._secret)] if self._releases else []

    def remember_ledger(self, mark: NDArray[np.uint8] | None) -> None:
        """Takes what a file of these keys says of their ledger."""
        if mark is not None and self._releases:
            files.ReleaseLedger.remember(self.context._on(self.context.device), self._secret, mark)

    @contextmanager
    def ledger(self, path: str | os.PathLike[str], session: Session) -> Iterator[files.ReleaseLedger]:
        """The count in a file, for one thread at a time; it is opened once, so that an older copy of it is noticed."""
        folder, name = os.path.split(os.path.abspath(path))
        place = os.path.join(os.path.realpath(folder), name)  # a link at its end stays one, and is refused
        secret = self.secret_for(session)
        with self._releasing:
            if place not in self._ledgers:
                self._ledgers[place] = files.ReleaseLedger.open(place, session.on.context, secret)
            yield self._ledgers[place]

    def __repr__(self) -> str:
        return f"Keys({self.context!r}, secret not shown, device={self.device!r})"

    def _repr_html_(self) -> str:
        return show.keys("Keys, secret not shown", self.context, self.public.nbytes, self.device)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise SecretRefused(
            "secret keys are never copied or pickled",
            "send keys.public; keep the secret with rf.save(path, keys=keys, passphrase=...)",
        )


@contextmanager
def announced(
    plan: core.KeyPlan, progress: bool | Callable[[int, int], object]
) -> Iterator[Callable[[int, int], object] | None]:
    """What key generation tells after every key: nothing, the caller's function, or a bar below a line with the sizes.

    Errors: InvalidArgument.
    """
    if progress is False or callable(progress):
        yield progress or None
        return
    if progress is not True:
        raise InvalidArgument(f"progress is {kind_of(progress)}", "give True, or a function of (done, total)")
    from .. import progress as bars

    console, count = bars.standard_error(), len(plan.steps) + plan.conjugation
    console.print(
        f"{quantity(count, 'rotation key')} of {size(plan.bytes_per_key)} and one for products: "
        f"{size(plan.galois_bytes + plan.relinearization_bytes)} of memory"
    )
    with bars.shown(console, "making keys", count, "rotation key") as told:
        yield told


def public_part(keys: object, context: Context) -> PublicKeys:
    """The public part of a key set of this context. Errors: KeyMissing, ParametersMismatch."""
    public = keys.public if isinstance(keys, Keys) else keys
    if not isinstance(public, PublicKeys):
        raise KeyMissing(f"{type(keys).__name__} was given, not keys", "make some with: keys = ctx.keygen()")
    if public.context != context:
        raise ParametersMismatch("the keys are of another context", "use keys that this context's keygen() made")
    return public
