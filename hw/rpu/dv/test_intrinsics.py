# SPDX-License-Identifier: Apache-2.0
"""Tests programs in C. An intrinsic is a C function that writes one instruction. The source that a program with
intrinsics prints must assemble. A C program that rpugen writes must compute the same values as the simulator."""

from __future__ import annotations

import json
import random
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from asm import Image, assemble
from asm.expect import simulate

RPU = Path(__file__).resolve().parent.parent
INTRINSICS = RPU / "intrinsics"


def compiled(output: Path, *sources: Path) -> Path:
    command = ["cc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused", f"-I{INTRINSICS}", *sources]
    done = subprocess.run([*map(str, command), "-o", str(output)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return output


FUNCTIONS = (("ntt",), ("ntt", "--inverse"), ("polymul", "--optimizer", "best"), ("multiply_scalar",), ("negate",))


@pytest.mark.parametrize("function", FUNCTIONS, ids=" ".join)
def test_plain_c_computes_what_the_simulated_program_computes(function: tuple, tmp_path: Path, rpusim: Path):
    path, q = tmp_path / "p.b512", 2**128 - 63963135
    options = (*function, "--n", "1024", "--tries", "1", "--output", path, "--c", tmp_path / "p.c", "--json")
    done = subprocess.run(
        [str(word) for word in (rpusim.with_name("rpugen"), *options)], capture_output=True, text=True, check=True
    )
    image, result = Image.from_bytes(path.read_bytes()), json.loads(done.stdout)["result"]
    source = random.Random(7)
    operands = [symbol for symbol in image.symbols if symbol.space == "vdm" and symbol.name != "table"]
    data = {symbol.name: [source.randrange(q) for _ in range(symbol.words)] for symbol in operands}
    if function[0] == "multiply_scalar":
        data["scalars"] = [source.randrange(q)]
    run = simulate(rpusim, image, [], [], data)
    program = compiled(tmp_path / "program", tmp_path / "p.c")
    given = b"".join(word.to_bytes(16, "little") for words in data.values() for word in words)
    output = subprocess.run([str(program)], input=given, capture_output=True, check=True).stdout
    assert output == b"".join(word.to_bytes(16, "little") for word in run.words[result])


def test_every_instruction_has_the_intrinsic_that_the_instruction_file_names():
    header = (INTRINSICS / "b512.h").read_text()
    isa = yaml.safe_load((RPU / "isa/b512.yml").read_text())
    named = {instruction["intrinsic"] for instruction in isa["instructions"]}
    declared = set(re.findall(r"^void (_\w+)\(", header, re.MULTILINE))
    variants = {f"_v{verb}_512x128i" for verb in ("loads", "loadk", "loadr", "stores", "storek")}
    assert declared == named | variants


def test_a_program_of_intrinsics_assembles_and_computes_the_first_stage(tmp_path: Path, rpusim: Path):
    program = compiled(tmp_path / "program", INTRINSICS / "first_stage.c", INTRINSICS / "assemble.c")
    source = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    x = [random.Random(2).randrange(97) for _ in range(1024)]
    run = simulate(rpusim, assemble(source).image, [], ["--replay"], {"x": x})
    assert run.report["trap"] is None
    products = [5 * value for value in x[512:]]
    assert run.words["y"][0::2] == [(a + p) % 97 for a, p in zip(x[:512], products, strict=True)]
    assert run.words["y"][1::2] == [(a - p) % 97 for a, p in zip(x[:512], products, strict=True)]


def test_every_intrinsic_prints_the_assemblers_notation(tmp_path: Path):
    kinds = {"b512_vector": "reg_v", "b512_scalar": "reg_s", "b512_address": "reg_a", "b512_modulus": "reg_m"}
    calls = []
    for name, parameters in re.findall(r"^void (_\w+)\((.*)\);", (INTRINSICS / "b512.h").read_text(), re.MULTILINE):
        arguments = []
        for k, parameter in enumerate(parameters.split(", ")):
            kind = kinds.get(parameter.split()[0])
            arguments.append(f"{kind}({4 * k + 3})" if kind else "16" if "long" in parameter else "4")
        calls.append(f"  {name}({', '.join(arguments)});")
    text = '#include "b512.h"\nvoid b512_program(void) {\n  b512_data(".text");\n' + "\n".join(calls) + "\n}\n"
    (tmp_path / "all.c").write_text(text)
    program = compiled(tmp_path / "program", tmp_path / "all.c", INTRINSICS / "assemble.c")
    lines = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(lines) == 1 + len(calls)
    source = ".sdm\nfour: .space 64\n" + "\n".join(lines) + "\n"
    assert len(assemble(source).image.code) == len(calls)
