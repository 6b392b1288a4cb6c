# SPDX-License-Identifier: Apache-2.0
"""Cost of one instruction: the cycles for which it occupies its pipe, and its latency.

The cycle-level simulator gives exact cycle counts; this module gives a lower bound that needs no values. Bank
conflicts: the vector crossbar moves min(hples, banks) consecutive elements at a time. Such a group takes as many cycles
as the most loaded bank has different words; equal words are broadcast to all lanes that need them.
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


def bank_of(machine: Machine, address: int) -> int:
    bits = machine.banks.bit_length() - 1
    if machine.bank_hash == "low" or bits == 0:
        return address % machine.banks
    bank = 0
    while address:
        bank, address = bank ^ (address % machine.banks), address >> bits
    return bank


def memory_occupancy(machine: Machine, words: list[int]) -> int:
    width, cycles = min(machine.hples, machine.banks), 0
    for group in range(0, VECTOR_LENGTH, width):
        banks = [bank_of(machine, word) for word in set(words[group : group + width])]
        cycles += max(banks.count(bank) for bank in set(banks))
    return cycles


def occupancy(machine: Machine, instruction: Instruction, base: int = 0) -> int:
    spec = instruction.spec
    if spec.pipe == "front_end":
        return machine.scalar_cycles
    if spec.pipe == "load_store":
        return memory_occupancy(machine, addresses(instruction, base))
    return machine.beats * (machine.multiply_interval if "multiply" in spec.latency else 1)


def latency(machine: Machine, instruction: Instruction) -> int:
    parts = {
        "front_end": 0,
        "memory": machine.memory_latency,
        "add": machine.add_latency,
        "multiply": machine.multiply_latency,
        "multiply_add": machine.multiply_latency + machine.add_latency,
        "shuffle": machine.shuffle_latency,
    }
    return parts[instruction.spec.latency]


@dataclass(frozen=True)
class Estimate:
    instructions: int
    dispatch_cycles: int  # cycles of the front end
    pipe_cycles: dict[str, int]  # occupancy of each pipe

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
