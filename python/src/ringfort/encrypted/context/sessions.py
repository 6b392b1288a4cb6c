# SPDX-License-Identifier: Apache-2.0
"""Sessions: makes and keeps a session (array/session.py) for each device of a key set, with the keys on this device."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ..._core import keys as core
from ...errors import KeyMissing
from ...locks import Lock
from ..array.session import KeySet, Session
from ..verbs.dry_run import AvailableRotations, DryRun

__all__ = ["CoreKeys", "SessionContext", "Sessions"]


class SessionContext(Protocol):
    """The members of Context (context.py) that a session uses."""

    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def threads(self) -> int: ...
    def rotations_of_arrays(self) -> list[int]: ...
    def _on(self, device: str) -> Any: ...
    def _ciphertexts(
        self, ready: Any, relinearization: core.RelinearizationKey | None, galois: core.GaloisKeys | None
    ) -> Any: ...


CoreKeys = tuple[core.PublicKey | None, core.RelinearizationKey | None, core.GaloisKeys | None]


class Sessions:
    """Makes a session at the first use of a device, and keeps it. Threads can share this object."""

    def __init__(self, context: SessionContext, keys: CoreKeys) -> None:
        self._context = context
        self._keys = keys
        self._lock = Lock()
        self._opened: dict[str, Session] = {}
        self._encryptors: dict[str, core.PublicKey | None] = {}

    def on(self, device: str, keys: KeySet) -> Session:
        """Returns the session on a device. keys: the key set of a new session. Errors: DeviceUnknown."""
        with self._lock.inner:
            if device not in self._opened:
                self._opened[device] = self._open(device, keys)
            return self._opened[device]

    def encryption_key(self, device: str) -> core.PublicKey:
        """Returns the encryption key on a device. ``on`` must have been called for this device. Errors: KeyMissing."""
        if (key := self._encryptors[device]) is None:
            raise KeyMissing("these keys have no public key", "encrypt with keys.public of the owner")
        return key

    def _open(self, device: str, keys: KeySet) -> Session:
        ready = self._context._on(device)
        public, relinearization, galois = self._keys

        def moved(key: Any) -> Any:
            return None if key is None else key.to(ready.keys)

        self._encryptors[device] = moved(public)
        on = self._context._ciphertexts(ready, moved(relinearization), moved(galois))
        session = Session(keys, on, device, self._context.threads)
        available = None
        if galois is not None and not self._has_all_rotations(galois.plan):
            available = AvailableRotations(ready.keys.chain.n // 2, galois)
        session.dry_run = lambda: Session(keys, DryRun(on, relinearization, galois, available), device, threads=1)
        return session

    def _has_all_rotations(self, plan: core.KeyPlan) -> bool:
        return set(self._context.rotations_of_arrays()) <= set(plan.steps) and (
            plan.conjugation or self._context.dtype.kind == "f"
        )
