# SPDX-License-Identifier: Apache-2.0
"""One dry run of a program. On the device ``dry``, operations compute levels (how many products are left) and bounds,
but not the data of ciphertexts. They raise the same errors as on other devices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..encrypted import Context, Dtype, EncryptedArray
from ..encrypted.verbs.dry_run import AvailableRotations
from ..errors import InvalidArgument
from ..values import DRY_RUN, kind_of
from .like import Like
from .timing import Call

__all__ = ["Attempt", "Inputs", "Result", "dry_context", "run_dry"]

# Maps an operation that is counted to an operation that is measured and takes about the same time.
_COUNTED = {name: name for name in ("multiply", "multiply_plain", "multiply_number", "add_plain", "add", "negate")}
_COUNTED |= {"subtract": "add", "add_apart": "add"}


@dataclass(frozen=True)
class Inputs:
    """The descriptions of the arguments of a program."""

    positional: tuple[Like, ...]
    named: Mapping[str, Like]

    @property
    def all(self) -> list[Like]:
        return [*self.positional, *self.named.values()]


@dataclass(frozen=True)
class Result:
    """An encrypted array that the program returns. For integers, precision_bits and magnitude are 0.0."""

    shape: tuple[int, ...]
    precision_bits: float
    magnitude: float
    nbytes: int


@dataclass(frozen=True)
class Attempt:
    """Facts of a dry run. rotations: the steps (distances in slots) that get keys. swap: True if the program needs the
    key that swaps the two rows of slots of integers, or conjugates complex numbers."""

    results: tuple[Result, ...]
    rotations: tuple[int, ...]
    swap: bool
    multiplications: int
    input_bytes: int
    log2_qp: float
    n: int
    calls: tuple[Call, ...] = ()
    """How often the program calls each operation at each level. A rotation that uses several keys counts once for each
    key."""

    @property
    def precision_bits(self) -> float:
        return min(result.precision_bits for result in self.results)


class _Recorder:
    """Performs the operations of a context. Counts, for each level, the calls of those operations that take time."""

    def __init__(self, verbs: Any) -> None:
        self._verbs = verbs
        self.rotated: Counter[tuple[int, int]] = Counter()
        """The number of rotations for each pair (step, level)."""
        self.calls: Counter[tuple[str, int]] = Counter()
        self.swap = False

    def __getattr__(self, name: str) -> Any:
        verb = getattr(self._verbs, name)
        if name not in _COUNTED:
            return verb

        def counted(a: Any, *others: Any) -> Any:
            self.calls[_COUNTED[name], a.level] += 1
            return verb(a, *others)

        return counted

    def inner_product_plain(self, a: Sequence[Any], values: Sequence[Any]) -> Any:
        self._terms(a)
        return self._verbs.inner_product_plain(a, values)

    def masked_sum(self, a: Sequence[Any], masks: Sequence[Any]) -> Any:
        self._terms(a)
        return self._verbs.masked_sum(a, masks)

    def _terms(self, a: Sequence[Any]) -> None:
        """Counts the terms of an inner product with vectors."""
        for each in a:
            self.calls["inner_product_plain", each.level] += 1

    def power(self, a: Any, exponent: int) -> Any:
        self._products(a, exponent.bit_length() + exponent.bit_count() - 2, (exponent - 1).bit_length())
        return self._verbs.power(a, exponent)

    def polynomial(self, a: Any, polynomial: Any) -> Any:
        self._products(a, polynomial.products, polynomial.levels)
        return self._verbs.polynomial(a, polynomial)

    def _products(self, a: Any, count: int, levels: int) -> None:
        """Counts all products of a tree of products at the tree's middle level. levels: the number of levels of the
        tree."""
        self.calls["multiply", max(1, a.level - levels // 2)] += count

    def rotate(self, a: Any, step: int) -> Any:
        self.rotated[step, a.level] += 1
        return self._verbs.rotate(a, step)

    def rotate_each(self, a: Sequence[Any], step: int) -> Any:
        for each in a:
            self.rotated[step, each.level] += 1
        return self._verbs.rotate_each(a, step)

    def swap_rows(self, a: Any) -> Any:
        self.calls["rotate", a.level] += 1
        self.swap = True
        return self._verbs.swap_rows(a)

    def conjugate(self, a: Any) -> Any:
        self.calls["rotate", a.level] += 1
        self.swap = True
        return self._verbs.conjugate(a)


def dry_context(dtype: Dtype, options: Mapping[str, Any]) -> Context:
    """Returns a context on the device of dry runs. Errors: those of ``Context``."""
    return Context(dtype, device=DRY_RUN, threads=1, **options)


def run_dry(function: Callable[..., Any], inputs: Inputs, ctx: Context) -> Attempt:
    """Runs the program in a dry context. Errors: those of the program, and InvalidArgument (the result of the program
    is not an encrypted array, nor a list, tuple or dict of encrypted arrays)."""
    keys, is_exact = ctx.keygen(), ctx.dtype.kind == "i"
    session = keys.public.session(DRY_RUN)
    recorder = session.tables.on = _Recorder(session.tables.on)
    low = 0 if ctx._range is None else ctx._range[0]

    def encrypted(each: Like) -> EncryptedArray:
        known = {"magnitude": each.magnitude} if not is_exact else {}
        array = ctx.encrypt(np.full(each.shape, low), keys.public, **known)
        array._labels = each.columns
        return array

    arguments = [encrypted(each) for each in inputs.positional]
    named = {k: encrypted(v) for k, v in inputs.named.items()}
    with ctx.profile(device=DRY_RUN) as profile:
        found = function(*arguments, **named)
    results = tuple(
        # Integers have infinitely many correct bits, but JSON has no infinity. Therefore 0.0 replaces it.
        Result(each.shape, *((0.0, 0.0) if is_exact else (each.precision_bits, each.magnitude)), each.nbytes)
        for each in _arrays(found)
    )
    galois = AvailableRotations(ctx.explain().facts.n // 2, keys.public._galois)  # type: ignore[arg-type]
    rotations = _keys_for({step for step, _ in recorder.rotated}, galois)
    for (step, level), count in recorder.rotated.items():
        one = galois.normal(step)
        recorder.calls["rotate", level] += count * (1 if one in rotations else len(galois.path(step)))
    return Attempt(
        results=results,
        rotations=rotations,
        swap=recorder.swap,
        multiplications=sum(record.multiplications for record in profile.records),
        input_bytes=sum(array.nbytes for array in [*arguments, *named.values()]),
        log2_qp=ctx.explain().facts.log2_qp,
        n=ctx.explain().facts.n,
        calls=tuple((name, level, count) for (name, level), count in sorted(recorder.calls.items()) if count),
    )


def _keys_for(steps: set[int], galois: AvailableRotations) -> tuple[int, ...]:
    """Returns the rotation steps that get keys. These are ``steps`` themselves, or those default steps of ``keygen``
    whose sums give ``steps``, if there are fewer of these default steps."""
    exact = {galois.normal(step) for step in steps} - {0}
    composing = {key for step in exact for key in galois.path(step)}
    return tuple(sorted(exact if len(exact) <= len(composing) else composing))


def _arrays(found: Any) -> list[EncryptedArray]:
    """Returns the encrypted arrays in the result of a program. Errors: InvalidArgument (the result has no array, or has
    an object of another type)."""
    arrays = list(found.values()) if isinstance(found, Mapping) else found
    arrays = list(arrays) if isinstance(arrays, (list, tuple)) else [arrays]
    for array in arrays:
        if not isinstance(array, EncryptedArray):
            raise InvalidArgument(
                f"the program returns {kind_of(array)}",
                "return encrypted arrays: one, or a list, tuple or dict of them",
            )
    if not arrays:
        raise InvalidArgument("the program returns no array", "return what you want to decrypt")
    return arrays
