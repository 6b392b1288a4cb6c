# SPDX-License-Identifier: Apache-2.0
"""Interprets the PTX (NVIDIA's intermediate code) of butterflies, because machines that run tests have no GPU.

The kernels butterflies_32_WORD (whole_transform.cpp) have no branches. In each of them, a lane transforms 16 points.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from nvcc import compiled_by_nvcc

KERNELS = Path(__file__).resolve().parents[2] / "build/release/kernels"
POINTS, LANES = 16, 256
OPERATIONS: dict[str, Callable[..., int]] = {
    "mov": lambda bits, a: a,
    "cvta": lambda bits, a: a,
    "add": lambda bits, a, b: a + b,
    "sub": lambda bits, a, b: a - b,
    "min": lambda bits, a, b: min(a, b),
    "mul.lo": lambda bits, a, b: a * b,
    "mul.hi": lambda bits, a, b: a * b >> bits,
    "mad.lo": lambda bits, a, b, c: a * b + c,
    "mul.wide": lambda bits, a, b: a * b,
    "mad.wide": lambda bits, a, b, c: a * b + c,
}


class Registers:
    """The registers of lane 0 of a kernel without branches, and the memory, which maps addresses to words."""

    def __init__(self, arguments: list[int], memory: dict[int, int]) -> None:
        self.memory = memory
        self._arguments = arguments
        self._registers: dict[str, int] = {"%tid.x": 0}

    def run(self, statement: str) -> None:
        name, text = statement.split(None, 1)
        operands = re.findall(r"\{[^}]*\}|[^,]+", re.sub(r"\s", "", text))
        first, *rest = name.split(".")
        operation = ".".join((first, *(word for word in rest if word in ("lo", "hi", "wide"))))
        bits = int(rest[-1][1:])
        if operation == "ld":
            self._load(name, operands, bits)
        elif operation == "st":
            for i, register in enumerate(self._names(operands[1])):
                self.memory[self._address(operands[0]) + i * bits // 8] = self._registers[register]
        elif operands[0].startswith("{"):
            low, high = self._names(operands[0])
            value = self._value(operands[1])
            self._registers |= {low: value % 2**32, high: value >> 32}
        else:
            wide = operation.endswith("wide")
            value = OPERATIONS[operation](bits, *(self._value(each) for each in operands[1:]))
            self._registers[operands[0]] = value % 2 ** (2 * bits if wide else bits)

    def _load(self, name: str, operands: list[str], bits: int) -> None:
        if ".param." in name:
            offset = re.search(r"\+(\d+)\]", operands[1])
            self._registers[operands[0]] = self._arguments[int(offset[1]) // 8 if offset else 0]
            return
        for i, register in enumerate(self._names(operands[0])):
            self._registers[register] = self.memory[self._address(operands[1]) + i * bits // 8]

    @staticmethod
    def _names(text: str) -> list[str]:
        return text.strip("{}").split(",")

    def _address(self, text: str) -> int:
        register, _, offset = text.strip("[]").partition("+")
        return self._registers[register] + int(offset or 0)

    def _value(self, text: str) -> int:
        if text.startswith("{"):
            low, high = (self._value(name) for name in self._names(text))
            return high << 32 | low
        return self._registers[text] if text in self._registers else int(text)


@cache
def statements(ptx: Path, kernel: str) -> tuple[str, ...]:
    body = ptx.read_text().split(f".entry {kernel}(")[1].split("\n}")[0].split("{\n", 1)[1]
    lines = [re.sub(r"//.*", "", line).strip() for line in body.splitlines()]
    # A block of PTX has its own registers. It sets these registers before it reads them.
    text = " ".join(re.sub(r"^\{|\}$", "", line) if ".reg" in line else line for line in lines)
    found = [each.strip() for each in text.split(";")]
    return tuple(each for each in found if each and not each.startswith((".", "ret")))


def text_of(compiler: str, folder: Path) -> Path:
    if compiler == "nvcc":
        return compiled_by_nvcc("whole_transform", folder)
    if not (path := KERNELS / "whole_transform.ptx").exists():
        pytest.skip("no kernels in PTX: apt-get install clang-19, then ./dev build")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nvcc")


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("word", "bits"), [("u32", 32), ("u64", 64)])
@pytest.mark.parametrize("compiler", ["clang", "nvcc"])
def test_butterflies_have_the_right_residues(compiler: str, word: str, bits: int, seed: int, folder: Path) -> None:
    chance, size = random.Random(seed), bits // 8
    most = 2 ** (bits - 2)
    q = chance.choice([most - 1, most - chance.randrange(most // 2) | 1, chance.randrange(3, 2**20) | 1])
    below = lambda bound: chance.choice([bound - 1, 0, chance.randrange(bound)])  # noqa: E731
    words, limb, table = 0, 10**7, 2 * 10**7
    factors = [below(q) for _ in range(POINTS)]
    points = [below(4 * q) for _ in range(POINTS)]
    constants = [q, 2**bits - q, 0, 0, 0, 0, 0, 0, 2**bits - 2 * q]
    memory = {limb + i * size: value for i, value in enumerate(constants)}
    for i, (factor, point) in enumerate(zip(factors, points, strict=True)):
        memory[words + LANES * i * size] = point
        memory[table + LANES * i * 2 * size] = factor
        memory[table + LANES * i * 2 * size + size] = (factor << bits) // q
    registers = Registers([words, limb, table], memory)
    for statement in statements(text_of(compiler, folder), f"butterflies_32_{word}"):
        registers.run(statement)

    for stage in range(4):
        half = POINTS // 2 >> stage
        for i in range(POINTS // 2):
            group = i // half
            first = 2 * half * group + i % half
            x, product = points[first], points[first + half] * factors[(1 << stage) + group]
            points[first], points[first + half] = (x + product) % q, (x - product) % q
    found = [registers.memory[words + LANES * i * size] for i in range(POINTS)]
    assert all(value < 4 * q for value in found)
    assert [value % q for value in found] == points
