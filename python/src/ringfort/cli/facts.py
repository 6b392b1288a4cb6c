# SPDX-License-Identifier: Apache-2.0
"""Texts about devices, parameters and plans that several commands print."""

from __future__ import annotations

from typing import Any

from .. import default_device, device_refusal, units
from .._core.search import Estimate, Parameters, SearchPlan, security
from ..search import Index
from .output import Speaker

__all__ = [
    "default_lines",
    "estimate_document",
    "estimate_rows",
    "security_line",
    "warn_insecure",
    "warn_of_wrapped_counts",
]


def default_lines() -> tuple[str, str]:
    """Returns a text about the default device, and why it cannot be opened; an empty text if it can be opened."""
    name = default_device()
    shown, refusal = f'device "{name}" is the default (RINGFORT_DEVICE changes it)', device_refusal(name)
    return shown + (f", but it cannot be opened: {refusal}" if refusal else ""), refusal


def security_line(parameters: Parameters) -> str:
    found = security(parameters)
    state = "" if found.accepted else ", BELOW 128 BITS"
    return f"{parameters.name}: {found.bits} bits of security{state} (n = {parameters.n}, {found.log2_q:.0f}-bit q)"


def warn_insecure(speaker: Speaker, parameters: Parameters) -> None:
    """Warns about parameters that were accepted although they have less than 128 bits of security."""
    if parameters.insecure_reason:
        speaker.warn(f"{security_line(parameters)}: for comparison with the literature, not for secrets")


def warn_of_wrapped_counts(speaker: Speaker, index: Index, plan: SearchPlan, total: bool) -> None:
    """Warns if the index allows counts that are outside the range of the answer. The option --count-range of the search
    set this range.

    ``index.repeats`` does not limit counts: words with equal hashes count together, and a sender can choose such words.
    """
    largest = min(index.words if total else index.most_words, plan.max_matches)
    if plan.count_range <= largest:
        speaker.warn(
            f"a count of {plan.count_range:,} or more appears in this answer too small, by a multiple of "
            f"{plan.count_range:,}: --count-range of the search promised that no count is that large, but this index "
            f"allows counts up to {largest:,}"
        )


def estimate_document(found: Estimate) -> dict[str, Any]:
    return {
        "security_bits": found.security.bits,
        "security_accepted": found.security.accepted,
        "security_source": found.security.source,
        "words_an_answer": found.plan.words,
        "max_matches": found.plan.max_matches,
        "count_range": found.plan.count_range,
        "failure_log2": found.plan.failure_log2,
        "noise_bits": found.plan.noise_bits,
        "margin_bits": found.plan.margin_bits,
        "false_positives": found.false_positives,
        "index_bytes": found.index_bytes,
        "answers": found.answers,
        "answer_bytes": found.answer_bytes,
        "index_seconds": found.index_seconds or None,
        "search_seconds": found.search_seconds or None,
    }


def estimate_rows(found: Estimate) -> list[tuple[str, str]]:
    """Returns names and values of facts, as text for readers."""
    bits = f"{found.security.bits} bits" + ("" if found.security.accepted else ", BELOW 128 BITS")
    timed = found.search_seconds > 0
    return [
        ("security", f"{bits} ({found.security.source})"),
        ("wrong count", f"with probability below {units.power(2, round(found.plan.failure_log2))}"),
        ("false positives", _false_positives(found.false_positives)),
        ("largest count per message", f"{found.plan.count_range - 1:,}"),
        (
            "noise",
            f"{found.plan.noise_bits:.1f} bits of the {found.plan.margin_bits:.1f} that would make a count wrong",
        ),
        ("index on disk", units.size(found.index_bytes)),
        ("answer", units.size(found.answer_bytes)),
        ("time to index", units.duration(found.index_seconds) if timed else "not measured"),
        ("time to match all words, in memory", units.duration(found.search_seconds) if timed else "not measured"),
    ]


def _false_positives(expected: float) -> str:
    if expected <= 0:
        return "none"
    if expected < 0.1:
        return f"one word in {float(f'{1 / expected:.2g}'):,.0f} queries"
    return f"{expected:.2g} words in a query"
