# SPDX-License-Identifier: Apache-2.0
"""Tests kernels as NVIDIA's assembler compiles them for three chips: no register spills, and counts may only fall.

A register spills if its value moves to memory because too few registers are left. compiled_kernels.json has the
registers of each kernel, and two counts of instructions for a butterfly. Both counts come from whole_transform.cpp. (A
butterfly is the step of a transform that combines two points with one product.) ``whole`` is the number of instructions
of a transform of 2^12 points without loops, divided by the number of butterflies of a lane. ``alone`` is the number of
instructions that 32 more butterflies add, divided by 32. Kernels for common shapes (``ntt_u64_lazy_16_0_8``: 2^16
points, 8 stages from stage 0 on) have no loops either: a lane executes their code from beginning to end. The other
transforms take their shape as an argument. They have loops and conditions. Therefore their count is the length of the
code, and not the number of executed instructions. If a change makes a count smaller, write the smaller count into the
file. ``python tests/gpu/test_compiled_kernels.py`` does this.

With RINGFORT_COUNTS=full, every family of kernels is assembled for every chip. Otherwise each family is assembled for
one chip.
"""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from ringfort.bench import compiled

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "build/release/kernels"
SHAPES = tuple(f"shapes{log_n}_{word}" for log_n in range(12, 17) for word in ("u32", "u64"))
TRANSFORMS = ("transforms_u32", "transforms_u64", "fused_u32", "fused_u64", *SHAPES)
OTHERS = ("words", "probes", "variants", "wide_variants", "shuffles", "products", "clusters")
FAMILIES = (*TRANSFORMS, *(f"{family}_{word}" for family in OTHERS for word in ("u32", "u64")))
CHIPS = ("sm_80", "sm_90", "sm_120")
FULL = os.environ.get("RINGFORT_COUNTS") == "full"
COUNTS = Path(__file__).with_name("compiled_kernels.json")
BUTTERFLIES_OF_LANE = 12 * 2**11 // 256
COMPILED = re.compile(
    r"Compiling entry function '(?P<name>\w+)'.*?(?P<frame>\d+) bytes stack frame, (?P<stored>\d+) bytes spill stores, "
    r"(?P<loaded>\d+) bytes spill loads.*?Used (?P<registers>\d+) registers",
    re.DOTALL,
)
# Kernels without loops, which [Lyashevsky23, Table 1] counts too, and kernels with 16 products in a row
# (kernels/hadamard.h).
OF_A_LANE = re.compile(r"global\d+_harvey_forward_|reduce_|(?:fused_)?hadamard_|cluster\d+_")
# Integer operations of PTX, as [Lyashevsky23, Table 1] counts them. Loads, stores, copies, conversions and branches do
# not count.
OPERATION = re.compile(
    r"^\s+(?:add|sub|mul|mad|div|rem|min|max|shl|shr|and|or|xor|not|neg|bfi|bfe|setp|selp)\.", re.MULTILINE
)
ENTRY = re.compile(r"\.entry (\w+)\(")
INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*)")
# The low 12 bits of an instruction of 16 bytes are its operation. These are NOP, and BRA in two forms.
NOT_COUNTED = (0x918, 0x947, 0x547)


def families_of(chip: str) -> list[str]:
    """Returns the families that the chip can run. Clusters (blocks that access each other's shared memory) exist from
    compute capability 9.0 on."""
    return [family for family in FAMILIES if chip != "sm_80" or not family.startswith("clusters_")]


def families_for(chip: str) -> list[str]:
    """Returns the families that a test assembles for the chip. Without full counts, each family is for one chip."""
    others = [f for number, f in enumerate(FAMILIES) if number // 2 % len(CHIPS) != CHIPS.index(chip)]
    return families_of(chip) if FULL else [family for family in families_of(chip) if family not in others]


@cache
def program(name: str) -> str:
    """Returns the path of one of NVIDIA's programs."""
    if found := sorted((ROOT / "build/ptxas").glob(f"nvidia/*/bin/{name}")):
        return str(found[0])
    pytest.skip(f"no {name}: pip install --no-deps --target build/ptxas -r requirements/gpu.txt")


def ptx(name: str) -> Path:
    if not (path := KERNELS / f"{name}.ptx").exists():
        pytest.skip("no kernels in PTX: apt-get install clang-19, then ./dev build")
    return path


@cache
def assembled(family: str, chip: str, folder: Path) -> tuple[Path, dict[str, dict[str, int]]]:
    """Returns the machine code of a family, and the stack frame, spills and registers of each kernel."""
    cubin = folder / f"{family}.{chip}.cubin"
    command = [program("ptxas"), f"-arch={chip}", "-v", str(ptx(family)), "-o", str(cubin)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    found = {m["name"]: {k: int(v) for k, v in m.groupdict().items() if k != "name"} for m in COMPILED.finditer(said)}
    return cubin, found


def instructions(cubin: Path) -> dict[str, int]:
    """Returns the number of instructions of each kernel, without padding and branches. Reads the sections .text.KERNEL
    of the file (ELF)."""
    data = cubin.read_bytes()
    (headers,) = struct.unpack_from("<Q", data, 40)
    size, number, of_names = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<I20xQQ", data, headers + i * size) for i in range(number)]
    names = sections[of_names][1]
    counts: dict[str, int] = {}
    for name_at, begin, length in sections:
        name = data[names + name_at : data.index(b"\0", names + name_at)].decode()
        if name.startswith(".text."):
            operations = (struct.unpack_from("<H", data, at)[0] & 0xFFF for at in range(begin, begin + length, 16))
            counts[name.removeprefix(".text.")] = sum(operation not in NOT_COUNTED for operation in operations)
    return counts


def disassembled(cubin: Path) -> dict[str, int]:
    """Returns the same numbers from the text of NVIDIA's disassembler, which takes longer."""
    text = subprocess.run([program("nvdisasm"), "-c", str(cubin)], check=True, capture_output=True, text=True).stdout
    counts: dict[str, int] = {}
    kernel = ""
    for line in text.splitlines():
        if section := re.match(r"\.text\.(\w+):", line):
            kernel = section[1]
        elif (found := INSTRUCTION.search(line)) and found[1] not in ("NOP", "BRA"):
            counts[kernel] = counts.get(kernel, 0) + 1
    return counts


def measured(chip: str, folder: Path, families: list[str]) -> dict[str, dict[str, float]]:
    registers = {
        name: kernel["registers"] for family in families for name, kernel in assembled(family, chip, folder)[1].items()
    }
    whole = instructions(assembled("whole_transform", chip, folder)[0])
    of_butterfly = {n: round(c / BUTTERFLIES_OF_LANE, 2) for n, c in whole.items() if n.startswith("whole_")}
    for word in ("u32", "u64"):
        more = whole[f"butterflies_64_{word}"] - whole[f"butterflies_32_{word}"]
        of_butterfly[f"alone_{word}"] = round(more / 32, 2)
    return {
        "registers": registers,
        "instructions of a butterfly": of_butterfly,
        "instructions in the code": {
            name: count
            for family in families
            if family in TRANSFORMS
            for name, count in instructions(assembled(family, chip, folder)[0]).items()
        },
        "instructions of a lane": {
            name: count
            for family in families
            if family.startswith(("variants_", "wide_variants_", "products_", "clusters_"))
            for name, count in instructions(assembled(family, chip, folder)[0]).items()
            if OF_A_LANE.match(name)
        },
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@pytest.mark.parametrize("chip", CHIPS)
def test_no_kernel_spills_or_has_a_stack_frame(chip: str, folder: Path) -> None:
    for family in (*families_for(chip), "whole_transform"):
        kernels = assembled(family, chip, folder)[1]
        assert len(kernels) == ptx(family).read_text().count(".entry "), family
        for name, kernel in kernels.items():
            assert (kernel["frame"], kernel["stored"], kernel["loaded"]) == (0, 0, 0), name


@pytest.mark.parametrize("chip", CHIPS)
def test_registers_and_instructions_only_fall(chip: str, folder: Path) -> None:
    known = json.loads(COUNTS.read_text())[chip]
    families = families_for(chip)
    others = {name for f in families_of(chip) if f not in families for name in ENTRY.findall(ptx(f).read_text())}
    for what, counts in measured(chip, folder, families).items():
        assert counts.keys() == known[what].keys() - others, f"run {Path(__file__).name} after a change of the catalog"
        risen = {name: (known[what][name], count) for name, count in counts.items() if count > known[what][name]}
        assert not risen, f"{what} (before, now)"


@pytest.mark.parametrize("chip", CHIPS)
def test_the_disassembler_has_the_same_instructions(chip: str, folder: Path) -> None:
    for family in families_of(chip) if FULL else ("words_u32", "probes_u32"):
        cubin = assembled(family, chip, folder)[0]
        assert instructions(cubin) == disassembled(cubin), family


@pytest.mark.parametrize("family", [family for family in FAMILIES if family.endswith("u32")])
def test_no_high_word_is_half_of_a_product(family: str) -> None:
    """If a high word is half of a 64-bit product, NVIDIA's assembler replaces c * high(a * b) by a * high(b * c).

    This is another number. Therefore no kernel may compute a high word in this way."""
    for kernel in ptx(family).read_text().split(".entry ")[1:]:
        products = set(re.findall(r"mul\.(?:lo\.s64|wide\.u32)\s+(%rd\d+)", kernel))
        halves = set(re.findall(r"mov\.b64 \{tmp, %r\d+\}, (%rd\d+)", kernel))
        halves |= set(re.findall(r"shr\.u64\s+%rd\d+, (%rd\d+), 32", kernel))
        assert not products & halves, kernel[: kernel.index("(")]


@pytest.mark.parametrize("word", ["u32", "u64"])
def test_clusters_have_no_loops_and_one_barrier_for_memory_in_each_direction(word: str) -> None:
    """In a forward transform, a block stores in the memory of other blocks, so each first announces that it has
    started. The announcement orders no memory accesses. In an inverse transform, a block loads from other blocks. A
    second barrier keeps each block running until all have loaded."""
    kernels = ptx(f"clusters_{word}").read_text().split(".entry ")[1:]
    assert len(kernels) == 6
    for kernel in kernels:
        is_forward = "_forward_" in kernel[: kernel.index("(")]
        assert "bra" not in kernel
        assert kernel.count("barrier.cluster.arrive.relaxed.aligned") == is_forward
        assert kernel.count("barrier.cluster.arrive.aligned") == 1 + (not is_forward)
        assert kernel.count("barrier.cluster.wait.aligned") == 2
        assert kernel.count("st.shared::cluster" if is_forward else "ld.shared::cluster") == 16


def test_reproduce_has_the_operations_of_the_compiled_kernels() -> None:
    found = {}
    for radix in compiled.OPERATIONS:
        family = "variants_u64" if radix < 8 else "wide_variants_u64"
        kernel = ptx(family).read_text().split(f".entry global{radix}_harvey_forward_u64(")[1].split(".entry ")[0]
        found[radix] = len(OPERATION.findall(kernel))
    assert found == compiled.OPERATIONS


def test_the_model_of_times_has_the_instructions_of_the_compiled_products() -> None:
    """bench/gpu/model.h explains the 26 instructions beside 16 products, and the instructions of a division."""
    text = (ROOT / "bench/gpu/model.h").read_text()
    stated = {m[1]: (int(m[2]), int(m[3])) for m in re.finditer(r"::(\w+): return is_short \? (\d+) : (\d+);", text)}
    stated["dhem"] = stated["proposed"]  # the switch has one line for both
    counts = json.loads(COUNTS.read_text())["sm_90"]["instructions of a lane"]
    short, long = ((63, 18), (67, 19))  # the function of a division, and what the kernel has at each call
    for name, (of_u32, of_u64) in stated.items():
        u32, u64 = (counts[f"reduce_{name}_{word}"] - 26 for word in ("u32", "u64"))
        if name == "builtin":
            assert of_u32 == round((u32 - short[0]) / 16 + (short[0] - short[1]))
            assert of_u64 == round((u64 - long[0]) / 16 + 2 * (long[0] - long[1]))
        else:
            assert (of_u32, of_u64) == (round(u32 / 16), round(u64 / 16)), name
    assert set(stated) == {"builtin", "classical", "dhem", "proposed", "montgomery", "shoup"}


def test_whole_transforms_have_no_loops() -> None:
    text = ptx("whole_transform").read_text()
    assert text.count(".entry ") == 8
    assert "bra" not in text


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else COUNTS
    scratch = ROOT / "build"
    found = {chip: measured(chip, scratch, families_of(chip)) for chip in CHIPS}
    target.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
