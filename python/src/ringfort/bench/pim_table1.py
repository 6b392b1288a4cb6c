# SPDX-License-Identifier: Apache-2.0
"""Counts the work in Table I of [Mwaisela24]: the operations on polynomials that the primitives of a scheme take.

The paper describes this work in words. Here every primitive runs on the device ``ref``, and a profile records its verbs
(operations on polynomials). ``ref`` is the plain device with which tests compare all others. It does not fuse verbs. A
product multiplies two residue polynomials (modulo one prime) value by value, in the evaluation domain (after the
transform). The verb multiply_add counts as one product and one sum. Transforms and base conversions (to residues modulo
other primes) are counted separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .._core import Profile, VerbRecord, bfv, bgv
from .._core import keys as core
from .._core import parameters as plain
from .rows import Row

__all__ = ["COUNTED", "PREFIX", "table1_cells", "table1_rows"]

PREFIX = "pim/table1/"
COUNTED = ("multiplications", "additions", "transforms", "conversions")
_DEVICE = "ref"
_SCHEMES = {"bfv": (bfv, plain.BfvRequirements), "bgv": (bgv, plain.BgvRequirements)}
_N, _MODULUS = 4096, 65537


def table1_rows() -> list[Row]:
    """Returns the rows pim/table1/SCHEME/PRIMITIVE/COUNTED for every primitive. Their numbers count residue
    polynomials; for conversions, they count verbs."""
    return [row for name in _SCHEMES for row in _scheme_rows(name)]


def table1_cells(rows: Sequence[Row], table: dict[str, Any]) -> list[list[str]]:
    """Returns a line for each primitive: the paper's words, the counts of every scheme, and a verdict. The verdict
    tells whether the counts of products and sums are zero exactly where the paper says "none"."""
    values = {row.name: row.median for row in rows if row.name.startswith(PREFIX)}
    return [_line(primitive, said, values) for primitive, said in table.items()] if values else []


def _line(primitive: str, said: dict[str, str], values: dict[str, float]) -> list[str]:
    def counts(scheme: str) -> str:
        return " / ".join(f"{values[f'{PREFIX}{scheme}/{primitive}/{what}']:g}" for what in COUNTED)

    agrees = all(
        (values[f"{PREFIX}{scheme}/{primitive}/{what}"] == 0) == (said[what] == "none")
        for scheme in _SCHEMES
        for what in COUNTED[:2]
    )
    return [primitive, said["multiplications"], said["additions"], *map(counts, _SCHEMES), "yes" if agrees else "NO"]


def _scheme_rows(scheme: str) -> list[Row]:
    module, requirements = _SCHEMES[scheme]
    wanted: Any = requirements()
    wanted.depth, wanted.n, wanted.plain_modulus, wanted.insecure_reason = 1, _N, _MODULUS, "counting verbs"
    context = module.Context(plain.choose(wanted), _DEVICE)
    facts = {"n": _N, "limbs": len(context.keys.chain.data), "special": len(context.keys.chain.special)}
    word = 8 if max(context.keys.chain.data) >> 31 else 4
    rows = []
    for primitive, records in _recorded(module, context):
        counts = _counts(records, _N, word)
        rows += [
            Row(f"{PREFIX}{scheme}/{primitive}/{what}", _DEVICE, facts, _unit(what), *_exactly(counts[what]))
            for what in COUNTED
        ]
    return rows


def _exactly(count: int) -> tuple[float, float, float]:
    return float(count), float(count), float(count)


def _unit(what: str) -> str:
    return "verbs" if what == "conversions" else "residue polynomials"


def _recorded(module: Any, context: Any) -> Iterable[tuple[str, list[VerbRecord]]]:
    """Runs each primitive once. Yields the primitive with the verbs that it used."""

    def watched(run: Callable[[], Any]) -> tuple[Any, list[VerbRecord]]:
        profile = Profile()
        context.keys.profile(profile)
        try:
            return run(), profile.records
        finally:
            context.keys.profile(None)

    def generate() -> tuple[Any, ...]:
        make = core.KeyGenerator(context.keys)
        return make.secret_key(), make.create_public_key(), make.create_relinearization_key()

    (secret, public, relinearization), verbs = watched(generate)
    yield "KeyGen", verbs
    values = np.arange(_N, dtype=np.int64)
    a, verbs = watched(lambda: module.encrypt(context, public, values))
    yield "Encrypt", verbs
    _, verbs = watched(lambda: module.decrypt(context, secret, a, np.empty(_N, np.int64)))
    yield "Decrypt", verbs
    evaluator = module.Evaluator(context)
    yield "EvalAdd", watched(lambda: evaluator.add(a, a))[1]
    product, verbs = watched(lambda: evaluator.multiply(a, a))
    yield "EvalMult", verbs
    yield "Relinearize", watched(lambda: evaluator.relinearize(product, relinearization))[1]


def _counts(records: Iterable[VerbRecord], n: int, word: int) -> Counter[str]:
    """Returns the number of residue polynomials for each kind of work. For conversions, returns the number of verbs.

    For a sum, the bytes of a record are three words per coefficient. For a transform, they are two words per
    coefficient.
    """
    found: Counter[str] = Counter()
    for record in records:
        verb = record.verb
        if verb in ("multiply", "multiply_add"):
            found["multiplications"] += record.multiplications // n
        if verb == "multiply_add":
            found["additions"] += record.multiplications // n
        elif verb in ("add", "subtract"):
            found["additions"] += record.bytes // (3 * word * n)
        elif verb in ("ntt", "intt"):
            found["transforms"] += record.bytes // (2 * word * n)
        elif verb == "base_convert":
            found["conversions"] += 1
    return found
