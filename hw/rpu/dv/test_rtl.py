# SPDX-License-Identifier: Apache-2.0
"""Compares the hardware (rtl/) with the simulator: every value and every cycle of every instruction. hw/rpu/README.md
explains the terms.

The tests of every push run random programs, corner values, traps and transforms of 1K on one machine. With
RINGFORT_COUNTS=full, seven machines, larger transforms and products of polynomials are added. A failure prints the
folder of the run. To record the signals of this run, build with `cosim.build(..., trace=True)`, and call the result:
`Vrpu --wave FILE FOLDER`.
"""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest
from asm import Image, Segment, assemble
from asm.tables import TRAPS
from rig import rtl
from rig.corners import arithmetic, modes, moduli
from rig.faults import FAULTS
from rig.program import ProgramGenerator

FULL = os.environ.get("RINGFORT_COUNTS") == "full"
BUILDS = rtl.RPU.parent.parent / "build" / "rtl-cosim"
PROGRAMS, LENGTH = 300 if FULL else 40, 120
PRIMES = {32: 2146959361, 64: 2**64 - 2**32 + 1, 128: 2**128 - 63963135}
SMALL = (64, {"hples": 8, "banks": 8})
LARGE = (64, {"hples": 32, "banks": 32})
_LATTICE = (
    (32, {"hples": 4, "banks": 32, "bank_hash": "xor", "busyboard": "hazards", "dispatch": 1, "scalar_cycles": 1}),
    (32, {"hples": 32, "banks": 8, "bank_hash": "xor", "dispatch": 3, "queue_depth": 1}),
    (
        64,
        {"hples": 8, "banks": 8, "bank_hash": "xor", "busyboard": "hazards", "dispatch": 1, "queue_depth": 2}
        | {"memory_latency": 2, "shuffle_latency": 1, "multiply_latency": 1, "add_latency": 2},
    ),
    (
        128,
        {"hples": 4, "banks": 4, "bank_hash": "xor", "dispatch": 1}
        | {"memory_latency": 7, "shuffle_latency": 9, "multiply_latency": 20, "add_latency": 3},
    ),
    (
        32,
        {"hples": 16, "banks": 32, "busyboard": "hazards", "dispatch": 1, "memory_latency": 3}
        | {"multiply_interval": 2, "multiply_latency": 7},
    ),
    (
        64,
        {"hples": 32, "banks": 32, "dispatch": 1, "scalar_cycles": 3, "queue_depth": 3}
        | {"multiply_interval": 4, "multiply_latency": 11},
    ),
)


def all_equal(built: tuple[rtl.Design, Path], folders: list[Path]) -> None:
    lines = rtl.compare_recorded(*built, folders)
    assert len(lines) >= len(folders)
    different = [line for line in lines if ": equal, " not in line]
    assert not different, f"{len(different)} of {len(folders)} runs differ:\n" + "\n".join(different[:5])


@pytest.fixture(scope="module")
def small(verilator: Path) -> tuple[rtl.Design, Path]:
    design = rtl.design_of(*SMALL)
    return design, rtl.build(design, verilator, BUILDS)


def random_runs(rpusim: Path, design: rtl.Design, seeds: range, base: Path) -> list[Path]:
    machine = rtl.machine_of(design)
    return [
        rtl.expect(rpusim, ProgramGenerator(seed, machine, design.width).make(LENGTH), design, base / str(seed))
        for seed in seeds
    ]


def test_random_programs_agree_in_values_and_cycles(small, rpusim: Path, tmp_path: Path):
    design, binary = small
    all_equal((design, binary), random_runs(rpusim, design, range(PROGRAMS), tmp_path))


def test_every_operand_corner_and_every_mode_agrees(small, rpusim: Path, tmp_path: Path):
    design, binary = small
    images = [arithmetic(q, design.width, seed) for seed, q in enumerate(moduli(design.width))]
    images += [modes(design.width, seed) for seed in range(3)]
    all_equal(
        (design, binary), [rtl.expect(rpusim, image, design, tmp_path / str(k)) for k, image in enumerate(images)]
    )


def narrow(image: Image, width: int) -> Image:
    """Returns an illegal program of rig/faults.py with 2^width - 1 in place of 2^128 - 1."""
    segments = [
        Segment(space, address, tuple(2**width - 1 if word == 2**128 - 1 else word for word in words))
        for space, address, words in image.segments
    ]
    return Image(image.kernels, image.code, segments, image.symbols)


def hardware_faults() -> dict[tuple[str, str], Image]:
    """Returns the illegal programs whose trap the hardware must find. Only the simulator finds the other four traps."""
    return {key: image for key, image in FAULTS.items() if TRAPS[key[0]].code <= 8}


def test_the_hardware_stops_at_its_traps(small, rpusim: Path, tmp_path: Path):
    design, binary = small
    faults = hardware_faults()
    assert {TRAPS[name].code for name, _ in faults} == set(range(1, 9))
    folders = []
    for number, image in enumerate(faults.values()):
        folders.append(rtl.expect(rpusim, narrow(image, design.width), design, tmp_path / str(number)))
    all_equal((design, binary), folders)


def generated(rpusim: Path, design: rtl.Design, n: int, options: list[str], folder: Path, kind: str = "ntt") -> Path:
    """Generates a transform, or a product of polynomials (`polymul`). Runs the program on the simulator with n random
    words in each operand. Returns the folder of the run."""
    folder.mkdir()
    q = PRIMES[design.width]
    command = [rpusim.with_name("rpugen"), kind, "--n", n, "--modulus", q, "--output", folder / "made.b512", *options]
    command += [argument for setting in design.settings for argument in ("--set", setting)]
    done = subprocess.run([str(argument) for argument in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    draw = random.Random(n)
    image = Image.from_bytes((folder / "made.b512").read_bytes())
    operands = ("x",) if kind == "ntt" else ("a", "b")
    return rtl.expect(rpusim, image, design, folder, {x: [draw.randrange(q) for _ in range(n)] for x in operands})


@pytest.mark.parametrize("optimizer", ["none", "paper", "best"])
def test_transforms_of_1k_agree_both_ways(optimizer: str, small, rpusim: Path, tmp_path: Path):
    design, binary = small
    options = ["--optimizer", optimizer, "--tries", "2"]
    folders = [generated(rpusim, design, 1024, options, tmp_path / "forward")]
    folders.append(generated(rpusim, design, 1024, [*options, "--inverse"], tmp_path / "inverse"))
    all_equal((design, binary), folders)


@pytest.fixture(scope="module")
def large(verilator: Path) -> tuple[rtl.Design, Path]:
    design = rtl.design_of(*LARGE)
    return design, rtl.build(design, verilator, BUILDS)


@pytest.mark.skipif(not FULL, reason="larger transforms take minutes; RINGFORT_COUNTS=full runs them")
@pytest.mark.parametrize("n", [2048, 4096, 8192, 16384])
def test_larger_transforms_agree_both_ways(n: int, large, rpusim: Path, tmp_path: Path):
    folders = []
    for optimizer in ("none", "paper", "best"):
        options = ["--optimizer", optimizer, "--tries", "1"]
        folders.append(generated(rpusim, large[0], n, options, tmp_path / f"{optimizer}-forward"))
        folders.append(generated(rpusim, large[0], n, [*options, "--inverse"], tmp_path / f"{optimizer}-back"))
    all_equal(large, folders)


@pytest.mark.skipif(not FULL, reason="a product of polynomials takes a minute; RINGFORT_COUNTS=full runs it")
@pytest.mark.parametrize("n", [1024, 4096])
def test_products_of_polynomials_agree(n: int, large, rpusim: Path, tmp_path: Path):
    options = ["--optimizer", "best", "--tries", "1"]
    all_equal(large, [generated(rpusim, large[0], n, options, tmp_path / "product", "polymul")])


@pytest.mark.skipif(not FULL, reason="six more machines take an hour; RINGFORT_COUNTS=full runs them")
@pytest.mark.parametrize("machine", _LATTICE, ids=str)
def test_random_programs_agree_on_a_lattice_of_machines(machine, verilator: Path, rpusim: Path, tmp_path: Path):
    design = rtl.design_of(*machine)
    all_equal((design, rtl.build(design, verilator, BUILDS)), random_runs(rpusim, design, range(350), tmp_path))


@pytest.mark.skipif(not FULL, reason="two of the six more machines; RINGFORT_COUNTS=full builds them")
@pytest.mark.parametrize("machine", [m for m in _LATTICE if "multiply_interval" in m[1]], ids=str)
def test_transforms_agree_where_a_product_is_made_digit_by_digit(
    machine, verilator: Path, rpusim: Path, tmp_path: Path
):
    design = rtl.design_of(*machine)
    options = ["--optimizer", "paper", "--tries", "1"]
    folders = [generated(rpusim, design, n, options, tmp_path / str(n)) for n in (1024, 4096)]
    folders.append(generated(rpusim, design, 4096, [*options, "--inverse"], tmp_path / "inverse"))
    all_equal((design, rtl.build(design, verilator, BUILDS)), folders)


ADDITION = "instruction 4 (vaddmod v8, v0, v4, m1): "


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("schedule.csv", "\n4,137,138,", "\n4,137,139,"), ADDITION + "start: model 139, hardware 138"),
        (
            ("schedule.csv", "203,1,129,0,0", "203,1,128,1,0"),
            ADDITION + "waited for the busyboard: model 128, hardware 129",
        ),
        (("steps", '"v8":"ad', '"v8":"ae'), ADDITION + 'wrote: model "v8":"ae4f7429e5b45a25", hardware "v8":"ad4f7429'),
        (("vdm_after.hex", "@400\n", "@401\n"), "vdm[1024] after the run: model 0x0, hardware 0xb"),
        (("outcome", "trap 0", "trap 6"), "trap: model 6, hardware 0"),
    ],
)
def test_a_difference_is_told_with_its_place_and_both_values(
    change, complaint: str, small, rpusim: Path, tmp_path: Path
):
    design, binary = small
    source = rtl.RPU / "dv" / "programs" / "add_two_vectors.s"
    folder = rtl.expect(rpusim, assemble(source.read_text()).image, design, tmp_path / "run")
    assert rtl.compare(binary, [folder])[0].endswith(": equal, 272 cycles")
    file, right, wrong = change
    text = (folder / file).read_text()
    assert text.count(right) == 1
    (folder / file).write_text(text.replace(right, wrong))
    assert complaint in rtl.compare(binary, [folder])[0]
