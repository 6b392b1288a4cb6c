# SPDX-License-Identifier: Apache-2.0
"""Tests the instruction file, isa/b512.yml: generated files are up to date, encodings match Table I of [Soni23], and
errors in the file are found. Also tests that the decoder finds illegal instructions."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from asm import DecodeError, Instruction, decode, encode
from asm.tables import FIELDS, SPECS
from rig.faults import FAULTS, TRAP_AT, sound
from rig.tables import TRAPS

ROOT = Path(__file__).resolve().parents[3]


def run_generator(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, str(folder / "tools" / "gen_isa"), *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "gen_isa", tmp_path / "tools")
    shutil.copytree(ROOT / "hw" / "rpu", tmp_path / "hw" / "rpu", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_the_products_are_in_date():
    done = run_generator(ROOT, "--check")
    assert done.returncode == 0, done.stderr


def test_a_changed_product_is_named_with_the_command_that_repairs_it(copy: Path):
    path = copy / "hw/rpu/sim/isa_tables.h"
    path.write_text(path.read_text().replace("vload", "wload", 1))
    done = run_generator(copy, "--check")
    assert done.returncode == 1
    assert "hw/rpu/sim/isa_tables.h is out of date; run tools/gen_isa" in done.stderr
    assert run_generator(copy).returncode == 0
    assert run_generator(copy, "--check").returncode == 0


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("opcode: 14", "opcode: 15", "pkhi has the encoding of pklo"),
        ("{name: spare, lsb: 61, width: 2", "{name: spare, lsb: 61, width: 1", "leave bits"),
        ("{name: vt, lsb: 6, width: 6", "{name: vt, lsb: 5, width: 6", "overlaps another"),
        ("operands: [vd, vs, vt]", "operands: [vd, vs, vq]", "operand 'vq' is not defined"),
        ("pipe: shuffle", "pipe: shuffel", "pipe 'shuffel' is not defined"),
        ("traps: [sdm_bounds]", "traps: [sdm_bound]", "trap 'sdm_bound' is not defined"),
        ('synopsis: "Load a vector"', 'synopsys: "Load a vector"', "synopsys"),
        ("vd[i] = VDM[a[ra] + address]", "vd[i] = VDM[a[ra + address]", "not Python notation"),
    ],
)
def test_a_mistake_in_the_instruction_file_is_refused_with_its_place(
    copy: Path, before: str, after: str, complaint: str
):
    path = copy / "hw/rpu/isa/b512.yml"
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))
    done = run_generator(copy)
    assert done.returncode == 2
    assert complaint in done.stderr


# The lowest bits of the fields in Table I: opcode 44, VD 18, VS 12, VT 6, RM 0, Address 24, VD1 55, VT1 49.
@pytest.mark.parametrize(
    ("instruction", "word"),
    [
        (Instruction("vload", {"vd": 60, "vdm": 512, "ra": 1, "mode": 0, "value": 0}), 60 << 18 | 512 << 24 | 1),
        (
            Instruction("vstore", {"vx": 21, "vdm": 1, "ra": 2, "mode": 1, "value": 1}),
            1 << 44 | 21 << 18 | 1 << 24 | 2 | 1 << 12 | 1 << 6,
        ),
        (Instruction("sload", {"sd": 63, "sdm": 0xFFFFF}), 3 << 44 | 63 << 6 | 0xFFFFF << 24),
        (Instruction("vmulmod", {"vd": 59, "vs": 20, "vt": 19, "rm": 1}), 8 << 44 | 59 << 18 | 20 << 12 | 19 << 6 | 1),
        (
            Instruction("bfly", {"vd": 1, "vd1": 62, "vs": 5, "vt": 9, "vt1": 13, "rm": 63}, end=True),
            1 << 63 | 62 << 55 | 13 << 49 | 1 << 48 | 8 << 44 | 1 << 18 | 5 << 12 | 9 << 6 | 63,
        ),
        (Instruction("pkhi", {"vd": 56, "vs": 58, "vt": 4}), 15 << 44 | 56 << 18 | 58 << 12 | 4 << 6),
    ],
)
def test_the_encoding_is_that_of_table_one(instruction: Instruction, word: int):
    assert encode(instruction) == word
    assert decode(word) == instruction


def test_seventeen_instructions_round_trip_through_their_words():
    assert len(SPECS) == 17
    for name in SPECS:
        assert encode(decode(sound(name))) == sound(name)


def test_random_words_decode_to_instructions_that_encode_to_them_or_trap():
    source, legal = random.Random(5), 0
    for _ in range(20000):
        spec = source.choice(list(SPECS.values()))
        word = source.getrandbits(64) & spec.used_mask & ~(0xF << 44 | 1 << 48) | spec.opcode << 44 | spec.bfly << 48
        trap = trap_of(word)
        assert trap in (None, "mode_value", "store_collision", "register_memory")
        assert trap or encode(decode(word)) == word
        legal += trap is None
    assert legal > 8000


def trap_of(word: int) -> str | None:
    try:
        decode(word)
    except DecodeError as error:
        return error.trap
    return None


def test_every_illegal_case_of_every_instruction_has_a_program_that_meets_it():
    names = {(spec.opcode, spec.bfly): name for name, spec in SPECS.items()}

    def instruction_of(trap: str, word: int) -> str:
        opcode, bfly = (word >> FIELDS[field].lsb & (1 << FIELDS[field].width) - 1 for field in ("opcode", "bfly"))
        return names[opcode, bool(bfly) and trap != "opcode"]  # this trap is the butterfly bit of another instruction

    met = {(instruction_of(trap, image.code[TRAP_AT]), trap) for (trap, _), image in FAULTS.items()}
    assert met == {(name, trap) for name, traps in TRAPS.items() for trap in traps}


@pytest.mark.parametrize(
    "fault",
    [
        fault
        for fault in FAULTS
        if fault[0] in ("opcode", "reserved_bits", "mode_value", "store_collision", "register_memory")
    ],
    ids=lambda fault: ": ".join(fault),
)
def test_the_decoder_finds(fault: tuple[str, str]):
    with pytest.raises(DecodeError) as caught:
        decode(FAULTS[fault].code[TRAP_AT])
    assert caught.value.trap == fault[0]


def test_a_value_that_does_not_fit_its_field_is_refused():
    with pytest.raises(ValueError, match="operand vd = 64 does not fit its 6 bits"):
        sound("vload", vd=64)


def test_fields_tile_the_word():
    assert sum(((1 << field.width) - 1) << field.lsb for field in FIELDS.values()) == 2**64 - 1
