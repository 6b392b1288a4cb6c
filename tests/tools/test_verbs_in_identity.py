# SPDX-License-Identifier: Apache-2.0
"""The identity tests (tests/property) compare results bit by bit between devices. Their programs must call every public
verb of the evaluators.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCHEMES = {
    "CKKS": ("include/ringfort/ckks.h", "tests/property/ckks/identity_test.cpp"),
    "BFV and BGV": ("include/ringfort/integers.h", "tests/property/integers/identity_test.cpp"),
}
CALLED_AS = {"Evaluator": "e_", "AutomaticEvaluator": "automatic_"}


def public_verbs(header: str, evaluator: str) -> set[str]:
    """Returns the member functions of an evaluator. If X and X_into exist, X_into is omitted."""
    body = re.search(rf"^class {evaluator} {{\n public:\n(.*?)^ private:", header, re.MULTILINE | re.DOTALL)
    assert body, f"no class {evaluator}"
    names = set(re.findall(r"^  (?:\[\[nodiscard\]\] )?[\w:<>]+ (\w+)\(", body[1], re.MULTILINE))
    names.discard(evaluator)  # its constructor
    return {name for name in names if not (name.endswith("_into") and name.removesuffix("_into") in names)}


@pytest.mark.parametrize("evaluator", CALLED_AS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_public_verb_is_in_the_program_of_identical_bits(scheme: str, evaluator: str) -> None:
    header, program = ((ROOT / path).read_text() for path in SCHEMES[scheme])
    verbs = public_verbs(header, evaluator)
    assert {"add", "multiply", "rotate", "sum_slots"} <= verbs, "the header's form has changed: adapt public_verbs"
    called = set(re.findall(rf"\b{CALLED_AS[evaluator]}\.(\w+)(?:<[\w:<>]+>)?\(", program))
    assert verbs - called == set(), f"{scheme}: add them to the program in {SCHEMES[scheme][1]}"
