# SPDX-License-Identifier: Apache-2.0
"""Schemes: a class for real and complex numbers, and a class for integers. A class has the module of the C++ library
(in ``_core``), the requirements for parameters, and the ciphertexts of its scheme."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Protocol

import numpy as np

from ..._core import bfv, bgv, ckks
from ..._core import keys as core
from ..._core import parameters as plain
from ...errors import InvalidArgument
from ...values import positive, shown, whole
from ..packing.layout import Slots
from ..residues.ciphertexts import ciphertexts_of
from ..residues.contexts import context_of
from ..residues.per_modulus import per_modulus
from .integers import IntegerCiphertexts, require_slots
from .real import RealCiphertexts

__all__ = ["Scheme", "named", "of_parameters", "preset", "preset_names"]


class Scheme(Protocol):
    module: ModuleType
    exact: bool

    def requirements(self, precision: object, magnitude: object, plain_modulus: object) -> Any: ...
    def ready(self, parameters: Any, device: str) -> Any:
        """Returns the C++ library's context on a device. Errors: DeviceUnknown, OutOfMemory."""
        ...

    def slots(self, ready: Any) -> Slots: ...
    def ciphertexts(
        self,
        ready: Any,
        dtype: np.dtype[Any],
        facts: plain.Explanation,
        relinearization: core.RelinearizationKey | None,
        galois: core.GaloisKeys | None,
    ) -> Any: ...


class Real:
    """Real and complex numbers, in CKKS."""

    module: ModuleType = ckks
    exact = False

    def requirements(self, precision: object, magnitude: object, plain_modulus: object) -> Any:
        wanted = plain.CkksRequirements()
        wanted.precision = whole("precision", precision, 2**16)
        wanted.magnitude = positive("magnitude", magnitude, 100)
        return wanted

    def ready(self, parameters: Any, device: str) -> Any:
        return ckks.Context(parameters, device)

    def slots(self, ready: Any) -> Slots:
        return Slots(ready.slots)

    def ciphertexts(
        self, ready: Any, dtype: np.dtype[Any], facts: plain.Explanation, relinearization: Any, galois: Any
    ) -> Any:
        return RealCiphertexts(ready, dtype, facts.depth, relinearization, galois)


class Integers:
    """Integers modulo a prime, or modulo the product of several primes, in BFV or BGV."""

    exact = True

    def __init__(self, module: ModuleType, requirements: type[Any]) -> None:
        self.module = module
        self._requirements = requirements

    def requirements(self, precision: object, magnitude: object, plain_modulus: object) -> Any:
        wanted = self._requirements()
        wanted.plain_modulus = whole("plain_modulus", plain_modulus, 2**64)
        return wanted

    def ready(self, parameters: Any, device: str) -> Any:
        return context_of(lambda each: self.module.Context(each, device), parameters)

    def slots(self, ready: Any) -> Slots:
        return Slots(ready.keys.chain.n // 2, 2)

    def ciphertexts(
        self, ready: Any, dtype: np.dtype[Any], facts: plain.Explanation, relinearization: Any, galois: Any
    ) -> Any:
        def of_modulus(context: Any, facts: Any, relinearization: Any, galois: Any) -> IntegerCiphertexts:
            require_slots(context)
            return IntegerCiphertexts(self.module, context, facts.bits_left, relinearization, galois)

        return ciphertexts_of(ready, of_modulus, facts, relinearization, galois)


_INTEGERS = {"bgv": Integers(bgv, plain.BgvRequirements), "bfv": Integers(bfv, plain.BfvRequirements)}


def named(dtype: str, scheme: object) -> Scheme:
    """Returns the scheme for a dtype. For integers, ``scheme`` selects BFV or BGV. None means BGV, because its products
    take less time."""
    choices: dict[str, Scheme] = dict(_INTEGERS) if dtype == "int" else {"ckks": Real()}
    if scheme is None:
        return next(iter(choices.values()))
    if not isinstance(scheme, str) or scheme not in choices:
        raise InvalidArgument(
            f"scheme {shown(scheme)} does not fit dtype {dtype!r}", "give one of: " + ", ".join(map(repr, choices))
        )
    return choices[scheme]


def of_parameters(parameters: object) -> Scheme:
    """Returns the scheme to which the parameters belong."""
    known: dict[type, Scheme] = {
        plain.CkksParameters: Real(),
        plain.BgvParameters: _INTEGERS["bgv"],
        plain.BfvParameters: _INTEGERS["bfv"],
    }
    return known[type(per_modulus(parameters)[0])]


_PRESETS = [
    (plain.ckks_preset_names, plain.ckks_preset),
    (plain.bfv_preset_names, plain.bfv_preset),
    (plain.bgv_preset_names, plain.bgv_preset),
]


def preset_names() -> list[str]:
    return [name for names, _ in _PRESETS for name in names()]


def preset(name: str) -> tuple[Scheme, Any]:
    """Returns the scheme and the parameters of a preset. Errors: InvalidArgument."""
    make = next((make for names, make in _PRESETS if name in names()), None)
    if make is None:
        raise InvalidArgument(f"there is no preset {shown(name)}", "presets: " + ", ".join(preset_names()))
    parameters = make(name)
    return of_parameters(parameters), parameters
