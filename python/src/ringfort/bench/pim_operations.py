# SPDX-License-Identifier: Apache-2.0
"""Measures operations of a scheme on the device ``pim``, for one ciphertext and for many ciphertexts per call.

Each result is compared byte for byte with the result of ``cpu``. Keys are on the device before the measurement. Each
operand is uploaded in a call of its own. An operand stays in the memory to which it was uploaded. A product stays in
the memory where it was computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from .. import ring
from .._core import Profile, bfv, bgv, ckks, devices, files
from .._core import keys as core
from .._core import parameters as plain
from ..errors import InvalidArgument
from ..values import whole

__all__ = ["SCHEMES", "Wanted", "pim_operations"]

SCHEMES: dict[str, tuple[Any, Callable[[], Any]]] = {
    "ckks": (ckks, plain.CkksParameters),
    "bfv": (bfv, plain.BfvParameters),
    "bgv": (bgv, plain.BgvParameters),
}
_NO_SECRETS = "a measurement of time, which encrypts nothing secret"
_MOST = 64
_SHORT_BITS, _MOST_BITS = 30, 60


@dataclass(frozen=True)
class Wanted:
    """A ring of degree ``n`` with ``limbs`` data primes of ``prime_bits`` bits.

    A level is a group of primes, which a product uses up. It has two primes of at most 30 bits, or one longer prime.
    There are as many special primes (of keys) as a level has primes.
    """

    scheme: str = "ckks"
    n: int = 4096
    limbs: int = 6
    ciphertexts: tuple[int, ...] = (1, 2, 4, 8)
    device: str = "pim"
    prime_bits: int = 30

    @property
    def primes_per_level(self) -> int:
        return 2 if self.prime_bits <= _SHORT_BITS else 1


OPERATIONS = ("product", "product, relinearized", "multiply", "rotate")


class _Party:
    """A context with its evaluators and ciphertexts."""

    def __init__(self, module: Any, context: Any, keys: tuple[Any, Any], ciphertexts: Sequence[Any]) -> None:
        self.context, self.ciphertexts, self._keys, self._module = context, ciphertexts, keys, module
        self._by_hand = module.Evaluator(context)
        self._automatic = module.Arithmetic(context, *keys)

    def on(self, there: Any, count: int) -> _Party:
        """Returns copies of ``count`` pairs of ciphertexts on another device."""
        keys = self._keys[0].to(there.keys), self._keys[1].to(there.keys)
        ciphertexts = [ciphertext.to(there) for ciphertext in (*self.ciphertexts[:count], *self.ciphertexts[-count:])]
        return _Party(self._module, there, keys, ciphertexts)

    def compute(self, operation: str, count: int) -> list[Any]:
        a, b = self.ciphertexts[:count], self.ciphertexts[-count:]
        if operation == "rotate":
            return list(self._automatic.rotate_each(a, 1))
        if operation == "multiply":
            return list(self._automatic.multiply_each(a, b))
        products = self._by_hand.multiply_each(a, b)
        relinearized = operation != "product"
        return list(self._by_hand.relinearize_each(products, self._keys[0]) if relinearized else products)


def pim_operations(wanted: Wanted) -> dict[str, Any]:
    """Returns a row for each operation and each number of ciphertexts.

    Errors: InvalidArgument, Unsupported (no such primes), DeviceUnknown.
    """
    if wanted.scheme not in SCHEMES:
        raise InvalidArgument(f"there is no scheme {wanted.scheme!r}", "give one of: " + ", ".join(SCHEMES))
    if not all(whole("ciphertexts", count, _MOST + 1) >= 1 for count in wanted.ciphertexts):
        raise InvalidArgument("a number of ciphertexts is 0", f"give numbers in 1 .. {_MOST}")
    module, _ = SCHEMES[wanted.scheme]
    parameters = _parameters(wanted)
    here = module.Context(parameters, "cpu")
    generator = core.KeyGenerator(here.keys)
    keys = (
        generator.create_relinearization_key(),
        generator.create_galois_keys(core.plan_keys(here.keys, [1], False, 0), None),
    )
    public, values = generator.create_public_key(), np.arange(16) / 16 if module is ckks else np.arange(16)
    ciphertexts = [module.encrypt(here, public, np.roll(values, i)) for i in range(2 * max(wanted.ciphertexts))]
    cpu = _Party(module, here, keys, ciphertexts)
    make = partial(module.Context, parameters, wanted.device)
    rows = [
        {"operation": operation, "ciphertexts": count, **_measured(make(), cpu, operation, count)}
        for operation in OPERATIONS
        for count in wanted.ciphertexts
    ]
    return {**asdict(wanted), "ciphertexts": list(wanted.ciphertexts), "cycles": _cycles(), "operations": rows}


def _cycles() -> str:
    """Returns "simulated" if this package has compiled programs for DPUs, which it simulates. If not, the package only
    estimates cycles, and this function returns "estimated"."""
    sets = [device.instruction_set for device in devices() if device.name == "pim"]
    return "estimated" if any("estimated" in name for name in sets) else "simulated"


def _measured(there: Any, cpu: _Party, operation: str, count: int) -> dict[str, Any]:
    """Measures on a device that is opened for this measurement."""
    pim = cpu.on(there, count)
    pim.compute(operation, count)  # the first use copies keys and operands to the device
    profile = Profile()
    there.keys.profile(profile)
    results = pim.compute(operation, count)
    there.keys.profile(None)
    us = sum(record.end_us - record.start_us for record in profile.records)
    expected = [_bytes(cpu.context, ciphertext) for ciphertext in cpu.compute(operation, count)]
    same = [_bytes(cpu.context, ciphertext.to(cpu.context)) for ciphertext in results] == expected
    return {"ms_each": us / 1000 / count, "verified": same}


def _parameters(wanted: Wanted) -> Any:
    limbs, bits, each = whole("limbs", wanted.limbs, 128), wanted.prime_bits, wanted.primes_per_level
    if not _SHORT_BITS <= whole("prime_bits", bits, 64) <= _MOST_BITS:
        raise InvalidArgument(f"prime_bits is {bits}", f"give a number in {_SHORT_BITS} .. {_MOST_BITS}")
    if limbs < 2 * each or limbs % each:
        words = "an even number, 4 or more: a level has two" if each == 2 else "2 or more: a level has one"
        raise InvalidArgument(f"limbs is {limbs}", "give " + words)
    n = whole("n", wanted.n, 2**16)
    primes = ring.primes(bits, max(n, 2**15) if each == 2 else n, limbs + each)
    chain = plain.ChainParameters()
    chain.n, chain.data, chain.special = n, primes[:limbs], primes[limbs:]
    chain.limbs_per_level = chain.digit_limbs = each
    chain.insecure_reason = _NO_SECRETS
    parameters = SCHEMES[wanted.scheme][1]()
    parameters.chain = chain
    if wanted.scheme == "ckks":
        parameters.scale = float(np.prod([float(prime) for prime in primes[limbs - each : limbs]]))
    return parameters


def _bytes(context: Any, ciphertext: Any) -> bytes:
    return bytes(files.encode_ciphertext(context, ciphertext))
