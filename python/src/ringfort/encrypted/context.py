# SPDX-License-Identifier: Apache-2.0
"""Context: from what is wanted (numbers, depth, precision) to a ring, and the place where arrays and keys are made."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import DeviceMemory, Profile, files
from .._core import keys as core
from .._core import parameters as plain
from ..errors import InvalidArgument
from ..values import device_name, shown, text, whole
from ..whole_files import write_whole
from . import pickles, ranges, schemes, shadow, show
from .array import EncryptedArray
from .keys import Keys, PublicKeys, announced, public_part
from .layout import Layout
from .options import Options, chosen, requirements
from .packed import Packed
from .session import plain_values

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Context", "Options"]

_DTYPES = {"real": np.dtype(np.float64), "complex": np.dtype(np.complex128), "int": np.dtype(np.int64)}


class Context:
    """What encrypted arrays can hold and how much can be computed on them; immutable, shareable between threads.

    dtype: "real", "complex" or "int": exact, with range=(low, high) whole numbers that never wrap around, or with
    modular=True residues modulo a prime t, in [-(t - 1) / 2, (t - 1) / 2]. depth: products one after another.
    device: where keys and arrays begin (None: ``ringfort.default_device()``). threads: ciphertexts worked on at a time
    (None: one a core). Everything else: see ``Options``.
    Errors: InvalidArgument, Unsupported (no ring fits; the message says how much is missing), InsecureParameters.
    """

    def __init__(
        self,
        dtype: str = "real",
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
        cls, name: str, *, dtype: str | None = None, device: str | None = None, threads: int | None = None
    ) -> Context:
        """A context of named parameters, one of ``Context.presets()``. dtype: "complex" where "real" is not wanted.

        Errors: InvalidArgument.
        """
        scheme, parameters = schemes.preset(text("name", name))
        given = ("int" if scheme.exact else "real") if dtype is None else dtype
        if not isinstance(given, str) or given not in _DTYPES or scheme.exact != (given == "int"):
            raise InvalidArgument(f"dtype is {shown(dtype)} for the preset {name!r}", "leave it out")
        return cls.of_parameters(parameters, _DTYPES[given].kind, device, threads)

    @staticmethod
    def presets() -> list[str]:
        """Names of parameter sets of publications: scheme, ring degree, for CKKS also the number of data primes."""
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
        """A context of parameters that were chosen elsewhere. kind: of its dtype, "f", "c" or "i"; promise: a range."""
        dtype = next((name for name, known in _DTYPES.items() if known.kind == kind), None)
        scheme = schemes.of_parameters(parameters)
        if dtype is None or (kind == "i") != scheme.exact:
            raise InvalidArgument(
                f"parameters of {type(parameters).__name__} for numbers of kind {kind!r}", "the file is damaged"
            )
        context = cls.__new__(cls)
        context._scheme = scheme
        context._begin(dtype, parameters, device, threads)
        context._range = ranges.declared(promise, context.plain_modulus)
        return context

    def _begin(self, dtype: str, parameters: Any, device: str | None, threads: int | None) -> None:
        self._dtype = _DTYPES[dtype]
        self._parameters = parameters
        self._facts = plain.explain(parameters)
        self._asked_threads = threads
        self._threads = whole("threads", threads, 2**16) if threads is not None else _cores()
        if self._threads == 0:
            raise InvalidArgument("0 threads were asked for", "give at least 1")
        self._device = device_name(device)
        self._lock = threading.Lock()
        self._ready: dict[str, Any] = {}
        self._scope = files.scope(self._on(self._device))

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._dtype

    @property
    def device(self) -> str:
        """Where arrays begin."""
        return self._device

    @property
    def threads(self) -> int:
        return self._threads

    @property
    def slots(self) -> int:
        """Values in one ciphertext."""
        return self._scheme.slots(self._on(self._device)).count

    @property
    def plain_modulus(self) -> int:
        """What integers are computed modulo; 0 for real and complex numbers."""
        return getattr(self._parameters, "plain_modulus", 0)

    @property
    def insecure(self) -> str:
        """Why less than the standard's security was accepted; empty where it was not."""
        return self._parameters.chain.insecure_reason

    def explain(self) -> Explanation:
        """Ring, security, sizes and precision: an object that prints as a table."""
        return Explanation(self._facts, self._parameters, self._range)

    def plan_keys(self, rotations: Iterable[int] | None = None, *, max_bytes: int = 0) -> core.KeyPlan:
        """The rotation keys for these steps (None: what arrays need) and their bytes, before anything is made.

        max_bytes: rotations whose keys do not fit are composed of others. Errors: InvalidArgument.
        """
        if rotations is not None and not isinstance(rotations, Iterable):
            raise InvalidArgument(f"rotations is {shown(rotations)}", "give steps: rotations=[1, 2, -1]")
        steps = self.rotations_of_arrays() if rotations is None else [_step(step) for step in rotations]
        swap = self._dtype.kind != "f" and rotations is None  # integers: exchanges lanes; complex numbers: conjugates
        return core.plan_keys(self._on(self._device).keys, steps, swap, whole("max_bytes", max_bytes, 2**63))

    def keygen(
        self,
        rotations: Iterable[int] | None = None,
        *,
        max_bytes: int = 0,
        progress: bool | Callable[[int, int], object] = False,
    ) -> Keys:
        """A fresh key set. rotations: steps with a key of their own; None: powers of two, enough for all arrays.

        progress: True says how large the keys will be and shows a bar on standard error; a function is called with
        (keys made, keys in all); False from it, what it raises, and Ctrl-C stop the work: Stopped.
        """
        ready, plan = self._on(self._device), self.plan_keys(rotations, max_bytes=max_bytes)
        with announced(plan, progress) as told:
            make = core.KeyGenerator(ready.keys)
            public, relinearization = make.public_key(), make.relinearization_key()
            galois = make.galois_keys(plan, told)
        return Keys(PublicKeys(self, public, relinearization, galois), make.secret_key())

    def encrypt(self, values: ArrayLike, keys: Keys | PublicKeys, *, magnitude: float | None = None) -> EncryptedArray:
        """An array of any shape under a key set or its public part.

        magnitude: no value of this array is larger, if not the context's. Everybody sees it. Bounds follow what is
        declared and not the values: powers of what is declared as 1 stay at 1, those of 16 need room for 16**k.
        Errors: InvalidArgument, KeyMissing, ParametersMismatch.
        """
        public = public_part(keys, self)
        array = plain_values(values, self._dtype)
        declared = ranges.declared_magnitude(magnitude, getattr(self._parameters, "magnitude", None))
        options = {} if declared is None else {"magnitude": declared}
        ranges.require_magnitude(array, declared)
        promise = public.context._range or self._range  # contexts are equal with and without a range
        interval = ranges.encrypted(array, promise, self.plain_modulus)
        session, key = public.session(public.device), public.encryption_key(public.device)
        layout = Layout.of_shape(array.shape, session.on.slots)
        blocks = session.each(lambda vector: session.on.encrypt(key, vector, **options), layout.pack(array))
        result = EncryptedArray(session, array.shape, Packed(layout, tuple(blocks)), interval)
        if shadow.is_active():
            result._clear = array
        return result

    @contextmanager
    def profile(self, path: str | os.PathLike[str] | None = None, device: str | None = None) -> Iterator[Profile]:
        """Records every verb that the device runs inside: ``with ctx.profile("trace.json") as found: ...``.

        ``found.records`` has name, device, times, bytes and multiplications of each; ``path`` gets a Chrome trace
        (chrome://tracing, Perfetto). Verbs of all threads of this context are in it.
        """
        target, found = self._keys_on(device), Profile()
        target.profile(found)
        try:
            yield found
        finally:
            target.profile(None)
        if path is not None:
            write_whole(path, found.chrome_trace("ringfort"))

    def memory(self, device: str | None = None) -> DeviceMemory:
        """What arrays, keys and operations of this context have on the device, and what is kept for the next ones."""
        return self._keys_on(device).memory()

    def keep_at_most(self, size: int, *, device: str | None = None) -> None:
        """Keeps at most so many bytes of memory that ended for later use on the device (64 MiB without this call).

        Errors: InvalidArgument.
        """
        self._keys_on(device).keep_at_most(whole("size", size, 2**63))

    def keep_copies(self, size: int, *, device: str | None = None) -> None:
        """Keeps copies of arrays that ``to(device)`` brought there for the next ``to``, up to so many bytes.

        None without this call. A copy ends with the array that it was made of; those that nobody has used for
        longest go first. Errors: InvalidArgument.
        """
        self._keys_on(device).keep_copies(whole("size", size, 2**63))

    def trim(self, device: str | None = None) -> None:
        """Gives back all memory of the device that is kept."""
        self._keys_on(device).trim()

    def _keys_on(self, device: str | None) -> core.KeyContext:
        return self._on(self._device if device is None else text("device", device)).keys

    def rotations_of_arrays(self) -> list[int]:
        """The steps whose keys a plain ``keygen()`` makes: powers of two, from which every other is composed."""
        lane = self._scheme.slots(self._on(self._device)).lane
        powers = [1 << i for i in range(lane.bit_length() - 1)]
        return powers + [-p for p in powers[:-1]]

    def _on(self, device: str) -> Any:
        with self._lock:
            if device not in self._ready:
                self._ready[device] = self._scheme.module.Context(self._parameters, device)
            return self._ready[device]

    def _arithmetic(
        self, ready: Any, relinearization: core.RelinearizationKey | None, galois: core.GaloisKeys | None
    ) -> Any:
        return self._scheme.arithmetic(ready, self._dtype, self._facts, relinearization, galois)

    def __eq__(self, other: object) -> bool:
        """Of equal parameters: keys and arrays of one can be used with the other."""
        if not isinstance(other, Context):
            return NotImplemented
        return (self._dtype, self._scope.digest) == (other._dtype, other._scope.digest)

    def __hash__(self) -> int:
        return hash((self._dtype, self._scope.digest))

    def __copy__(self) -> Context:
        return self

    def __deepcopy__(self, memo: object) -> Context:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        return pickles.reduced_context(self)

    def __repr__(self) -> str:
        warning = f", INSECURE: {self.insecure}" if self.insecure else ""
        facts = (
            f"N={self._facts.n}, depth={self._facts.depth}, slots={self.slots}, {show.primes(self._parameters.chain)}"
        )
        return f"Context(dtype={self._dtype.name}, {facts}{warning})"

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()


class Explanation:
    """The facts about a context's parameters, as attributes of ``facts`` and as text."""

    def __init__(self, facts: plain.Explanation, parameters: Any, promise: ranges.Interval | None = None) -> None:
        self.facts = facts
        self._range = promise
        self._parameters = parameters

    def __str__(self) -> str:
        lines = self.facts.text().splitlines()
        lines.insert(2, "primes         " + show.chain(self._parameters.chain))
        return "\n".join(lines + show.values(self._parameters, self._range)) + "\n"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        lines = (re.split(r"\s{2,}", line, maxsplit=1) for line in str(self).splitlines())
        return show.table("Context", dict(lines))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _step(step: object) -> int:
    if isinstance(step, bool) or not isinstance(step, (int, np.integer)) or abs(int(step)) >= 2**31:
        raise InvalidArgument(f"rotations has the step {shown(step)}", "steps are whole numbers below 2^31")
    return int(step)
