# SPDX-License-Identifier: Apache-2.0
"""Checks an assembled program without running it. B512 has no jumps. Therefore one pass sees all instructions in the
order in which they run. hw/rpu/README.md explains the terms of the machine.

errors   : an instruction reads a register that has not been written; an access is outside the memories; a result would
           be written into a single-port register memory from which an operand is still being read; a modulus has no
           reduction constant
warnings : a load reads vector data that its kernel has not stored and that no directive has placed or reserved
notes    : bank conflicts; a lower bound of the cycles

The checks assume that the host does not change the words that aload and mload read.
"""

from __future__ import annotations

from .assemble import Assembled
from .cost import addresses, estimate, latency, occupancy
from .diagnostics import Diagnostic, SourceLocation
from .encoding import Instruction, decode
from .image import Image, reduction_constant
from .machine import Machine
from .tables import REGISTER_PREFIX, VECTOR_LENGTH


def check(program: Assembled, machine: Machine) -> list[Diagnostic]:
    """Returns the errors for data that exceed a memory, then all other findings in program order. The last note of each
    kernel is a lower bound of its cycles."""
    found: list[Diagnostic] = []
    for space, limit in (("vdm", machine.vdm_words), ("sdm", machine.sdm_words)):
        if program.image.extent(space) > limit:
            found.append(
                Diagnostic(
                    program.locations[0],
                    "error",
                    f"the data needs {program.image.extent(space)} words of {space}, the machine has {limit}",
                    f"enlarge {space}_words or use less data",
                )
            )
    for kernel in program.image.kernels:
        walk = _Walk(program.image, machine)
        for index in range(kernel.first, kernel.first + kernel.count):
            walk.step(decode(program.image.code[index]), program.locations[index])
        found += walk.found
        bound = estimate(machine, walk.instructions, walk.bases)
        found.append(
            Diagnostic(
                program.locations[kernel.first],
                "note",
                f"kernel {kernel.name}: {bound.instructions} instructions, at least {bound.lower_bound} cycles",
                f"{bound.binding} is the bottleneck; the simulator gives the exact count",
            )
        )
    return found


class _Walk:
    def __init__(self, image: Image, machine: Machine):
        self._machine = machine
        self._sdm = {s.address + i: word for s in image.segments if s.space == "sdm" for i, word in enumerate(s.words)}
        self._vdm = {
            address for s in image.symbols if s.space == "vdm" for address in range(s.address, s.address + s.words)
        }
        self._written: set[tuple[str, int]] = set()
        self._base: dict[int, int | None] = {}
        self.found: list[Diagnostic] = []
        self.instructions: list[Instruction] = []
        self.bases: list[int | None] = []

    def step(self, instruction: Instruction, location: SourceLocation) -> None:
        self._location = location
        self._registers(instruction)
        base = self._base.get(instruction.operands.get("ra", -1))
        if "sdm" in instruction.operands:
            self._scalar_load(instruction)
        elif instruction.spec.pipe == "load_store" and base is not None:
            self._vector_access(instruction, base)
        self._in_place(instruction)
        self.instructions.append(instruction)
        self.bases.append(base)

    def _report(self, severity: str, message: str, fix: str) -> None:
        self.found.append(Diagnostic(self._location, severity, message, fix))

    def _registers(self, instruction: Instruction) -> None:
        for operand in instruction.spec.operands:
            register = (operand.kind, instruction.operands[operand.name])
            if operand.role == "read" and register not in self._written:
                name = f"{REGISTER_PREFIX[operand.kind]}{register[1]}"
                self._report("error", f"{name} is read but was never written", f"load {name} first")
                self._written.add(register)  # report each register once
        for operand in instruction.spec.operands:
            if operand.role == "write":
                self._written.add((operand.kind, instruction.operands[operand.name]))

    def _scalar_load(self, instruction: Instruction) -> None:
        address, words = instruction.operands["sdm"], 2 if instruction.mnemonic == "mload" else 1
        if address + words > self._machine.sdm_words:
            self._report(
                "error",
                f"word {address + words - 1} is outside the scalar data memory",
                "correct the address or enlarge sdm_words",
            )
            return
        value = self._sdm.get(address)
        if instruction.mnemonic == "aload":
            self._base[instruction.operands["ad"]] = None if value is None else value % 2**21
        if instruction.mnemonic == "mload" and value is not None and not self._is_modulus(value, address + 1):
            self._report(
                "error",
                "this is not a modulus with its reduction constant",
                "lay it out with the directive .modulus",
            )

    def _is_modulus(self, value: int, constant_at: int) -> bool:
        return value >= 2 and self._sdm.get(constant_at) == reduction_constant(value)

    def _vector_access(self, instruction: Instruction, base: int) -> None:
        words = addresses(instruction, base)
        if max(words) >= self._machine.vdm_words:
            self._report(
                "error",
                f"word {max(words)} is outside the vector data memory of {self._machine.vdm_words} words",
                "correct the base, the offset or the mode, or enlarge vdm_words",
            )
            return
        if instruction.mnemonic == "vstore":
            self._vdm.update(words)
        elif not self._vdm.issuperset(words):
            self._report(
                "warning",
                f"reads {len(set(words) - self._vdm)} words that nothing has filled",
                "reserve them with .space, or correct the address",
            )
        cycles, least = (
            occupancy(self._machine, instruction, base),
            VECTOR_LENGTH // min(self._machine.hples, self._machine.banks),
        )
        if cycles > least:
            self._report(
                "note",
                f"bank conflicts: {cycles} cycles instead of {least}",
                "use another stride, more banks, or bank_hash: xor",
            )

    def _in_place(self, instruction: Instruction) -> None:
        delay, cycles = latency(self._machine, instruction), occupancy(self._machine, instruction)
        if instruction.spec.pipe not in ("compute", "shuffle") or delay >= cycles or self._machine.ports == "none":
            return
        read = {register >> 2 for register in instruction.vectors("read")}
        for register in instruction.vectors("write"):
            if register >> 2 in read:
                self._report(
                    "error",
                    f"v{register} would be written into a register memory that is still being read: latency {delay} is "
                    f"below the {cycles} cycles of reading",
                    "choose a destination in another group of four registers",
                )
