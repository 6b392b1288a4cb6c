# SPDX-License-Identifier: Apache-2.0
"""Tests that no integer division has a secret operand.

The time of a division depends on the dividend. Tools that check branches for secrets do not detect divisions. Therefore
this test disassembles the program of tests/constant_time, and checks the functions that process secrets. The patterns
below select these functions. Each pattern must match at least one function. A selected function must not divide
integers. It must not call a function that divides, or that branches on the value that it converts. Most vector kernels
are not checked. They divide only public numbers, such as indices in a block, because no vector instruction divides
integers.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "build/release/tests/constant_time/test_constant_time"

# Patterns for demangled names.
FUNCTIONS = [
    r"chacha::Sampler::(ternary|cbd21)\(",
    r"sample_wide\(",
    r"RnsBasis::compose_centred\(",
    r"compose_rounded\(",
    r"residues_into<",
    r"kernels::lift_bytes<",
    r"Ring::upload_small\(",
    r"BatchEncoder::(encode|decode)\(",
    r"integers::(convert_to_plain|.*convert_one_by_one)\(",
    r"encoding::\(anonymous namespace\)::",
    r"integers::phase_residues\(",
    r"ckks::SlotEncoder::(encode|decode)(_values)?\b",
    r"rgsw::phase_mod_power\(",
    r"rgsw::counts_of\(",
    r"rgsw::value_of\(",
    r"search::constant_weight\(",
    r"kernels::(add|subtract|negate|multiply_scalar\d+|decompose)<ringfort::cpu::(avx2|avx512|ifma)::",
    r"kernels::(forward|polymul)\w*<ringfort::cpu::generic::",
]
DIVISION = re.compile(r"^\s*[0-9a-f]+:\s+i?div[bwlq]?\s")
CALL = re.compile(r"\b(call|jmp)\w*\s.*<(__u?(div|mod)[dt]i3|__float(un)?tidf|__fix(uns)?dfti|hypot|cabs|log2|fmod)\b")


def disassembled(program):
    """Yields the name and the lines of every function."""
    text = subprocess.run(
        ["objdump", "-d", "-C", "--no-show-raw-insn", program], capture_output=True, text=True, check=True
    ).stdout
    for function in text.split("\n\n"):
        head, _, body = function.strip().partition("\n")
        name = re.fullmatch(r"[0-9a-f]+ <(.*)>:", head)
        if name:
            yield name.group(1), body.splitlines()


def divisions(lines):
    return [line.strip() for line in lines if DIVISION.search(line) or CALL.search(line)]


@pytest.fixture(scope="module")
def functions():
    if not PROGRAM.exists() or shutil.which("objdump") is None:
        pytest.skip("no program to disassemble: ./dev test builds it if valgrind is installed")
    return list(disassembled(PROGRAM))


@pytest.mark.parametrize("pattern", FUNCTIONS)
def test_no_integer_division_works_on_a_secret(functions, pattern):
    found = [(name, lines) for name, lines in functions if re.search(pattern, name)]
    assert found, f"no function matches {pattern}: name the function that replaced it"
    assert {name: divisions(lines) for name, lines in found if divisions(lines)} == {}


def test_the_check_finds_a_division(tmp_path):
    source = tmp_path / "control.c"
    source.write_text(
        "unsigned long divided(unsigned long a, unsigned long b) { return a / b; }\n"
        "double converted(__int128 x) { return (double)x; }\n"
        "unsigned long shifted(unsigned long a) { return a >> 3; }\n"
        "int main(void) { return 0; }\n"
    )
    compiler = shutil.which("g++") or pytest.skip("no compiler")
    subprocess.run([compiler, "-O2", "-x", "c", source, "-o", tmp_path / "control"], check=True)
    found = {name: divisions(lines) for name, lines in disassembled(tmp_path / "control")}
    assert found["divided"]
    assert found["converted"]
    assert not found["shifted"]
