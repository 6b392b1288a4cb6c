# SPDX-License-Identifier: Apache-2.0
"""Encodes instructions with named operands as the 64-bit words of [Soni23], Table I. Decodes words, and finds illegal
ones."""

from __future__ import annotations

from dataclasses import dataclass

from .tables import FIELDS, MAXIMUM_MODE_VALUE, MODES, SPECS, TRAPS, Spec

MODE_BY_CODE = {mode.code: mode for mode in MODES.values()}
_BY_OPCODE = {(spec.opcode, spec.bfly): spec for spec in SPECS.values()}


class DecodeError(ValueError):
    """A word that is no legal instruction. `trap` is the name of the illegal case in doc/isa.md."""

    def __init__(self, trap: str, word: int):
        self.trap = trap
        super().__init__(f"word {word:#018x}: {TRAPS[trap].doc}; {TRAPS[trap].fix}")


@dataclass(frozen=True)
class Instruction:
    mnemonic: str
    operands: dict[str, int]  # addresses count words; `mode` is the code of the mode; `value` is a log2
    end: bool = False

    @property
    def spec(self) -> Spec:
        return SPECS[self.mnemonic]

    def vectors(self, role: str) -> list[int]:
        return [
            self.operands[operand.name]
            for operand in self.spec.operands
            if operand.kind == "vector" and operand.role == role
        ]


def encode(instruction: Instruction) -> int:
    spec = instruction.spec
    word = spec.opcode << FIELDS["opcode"].lsb | spec.bfly << FIELDS["bfly"].lsb | instruction.end << FIELDS["end"].lsb
    for operand in spec.operands:
        field, value = FIELDS[operand.field], instruction.operands[operand.name]
        if value < 0 or value >> field.width:
            raise ValueError(
                f"{spec.mnemonic}: operand {operand.name} = {value} does not fit its {field.width} bits; "
                f"use 0 .. {(1 << field.width) - 1}"
            )
        word |= value << field.lsb
    return word


def decode(word: int) -> Instruction:
    spec = _BY_OPCODE.get((_field(word, "opcode"), bool(_field(word, "bfly"))))
    if spec is None:
        raise DecodeError("opcode", word)
    if word & ~spec.used_mask:
        raise DecodeError("reserved_bits", word)
    operands = {operand.name: _field(word, operand.field) for operand in spec.operands}
    instruction = Instruction(spec.mnemonic, operands, bool(_field(word, "end")))
    trap = illegal_case(instruction)
    if trap:
        raise DecodeError(trap, word)
    return instruction


def illegal_case(instruction: Instruction) -> str | None:
    """Returns the first trap, in the order of the decoder, that the operands alone cause; or None."""
    operands = instruction.operands
    if "mode" in operands:
        mode = MODE_BY_CODE.get(operands["mode"])
        if mode is None or operands["value"] > (MAXIMUM_MODE_VALUE if mode.has_value else 0):
            return "mode_value"
        if not mode.store and instruction.mnemonic == "vstore":
            return "store_collision"
    sources, destinations = set(instruction.vectors("read")), instruction.vectors("write")
    if _share_memory(list(sources)) or _share_memory(destinations):
        return "register_memory"
    return None


def _share_memory(registers: list[int]) -> bool:
    return len({register >> 2 for register in registers}) < len(registers)


def _field(word: int, name: str) -> int:
    field = FIELDS[name]
    return word >> field.lsb & ((1 << field.width) - 1)
