# SPDX-License-Identifier: Apache-2.0
"""Cost of one instruction: the number of cycles for which the instruction occupies its pipe, and its latency.
hw/rpu/README.md explains these terms.

This module computes a lower bound of the cycles of a program without running it. The cycle-level simulator (sim/)
computes the exact number. Bank conflicts make a load or store take several passes. sim/cost.cpp explains the formula
for the number of passes.
"""

from __future__ import annotations

from dataclasses import dataclass

from .encoding import Instruction
from .machine import Machine
from .tables import VECTOR_LENGTH

_ELEMENT = {
    0: lambda i, value: i,
    1: lambda i, value: i << value,
    2: lambda i, value: i % 2**value + 2 ** (value + 1) * (i // 2**value),
    3: lambda i, value: i % 2**value,
}


def addresses(instruction: Instruction, base: int) -> list[int]:
    """Returns the word addresses of the 512 elements of a vector load, store or broadcast."""
    start = base + instruction.operands["vdm"]
    if instruction.mnemonic == "vbcast":
        return [start] * VECTOR_LENGTH
    element, value = _ELEMENT[instruction.operands["mode"]], instruction.operands["value"]
    return [start + element(i, value) for i in range(VECTOR_LENGTH)]


def _carries(mode: int, value: int, bits: int, base: int) -> int:
    """Returns the number of ranges of address bits, at most two, in which the sum of the base and an element's offset
    can have a carry."""
    run, below = 2**bits - 1, 2**value - 1
    if mode == 2 and value < bits:
        lower = base & below != 0
        into_upper = lower and base >> value & 1 == 1
        upper = into_upper or base & run << 1 & ~below & ~(1 << value) != 0
        return int(lower) + int(upper)
    run = run << value if mode == 1 else run & below if mode == 3 else run
    return int(base & run != 0)


def memory_occupancy(machine: Machine, instruction: Instruction, base: int) -> int:
    bits, bank_bits = min(machine.hples, machine.banks).bit_length() - 1, machine.banks.bit_length() - 1
    mode, value = instruction.operands.get("mode", 3), instruction.operands.get("value", 0)
    hashed = machine.bank_hash == "xor" and bank_bits > 0
    passes = 0
    if mode == 1 and not hashed:
        passes = min(bits, max(0, bits + value - bank_bits))
    elif mode == 2 and value < bits == bank_bits and not (hashed and value == 0):
        passes = 1
    if hashed:
        passes += _carries(mode, value, bits, base + instruction.operands["vdm"])
    return VECTOR_LENGTH >> bits << passes


def occupancy(machine: Machine, instruction: Instruction, base: int = 0) -> int:
    spec = instruction.spec
    if spec.pipe == "front_end":
        return machine.scalar_cycles
    if spec.pipe == "load_store":
        return memory_occupancy(machine, instruction, base)
    if instruction.mnemonic in ("pklo", "pkhi") and instruction.operands["vs"] == instruction.operands["vt"]:
        # a pack reads two rows of one register, and the single-port memory delivers one row at a time
        return 2 * machine.beats
    return machine.beats * (machine.multiply_interval if "multiply" in spec.latency else 1)


def latency(machine: Machine, instruction: Instruction) -> int:
    latencies = {
        "front_end": 0,
        "memory": machine.memory_latency,
        "add": machine.add_latency,
        "multiply": machine.multiply_latency,
        "multiply_add": machine.multiply_latency + machine.add_latency,
        "shuffle": machine.shuffle_latency,
    }
    return latencies[instruction.spec.latency]


@dataclass(frozen=True)
class Estimate:
    instructions: int
    dispatch_cycles: int  # cycles in which the front end dispatches
    pipe_cycles: dict[str, int]  # for each pipe: cycles for which it is occupied

    @property
    def lower_bound(self) -> int:
        return max(self.dispatch_cycles, *self.pipe_cycles.values())

    @property
    def binding(self) -> str:
        pipe, cycles = max(self.pipe_cycles.items(), key=lambda item: item[1])
        return pipe if cycles >= self.dispatch_cycles else "front_end"


def estimate(machine: Machine, instructions: list[Instruction], bases: list[int | None]) -> Estimate:
    pipes = {"load_store": 0, "compute": 0, "shuffle": 0}
    dispatch = 0
    for instruction, base in zip(instructions, bases, strict=True):
        if instruction.spec.pipe == "front_end":
            dispatch += max(machine.dispatch, machine.scalar_cycles)
        else:
            dispatch += machine.dispatch
            pipes[instruction.spec.pipe] += occupancy(machine, instruction, base or 0)
    return Estimate(len(instructions), dispatch, pipes)
