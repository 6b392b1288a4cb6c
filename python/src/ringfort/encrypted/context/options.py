# SPDX-License-Identifier: Apache-2.0
"""What a context may be asked for, checked and translated into the library's requirements."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypedDict

from ..._core import parameters as core
from ...errors import InvalidArgument, Unsupported
from ...values import flag, shown, text, whole
from ..array import moduli, ranges
from .schemes import Scheme

__all__ = ["Options", "Primes", "Release", "chosen", "prime_choice", "reason", "requirements"]


class Release(core.Release):
    """Decryptions for others: bits of security against so many of them. Errors: InvalidArgument."""

    def __init__(self, bits: int, queries: int = 1) -> None:
        super().__init__(whole("bits", bits, 2**32), whole("queries", queries, 2**64))


class Primes(TypedDict, total=False):
    """Which primes the moduli are made of, for devices that multiply short words only."""

    bits: int
    """Every prime is below 2^bits and near it, 20 .. 60 (often 24, 30, 50, 60); a level has as many as it needs."""
    form: str
    """"any", or "c*2^16+1" for devices that reduce modulo such primes by shifts."""


class Options(TypedDict, total=False):
    """What a context may be asked for, beside dtype and depth."""

    precision: int
    """Of real and complex numbers: bits after the binary point that are certain in every slot after ``depth`` products
    one after another, and in a sum of four such, while no factor is above ``magnitude``; 20. What outgrows it has
    fewer: an array's ``precision_bits`` follows what was declared and is always certain."""
    magnitude: float
    """Of real and complex numbers: what is encrypted, and every factor of a product, is at most this; 16. Products of
    values declared as m are taken to reach m * m: where they do not, declare less, ``encrypt(..., magnitude=1)``."""
    range: tuple[int, int]
    """Of integers: (low, high) of what is encrypted. The modulus is chosen so that results of ``depth`` products one
    after another, and sums of four such, are told apart; larger results are refused before any work."""
    modular: bool
    """Of integers, in place of a range: True computes with residues modulo ``plain_modulus``, which wrap around."""
    plain_modulus: int
    """Of integers: the prime t, 1 mod 2N, that they are computed modulo. Residues: 65537. With a range: the library's
    choice; one of your own must hold the range, and what may leave it is refused."""
    scheme: str
    """Of integers: "bgv" (default) or "bfv"; both give the same."""
    slots: int
    """At least so many values in a ciphertext; 0: as the ring has them."""
    n: int
    """The ring's degree; 0: the smallest that fits."""
    security: int
    """128, 192 or 256 bits, by the tables of ``standard``."""
    standard: int
    """2024: the guidelines; 2018: the older standard, up to N = 32768: its 128 bits are 125 to 127 by MATZOV."""
    quantum: bool
    """Against quantum computers too."""
    primes: Primes
    """For experts: which primes, for instance {"bits": 24, "form": "any"}."""
    release: core.Release
    """Of real and complex numbers: decryptions that others will see; their noise is planned for."""
    insecure: str
    """A reason, the only way below 128 bits; it is shown everywhere."""


_DEFAULTS: Options = {
    "precision": 20,
    "magnitude": 16.0,
    "plain_modulus": 65537,
    "modular": False,
    "slots": 0,
    "n": 0,
    "security": 128,
    "standard": 2024,
    "quantum": False,
    "insecure": "",
}
_OF_INTEGERS = {"plain_modulus", "range", "modular"}
_OF_APPROXIMATE = {"precision", "magnitude", "release"}
_LARGEST_RING = 2**17
_PRIME_OF_ALL_RINGS = 786433  # 3 * 2^18 + 1
_FORMS = {"any": core.PrimeForm.any, "c*2^16+1": core.PrimeForm.c_2_16_1}


def requirements(scheme: Scheme, dtype: str, depth: object, options: Mapping[str, Any]) -> Any:
    """Errors: InvalidArgument (no such option, none of this dtype, or a value that makes no sense)."""
    _require_known(dtype, options)
    if scheme.exact:
        _require_meaning(options)
    given: Mapping[str, Any] = {**_DEFAULTS, **options}
    wanted = scheme.requirements(given["precision"], given["magnitude"], given["plain_modulus"])
    wanted.depth = whole("depth", depth, 2**16)
    if "release" in given:
        wanted.release = _release(given["release"])
    wanted.slots = _slots(given["slots"], _LARGEST_RING if scheme.exact else _LARGEST_RING // 2)
    wanted.n = whole("n", given["n"], 2**32)
    wanted.insecure_reason = reason(given["insecure"])
    wanted.security = _security(given["security"], given["standard"], given["quantum"])
    wanted.primes = prime_choice(given.get("primes", {}))
    return wanted


def chosen(scheme: Scheme, wanted: Any, options: Mapping[str, Any]) -> Any:
    """Parameters for requirements. Errors: those of the choice, which here is always one for arrays."""
    if not scheme.exact or "plain_modulus" in options or options.get("range") is None:
        return _chosen(scheme, wanted)
    refusal: Unsupported | None = None
    for prime in moduli.following(ranges.whole_numbers(options["range"]), wanted.depth):
        wanted.plain_modulus = prime
        try:
            found = _chosen(scheme, wanted)
        except Unsupported as error:  # a larger ring may have batches modulo the next prime only
            refusal = error
            continue
        if prime not in found.chain.data + found.chain.special:
            return found
    raise refusal or Unsupported("every modulus for this range is a prime of the ciphertexts", "give plain_modulus")


def _chosen(scheme: Scheme, wanted: Any) -> Any:
    try:
        return core.choose(wanted)
    except InvalidArgument as error:
        if not scheme.exact:
            raise
        wanted.slots = 1
        with suppress(Unsupported):
            core.choose(wanted)  # refused for another reason, or it is the modulus that takes no array
        raise InvalidArgument(
            error.problem, f"take a prime t = 1 mod 2N, for instance {_PRIME_OF_ALL_RINGS}, which fits every N"
        ) from None


def _slots(given: object, most: int) -> int:
    slots = whole("slots", given, 2**32)
    if slots > most:
        raise InvalidArgument(
            f"slots = {slots} was asked for, the largest ring has {most}",
            "leave it out: arrays take as many ciphertexts as they need",
        )
    return slots


def _require_known(dtype: str, options: Mapping[str, Any]) -> None:
    if unknown := sorted(set(options) - set(Options.__annotations__)):
        raise InvalidArgument(f"there is no option {unknown[0]!r}", "options: " + ", ".join(Options.__annotations__))
    foreign = _OF_APPROXIMATE if dtype == "int" else _OF_INTEGERS
    if useless := sorted(set(options) & foreign):
        other = '"real" or "complex"' if dtype == "int" else '"int"'
        raise InvalidArgument(
            f"{useless[0]} does not apply to numbers of dtype {dtype!r}", f"leave it out, or give dtype={other}"
        )


def _require_meaning(options: Mapping[str, Any]) -> None:
    """Integers are whole numbers of a range, or residues: nobody gets what wraps without having asked for it."""
    modular, ranged = flag("modular", options.get("modular", False)), options.get("range") is not None
    if modular == ranged:
        raise InvalidArgument(
            "integers were asked for " + ("with a range and modular=True" if modular else "without a range"),
            "give range=(low, high) of what is encrypted, then results that may wrap around are refused; "
            "or modular=True for residues modulo plain_modulus (65537 if not given), which do wrap",
        )


def _release(given: object) -> core.Release:
    if not isinstance(given, core.Release):
        raise InvalidArgument(f"release is {shown(given)}", "give rf.Release(bits, queries)")
    return given


def reason(given: object) -> str:
    """Why less than the standard's security is accepted; empty: it is not. Errors: InvalidArgument."""
    words = text("insecure", given)
    if words and not words.strip():
        raise InvalidArgument("insecure is blank", "give the reason in words, it is shown everywhere; or leave it out")
    if any(c < " " or c == "\x7f" for c in words.strip()):  # no file holds them
        raise InvalidArgument("insecure has control characters", "give the reason in one line of words")
    return words.strip()


def _security(bits: object, standard: object, quantum: object) -> core.SecurityGoal:
    goal = core.SecurityGoal()
    goal.bits, goal.standard = whole("security", bits, 2**16), whole("standard", standard, 2**16)
    if goal.bits not in (128, 192, 256) or goal.standard not in (2018, 2024):
        raise InvalidArgument(
            f"security={goal.bits} by standard={goal.standard} was asked for",
            "security is 128, 192 or 256, standard 2024 or 2018",
        )
    goal.quantum = flag("quantum", quantum)
    return goal


def prime_choice(given: object) -> core.PrimeChoice:
    """Errors: InvalidArgument."""
    choice = core.PrimeChoice()
    if not isinstance(given, Mapping) or set(given) - set(Primes.__annotations__):
        raise InvalidArgument(
            f"primes is {shown(given)}", 'give bits, form or both: primes={"bits": 24, "form": "any"}'
        )
    if "bits" in given:
        choice.bits = whole("primes['bits']", given["bits"], 2**8)
        if not 20 <= choice.bits <= 60:
            raise InvalidArgument(
                f"primes of {choice.bits} bits were asked for", "give 20 .. 60 bits: 30 and less for 32-bit words"
            )
    form = given.get("form", "any")
    if not isinstance(form, str) or form not in _FORMS:
        raise InvalidArgument(f"primes have the form {shown(form)}", "give one of: " + ", ".join(map(repr, _FORMS)))
    choice.form = _FORMS[form]
    return choice
