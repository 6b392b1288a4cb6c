# SPDX-License-Identifier: Apache-2.0
"""Runs every NAME.s in programs/ and compares the results with NAME.exp. Also tests the messages for wrong
expectations, the command that runs a folder of such tests, and timelines."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from asm.__main__ import main
from asm.expect import ExpectationError, failures, parse

PROGRAMS = Path(__file__).parent / "programs"


@pytest.mark.parametrize("source", sorted(PROGRAMS.glob("*.s")), ids=lambda path: path.stem)
def test_a_program_does_what_its_expectation_says(source: Path, rpusim: Path):
    assert failures(rpusim, source) == []


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("z[0] = 12", "p.exp:1: z[0] = 0xc expected, found 0xb (1 of 1 differ)"),
        ("v8[0..2] = 11, 23, 29", "p.exp:1: v8[1] = 0x17 expected, found 0x16 (1 of 3 differ)"),
        ("cycles = 31", "p.exp:1: cycles = 31 expected, found 32"),
        ("trap = vdm_bounds at 2", "p.exp:1: trap = vdm_bounds at 2 expected, found none"),
        ("v0 = 0", "p.exp:1: v0[0] = 0x0 expected, found 0x1 (3 of 512 differ)"),
    ],
)
def test_a_wrong_expectation_fails_with_its_place_and_both_values(
    line: str, complaint: str, tmp_path: Path, rpusim: Path
):
    (tmp_path / "p.s").write_text((PROGRAMS / "add_two_vectors.s").read_text())
    (tmp_path / "p.exp").write_text(line + "\n")
    assert failures(rpusim, tmp_path / "p.s") == [complaint]


def test_an_unexpected_trap_fails(tmp_path: Path, rpusim: Path):
    (tmp_path / "p.s").write_text((PROGRAMS / "unreduced_sum_traps.s").read_text())
    (tmp_path / "p.exp").write_text("v4 = 0\n")
    assert failures(rpusim, tmp_path / "p.s") == [
        "p.exp: the program trapped: operand_range at 3; correct it, or expect it with `trap = ...`"
    ]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("v8 is 5", "p.exp:1: expected `name = value`"),
        ("v8[0..2] = 1, 2", "p.exp:1: 3 elements and 2 values; write one value for each"),
        ("v8 = five", "p.exp:1: 'five' is not a list of numbers"),
        ("cycles = 32, 33", "p.exp:1: cycles has one value"),
        ("executed[1] = 6", "p.exp:1: executed has one value"),
    ],
)
def test_a_line_without_meaning_is_refused(line: str, complaint: str):
    with pytest.raises(ExpectationError) as caught:
        parse(line, "p.exp")
    assert str(caught.value).startswith(complaint)


def _program_with_label(label: str, expected: bytes, folder: Path) -> Path:
    text = (PROGRAMS / "add_two_vectors.s").read_text()
    (folder / "p.s").write_text(text.replace("z:", f"{label}:").replace(" z(", f" {label}("))
    (folder / "p.exp").write_bytes(expected)
    return folder / "p.s"


@pytest.mark.parametrize(
    ("label", "other"), [("v8", "a register"), ("m63", "a register"), ("cycles", "a fact of the run")]
)
def test_a_label_that_also_means_something_else_is_refused(label: str, other: str, tmp_path: Path):
    source = _program_with_label(label, f"{label} = 11\n".encode(), tmp_path)
    with pytest.raises(ExpectationError, match=rf"p\.exp:1: {label} is {other}, and also a label"):
        failures("not run", source)


def test_an_expectation_that_is_no_text_is_refused(tmp_path: Path):
    source = _program_with_label("v64", b"\xff\xfe", tmp_path)
    with pytest.raises(ExpectationError, match=r"p\.exp is not a text in UTF-8"):
        failures("not run", source)


def test_settings_change_the_machine(tmp_path: Path, rpusim: Path):
    (tmp_path / "p.s").write_text((PROGRAMS / "add_two_vectors.s").read_text())
    (tmp_path / "p.exp").write_text("set hples=64\nset banks=64\ncycles = 48\n")
    assert failures(rpusim, tmp_path / "p.s") == []


def test_the_command_line_runs_a_folder_of_tests(rpusim: Path, capsys):
    assert main(["test", str(PROGRAMS), "--simulator", str(rpusim)]) == 0
    assert "5 of 5 passed" in capsys.readouterr().out


def test_timelines_show_every_instruction_with_its_stages(tmp_path: Path, rpusim: Path):
    program, konata, chrome = tmp_path / "p.b512", tmp_path / "p.kanata", tmp_path / "p.json"
    assert main(["asm", str(PROGRAMS / "add_two_vectors.s"), "-o", str(program)]) == 0
    subprocess.run([rpusim, program, "--konata", konata, "--chrome", chrome], check=True, capture_output=True)
    lines = konata.read_text().splitlines()
    assert lines[:2] == ["Kanata\t0004", "C=\t0"]
    assert "L\t4\t0\t4: vaddmod v8, v0, v4, m1" in lines
    assert "L\t4\t1\twaited: front_end 1, busyboard 9 (by 3)" in lines
    assert sum(line.startswith("R\t") for line in lines) == 6
    assert sum(int(line.split("\t")[1]) for line in lines if line.startswith("C\t")) == 32
    slices = [
        event for event in json.loads(chrome.read_text())["traceEvents"] if event["ph"] == "X" and event["tid"] < 4
    ]
    assert [(event["name"], event["ts"], event["dur"]) for event in slices][4:] == [
        ("vaddmod v8, v0, v4, m1", 18, 4),
        ("vstore v8, 16384(a0)", 24, 4),
    ]
