# SPDX-License-Identifier: Apache-2.0
"""Context: selects a ring (degree, primes) for given numbers, depth and precision. Makes keys and encrypted arrays.

The public classes Context, Keys and PublicKeys refer to each other, and are in one file for this reason.
``encrypted/__init__.py`` sets the functions that pickle Context and PublicKeys. Keys cannot be pickled.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._core import DeviceMemory, files, first_gpu, is_gpu
from ..._core import keys as core
from ...cores import usable_cores
from ...errors import InvalidArgument, KeyMissing, SecretRefused
from ...locks import Lock
from ...logs import INFO, logged
from ...secret_memory import warn_where_unlocked
from ...units import size
from ...values import CPU, device_name, shown, text, whole
from ..array import ranges, show
from ..array.array import EncryptedArray
from ..array.session import Session, plain_values
from ..packing.layout import Layout
from ..packing.packed import Packed
from ..residues import KeyGenerator, Scopes, encoded_key, explained, moduli_of, plan_keys
from ..verbs import shadow
from ..verbs.labels import is_frame, labels_of_frame
from . import schemes
from .announcement import announced
from .explanation import Explanation
from .fingerprints import fingerprint_of
from .ledgers import Ledgers
from .measurement import measure, refuse_to_measure
from .options import Dtype, Options, chosen, described, requirements
from .profiles import Profile, Recordings
from .rotations import galois_with, steps_of
from .sessions import Sessions

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Context", "Keys", "PublicKeys"]

_DTYPES = {"real": np.dtype(np.float64), "complex": np.dtype(np.complex128), "int": np.dtype(np.int64)}
_COPIES_OF_GPU = 4  # a GPU keeps copies from other devices in at most 1 / 4 of its memory


@runtime_checkable
class PlannedRotations(Protocol):
    """The part of a plan (``ringfort.plan``) that selects rotation keys."""

    @property
    def rotations(self) -> Iterable[int]: ...
    @property
    def swap(self) -> bool: ...


class Context:
    """Describes the numbers in encrypted arrays, and the depth of computations. Immutable. Threads can share it.

    dtype: "real", "complex" or "int". Integers are exact. With range=(low, high), integers never wrap around. With
    modular=True, integers are residues modulo a prime t, in [-(t - 1) / 2, (t - 1) / 2].
    depth: the number of successive products. device: the device of new keys and arrays. None means
    ``ringfort.default_device()``. threads: the number of ciphertexts that an operation processes at a time. None means
    ``RINGFORT_THREADS``, or one thread for each core that the process may use. The other options are listed below.
    Errors: InvalidArgument, Unsupported (no ring fits; the message states how much is missing), InsecureParameters.
    """

    _reduced: ClassVar[Callable[[Context], Any]]

    def __init__(
        self,
        dtype: Dtype = "real",
        *,
        depth: int = 4,
        device: str | None = None,
        threads: int | None = None,
        **options: Unpack[Options],
    ) -> None:
        if not isinstance(dtype, str) or dtype not in _DTYPES:
            raise InvalidArgument(f"dtype is {shown(dtype)}", "give one of: " + ", ".join(map(repr, _DTYPES)))
        self._scheme = schemes.named(dtype, options.get("scheme"))
        wanted = requirements(self._scheme, dtype, depth, options)
        self._begin(dtype, chosen(self._scheme, wanted, options), device, threads)
        self._range = ranges.declared(options.get("range"), self.plain_modulus)

    @classmethod
    def preset(
        cls, name: str, *, dtype: Dtype | None = None, device: str | None = None, threads: int | None = None
    ) -> Context:
        """Returns a context with the published parameters ``name``, one of ``Context.presets()``.

        dtype: "complex" for complex numbers. None: the preset's real numbers or integers. Errors: InvalidArgument.
        """
        scheme, parameters = schemes.preset(text("name", name))
        given = ("int" if scheme.exact else "real") if dtype is None else dtype
        if not isinstance(given, str) or given not in _DTYPES or scheme.exact != (given == "int"):
            raise InvalidArgument(f"dtype {shown(dtype)} does not fit the preset {name!r}", "leave it out")
        return cls.of_parameters(parameters, _DTYPES[given].kind, device, threads)

    @staticmethod
    def presets() -> list[str]:
        """Returns the names of published parameters: scheme, ring degree and, for CKKS, the number of data primes."""
        return schemes.preset_names()

    @classmethod
    def of_parameters(
        cls,
        parameters: Any,
        kind: str,
        device: str | None = None,
        threads: int | None = None,
        promise: object = None,
    ) -> Context:
        """Returns a context with the given parameters.

        kind: "f", "c" or "i", as in NumPy's dtype.kind. promise: the declared range of integers.
        """
        dtype = next((name for name, known in _DTYPES.items() if known.kind == kind), None)
        scheme = schemes.of_parameters(parameters)
        if dtype is None or (kind == "i") != scheme.exact:
            raise InvalidArgument(
                f"{type(parameters).__name__} do not fit numbers of kind {kind!r}", "the file is damaged"
            )
        context = cls.__new__(cls)
        context._scheme = scheme
        context._begin(dtype, parameters, device, threads)
        context._range = ranges.declared(promise, context.plain_modulus)
        return context

    def _begin(self, dtype: str, parameters: Any, device: str | None, threads: int | None) -> None:
        self._dtype = _DTYPES[dtype]
        self._parameters = parameters
        self._facts = explained(parameters)
        self._asked_threads = threads
        self._threads = whole("threads", threads, 2**16) if threads is not None else usable_cores()
        if self._threads == 0:
            raise InvalidArgument("threads is 0", "give at least 1")
        self._device = device_name(device)
        self._lock = Lock()
        self._ready: dict[str, Any] = {}
        self._recordings = Recordings()
        self._scopes = Scopes(self._on(self._device))

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's type of decrypted values."""
        return self._dtype

    @property
    def device(self) -> str:
        """The device of new arrays."""
        return self._device

    @property
    def threads(self) -> int:
        """Number of threads of one operation."""
        return self._threads

    @property
    def slots(self) -> int:
        """Number of values in one ciphertext."""
        return self._scheme.slots(self._on(self._device)).count

    @property
    def plain_modulus(self) -> int:
        """The modulus of integers: the product of ``plain_moduli``. 0 for real and complex numbers."""
        return getattr(self._parameters, "plain_modulus", 0)

    @property
    def plain_moduli(self) -> tuple[int, ...]:
        """The primes modulo which integers are encrypted: several if one prime is too short for the range."""
        return moduli_of(self._parameters)

    @property
    def insecure(self) -> str:
        """The user's reason for parameters below 128 bits of security; empty if the user gave no reason."""
        return self._parameters.chain.insecure_reason

    def explain(self) -> Explanation:
        """Returns a description of the ring, its security, sizes and precision. The description prints as a table."""
        return Explanation(self._facts, self._parameters, self._range)

    def plan_keys(
        self, rotations: Iterable[int] | PlannedRotations | None = None, *, max_bytes: int = 0
    ) -> core.KeyPlan:
        """Returns the rotation keys that ``keygen`` would make, and their size in bytes. rotations: the steps. A step
        is the distance in slots by which a rotation moves elements. None means the steps that arrays need. A plan
        (``ringfort.plan``) means the steps of its program.
        max_bytes: the largest size of the keys; 0 means no limit. The library replaces a rotation that has no key by
        several rotations that have keys. Errors: InvalidArgument.
        """
        # For integers, the swap exchanges the two halves of the slots. For complex numbers, it conjugates the slots.
        if isinstance(rotations, PlannedRotations):
            steps, swap = list(rotations.rotations), rotations.swap
        elif rotations is None:
            steps, swap = self.rotations_of_arrays(), self._dtype.kind != "f"
        else:
            steps, swap = steps_of(rotations), False
        return plan_keys(self._on(self._device).keys, steps, swap, whole("max_bytes", max_bytes, 2**63))

    def keygen(
        self,
        rotations: Iterable[int] | PlannedRotations | None = None,
        *,
        max_bytes: int = 0,
        progress: bool | Callable[[int, int], object] = False,
    ) -> Keys:
        """Returns a fresh key set.

        rotations: the steps (distances in slots) that get their own keys. None means signed powers of two, which
        suffice for all arrays. A plan (``ringfort.plan``) means the keys of its program. max_bytes: see ``plan_keys``.
        progress: True prints the size of the keys and a progress bar on standard error. A function is called with the
        number of finished keys and the number of all keys. If the function returns False, keygen raises Stopped. If
        the function raises an exception, keygen raises this exception. Ctrl-C raises KeyboardInterrupt.
        """
        ready, plan = self._on(self._device), self.plan_keys(rotations, max_bytes=max_bytes)

        def make() -> Keys:
            with announced(plan, progress) as told:
                generator = KeyGenerator(ready.keys)
                public, relinearization = generator.create_public_key(), generator.create_relinearization_key()
                galois = generator.create_galois_keys(plan, told)
            return Keys(PublicKeys(self, public, relinearization, galois), generator.secret_key())

        return logged("keygen", make, lambda keys: keys.public.nbytes, INFO)

    def encrypt(self, values: ArrayLike, keys: Keys | PublicKeys, *, magnitude: float | None = None) -> EncryptedArray:
        """Returns an array of any shape, encrypted under a key set or its public part.

        magnitude: a bound on the absolute values of this array. The default is the magnitude of the context. The bound
        is public. The library computes the bounds of results from the magnitude, not from the values: powers of numbers
        with magnitude 1 have magnitude 1, and the k-th power of numbers with magnitude 16 has magnitude 16**k.
        values: may be a DataFrame. Then the array keeps the names of the columns, for ``x["age"]`` and
        ``decrypt_frame``. These names are public. Errors: InvalidArgument, KeyMissing, ParametersMismatch.
        """
        return logged("encrypt", lambda: self._encrypted(values, keys, magnitude), lambda array: array.nbytes)

    def _encrypted(self, values: ArrayLike, keys: Keys | PublicKeys, magnitude: float | None) -> EncryptedArray:
        public = public_part(keys, self)
        columns = labels_of_frame(values) if is_frame(values) else None
        array = plain_values(values, self._dtype, len(self.plain_moduli) > 1)
        declared = ranges.declared_magnitude(magnitude, getattr(self._parameters, "magnitude", None))
        options = {} if declared is None else {"magnitude": declared}
        ranges.require_magnitude(array, declared)
        promise = public.context._range or self._range  # equal contexts may have different ranges
        interval = ranges.encrypted(array, promise, self.plain_modulus)
        session, key = public.session(public.device), public.encryption_key(public.device)
        layout = Layout.of_shape(array.shape, session.on.slots)
        ciphertexts = session.each(lambda vector: session.on.encrypt(key, vector, **options), layout.pack(array))
        result = EncryptedArray(session, array.shape, Packed(layout, tuple(ciphertexts)), interval)
        result._labels = columns
        shadow.keep(result, array)
        return result

    def profile(
        self, path: str | os.PathLike[str] | None = None, device: str | None = None
    ) -> AbstractContextManager[Profile]:
        """Records every operation of the device inside a block ``with ctx.profile("trace.json") as found: ...``.

        ``found`` prints as a table, also in notebooks. ``found.to_pandas()`` is a DataFrame. ``found.records`` has the
        name, the device, the times, the bytes and the multiplications of each operation, for the operations of all
        threads of this context. ``path``: the file for a Chrome trace (a timeline). Errors: Unsupported (the device
        already records a profile of this context), IoWrite.
        """
        name = self._name_of(device)
        return self._recordings.record(name, self._on(name).keys, path)

    def memory(self, device: str | None = None) -> DeviceMemory:
        """Returns the sizes of this context's device memory: memory in use, and memory kept for reuse."""
        return self._keys_on(device).memory()

    def keep_at_most(self, size: int, *, device: str | None = None) -> None:
        """Sets the largest size, in bytes, of freed device memory that the context keeps for reuse.

        The default is an eighth of the memory of a GPU, and 64 MiB on other devices. Errors: InvalidArgument.
        """
        self._keys_on(device).keep_at_most(whole("size", size, 2**63))

    def keep_copies(self, size: int, *, device: str | None = None) -> None:
        """Keeps up to ``size`` bytes of copies of arrays that ``to(device)`` made. The next ``to`` reuses them.

        By default a GPU keeps copies in a quarter of its memory. Other devices keep none. A copy is freed with its
        array. If the copies exceed ``size``, the least recently used copies are freed first. Errors: InvalidArgument.
        """
        self._keys_on(device).keep_copies(whole("size", size, 2**63))

    def trim(self, device: str | None = None) -> None:
        """Frees all kept memory of the device."""
        self._keys_on(device).trim()

    def _keys_on(self, device: str | None) -> core.KeyContext:
        return self._on(self._name_of(device)).keys

    def _name_of(self, device: str | None) -> str:
        return self._device if device is None else device_name(device)

    def rotations_of_arrays(self) -> list[int]:
        """Returns the steps of default rotation keys: signed powers of two. Any step is a sum of these."""
        orbit = self._scheme.slots(self._on(self._device)).orbit
        powers = [1 << i for i in range(orbit.bit_length() - 1)]
        return powers + [-p for p in powers[:-1]]

    def _on(self, device: str) -> Any:
        with self._lock.inner:
            if device not in self._ready:
                ready = self._scheme.ready(self._parameters, device)
                if is_gpu(device):
                    ready.keys.keep_copies(ready.keys.memory().limit // _COPIES_OF_GPU)
                self._ready[device] = ready
            return self._ready[device]

    def _ciphertexts(self, ready: Any, relinearization: Any, galois: Any) -> Any:
        return self._scheme.ciphertexts(ready, self._dtype, self._facts, relinearization, galois)

    def __eq__(self, other: object) -> bool:
        """Compares parameters and dtype. Keys and arrays of a context also work with every equal context."""
        if not isinstance(other, Context):
            return NotImplemented
        return (self._dtype, self._scopes.digest) == (other._dtype, other._scopes.digest)

    def __hash__(self) -> int:
        return hash((self._dtype, self._scopes.digest))

    def __copy__(self) -> Context:
        return self

    def __deepcopy__(self, memo: object) -> Context:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._reduced()

    def __repr__(self) -> str:
        warning = f", INSECURE: {self.insecure}" if self.insecure else ""
        sizes, primes = f"N={self._facts.n}, depth={self._facts.depth}", show.primes(self._parameters.chain)
        return f"Context(dtype={self._dtype.name}, {sizes}, slots={self.slots}, {primes}{warning})"

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()


Context.__doc__ = f"{inspect.getdoc(Context)}\n\n{described()}"


class PublicKeys:
    """The public keys of a key set, for a server. Contains no secret. Threads can share it.

    In an unpickled array, this object contains no keys.
    """

    _reduced: ClassVar[Callable[[PublicKeys, Any], Any]]
    measure = refuse_to_measure

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
        self._sessions = Sessions(context, (public, relinearization, galois))

    @property
    def device(self) -> str:
        """The device of arrays that are encrypted under these keys."""
        return self._device

    def to(self, device: str) -> PublicKeys:
        """Returns the same keys for arrays on a device. The first use of a key copies it. Errors: DeviceUnknown."""
        device = device_name(device)
        self.session(device)
        there = object.__new__(PublicKeys)
        there.__dict__ = self.__dict__ | {"_device": device}
        return there

    def cpu(self) -> PublicKeys:
        """Returns the same keys on the CPU."""
        return self.to(CPU)

    def gpu(self) -> PublicKeys:
        """Returns the same keys for arrays on the first GPU. Errors: DeviceUnknown (no GPU; the message says why)."""
        return self.to(first_gpu())

    def on_gpu(self) -> bool:
        """Tells whether the device is a GPU."""
        return is_gpu(self._device)

    def session(self, device: str) -> Session:
        """Returns the session (array/session.py) on a device. The first call makes it. Errors: DeviceUnknown."""
        return self._sessions.on(device, self)

    def encryption_key(self, device: str) -> core.PublicKey:
        """Returns the encryption key on a device. Errors: KeyMissing."""
        self.session(device)
        return self._sessions.encryption_key(device)

    @property
    def is_empty(self) -> bool:
        """True for the keys of an unpickled array: they contain no key."""
        return self._public is None

    def _public_part_of(self, keys: object) -> PublicKeys:
        """Returns the public part of keys of this context. Errors: KeyMissing, ParametersMismatch."""
        return public_part(keys, self.context)

    @property
    def nbytes(self) -> int:
        """Bytes of the evaluation keys on one device."""
        plan = self._galois.plan if self._galois is not None else None
        rotations = plan.galois_bytes if plan is not None else 0
        return rotations + (
            self.context.plan_keys(()).relinearization_bytes if self._relinearization is not None else 0
        )

    @property
    def id(self) -> str:
        """16 hexadecimal digits that name the secret key. Saving, loading and ``extend`` do not change them. Every
        array (``x.key_id``) and every file (``ringfort.inspect``) of these keys contains the same digits.

        A server finds the keys for a file by this id. The id proves nothing, because anybody can copy it: compare
        fingerprints. Errors: KeyMissing.
        """
        if self._public is None:
            raise KeyMissing("these keys have no public key", "ask the owner for keys.public")
        return show.key_id(self._public.key_id)

    @property
    def fingerprint(self) -> str:
        """A text that people compare: 128 bits of a digest of all public keys and of the kind and range of the numbers.

        An attacker can replace the public keys in a file that has no secret key, and a reader of the file cannot detect
        this. Therefore compare fingerprints with the owner of the keys before you encrypt. Errors: KeyMissing.
        """
        if self.is_empty:
            raise KeyMissing("these keys have no public key", "ask the owner for keys.public")
        keys, scope = (self._public, self._relinearization, self._galois), self.context._scopes
        return fingerprint_of(self.context.dtype.kind, self.context._range, (encoded_key(scope, key) for key in keys))

    def __repr__(self) -> str:
        return f"PublicKeys({self.context!r}, {size(self.nbytes)} of evaluation keys, device={self._device!r})"

    def _repr_html_(self) -> str:
        return show.keys("PublicKeys", self.context, self.nbytes, self._device)

    def __copy__(self) -> PublicKeys:
        return self

    def __deepcopy__(self, memo: object) -> PublicKeys:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._reduced(protocol)


class Keys:
    """A key set with its secret key. Give this object to nobody. ``public`` is the part for servers."""

    measure = measure

    def __init__(self, public: PublicKeys, secret: core.SecretKey) -> None:
        warn_where_unlocked()
        self.public = public
        self._secret = secret
        self._ledgers = Ledgers()
        self._lock = Lock()
        self._secrets: dict[str, core.SecretKey] = {}

    @property
    def context(self) -> Context:
        """The context that made the keys."""
        return self.public.context

    def secret_for(self, session: Session) -> core.SecretKey:
        """Returns the secret key on the session's device. Errors: ParametersMismatch (another context)."""
        if session.keys.context != self.context:
            raise show.two_contexts("the array and the keys", session.keys.context, self.context)
        if session.keys.context is not self.context:  # the array came from a file or a pickle
            return self._secret.to(session.on.context.keys)
        with self._lock.inner:
            if session.device not in self._secrets:
                self._secrets[session.device] = self._secret.to(session.on.context.keys)
            return self._secrets[session.device]

    @property
    def device(self) -> str:
        """The device of arrays that are encrypted under these keys."""
        return self.public.device

    def to(self, device: str) -> Keys:
        """Returns the same keys on a device: see ``PublicKeys.to``. Errors: DeviceUnknown."""
        there = object.__new__(Keys)
        there.__dict__ = self.__dict__ | {"public": self.public.to(device)}
        return there

    def cpu(self) -> Keys:
        """Returns the same keys on the CPU."""
        return self.to(CPU)

    def gpu(self) -> Keys:
        """Returns the same keys for arrays on the first GPU. Errors: DeviceUnknown (no GPU; the message says why)."""
        return self.to(first_gpu())

    def on_gpu(self) -> bool:
        """Tells whether the device is a GPU."""
        return is_gpu(self.device)

    def extend(
        self,
        rotations: Iterable[int] | PlannedRotations | None = None,
        *,
        progress: bool | Callable[[int, int], object] = False,
    ) -> Keys:
        """Returns these keys with more rotation keys for the same secret key. Makes only the missing keys.

        rotations: the steps of the new keys. None means all steps that arrays need. A plan (``ringfort.plan``) means
        the steps of its program. progress: see ``Context.keygen``.
        Existing arrays can use the new keys: a server calls ``x.with_keys(keys.public)`` with the public part of the
        result. The id stays the same. The fingerprint changes. Errors: InvalidArgument, Stopped.
        """
        context, public = self.context, self.public
        plan = context.plan_keys(rotations)
        if not plan.steps and not plan.conjugation:
            raise InvalidArgument("extend was given no rotation", "give steps: keys.extend(rotations=[3])")
        on, existing = context._on(context.device).keys, public._galois
        galois = galois_with(plan, existing, on, self._secret, progress)
        if galois is None:
            return self
        there = object.__new__(Keys)
        more = PublicKeys(context, public._public, public._relinearization, galois)
        there.__dict__ = self.__dict__ | {"public": more if self.device == more.device else more.to(self.device)}
        return there

    def create_ledger(self, path: str | os.PathLike[str]) -> None:
        """Makes the ledger: the file that counts the decryptions with ``release``. Keep the ledger with the secret key.

        Call this function before you save the keys. Then the saved file records the ledger. Errors: IoWrite (the file
        exists), ReleaseRefused (the key already has a ledger), InvalidArgument (the context has no release).
        """
        if not self._releases:
            raise InvalidArgument(
                "the context has no release", "make it with Context(release=rf.Release(bits, queries))"
            )
        files.ReleaseLedger.create(os.fspath(path), self.context._on(self.context.device), self._secret)

    @property
    def _releases(self) -> bool:
        planned = getattr(self.context._parameters, "release", None)
        return planned is not None and planned.bits != 0

    def ledger_mark(self) -> list[NDArray[np.uint8]]:
        """Returns the ledger's mark (identity and count), for files. Empty if the context has no release."""
        return [files.ReleaseLedger.mark(self.context._on(self.context.device), self._secret)] if self._releases else []

    def remember_ledger(self, mark: NDArray[np.uint8] | None) -> None:
        """Sets the ledger's mark, read from a file of these keys."""
        if mark is not None and self._releases:
            files.ReleaseLedger.remember(self.context._on(self.context.device), self._secret, mark)

    def use_ledger(
        self, path: str | os.PathLike[str], session: Session, work: Callable[[files.ReleaseLedger], None]
    ) -> None:
        """Calls ``work`` with the ledger that the file contains. Only one thread at a time uses a ledger."""
        self._ledgers.use(path, session.on.context, self.secret_for(session), work)

    def __repr__(self) -> str:
        return f"Keys({self.context!r}, secret not shown, device={self.device!r})"

    def _repr_html_(self) -> str:
        return show.keys("Keys, secret not shown", self.context, self.public.nbytes, self.device)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise SecretRefused(
            "secret keys are never copied or pickled",
            "send keys.public; keep the secret with rf.save(path, keys=keys, passphrase=...)",
        )


def public_part(keys: object, context: Context) -> PublicKeys:
    """Returns the public part of a key set of this context. Errors: KeyMissing, ParametersMismatch."""
    public = keys.public if isinstance(keys, Keys) else keys
    if not isinstance(public, PublicKeys):
        raise KeyMissing(f"{type(keys).__name__} is not a key set", "make one with: keys = ctx.keygen()")
    if public.context != context:
        raise show.two_contexts("the keys and the numbers", public.context, context)
    return public
