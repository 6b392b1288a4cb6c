# SPDX-License-Identifier: Apache-2.0
"""Shows encrypted arrays, contexts and keys as text and HTML. Shows only public facts, and never a value."""

from __future__ import annotations

import html as markup
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ParametersMismatch
from ...units import quantity, size
from ..residues.parameters import moduli_of

__all__ = ["ArrayFacts", "chain", "keys", "pair_of", "primes", "table", "two_contexts", "values"]


_SHOWN_COLUMNS = 8


def primes(chain: Any) -> str:
    """Describes the primes: the length of the longest prime, and the form c*2^16+1 if all primes have it."""
    return f"primes<2^{max(map(int.bit_length, chain.data + chain.special))}{_form(chain)}"


def chain(chain: Any) -> str:
    """Describes the data primes and the special primes with their lengths."""
    phrases = [f"{len(chain.data)} data primes of {_lengths(chain.data)}"]
    if chain.limbs_per_level > 1:
        phrases.append(f"{chain.limbs_per_level} a level")
    if chain.special:
        phrases.append(f"{len(chain.special)} special of {_lengths(chain.special)}")
    return ", ".join(phrases) + _form(chain)


def values(parameters: Any, promise: tuple[int, int] | None) -> list[str]:
    """Returns lines of an explanation that state which values are allowed."""
    if hasattr(parameters, "magnitude"):
        return [f"values         at most {parameters.magnitude:g} in magnitude"]
    interval = "" if promise is None else f"{promise[0]} .. {promise[1]}, "
    moduli = " * ".join(map(str, moduli_of(parameters)))
    return [f"values         {interval}modulo {moduli}"]


def _lengths(primes: list[int]) -> str:
    lengths = sorted({prime.bit_length() for prime in primes})
    return f"{lengths[0]} bits" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]} bits"


def _form(chain: Any) -> str:
    return " of the form c*2^16+1" if all(prime % 2**16 == 1 for prime in chain.data + chain.special) else ""


@dataclass(frozen=True)
class ArrayFacts:
    """The public facts of an array."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    columns: tuple[str, ...] | None
    depth_left: int
    precision_bits: float | None
    """None for integers."""
    ciphertexts: int
    nbytes: int
    device: str
    insecure: str

    def text(self) -> str:
        precision = "" if self.precision_bits is None else f", precision_bits={self.precision_bits:.1f}"
        warning = ", INSECURE" if self.insecure else ""
        columns = f", columns={self._names()}" if self.columns else ""
        return (
            f"EncryptedArray(shape={self.shape}, dtype={self.dtype}{columns}, depth_left={self.depth_left}{precision}, "
            f"{quantity(self.ciphertexts, 'ciphertext')} of {size(self.nbytes)}, device={self.device!r}{warning})"
        )

    def _names(self) -> str:
        names = self.columns or ()
        return ", ".join(names[:_SHOWN_COLUMNS]) + (" ..." if len(names) > _SHOWN_COLUMNS else "")

    def html(self) -> str:
        facts = {
            "shape": str(self.shape),
            "dtype": str(self.dtype),
            "depth left": str(self.depth_left),
            "ciphertexts": f"{self.ciphertexts}, {size(self.nbytes)}",
            "device": self.device,
        }
        if self.columns:
            facts["columns"] = self._names()
        if self.precision_bits is not None:
            facts["precision"] = f"{self.precision_bits:.1f} bits after the binary point"
        if self.insecure:
            facts["INSECURE"] = self.insecure
        return table("EncryptedArray", facts)


def table(title: str, facts: dict[str, str]) -> str:
    rows = "".join(
        f"<tr><th align='left'>{markup.escape(name)}</th><td align='left'>{markup.escape(value)}</td></tr>"
        for name, value in facts.items()
    )
    return f"<table><caption>{markup.escape(title)}</caption>{rows}</table>"


def keys(title: str, context: object, evaluation_bytes: int, device: str) -> str:
    """Returns the HTML of a key set for a notebook."""
    facts = {"context": repr(context), "evaluation keys": size(evaluation_bytes), "device": device}
    return table(title, facts)


def two_contexts(what: str, one: object, other: object) -> ParametersMismatch:
    """Returns the error for objects of two contexts. what: the objects, in the order of their contexts."""
    return ParametersMismatch(
        f"{what} are of different contexts: {pair_of(one, other)}",
        "use one context, and the keys of its keygen(), for all",
    )


def pair_of(one: object, other: object) -> str:
    """Describes two different contexts."""
    return f"{one!r} and {other!r}" + (", with other primes or another range" if repr(one) == repr(other) else "")


def key_id(number: int) -> str:
    """Returns the id of a key set as 16 hexadecimal digits, in the order of its bytes in a file."""
    return number.to_bytes(8, "little").hex()
