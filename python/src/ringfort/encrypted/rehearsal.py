# SPDX-License-Identifier: Apache-2.0
"""A verb without its ciphertexts: under a key set that lacks rotations a missing key is found before any work.

Key sets of a plain ``ctx.keygen()`` lack none, so nothing is rehearsed for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .._core import keys as core
from .arithmetic import missing_rotation, require_conjugation_key, require_product_key, require_rotation_keys
from .operands import is_encrypted, together

if TYPE_CHECKING:
    from .array import EncryptedArray
    from .session import Session

__all__ = ["Rehearsal", "rehearse"]


class Rehearsal:
    """An ``Arithmetic`` whose ciphertexts are all one nothing and whose only results are errors."""

    def __init__(
        self, on: Any, circle: int, relinearization: core.RelinearizationKey | None, galois: core.GaloisKeys | None
    ) -> None:
        self.slots, self.dtype, self.depth, self.exact = on.slots, on.dtype, on.depth, on.exact
        self._circle, self._relinearization, self._galois = circle, relinearization, galois
        plan = galois.plan if galois is not None else None
        self._swaps = plan is not None and plan.conjugation
        self._held = set(plan.steps) if plan is not None else set()
        self._paths = {path.step: path.keys for path in plan.paths} if plan is not None else {}

    def _same(self, a: object, *others: Any) -> object:
        return a

    add = subtract = negate = add_plain = multiply_plain = multiply_number = _same

    def multiply(self, a: object, b: object) -> object:
        require_product_key(self._relinearization)
        return a

    def power(self, a: object, exponent: int) -> object:
        require_product_key(self._relinearization)
        return a

    def rotate(self, a: object, step: int) -> object:
        require_rotation_keys(self._galois)
        for single in self.path(step):
            if single not in self._held:
                raise missing_rotation(
                    f"a rotation by {self._normal(step)} is asked for, the keys make none: they are for "
                    f"{sorted(self._held)}"
                )
        return a

    def swap(self, a: object) -> object:
        require_rotation_keys(self._galois)
        if not self._swaps:
            raise missing_rotation("the keys have none that exchanges the two lanes of integers")
        return a

    def conjugate(self, a: object) -> object:
        require_conjugation_key(self._galois)
        return a

    def path(self, step: int) -> list[int]:
        """The steps whose keys make this one: its own, else what was planned for it, else signed powers of two."""
        rest = self._normal(step)
        if rest == 0 or rest in self._held:
            return [rest] * (rest != 0)
        if rest in self._paths:
            return self._paths[rest]
        powers, power = [], 1
        while rest:
            digit = 0 if rest % 2 == 0 else 2 - rest % 4  # 1 or -1, so that what is left is a multiple of 4
            powers += [self._normal(digit * power)] * abs(digit)
            rest, power = (rest - digit) // 2, power * 2
        return powers

    def _normal(self, step: int) -> int:
        """In (-circle / 2, circle / 2]."""
        positive = step % self._circle
        return positive - self._circle if positive > self._circle // 2 else positive


def rehearse(verb: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Errors: KeyMissing, ParametersMismatch (two arrays that do not meet)."""
    arrays = [x for x in args if is_encrypted(x)]
    first = together(*arrays)[0] if len(arrays) == 2 else arrays[0] if arrays else None
    if first is not None and (twin := first._session.rehearsal) is not None:
        verb(*(_twin(x, twin) if is_encrypted(x) else x for x in args), **options)


_NOTHING = object()


def _twin(x: EncryptedArray, session: Session) -> EncryptedArray:
    from .array import EncryptedArray

    packed = replace(x._packed, blocks=(_NOTHING,) * len(x._packed.blocks))
    return EncryptedArray(session, x.shape, packed, x._interval)
