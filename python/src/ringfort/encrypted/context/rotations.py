# SPDX-License-Identifier: Apache-2.0
"""Rotation keys: checks the steps (distances in slots) that a caller gives, and adds rotation keys for an existing
secret key."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ..._core import keys as core
from ...errors import InvalidArgument
from ...logs import INFO, logged
from ...values import shown
from ..residues.keys import KeyGenerator, plan_keys
from .announcement import announced

__all__ = ["galois_with", "steps_of"]


def steps_of(rotations: object) -> list[int]:
    """Checks the steps, and returns them as integers. Errors: InvalidArgument."""
    if not isinstance(rotations, Iterable):
        raise InvalidArgument(f"rotations is {shown(rotations)}", "give steps: rotations=[1, 2, -1], or a plan")
    return [_step(step) for step in rotations]


def _step(step: object) -> int:
    if isinstance(step, bool) or not isinstance(step, (int, np.integer)) or abs(int(step)) >= 2**31:
        raise InvalidArgument(f"rotations has the step {shown(step)}", "steps are whole numbers below 2^31")
    return int(step)


def galois_with(
    wanted: core.KeyPlan,
    existing: core.GaloisKeys | None,
    on: core.KeyContext,
    secret: core.SecretKey,
    progress: bool | Callable[[int, int], object],
) -> core.GaloisKeys | None:
    """Makes the keys of ``wanted`` that ``existing`` lacks, for the secret key ``secret``. Returns ``existing``
    together with these keys. Returns None if ``existing`` lacks no key."""
    known = existing.plan if existing is not None else plan_keys(on, [], False, 0)
    steps = [step for step in wanted.steps if step not in known.steps]
    swap = wanted.conjugation and not known.conjugation
    if not steps and not swap:
        return None
    plan = plan_keys(on, steps, swap, 0)

    def make() -> core.GaloisKeys:
        with announced(plan, progress) as told:
            more: core.GaloisKeys = KeyGenerator(on, secret).create_galois_keys(plan, told)
        return more if existing is None else existing.joined(more)

    return logged("extend", make, lambda keys: keys.plan.galois_bytes, INFO)
