# SPDX-License-Identifier: Apache-2.0
"""Checks the options of a context, and translates them into requirements. From requirements, the library chooses
parameters."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Any, Literal, TypedDict

from ..._core import parameters as core
from ...errors import InvalidArgument, Unsupported
from ...values import flag, shown, text, whole
from ..array import moduli, ranges
from ..residues.parameters import MOST_MODULI, moduli_of, require_depth, with_moduli
from .schemes import Scheme

__all__ = [
    "Dtype",
    "MEANINGS",
    "Options",
    "Primes",
    "Release",
    "chosen",
    "described",
    "instead_of",
    "prime_choice",
    "reason",
    "requirements",
]


Dtype = Literal["real", "complex", "int"]


class Release(core.Release):
    """A plan for decryptions whose values others see. queries: the largest number of such decryptions. bits: the
    security of all these decryptions together.

    Errors: InvalidArgument.
    """

    def __init__(self, bits: int, queries: int = 1) -> None:
        super().__init__(whole("bits", bits, 2**32), whole("queries", queries, 2**64))

    def __reduce__(self) -> tuple[type[Release], tuple[int, int]]:
        return Release, (self.bits, self.queries)


class Primes(TypedDict, total=False):
    """The choice of the primes of the ciphertexts, for devices that multiply only short words."""

    bits: int
    """Every prime is slightly below 2^bits. bits: 20 .. 60, often 24, 30, 50 or 60. A level, which one product uses up,
    has as many primes as it needs."""
    form: Literal["any", "c*2^16+1"]
    """"any", or "c*2^16+1" for devices that use shifts to reduce modulo primes of this form."""


class Options(TypedDict, total=False):
    """Options of a context other than dtype and depth."""

    precision: int
    magnitude: float
    range: tuple[int, int]
    modular: bool
    plain_modulus: int | tuple[int, ...]
    scheme: Literal["bgv", "bfv"]
    slots: int
    n: int
    security: Literal[128, 192, 256]
    standard: Literal[2018, 2024]
    quantum: bool
    primes: Primes
    release: core.Release
    insecure: str


MEANINGS: dict[str, tuple[str, str]] = {
    "precision": (
        "",
        "for real and complex numbers: bits after the binary point that are guaranteed in every slot after ``depth`` "
        "successive products, and in a sum of four such results, if no factor exceeds ``magnitude``. Deeper results "
        "have fewer bits; the ``precision_bits`` of an array always hold",
    ),
    "magnitude": (
        "",
        "for real and complex numbers: bound on encrypted values and on every factor of a product. A product of two "
        "factors up to m has the bound m * m. Declare smaller values: ``encrypt(..., magnitude=1)``",
    ),
    "range": (
        "required, or modular=True",
        "for integers: (low, high) of the encrypted values. The library chooses the modulus so that results of "
        "``depth`` successive products, and sums of four such results, do not wrap around; larger results fail before "
        "any work",
    ),
    "modular": (
        "",
        "for integers, in place of a range: True computes with residues modulo ``plain_modulus``, which wrap around",
    ),
    "plain_modulus": (
        "65537 with modular=True; with a range the library chooses it",
        "for integers: the plaintext prime t, 1 mod 2N. If you give t and a range, t must be large enough for the "
        "range; operations whose results may wrap around modulo t fail. Several primes: results are exact modulo their "
        "product",
    ),
    "scheme": ("'bgv'", "for integers: 'bgv' or 'bfv'; both give the same results"),
    "slots": ("0, as many as the ring allows", "smallest number of values in a ciphertext"),
    "n": ("0, the smallest degree that fits", "the ring's degree N, the number of coefficients of a polynomial"),
    "security": ("", "128, 192 or 256 bits, by the tables of ``standard``"),
    "standard": (
        "",
        "2024 for the guidelines, or 2018 for the older standard, which ends at N = 32768. The 128 bits of 2018 are "
        "125 to 127 bits by MATZOV's estimate of attacks",
    ),
    "quantum": ("", "True requires the security against quantum computers, too"),
    "primes": (
        "chosen by the library",
        "for experts: the form and length of primes, for instance {'bits': 24, 'form': 'any'}",
    ),
    "release": (
        "none",
        "for real and complex numbers: the noise that hides errors in decryptions that others will see",
    ),
    "insecure": (
        "none",
        "allows less than 128 bits of security. The text is your reason; every description of the context shows it",
    ),
}
"""The default and the meaning of each option. If the default is empty here, ``_DEFAULTS`` has it."""


def described() -> str:
    """Returns a list of all options, for docstrings."""
    lines = ["Options:"]
    for name, (default, meaning) in MEANINGS.items():
        text = f"{name} (default: {default or repr(dict(_DEFAULTS)[name])}): {meaning}."
        lines += textwrap.wrap(text, 100, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


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
_SLOTS = f"take a prime t = 1 mod 2N, for instance {_PRIME_OF_ALL_RINGS}, which fits every N"
_FORMS = {"any": core.PrimeForm.any, "c*2^16+1": core.PrimeForm.c_2_16_1}


def requirements(scheme: Scheme, dtype: str, depth: object, options: Mapping[str, Any]) -> Any:
    """Translates options into the requirements of a scheme. Errors: InvalidArgument (unknown option, option of another
    dtype, or bad value)."""
    _require_known(dtype, options)
    if scheme.exact:
        _require_meaning(options)
    given: Mapping[str, Any] = {**_DEFAULTS, **options}
    longest = max(plain_moduli(given["plain_modulus"]))
    wanted = scheme.requirements(given["precision"], given["magnitude"], longest)
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
    """Chooses parameters that meet the requirements, and whose ciphertexts have slots (places for the elements of
    arrays). Errors: those of ``core.choose``."""
    if scheme.exact and "plain_modulus" in options:
        return _of_moduli(scheme, wanted, plain_moduli(options["plain_modulus"]))
    if not scheme.exact or options.get("range") is None:
        return _chosen(scheme, wanted)
    found, refusals = [], []
    for group in moduli.following(ranges.whole_numbers(options["range"]), wanted.depth):
        for primes in group:
            try:
                found.append(_of_moduli(scheme, wanted, primes))
                break
            except Unsupported as error:  # in a larger ring, these primes may have no slots
                refusals.append(error)
    if not found:
        raise refusals[-1]
    return min(found, key=_cost)


def _of_moduli(scheme: Scheme, wanted: Any, primes: tuple[int, ...]) -> Any:
    """Returns parameters for one or several plaintext moduli. Errors: those of ``core.choose``."""
    wanted.plain_modulus, wanted.shared_chain = max(primes), len(primes) > 1
    found = _chosen(scheme, wanted)
    if set(primes) & set(found.chain.data + found.chain.special):
        raise Unsupported(f"a plaintext modulus of {primes} is also a prime of the ciphertexts", "give plain_modulus")
    if len(primes) == 1:
        return found
    if any(prime % (2 * found.chain.n) != 1 for prime in primes):
        raise InvalidArgument(f"a plaintext modulus of {primes} is not 1 mod {2 * found.chain.n}", _SLOTS)
    return require_depth(with_moduli(found, primes), wanted.depth)


def _cost(parameters: Any) -> tuple[int, int]:
    """Returns a sort key for parameters: the ring degree, then the number of plaintext moduli."""
    return parameters.chain.n, len(moduli_of(parameters))


def _chosen(scheme: Scheme, wanted: Any) -> Any:
    try:
        return core.choose(wanted)
    except Unsupported as error:
        if scheme.exact or wanted.magnitude <= 1 or "lower precision" not in error.fix:
            raise
        fix = error.fix.replace(", magnitude or plain modulus", "")
        scaled = "magnitude=1, with values scaled to -1 .. 1, allows a larger depth"
        raise Unsupported(error.problem, f"{fix}; or {scaled}") from None
    except InvalidArgument as error:
        if not scheme.exact:
            raise
        wanted.slots = 1
        with suppress(Unsupported):
            core.choose(wanted)  # raises the errors that are not about slots
        raise InvalidArgument(error.problem, _SLOTS) from None


def plain_moduli(given: object) -> tuple[int, ...]:
    """Returns the plaintext moduli of the option ``plain_modulus``: one prime, or several. Errors: InvalidArgument."""
    primes = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    found = tuple(whole("plain_modulus", prime, 2**64) for prime in primes)
    if not 0 < len(found) <= MOST_MODULI or len(set(found)) != len(found):
        raise InvalidArgument(
            f"plain_modulus has {len(found)} moduli, or one of them twice", f"give 1 to {MOST_MODULI} different primes"
        )
    return found


def _slots(given: object, most: int) -> int:
    slots = whole("slots", given, 2**32)
    if slots > most:
        raise InvalidArgument(
            f"slots is {slots}, but the largest ring has {most}",
            "leave it out: arrays take as many ciphertexts as they need",
        )
    return slots


_OF_OTHERS = {
    "poly_modulus_degree": "n",
    "ring_dimension": "n",
    "coeff_mod_bit_sizes": "depth",
    "multiplicative_depth": "depth",
    "scale": "precision",
    "global_scale": "precision",
    "scaling_mod_size": "precision",
    "security_level": "security",
    "n_bits": "precision",
}


def instead_of(name: str, known: Sequence[str]) -> str:
    """Returns advice on an unknown option: the option that was probably meant, and a list of all options."""
    close = [_OF_OTHERS[name]] if _OF_OTHERS.get(name) in known else get_close_matches(name, known, 1)
    meant = f"write {close[0]}=...; the" if close else "the"
    return f"{meant} options are: {', '.join(known)}"


def _require_known(dtype: str, options: Mapping[str, Any]) -> None:
    if unknown := sorted(set(options) - set(Options.__annotations__)):
        known = ("dtype", "depth", "device", "threads", *Options.__annotations__)
        raise InvalidArgument(f"there is no option {unknown[0]!r}", instead_of(unknown[0], known))
    foreign = _OF_APPROXIMATE if dtype == "int" else _OF_INTEGERS
    if useless := sorted(set(options) & foreign):
        other = '"real" or "complex"' if dtype == "int" else '"int"'
        raise InvalidArgument(
            f"{useless[0]} does not apply to numbers of dtype {dtype!r}", f"leave it out, or give dtype={other}"
        )


def _require_meaning(options: Mapping[str, Any]) -> None:
    """Requires a range or modular=True for integers. Then results wrap around only if the user wants it."""
    modular, ranged = flag("modular", options.get("modular", False)), options.get("range") is not None
    if modular and isinstance(options.get("plain_modulus"), (tuple, list)):
        raise InvalidArgument(
            "modular=True was given with several plain moduli", "give one plain_modulus, or a range of the integers"
        )
    if modular == ranged:
        raise InvalidArgument(
            "integers are given " + ("with a range and modular=True" if modular else "without a range"),
            "give range=(low, high) of the values, then results that may wrap around raise an error; "
            "or modular=True for residues modulo plain_modulus (65537 if not given), which do wrap",
        )


def _release(given: object) -> core.Release:
    if not isinstance(given, core.Release):
        raise InvalidArgument(f"release is {shown(given)}", "give rf.Release(bits, queries)")
    return given


def reason(given: object) -> str:
    """Returns the user's reason for less security than the standard requires. Empty if the user gave no reason. Errors:
    InvalidArgument."""
    words = text("insecure", given)
    if words and not words.strip():
        raise InvalidArgument("insecure is blank", "give the reason in words, it is shown everywhere; or leave it out")
    if any(c < " " or c == "\x7f" for c in words.strip()):  # files do not allow control characters
        raise InvalidArgument("insecure has control characters", "give the reason in one line of words")
    return words.strip()


def _security(bits: object, standard: object, quantum: object) -> core.SecurityGoal:
    goal = core.SecurityGoal()
    goal.bits, goal.standard = whole("security", bits, 2**16), whole("standard", standard, 2**16)
    if goal.bits not in (128, 192, 256) or goal.standard not in (2018, 2024):
        raise InvalidArgument(
            f"there are no tables for security {goal.bits} by standard {goal.standard}",
            "give security 128, 192 or 256, and standard 2024 or 2018",
        )
    goal.quantum = flag("quantum", quantum)
    return goal


def prime_choice(given: object) -> core.PrimeChoice:
    """Checks a choice of primes, and returns it in the library's form. Errors: InvalidArgument."""
    choice = core.PrimeChoice()
    if not isinstance(given, Mapping) or set(given) - set(Primes.__annotations__):
        raise InvalidArgument(
            f"primes is {shown(given)}", 'give bits, form or both: primes={"bits": 24, "form": "any"}'
        )
    if "bits" in given:
        choice.bits = whole("primes['bits']", given["bits"], 2**8)
        if not 20 <= choice.bits <= 60:
            raise InvalidArgument(f"primes have {choice.bits} bits", "give 20 .. 60 bits: 30 and less for 32-bit words")
    form = given.get("form", "any")
    if not isinstance(form, str) or form not in _FORMS:
        raise InvalidArgument(f"primes have the form {shown(form)}", "give one of: " + ", ".join(map(repr, _FORMS)))
    choice.form = _FORMS[form]
    return choice
