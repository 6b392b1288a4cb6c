# SPDX-License-Identifier: Apache-2.0
"""How encrypted arrays, contexts and keys look in a terminal and in a notebook: public facts, never a value."""

from __future__ import annotations

import html as markup
from typing import TYPE_CHECKING, Any

from ..units import quantity, size

if TYPE_CHECKING:
    from .array import EncryptedArray
    from .context import Context

__all__ = ["chain", "html", "keys", "primes", "table", "text", "values"]


def primes(chain: Any) -> str:
    """The longest prime, and the form where primes of this ring need not have it."""
    return f"primes<2^{max(map(int.bit_length, chain.data + chain.special))}{_form(chain)}"


def chain(chain: Any) -> str:
    """Data and special primes with their lengths."""
    parts = [f"{len(chain.data)} data primes of {_lengths(chain.data)}"]
    if chain.limbs_per_level > 1:
        parts.append(f"{chain.limbs_per_level} a level")
    if chain.special:
        parts.append(f"{len(chain.special)} special of {_lengths(chain.special)}")
    return ", ".join(parts) + _form(chain)


def values(parameters: Any, promise: tuple[int, int] | None) -> list[str]:
    """What may be encrypted, as lines of an explanation."""
    if hasattr(parameters, "magnitude"):
        return [f"values         at most {parameters.magnitude:g} in magnitude"]
    interval = "" if promise is None else f"{promise[0]} .. {promise[1]}, "
    return [f"values         {interval}modulo {parameters.plain_modulus}"]


def _lengths(primes: list[int]) -> str:
    lengths = sorted({prime.bit_length() for prime in primes})
    return f"{lengths[0]} bits" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]} bits"


def _form(chain: Any) -> str:
    return " of the form c*2^16+1" if all(prime % 2**16 == 1 for prime in chain.data + chain.special) else ""


def _facts(a: EncryptedArray) -> dict[str, str]:
    facts = {
        "shape": str(a.shape),
        "dtype": str(a.dtype),
        "depth left": str(a.depth_left),
        "ciphertexts": f"{len(a._packed.blocks)}, {size(a.nbytes)}",
        "device": a.device,
    }
    if not a._session.on.exact:
        facts["precision"] = f"{a.precision_bits:.1f} bits after the binary point"
    if a._session.keys.context.insecure:
        facts["INSECURE"] = a._session.keys.context.insecure
    return facts


def text(a: EncryptedArray) -> str:
    precision = "" if a._session.on.exact else f", precision_bits={a.precision_bits:.1f}"
    warning = ", INSECURE" if a._session.keys.context.insecure else ""
    return (
        f"EncryptedArray(shape={a.shape}, dtype={a.dtype}, depth_left={a.depth_left}{precision}, "
        f"{quantity(len(a._packed.blocks), 'ciphertext')} of {size(a.nbytes)}, device={a.device!r}{warning})"
    )


def table(title: str, facts: dict[str, str]) -> str:
    rows = "".join(
        f"<tr><th align='left'>{markup.escape(name)}</th><td align='left'>{markup.escape(value)}</td></tr>"
        for name, value in facts.items()
    )
    return f"<table><caption>{markup.escape(title)}</caption>{rows}</table>"


def keys(title: str, context: Context, evaluation_bytes: int, device: str) -> str:
    """A key set in a notebook."""
    facts = {"context": repr(context), "evaluation keys": size(evaluation_bytes), "device": device}
    return table(title, facts)


def html(a: EncryptedArray) -> str:
    return table("EncryptedArray", _facts(a))
