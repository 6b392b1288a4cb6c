# SPDX-License-Identifier: Apache-2.0
"""Parameters with several *plaintext moduli*: the primes modulo which integers of a long range are encrypted. Such
parameters consist of the C++ library's parameters for each plaintext modulus. All of these have the same *chain*: the
degree of the ring, and the primes of ciphertexts and keys.

Because all plaintext moduli share the chain, they also share the secret key, the security check and the layout of
arrays. The chain is chosen for the largest plaintext modulus. It suffices for all plaintext moduli, because the noise
of a product (the error in its ciphertext) grows with the plaintext modulus. ``require_depth`` checks this.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ..._core import parameters as plain
from ...errors import InvalidArgument, Unsupported
from .per_modulus import PerModulus, joined, per_modulus

__all__ = [
    "MOST_MODULI",
    "Facts",
    "Parameters",
    "explained",
    "joined_parameters",
    "moduli_of",
    "require_depth",
    "with_moduli",
]

MOST_MODULI = 8
_CHAIN = ("n", "data", "special", "limbs_per_level", "digit_limbs", "insecure_reason")
_SECURITY = ("bits", "standard", "quantum")
_LABEL = 15  # width of the label of a line in the text of an explanation


class Parameters(PerModulus):
    """Parameters with at least two plaintext moduli. ``joined_parameters`` makes and checks them."""

    __slots__ = ()

    @property
    def chain(self) -> plain.ChainParameters:
        chain: plain.ChainParameters = self.per_modulus[0].chain
        return chain

    @property
    def plain_moduli(self) -> tuple[int, ...]:
        return tuple(each.plain_modulus for each in self.per_modulus)

    @property
    def plain_modulus(self) -> int:
        """The product of the plaintext moduli. The context computes modulo this number."""
        return math.prod(self.plain_moduli)


def moduli_of(parameters: Any) -> tuple[int, ...]:
    """Returns the plaintext moduli. The tuple is empty for parameters of real and complex numbers."""
    return tuple(each.plain_modulus for each in per_modulus(parameters) if hasattr(each, "plain_modulus"))


def with_moduli(parameters: Any, moduli: Sequence[int]) -> Any:
    """Returns parameters with several plaintext moduli. They have the chain of ``parameters``, which have one plaintext
    modulus."""

    def of_modulus(t: int) -> Any:
        single = type(parameters)()
        single.chain, single.plain_modulus = parameters.chain, t
        return single

    return joined_parameters([of_modulus(t) for t in moduli])


def joined_parameters(parameters: Iterable[Any]) -> Any:
    """Joins the parameters of all plaintext moduli. Errors: InvalidArgument (no parameters, more than MOST_MODULI
    moduli, equal moduli, parameters without a modulus, or different chains or schemes)."""
    found = list(parameters)
    if len(found) == 1:
        return found[0]
    if not found:
        raise InvalidArgument("there are no parameters", "the file is damaged")
    moduli = [getattr(each, "plain_modulus", 0) for each in found]
    if len(found) > MOST_MODULI:
        raise InvalidArgument(f"{len(found)} plaintext moduli were given", f"a context has at most {MOST_MODULI}")
    if 0 in moduli or len(set(moduli)) != len(moduli):
        raise InvalidArgument("the plaintext moduli are not different primes", "give each modulus once")
    if any(_facts_of(each) != _facts_of(found[0]) for each in found):
        raise InvalidArgument("the parameters of two moduli have different primes or schemes", "the file is damaged")
    return Parameters(found)


def _facts_of(parameters: Any) -> tuple[Any, ...]:
    """Returns the facts that must be equal for all moduli: scheme, chain and security."""
    chain = parameters.chain
    shared = [getattr(chain, name) for name in _CHAIN] + [getattr(chain.security, name) for name in _SECURITY]
    return type(parameters), *shared


class Facts(PerModulus):
    """Facts about parameters with several plaintext moduli. The fields are those of ``_core.parameters.Explanation``. A
    number of bytes is the sum over all moduli. The number of slots (numbers in a ciphertext), the depth and each noise
    budget are the smallest of all moduli. All other facts are equal for all moduli."""

    def __init__(self, explanations: Iterable[plain.Explanation]) -> None:
        super().__init__(explanations)
        first: plain.Explanation = self.per_modulus[0]
        self.n = first.n
        self.slots = min(each.slots for each in self.per_modulus)
        self.depth = min(each.depth for each in self.per_modulus)
        self.log2_qp = first.log2_qp
        self.log2_qp_limit = first.log2_qp_limit
        self.security = first.security
        self.bits_left = [min(bits) for bits in zip(*(each.bits_left for each in self.per_modulus), strict=False)]
        self.ciphertext_bytes = sum(each.ciphertext_bytes for each in self.per_modulus)
        self.secret_key_bytes = sum(each.secret_key_bytes for each in self.per_modulus)
        self.public_key_bytes = sum(each.public_key_bytes for each in self.per_modulus)
        self.relinearization_key_bytes = sum(each.relinearization_key_bytes for each in self.per_modulus)
        self.galois_key_bytes = sum(each.galois_key_bytes for each in self.per_modulus)

    def text(self) -> str:
        """Returns the library's text about the first modulus. In this text, the depth, the budgets and the sizes are
        replaced by the values for all moduli together."""
        changed = {
            "depth": f"{self.depth} products in turn",
            "bits left": ", ".join(f"{bits:.1f}" for bits in self.bits_left),
            "ciphertext": _megabytes(self.ciphertext_bytes),
            "secret key": _megabytes(self.secret_key_bytes),
            "public key": _megabytes(self.public_key_bytes),
            "relinearize": _megabytes(self.relinearization_key_bytes),
            "rotations": _megabytes(self.galois_key_bytes) + " each",
        }
        lines = self.per_modulus[0].text().splitlines()
        labels = [line[:_LABEL].strip() for line in lines]
        lines = [
            f"{label:<{_LABEL}}{changed[label]}" if label in changed else line
            for label, line in zip(labels, lines, strict=True)
        ]
        return "\n".join(lines) + "\n"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def explained(parameters: Any) -> Any:
    """Returns facts about parameters. For one modulus, this is the library's ``Explanation``. For several moduli, it is
    ``Facts``."""
    return joined(Facts, map(plain.explain, per_modulus(parameters)))


def require_depth(parameters: Any, depth: int) -> Any:
    """Returns the parameters, unless a modulus allows less than this depth. Errors: Unsupported."""
    reached = explained(parameters).depth
    if reached < depth:
        raise Unsupported(
            f"these plaintext moduli allow depth {reached} in one ring, not {depth}", "take shorter or fewer moduli"
        )
    return parameters
