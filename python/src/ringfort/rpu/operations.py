# SPDX-License-Identifier: Apache-2.0
"""Measures whole operations of a scheme, such as a product, on the device ``rpu``, the modelled ring processor. The
cost of an operation comes from a profile of the verbs that the device ran. A *verb* is an operation of a device.

Each operation also runs on the device ``cpu``. The results of the two devices are compared byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .._core import Profile, VerbRecord, bfv, bgv, ckks, files
from .._core import keys as core
from .._core import parameters as plain
from ..errors import InvalidArgument, Unsupported
from ..values import whole

__all__ = ["OPERATIONS", "SCHEMES", "Wanted", "operations"]

SCHEMES: dict[str, tuple[Any, Callable[[], Any]]] = {
    "ckks": (ckks, plain.CkksRequirements),
    "bfv": (bfv, plain.BfvRequirements),
    "bgv": (bgv, plain.BgvRequirements),
}
OPERATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda evaluator, a, b: evaluator.add(a, b),
    "multiply": lambda evaluator, a, b: evaluator.multiply(a, b),
    "rotate": lambda evaluator, a, b: evaluator.rotate(a, 1),
}
_DEEPEST, _LARGEST_N = 64, 2**17


@dataclass(frozen=True)
class Wanted:
    """The operations to measure. n: the degree of the ring. limbs: the number of data primes. 0 means as many as two
    successive products need. settings: the options of the device ``rpu``.

    A product includes relinearization, a key switch that reduces its three polynomials to two. It includes rescaling if
    the scheme has rescaling. A rotation is by one slot.
    """

    scheme: str = "ckks"
    n: int = 16384
    limbs: int = 0
    settings: str = ""

    @property
    def device(self) -> str:
        return f"rpu:{self.settings}" if self.settings else "rpu"


def operations(wanted: Wanted) -> dict[str, Any]:
    """Measures every operation, and returns a report. Errors: InvalidArgument, Unsupported (no product is secure in a
    ring of this degree), DeviceUnknown."""
    if wanted.scheme not in SCHEMES:
        raise InvalidArgument(f"there is no scheme {wanted.scheme!r}", "give one of: " + ", ".join(SCHEMES))
    module, _ = SCHEMES[wanted.scheme]
    parameters = _parameters(wanted)
    here, there = module.Context(parameters, "cpu"), module.Context(parameters, wanted.device)
    generator = core.KeyGenerator(here.keys)
    relinearization = generator.create_relinearization_key()
    galois = generator.create_galois_keys(core.plan_keys(here.keys, [1], False, 0), None)
    key = generator.create_public_key()
    values = np.arange(16) / 16 if module is ckks else np.arange(16)
    a, b = module.encrypt(here, key, values), module.encrypt(here, key, values[::-1].copy())
    on_cpu = module.Arithmetic(here, relinearization, galois)
    on_rpu = module.Arithmetic(there, relinearization.to(there.keys), galois.to(there.keys))
    x, y = a.to(there), b.to(there)
    rows = []
    for name, run in OPERATIONS.items():
        run(on_rpu, x, y)  # not measured: the first use copies operands and keys to the device
        profile = Profile()
        there.keys.profile(profile)
        result = run(on_rpu, x, y)
        there.keys.profile(None)
        same = _bytes(here, result.to(here)) == _bytes(here, run(on_cpu, a, b))
        rows.append({"operation": name, **_summed(profile.records), "verified": same})
    chain = parameters.chain
    limbs = {"data": len(chain.data), "special": len(chain.special), "digit": chain.digit_limbs}
    return {**asdict(wanted), "device": wanted.device, "limbs": limbs, "operations": rows}


def _parameters(wanted: Wanted) -> Any:
    n, seen = whole("n", wanted.n, _LARGEST_N + 1), []
    for depth in range(1, _DEEPEST):
        try:
            parameters = _chosen(wanted.scheme, n, depth)
        except Unsupported as refusal:
            if depth == 1:
                raise _taught(refusal, wanted.scheme, n) from None
            break
        seen.append(len(parameters.chain.data))
        if seen[-1] == wanted.limbs or (wanted.limbs == 0 and depth == 2):
            return parameters
    raise InvalidArgument(
        f"no {wanted.scheme} parameters with n = {wanted.n} have {wanted.limbs} data primes",
        f"choose one of {', '.join(map(str, dict.fromkeys(seen)))}, or leave --limbs out",
    )


def _chosen(scheme: str, n: int, depth: int) -> Any:
    asked = SCHEMES[scheme][1]()
    asked.n, asked.depth = n, depth
    if scheme == "ckks":
        asked.magnitude = 1  # a bound on the values in `operations`
    return plain.choose(asked)


def _taught(refusal: Unsupported, scheme: str, n: int) -> Unsupported:
    """Converts an error about a ring in which no product is secure. The fix of the new error names the smallest larger
    ring in which products are secure. If there is none, returns the error unchanged."""
    larger = n
    while n.bit_count() == 1 and larger < _LARGEST_N:
        larger *= 2
        try:
            _chosen(scheme, larger, 1)
        except Unsupported:
            continue
        fix = f"give --n {larger}, the smallest ring whose products are secure with relinearization"
        return Unsupported(refusal.problem, fix)
    return refusal


def _bytes(context: Any, ciphertext: Any) -> bytes:
    return bytes(files.encode_ciphertext(context, ciphertext))


def _summed(records: list[VerbRecord]) -> dict[str, Any]:
    verbs: dict[str, dict[str, float]] = {}
    for record in records:
        verb = verbs.setdefault(record.verb, {"count": 0, "us": 0.0, "compute_us": 0.0, "energy_uj": 0.0})
        verb["count"] += 1
        verb["us"] += record.end_us - record.start_us
        verb["compute_us"] += record.compute_us
        verb["energy_uj"] += record.energy_uj
    us = sum(verb["us"] for verb in verbs.values())
    compute, transforms = sum(r.compute_us for r in records), sum(r.transform_us for r in records)
    return {
        "us": us,
        "compute_us": compute,
        "energy_uj": sum(verb["energy_uj"] for verb in verbs.values()),
        "transform_share": transforms / compute if compute else 0.0,
        "verbs": verbs,
    }
