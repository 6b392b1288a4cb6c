# SPDX-License-Identifier: Apache-2.0
"""Explains a trap: an error for which the simulator of the ring processor stops a program. The text names the source
line and the instruction. For some traps, it also names the register, the element and the value, or the address.

An instruction that traps changes nothing in the simulator. Therefore the registers still have the values that caused
the trap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._rpu import asm as b512
from .._rpu.asm.tables import REGISTER_PREFIX, TRAPS, VECTOR_LENGTH

__all__ = ["explain"]

_WORD = 16


class _State:
    """All registers at the end of the run, from the file that rpusim --state writes."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def _word(self, index: int) -> int:
        return int.from_bytes(self._data[_WORD * index : _WORD * (index + 1)], "little")

    def vector(self, number: int) -> list[int]:
        return [self._word(VECTOR_LENGTH * number + i) for i in range(VECTOR_LENGTH)]

    def register(self, kind: str, number: int) -> int:
        return self._word(64 * VECTOR_LENGTH + 64 * ("scalar", "modulus", "address").index(kind) + number)


def explain(
    trap: dict[str, Any], image: b512.Image, locations: Sequence[b512.SourceLocation], state: bytes
) -> dict[str, Any]:
    """Returns the trap with its place, instruction, cause and fix. The place is file:line of the source. Without a
    source, the place is the number of the instruction."""
    pc, said = trap["pc"], TRAPS[trap["name"]]
    location, text, cause = f"instruction {pc}", None, said.doc
    if pc < len(image.code):
        if locations:
            location = f"{locations[pc].file}:{locations[pc].line}"
        try:
            instruction = b512.decode(image.code[pc])
            text = b512.format_instruction(instruction)
            cause = _cause(trap["name"], instruction, _State(state)) or _unwritten(trap, instruction, image) or cause
        except b512.DecodeError as error:
            cause = str(error)
    return {
        **trap,
        "place": location,
        "instruction": text,
        "cause": f"{text}: {cause}" if text else cause,
        "fix": said.fix,
    }


def _cause(name: str, instruction: b512.Instruction, state: _State) -> str | None:
    if name == "operand_range":
        return _too_large(instruction, state)
    if name == "vdm_bounds":
        number, offset = instruction.operands["ra"], instruction.operands["vdm"]
        return f"the access begins at word a{number} + {offset} = {state.register('address', number) + offset}"
    if name == "sdm_bounds":
        return f"the access is at word {instruction.operands['sdm']}"
    return None


def _unwritten(trap: dict[str, Any], instruction: b512.Instruction, image: b512.Image) -> str | None:
    """Finds a register that the instruction reads, and that no earlier instruction of the kernel (the part of the
    program that runs) wrote. Earlier instructions are those at lower addresses, because B512 has no jumps."""
    if trap["name"] != "uninitialised":
        return None
    first = max(kernel.first for kernel in image.kernels if kernel.first <= trap["pc"])
    before = [b512.decode(word) for word in image.code[first : trap["pc"]]]
    written = {register for earlier in before for register in _registers(earlier, "write")}
    unwritten = sorted(_registers(instruction, "read") - written)
    return f"{unwritten[0]} was never written" if unwritten else None


def _registers(instruction: b512.Instruction, role: str) -> set[str]:
    operands = [operand for operand in instruction.spec.operands if operand.role == role]
    return {f"{REGISTER_PREFIX[operand.kind]}{instruction.operands[operand.name]}" for operand in operands}


def _too_large(instruction: b512.Instruction, state: _State) -> str | None:
    modulus = state.register("modulus", instruction.operands["rm"])
    for operand in instruction.spec.operands:
        if operand.name not in instruction.spec.below_modulus:
            continue
        number = instruction.operands[operand.name]
        named = f"{REGISTER_PREFIX[operand.kind]}{number}"
        vector = operand.kind == "vector"
        values = state.vector(number) if vector else [state.register(operand.kind, number)]
        large = [i for i, value in enumerate(values) if value >= modulus]
        if large:
            element = f"{named}[{large[0]}]" if vector else named
            others = f" ({len(large)} elements are like that)" if len(large) > 1 else ""
            return f"{element} = {values[large[0]]} is not below the modulus {modulus}{others}"
    return None
