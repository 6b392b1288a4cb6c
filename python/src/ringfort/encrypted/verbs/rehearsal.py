# SPDX-License-Identifier: Apache-2.0
"""A verb without its ciphertexts: levels that do not suffice and keys that are missing are found before any work.

A ``Ghost`` stands for a ciphertext: how much room it has, and how many levels were taken on the way to it. Levels of
real numbers are counted exactly. Of integers, whose room is in bits, the least is counted that a product can take;
where that is too little, the verb that lacks the room refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..._core import keys as core
from ..array.array import EncryptedArray
from ..array.refusals import (
    missing_rotation,
    out_of_depth,
    require_conjugation_key,
    require_product_key,
    require_rotation_keys,
)
from ..array.session import Session
from ..packing.arithmetic import Vector
from .operands import encrypted_among, is_encrypted, together

__all__ = ["HeldRotations", "Levels", "Rehearsal", "rehearse"]


class Levels(NamedTuple):
    needed: int
    left: int


@dataclass(frozen=True)
class Ghost:
    left: int
    """Levels of the operand that it came from."""
    room: float
    taken: int = 0
    """Levels since."""


class HeldRotations:
    """Which rotations a set of keys makes."""

    def __init__(self, circle: int, galois: core.GaloisKeys) -> None:
        self._circle = circle
        self.steps = set(galois.plan.steps)
        self._paths = {path.step: path.keys for path in galois.plan.paths}

    def make(self, step: int) -> bool:
        return all(single in self.steps for single in self.path(step))

    def path(self, step: int) -> list[int]:
        """The steps whose keys make this one: its own, else what was planned for it, else signed powers of two."""
        rest = self.normal(step)
        if rest == 0 or rest in self.steps:
            return [rest] * (rest != 0)
        if rest in self._paths:
            return self._paths[rest]
        powers, power = [], 1
        while rest:
            digit = 0 if rest % 2 == 0 else 2 - rest % 4  # 1 or -1, so that what is left is a multiple of 4
            powers += [self.normal(digit * power)] * abs(digit)
            rest, power = (rest - digit) // 2, power * 2
        return powers

    def normal(self, step: int) -> int:
        """In (-circle / 2, circle / 2]."""
        positive = step % self._circle
        return positive - self._circle if positive > self._circle // 2 else positive


class Rehearsal:
    """An ``Arithmetic`` of ghosts for one verb, and what a session knows of them.

    held: None where no rotation is missing.
    """

    wants_batches = False

    @property
    def verbs(self) -> Rehearsal:
        return self

    def __init__(
        self, on: Any, relinearization: Any, galois: core.GaloisKeys | None, held: HeldRotations | None
    ) -> None:
        self.slots, self.dtype, self.depth, self.exact = on.slots, on.dtype, on.depth, on.exact
        self._on, self._relinearization, self._galois, self._held = on, relinearization, galois, held
        self._fullest: Ghost | None = None
        self.levels = Levels(0, 0)
        """Of the operand that lacks most: what the verb takes of it, and what it has."""
        self._missing: set[int] = set()

    def ghost(self, ciphertext: Any) -> Ghost:
        return Ghost(self._on.depth_left(ciphertext), self._on.room(ciphertext))

    def depth_left(self, a: Ghost) -> int:
        return max(0, a.left - a.taken)

    def _same(self, a: Ghost, *others: Any) -> Ghost:
        return a

    negate = add_plain = _same

    def add(self, a: Ghost, b: Ghost) -> Ghost:
        return min(a, b, key=lambda ghost: ghost.room)

    subtract = add_apart = add

    def multiply(self, a: Ghost, b: Ghost) -> Ghost:
        require_product_key(self._relinearization)
        return self._after(self.add(a, b), 1, self._on.room_of_product)

    def power(self, a: Ghost, exponent: int) -> Ghost:
        require_product_key(self._relinearization)
        levels = (exponent - 1).bit_length()
        return self._after(a, levels, levels * self._on.room_of_product)

    def multiply_plain(self, a: Ghost, values: Vector) -> Ghost:
        return self._after(a, 1, self._on.room_of_plain(values))

    def multiply_number(self, a: Ghost, value: complex) -> Ghost:
        return a if self._on.is_free(value) else self._after(a, 1, self._on.room_of_product)

    def _after(self, a: Ghost, levels: int, room: float) -> Ghost:
        result = Ghost(a.left, a.room - room, a.taken + levels)
        if self._fullest is None or result.room < self._fullest.room:
            self._fullest = result
        if result.taken - result.left > self.levels.needed - self.levels.left:
            self.levels = Levels(result.taken, result.left)
        return result

    def rotate(self, a: Ghost, step: int) -> Ghost:
        require_rotation_keys(self._galois)
        if self._held is not None and not self._held.make(step):
            self._missing.add(self._held.normal(step))
        return a

    def swap_rows(self, a: Ghost) -> Ghost:
        require_rotation_keys(self._galois)
        if self._galois is not None and not self._galois.plan.conjugation:
            raise missing_rotation("the keys have none that exchanges the two lanes of integers")
        return a

    def conjugate(self, a: Ghost) -> Ghost:
        require_conjugation_key(self._galois)
        return a

    def require_room(self) -> None:
        """What the verb was lacking. Errors: DepthExhausted, KeyMissing."""
        if self._fullest is not None and self._fullest.room < 0:
            raise out_of_depth(self._on, max(self._fullest.taken, self._fullest.left + 1), self._fullest.left)
        if self._missing and self._held is not None:
            lacking, held = sorted(self._missing), sorted(self._held.steps)
            raise missing_rotation(f"rotations by {lacking} are asked for, the keys are for {held}", held + lacking)


def rehearse(verb: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Levels:
    """Levels that the verb takes of the operand that lacks most, where there is one.

    Errors: DepthExhausted, KeyMissing, ParametersMismatch (two arrays that do not meet), those of the verb.
    """
    arrays = encrypted_among(args)
    if not arrays:
        return Levels(0, 0)
    first = arrays[0]
    for other in arrays[1:]:
        first = together(first, other)[0]
    if (twin := first._session.rehearsal()) is not None:
        verb(*(_twins(x, twin) for x in args), **options)
        twin.on.require_room()
        return twin.on.levels
    return Levels(0, 0)


def _twins(x: Any, session: Session) -> Any:
    if isinstance(x, (list, tuple)) and any(map(is_encrypted, x)):
        return [_twins(part, session) for part in x]
    return _twin(x, session) if is_encrypted(x) else x


def _twin(x: EncryptedArray, session: Session) -> EncryptedArray:
    packed = replace(x._packed, blocks=tuple(map(session.on.ghost, x._packed.blocks)))
    return EncryptedArray(session, x.shape, packed, x._interval)
