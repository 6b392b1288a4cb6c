# SPDX-License-Identifier: Apache-2.0
"""The table of docs/cpp.md has each verb of SEAL's six classes once, and every name on the page is in the headers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADERS = {"ckks": ("ckks.h", "keys.h"), "integers": ("integers.h", "keys.h")}
ROLES = {"CKKSEncoder": "Encoder", "BatchEncoder": "Encoder"}

# Public verbs in the headers of SEAL 4. One entry means all overloads, and also the function with the suffix
# _inplace.
SEAL = {
    "KeyGenerator": "secret_key create_public_key create_relin_keys create_galois_keys",
    "Encryptor": "set_public_key set_secret_key encrypt encrypt_symmetric encrypt_zero encrypt_zero_symmetric",
    "Decryptor": "decrypt invariant_noise_budget",
    "CKKSEncoder": "encode decode slot_count",
    "BatchEncoder": "encode decode slot_count",
    "Evaluator": "negate add add_many sub multiply square relinearize mod_switch_to_next mod_switch_to "
    "mod_reduce_to_next mod_reduce_to rescale_to_next rescale_to multiply_many exponentiate "
    "add_plain sub_plain multiply_plain transform_to_ntt transform_from_ntt apply_galois "
    " rotate_rows rotate_columns rotate_vector complex_conjugate",
}


def rows() -> list[list[str]]:
    text = (ROOT / "docs/cpp.md").read_text("utf-8").partition("## Every verb of SEAL")[2]
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def members(scheme: str, name: str) -> set[str]:
    """Returns the functions and fields of a class or structure of the public headers."""
    text = "".join((ROOT / "include/ringfort" / header).read_text("utf-8") for header in HEADERS[scheme])
    found = re.search(rf"^(?:class|struct) {name} \{{$(.*?)^\}};", text, re.DOTALL | re.MULTILINE)
    assert found, f"the headers of {scheme} have no {name}"
    return set(re.findall(r"\b(\w+)(?=\(|;| =)", re.sub(r"//.*", "", found[1])))


def test_every_verb_of_seal_has_one_row() -> None:
    verbs = [f"`{name}::{verb}`" for name, all_of_it in SEAL.items() for verb in all_of_it.split()]
    assert sorted(row[0] for row in rows()) == sorted(verbs)


@pytest.mark.parametrize(("column", "scheme"), [(1, "ckks"), (2, "integers")])
def test_every_name_of_the_table_is_in_the_headers(column: int, scheme: str) -> None:
    for row in rows():
        role = row[0].strip("`").partition("::")[0]
        if row[column] == "none":
            continue
        names = re.findall(r"`([\w:]+)`", row[column])
        assert names, f"{row[0]}: write a name, or none"
        for name in names:
            own, _, verb = name.rpartition("::")
            assert verb in members(scheme, own or ROLES.get(role, role)), f"{row[0]}: {name}"


def test_every_other_name_of_the_page_is_in_the_headers() -> None:
    text = re.sub(r"^```.*?^```", "", (ROOT / "docs/cpp.md").read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    headers = "".join(p.read_text("utf-8") for p in sorted((ROOT / "include/ringfort").glob("*.h")))
    named = re.findall(r"`(\w+(?:::\w+)*)(?:\([\w, ]*\)(?:\.text\(\))?)?`", text)
    ours = {word for name in named for word in name.split("::")}
    theirs = {word for name, verbs in SEAL.items() for word in [name, *verbs.split()]}
    outside = {"parms_id", "X", "X_inplace", "X_into", "encode_X", "decode_X", "out"}
    outside |= {"find_package", "add_subdirectory", "FetchContent"}
    outside |= {"CoeffModulus", "Create", "MaxBitCount", "BFVDefault", "PlainModulus", "Batching"}
    missing = {name for name in ours - theirs - outside if not re.search(rf"\b{name}\b", headers)}
    assert not missing
