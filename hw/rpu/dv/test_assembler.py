# SPDX-License-Identifier: Apache-2.0
"""Tests the assembler: the images of sources, the errors for wrong sources, and the findings of the static checks.
Also tests the disassembler, the reader of programs, machine parameters and the command line."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest
from asm import (
    AssemblyError,
    Image,
    ImageError,
    Kernel,
    Machine,
    MachineError,
    Segment,
    Symbol,
    assemble,
    check,
    decode,
    disassemble,
    reduction_constant,
)
from asm.__main__ import main
from asm.machine import parse_lines
from asm.tables import PARAMETERS, SPECS
from rig.program import ProgramGenerator

DATA = """\
.vdm
x: .space 1024
y: .word 1, 0x2, 3_000
   .zero 509
.sdm
q: .modulus 97
base: .addr x
at_y: .addr y+16
.text
"""
START = DATA + " mload m1, q\n aload a0, base\n"


def errors_of(text: str) -> list[str]:
    with pytest.raises(AssemblyError) as caught:
        assemble(text, "f.s")
    return str(caught.value).splitlines()


def found(text: str, severity: str, **settings: object) -> list[str]:
    return [str(d) for d in check(assemble(text, "f.s"), Machine.make(settings)) if d.severity == severity]


def test_data_is_laid_out_in_order_and_labels_are_byte_addresses():
    image = assemble(DATA + " aload a1, at_y\n vload v3, y+16(a1), stride 4\n vload v4, y-x(a1)\n").image
    assert image.symbols == [
        Symbol("x", "vdm", 0, 1024),
        Symbol("y", "vdm", 1024, 512),
        Symbol("q", "sdm", 0, 2),
        Symbol("base", "sdm", 2, 1),
        Symbol("at_y", "sdm", 3, 1),
    ]
    assert image.segments == [
        Segment("vdm", 1024, (1, 2, 3000) + (0,) * 509),
        Segment("sdm", 0, (97, reduction_constant(97), 0, 1025)),
    ]
    words = [decode(word) for word in image.code]
    assert words[1].operands == {"vd": 3, "vdm": 1025, "ra": 1, "mode": 1, "value": 2}
    assert words[2].operands["vdm"] == 1024
    assert [word.end for word in words] == [False, False, True]


def test_each_kernel_ends_with_its_own_end():
    image = assemble(".text\n.kernel one\n aload a1, 0\n.kernel two\n aload a2, 0\n aload a3, 16\n").image
    assert image.kernels == [Kernel("one", 0, 1), Kernel("two", 1, 2)]
    assert [decode(word).end for word in image.code] == [True, False, True]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("vload v64, 0(a1)", "f.s:1:7: error: there is no register v64; use v0 .. v63"),
        (
            f"vload v{'9' * 5000}, 0(a1)",
            f"f.s:1:7: error: there is no register v{'9' * 5000}; use v0 .. v63",
        ),
        (  # a digit that is not ASCII
            "vload v\u0663, 0(a1)",
            "f.s:1:8: error: the character '\u0663' is not allowed here; remove it",
        ),
        ("vload s1, 0(a1)", "f.s:1:7: error: expected a vector register, found 's1'; write v0 .. v63"),
        ("vload v1, 8(a1)", "f.s:1:11: error: 8 is not a multiple of 16 bytes, the size of a word; use 0 or 16"),
        (
            "vload v1, 16777216(a1)",
            "f.s:1:11: error: 16777216 is outside 0 .. 16777200; use an address inside, or move the base register",
        ),
        (
            "vload v1, -16(a1)",
            "f.s:1:11: error: -16 is outside 0 .. 16777200; use an address inside, or move the base register",
        ),
        ("vload v1, 0", "f.s:1:11: error: expected an offset and a base address register; write for example 0(a1)"),
        ("vload v1, 0(a1), stride 3", "f.s:1:25: error: 3 is not a power of two up to 2^20; use 1, 2, 4, 8 ..."),
        (
            "vload v1, 0(a1), stride 2097152",
            "f.s:1:25: error: 2097152 is not a power of two up to 2^20; use 1, 2, 4, 8 ...",
        ),
        ("vload v1, 0(a1), stride", "f.s:1:18: error: stride takes one number; write `stride 2`"),
        (
            "vload v1, 0(a1), strided 2",
            "f.s:1:18: error: unknown addressing mode 'strided'; use linear, stride K, skip K or repeat K",
        ),
        (
            "vstore v1, 0(a1), repeat 4",
            "f.s:1:19: error: a store uses repeat mode, which can write one word twice; store in linear, stride or "
            "skip mode",
        ),
        ("vadd v1, v4, v8, m1", "f.s:1:1: error: unknown instruction 'vadd'; did you mean vaddmod?"),
        ("vaddmod v1, v4, v8", "f.s:1:19: error: vaddmod needs the operand rm here; write vd, vs, vt, rm"),
        (
            "vaddmod v1, v4, v8, m1, m2",
            "f.s:1:25: error: vaddmod takes no further operand; write vd, vs, vt, rm",
        ),
        (
            "vaddmod v1, v4, v5, m1",
            "f.s:1:17: error: v4 and v5 are in the same single-port memory (v4 .. v7); move one of the registers to "
            "another group of four",
        ),
        (
            "bfly v0, v1, v8, v12, v16, m0",
            "f.s:1:10: error: v0 and v1 are in the same single-port memory (v0 .. v3); move one of the registers to "
            "another group of four",
        ),
        (
            "bfly v0, v0, v8, v12, v16, m0",
            "f.s:1:10: error: v0 is both destinations; write the two results to different registers",
        ),
        (
            "bfly v0, v4, v8, v12, v9, m0",
            "f.s:1:23: error: v8 and v9 are in the same single-port memory (v8 .. v11); move one of the registers to "
            "another group of four",
        ),
        ("vload v1, 0(a1),", "f.s:1:17: error: an argument is missing here; write it or remove the comma"),
        ("vload v1, 0(a1), # note", "f.s:1:17: error: an argument is missing here; write it or remove the comma"),
        (
            "vload v1, x(a1)",
            "f.s:1:11: error: the label 'x' is not defined; define it in .vdm or .sdm, or correct its name",
        ),
        (
            "x: vload v1, 0(a1)",
            "f.s:1:1: error: labels name data; B512 has no jumps; remove it, or write .kernel NAME",
        ),
        ("vload v1 @", "f.s:1:10: error: the character '@' is not allowed here; remove it"),
        (
            "sload s1, 0x1g",
            "f.s:1:11: error: '0x1g' is not a number; write it in decimal, or in hexadecimal as in 0xff",
        ),
        ("sload s1, 16+", "f.s:1:13: error: the address ends with a sign; write a label or a number after it"),
        (".word 5", f"f.s:1:1: error: unknown instruction '.word'; use one of {' '.join(SPECS)}"),
        (
            "5: vload",
            "f.s:1:1: error: expected an instruction or a directive, found '5'; begin the statement with a mnemonic "
            "such as vload",
        ),
    ],
)
def test_an_error_names_file_line_column_and_the_fix(line: str, complaint: str):
    assert errors_of(line) == [complaint]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (".vdm\n .word 1", "f.s:2:2: error: data without a label has no address; write `name:` before it"),
        (".vdm\nx: .word 1\nx: .word 2", "f.s:3:1: error: the label 'x' is already defined; choose another name"),
        (
            ".vdm\nq: .modulus 97",
            "f.s:2:13: error: a modulus must be in the scalar data memory, where mload reads it; write .sdm before it",
        ),
        (".sdm\nq: .modulus 1", "f.s:2:13: error: 1 is not a modulus; use a value from 2 to 2^128 - 1"),
        (f".sdm\nq: .word {2**128}", f"f.s:2:10: error: {2**128} does not fit in 128 bits; use a value below 2^128"),
        (
            ".vdm\nx: .space 2097153",
            "f.s:2:4: error: vdm would need 2097153 words, but has at most 2097152; use less data, or reuse space",
        ),
        (
            ".vdm\nx: .zero 99999999999",
            "f.s:2:4: error: vdm would need 99999999999 words, but has at most 2097152; use less data, or reuse space",
        ),
        (
            ".vdm\nx: .space 4\n.org 32\ny: .space 1",
            "f.s:3:6: error: cannot continue at byte 32: the current byte is 64; use a multiple of 16 that is not "
            "below it",
        ),
        (
            ".sdm\na: .addr b",
            "f.s:2:10: error: the label 'b' is not defined; define it in .vdm or .sdm, or correct its name",
        ),
        (
            ".sdm\na: .word 0\nb: .addr a",
            "f.s:3:10: error: 'a' is in sdm, but this instruction accesses vdm; use a label of .vdm",
        ),
        (
            ".vdm\nx: vload v1, 0(a1)",
            "f.s:2:4: error: 'vload' is not allowed in a data section; use one of .word .zero .space .modulus .addr "
            ".org",
        ),
        (
            ".text\n aload a0, 0\n.kernel k\n aload a1, 0",
            "f.s:3:9: error: .kernel must be in .text, and the first one before all instructions; move it",
        ),
        (".kernel k\n.kernel l\n aload a0, 0", "f.s:1:9: error: the kernel 'k' has no instruction; write one in .text"),
        ("# nothing", "f.s:1:1: error: the kernel 'main' has no instruction; write one in .text"),
    ],
)
def test_an_error_in_data_or_structure_names_its_place_and_the_fix(text: str, complaint: str):
    assert errors_of(text) == [complaint]


def test_all_wrong_lines_are_reported_at_once_in_order():
    lines = errors_of("vload v99, 0(a1)\nvload v1, 0(a1)\nvadd v1, v4, v8, m1\n")
    assert [line.split(":")[1] for line in lines] == ["1", "3"]


def test_comments_and_spacing_mean_nothing():
    plain = assemble("vload v1, 16(a1), skip 8\n").image.to_bytes()
    assert assemble("\n  // a\n\tvload  v1 ,0x10 ( a1 ),skip 0x8   # b\n\n").image.to_bytes() == plain


@pytest.mark.parametrize("seed", range(8))
def test_a_program_survives_disassembly_and_assembly_to_the_byte(seed: int):
    data = ProgramGenerator(seed, Machine.make()).make(300).to_bytes()
    image = Image.from_bytes(data)
    assert image.to_bytes() == data
    assert assemble(disassemble(image)).image.to_bytes() == data


def test_gaps_zero_runs_and_empty_labels_survive_the_round_trip():
    data = ".vdm\na:\nb: .word 1, 0, 0, 5\n .space 3\n .word 7\n.org 512\nc: .zero 2\n.sdm\nq: .modulus 2\n"
    text = data + ".text\n.kernel k\n sload s1, q+16\n"
    data = assemble(text).image.to_bytes()
    assert assemble(disassemble(Image.from_bytes(data))).image.to_bytes() == data


def test_no_damaged_binary_is_accepted_or_crashes_the_reader():
    data, source = assemble(START + " vload v1, x(a0)\n").image.to_bytes(), random.Random(3)
    for end in range(len(data)):
        with pytest.raises(ImageError):
            Image.from_bytes(data[:end])
    for _ in range(300):
        damaged = bytearray(data)
        damaged[source.randrange(len(data))] ^= 1 << source.randrange(8)
        with pytest.raises(ImageError):
            Image.from_bytes(bytes(damaged))


@pytest.mark.parametrize("name", ["", "a\nvload v1, 0(a0)", "\x1b[2J", "a b", "1", "\u202e", "\xe9", ".", "x\0"])
def test_a_name_that_no_source_can_have_is_refused_in_a_program(rpusim, tmp_path, name):
    for field in ("kernels", "symbols"):
        image = assemble(START + " vload v1, x(a0)\n").image
        named = getattr(image, field)
        named[-1] = named[-1]._replace(name=name)
        with pytest.raises(ImageError, match="a name is not one that a source can have"):
            Image.from_bytes(image.to_bytes())
        (tmp_path / "p.b512").write_bytes(image.to_bytes())
        done = subprocess.run([rpusim, tmp_path / "p.b512"], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "the program has a name that no source can have" in done.stderr


def test_names_and_numbers_of_a_source_are_ascii():
    for text in (".text\n.kernel \xe9\n", ".vdm\n\u03b1: .word 1\n", ".vdm\na: .word \uff11\n"):
        with pytest.raises(AssemblyError, match="is not allowed here"):
            assemble(text)


@pytest.mark.parametrize("file", ["pipe", "zero"])
@pytest.mark.parametrize("before", [[], ["p.b512", "--machine"]])
def test_the_simulator_reads_no_pipe_and_no_device(rpusim, tmp_path, file, before):
    (tmp_path / "p.b512").write_bytes(assemble(START + " vload v1, x(a0)\n").image.to_bytes())
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    command = [rpusim, *before, file]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "is not a regular file" in done.stderr


def test_data_that_no_label_covers_is_refused_by_the_disassembler():
    image = assemble(START + " vload v1, x(a0)\n").image
    image.symbols = [symbol for symbol in image.symbols if symbol.name != "y"]
    with pytest.raises(ImageError, match="512 words of vdm belong to no symbol"):
        disassemble(image)


def test_a_sound_program_has_no_findings_but_its_estimate():
    program = START + " vload v0, x(a0)\n vload v4, y(a0)\n vmulmod v8, v0, v4, m1\n vstore v8, x(a0)\n"
    notes = [str(d) for d in check(assemble(program, "f.s"), Machine.make())]
    assert notes == [
        "f.s:10:2: note: kernel main: 6 instructions, at least 12 cycles; "
        "load_store is the bottleneck; the simulator gives the exact count"
    ]


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (" vload v0, x(a1)\n", "f.s:12:2: error: a1 is read but was never written; load a1 first"),
        (
            " vload v0, x(a0)\n vmulmod v8, v0, v4, m1\n",
            "f.s:13:2: error: v4 is read but was never written; load v4 first",
        ),
        (
            " vload v0, x(a0)\n vsmulmod v8, v0, s3, m1\n",
            "f.s:13:2: error: s3 is read but was never written; load s3 first",
        ),
        (
            " vload v0, x(a0)\n vmulmod v8, v0, v0, m2\n",
            "f.s:13:2: error: m2 is read but was never written; load m2 first",
        ),
        (
            " vload v0, x(a0), stride 1024\n",
            "f.s:12:2: error: word 523264 is outside the vector data memory of 262144 words",
        ),
        (
            " vload v0, x(a0)\n vaddmod v1, v0, v0, m1\n",
            "f.s:13:2: error: v1 would be written into a register memory that is still being read: latency 1 is below",
        ),
        (
            " mload m2, base\n",
            "f.s:12:2: error: this is not a modulus with its reduction constant; lay it out with the directive",
        ),
    ],
)
def test_a_static_check_finds(body: str, complaint: str):
    assert found(START + body, "error")[0].startswith(complaint)


def test_reading_data_that_nothing_fills_is_a_warning_until_it_is_stored():
    read = " vload v0, 32768(a0)\n"
    assert "reads 512 words that nothing has filled" in found(START + read, "warning")[0]
    assert not found(START + " vload v4, x(a0)\n vstore v4, 32768(a0)\n" + read, "warning")


@pytest.mark.parametrize(
    ("mode", "settings", "cycles"),
    [
        ("stride 2", {}, 8),
        ("stride 128", {}, 512),
        ("stride 128", {"bank_hash": "xor"}, None),
        ("skip 128", {}, None),
        ("skip 1", {}, 8),
        ("repeat 4", {}, None),
        ("linear", {}, None),
        ("stride 2", {"banks": 256}, None),
        ("stride 4", {"hples": 64}, 16),
    ],
)
def test_bank_conflicts_are_counted(mode: str, settings: dict, cycles: int | None):
    notes = [
        note
        for note in found(START + f" vload v0, x(a0), {mode}\n", "note", vdm_words=2097152, **settings)
        if "bank conflicts" in note
    ]
    assert (not notes) if cycles is None else f"bank conflicts: {cycles} cycles instead of" in notes[0]


def test_a_smaller_machine_refuses_data_that_does_not_fit():
    assert "the data needs 1536 words of vdm, the machine has 1024" in found(START, "error", vdm_words=1024)[0]


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("hples", 96, "hples = 96 is not a power of two: .*; use 64 or 128"),
        ("banks", 1024, r"banks = 1024 is outside 1 \.\. 512"),
        ("hpels", 64, "the machine has no parameter 'hpels'; it has hples"),
        ("busyboard", "loose", "busyboard = loose is not a choice; use strict or hazards"),
    ],
)
def test_a_wrong_machine_parameter_is_refused_with_its_range(name: str, value: object, complaint: str):
    with pytest.raises(MachineError, match=complaint):
        Machine.make({name: value})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("#" * 70_000, "big.yml has more than 64 KiB; give a file of lines"),
        ("x" * 9_000, "big.yml:1: expected `name: value`, found 'xxx"),
        ("x" * 9_000 + ": 1", "big.yml:1: the machine has no parameter 'xxx"),
        ("hples: " + "6" * 9_000, "big.yml:1: hples = 666"),
    ],
)
def test_a_message_does_not_repeat_a_large_machine_file(tmp_path, text: str, complaint: str):
    (tmp_path / "big.yml").write_text(text)
    with pytest.raises(MachineError) as caught:
        Machine.read(tmp_path / "big.yml")
    assert complaint in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_the_command_line_assembles_checks_and_disassembles(tmp_path, capsys):
    source = tmp_path / "p.s"
    source.write_text(START + " vload v0, x(a0)\n")
    assert main(["asm", str(source)]) == 0
    assert main(["check", str(source), "--set", "hples=64"]) == 0
    assert main(["disasm", str(tmp_path / "p.b512")]) == 0
    assert "vload v0, 0(a0)" in capsys.readouterr().out
    source.write_text("vload v0, 1(a0)\n")
    assert main(["asm", str(source)]) == 2
    assert "p.s:1:11: error: 1 is not a multiple of 16 bytes" in capsys.readouterr().err


def test_the_profile_paper_is_what_the_defaults_are():
    path = Path(__file__).resolve().parent.parent / "machines" / "paper.yml"
    assert Machine.read(path) == Machine.make()
    assert set(parse_lines(path.read_text(), str(path))) == set(PARAMETERS)
    assert Machine.read(path).clock_mhz == 1680
