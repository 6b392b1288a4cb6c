# SPDX-License-Identifier: Apache-2.0
"""Executes programs by evaluating the semantics in isa/b512.yml, which the manual prints.

The oracle uses Python integers and computes one element at a time. The oracle is slow, and has no code in common with
the simulators.
"""

from __future__ import annotations

import re

from asm import Image, Instruction, decode
from asm.encoding import MODE_BY_CODE

from .tables import ELEMENT, MODE_ELEMENT, REGISTER

LENGTH = 512
_ELEMENT_OF = {name: eval(f"lambda i, value: {text}") for name, text in MODE_ELEMENT.items()}  # noqa: S307
_TARGET = re.compile(r"^(vd1?|VDM)\[")


class Oracle:
    def __init__(self, image: Image):
        self.memory = {"vdm": {}, "sdm": {}}
        for segment in image.segments:
            self.memory[segment.space].update(enumerate(segment.words, segment.address))
        self.v = [[0] * LENGTH for _ in range(64)]
        self.s, self.a, self.m = [0] * 64, [0] * 64, [0] * 64

    def execute(self, image: Image) -> None:
        for word in image.code:
            self.step(decode(word))

    def step(self, instruction: Instruction) -> None:
        if instruction.mnemonic in REGISTER:
            scope = {
                **instruction.operands,
                "s": self.s,
                "a": self.a,
                "m": self.m,
                "SDM": self.memory["sdm"],
                "address": instruction.operands["sdm"],
            }
            exec(REGISTER[instruction.mnemonic], scope)
            return
        results = {"vd": [0] * LENGTH, "vd1": [0] * LENGTH, "VDM": {}}
        program = _COMPILED[instruction.mnemonic]
        scope = self._scope(instruction, results)
        for i in range(LENGTH):
            scope["i"] = i
            exec(program, scope)
        for name in ("vd", "vd1"):
            if name in instruction.operands:
                self.v[instruction.operands[name]] = results[name]
        self.memory["vdm"].update(results["VDM"])

    def _scope(self, instruction: Instruction, results: dict) -> dict:
        """Returns the values of the names in the semantics. Destinations have the names new_vd, new_vd1 and new_VDM."""
        operands = instruction.operands
        scope: dict = {"new_" + name: result for name, result in results.items()} | {
            "s": self.s,
            "a": self.a,
            "VDM": _Zeros(self.memory["vdm"]),
        }
        for operand in instruction.spec.operands:
            number = operands[operand.name]
            scope[operand.name] = self.v[number] if operand.kind == "vector" and operand.role == "read" else number
        if "mode" in operands:
            element, value = _ELEMENT_OF[MODE_BY_CODE[operands["mode"]].name], operands["value"]
            scope["ea"] = lambda i: element(i, value)
        if "vdm" in operands:
            scope["address"] = operands["vdm"]
        if "rm" in operands:
            scope["q"] = self.m[operands["rm"]]
        return scope


class _Zeros(dict):
    """A memory. A word that has not been written is zero, as in the simulators."""

    def __missing__(self, key: int) -> int:
        return 0


def _compile(text: str):
    statements = [_TARGET.sub(lambda match: f"new_{match[1]}[", statement) for statement in text.split("; ")]
    return compile("\n".join(statements), "b512.yml", "exec")


_COMPILED = {mnemonic: _compile(text) for mnemonic, text in ELEMENT.items()}
