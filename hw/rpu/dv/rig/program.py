# SPDX-License-Identifier: Apache-2.0
"""Random legal programs. The generator tracks which registers are initialised and how large values can be. It chooses
registers so that no instruction is illegal because of a register memory (hw/rpu/doc/isa.md). Therefore every program
runs to its end on its machine. The seed, the machine, the width and the length determine the program.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from asm import Image, Instruction, Kernel, Machine, Segment, Symbol, encode, reduction_constant
from asm.cost import addresses, latency, occupancy
from asm.tables import MODES, SPECS

PROLOGUE_VECTORS = 4  # number of vectors in memory from which the prologue chooses
WORDS = 2048 + 512 * PROLOGUE_VECTORS  # words of vector data; a vector with a stride of 8 words fits
_SCALARS, _MODULI = 8, 4
_COMPUTE = [name for name, spec in SPECS.items() if spec.pipe == "compute"]
_SHUFFLE = [name for name, spec in SPECS.items() if spec.pipe == "shuffle"]


@dataclass
class _Knowledge:
    """Exclusive upper bounds of the values in registers and in memory. A register without a bound was never written."""

    vector: dict[int, int] = field(default_factory=dict)
    scalar: dict[int, int] = field(default_factory=dict)
    memory: list[int] = field(default_factory=list)


class ProgramGenerator:
    def __init__(self, seed: int, machine: Machine, width: int = 128):
        """width: largest number of bits of a value; below 128 for machines with shorter words."""
        self._random, self._machine, self._width = random.Random(seed), machine, width
        self._moduli = [self._modulus() for _ in range(_MODULI)]
        self._bound = min(self._moduli)
        self._known = _Knowledge(memory=[self._bound] * WORDS)
        self._code: list[Instruction] = []
        # the vector registers that were used last; the generator prefers them, because they can make instructions wait
        self._recent: list[int] = []

    def make(self, length: int) -> Image:
        """Returns a program of `length` >= 32 instructions. Its data are below the smallest modulus."""
        self._prologue()
        while len(self._code) < length:
            getattr(
                self, self._random.choices(("_load", "_store", "_compute", "_shuffle", "_scalar"), (4, 2, 6, 4, 1))[0]
            )()
        last = self._code[-1]
        self._code[-1] = Instruction(last.mnemonic, last.operands, True)
        return self._image()

    def _modulus(self) -> int:
        bits = self._random.choice([bits for bits in (2, 13, 31, 32, 60, 64, 65, 100, 127, 128) if bits <= self._width])
        return max(2, self._random.getrandbits(bits) | 1 << (bits - 1))

    def _image(self) -> Image:
        data = [self._random.choice((0, 1, self._bound - 1, self._random.randrange(self._bound))) for _ in range(WORDS)]
        sdm = [word for q in self._moduli for word in (q, reduction_constant(q))]
        sdm += [self._random.randrange(self._bound) for _ in range(_SCALARS)] + [0, 512, 700]
        return Image(
            [Kernel("main", 0, len(self._code))],
            [encode(instruction) for instruction in self._code],
            [Segment("vdm", 0, tuple(data)), Segment("sdm", 0, tuple(sdm))],
            [Symbol("data", "vdm", 0, WORDS), Symbol("constants", "sdm", 0, len(sdm))],
        )

    def _prologue(self) -> None:
        for m in range(_MODULI):
            self._append("mload", md=m, sdm=2 * m)
        for a in range(3):
            self._append("aload", ad=a, sdm=2 * _MODULI + _SCALARS + a)
        for s in range(_SCALARS):
            self._append("sload", sd=s, sdm=2 * _MODULI + s)
            self._known.scalar[s] = self._bound
        for register in self._random.sample(range(64), 12):
            self._append(
                "vload", vd=register, vdm=512 * self._random.randrange(PROLOGUE_VECTORS), ra=0, mode=0, value=0
            )
            self._known.vector[register] = self._bound

    def _append(self, mnemonic: str, **operands: int) -> None:
        self._code.append(Instruction(mnemonic, operands))
        used = [operands[operand.name] for operand in SPECS[mnemonic].operands if operand.kind == "vector"]
        self._recent = (self._recent + used)[-6:]

    def _scalar(self) -> None:
        s = self._random.randrange(_SCALARS)
        self._append("sload", sd=s, sdm=2 * _MODULI + self._random.randrange(_SCALARS))

    def _address(self, store: bool) -> dict[str, int] | None:
        """Returns a random mode and an address inside the data. Returns None if the access would leave the data."""
        mode = self._random.choice([mode for mode in MODES.values() if mode.store or not store])
        value = self._random.choice((0, 1, 2, 3, 5, 8, 9, 12)) if mode.has_value else 0
        operands = {
            "vdm": self._random.choice((0, 1, 512, 1000)),
            "ra": self._random.randrange(3),
            "mode": mode.code,
            "value": value,
        }
        words = addresses(Instruction("vload", {"vd": 0, **operands}), (0, 512, 700)[operands["ra"]])
        return operands | {"words": words} if max(words) < WORDS else None

    def _load(self) -> None:
        address = self._address(store=False)
        if address is None:
            return
        words, register = address.pop("words"), self._pick(list(range(64)))
        if self._random.random() < 0.15:
            words, address = words[:1], {key: address[key] for key in ("vdm", "ra")}
        self._append("vload" if "mode" in address else "vbcast", vd=register, **address)
        self._known.vector[register] = max(self._known.memory[word] for word in words)

    def _store(self) -> None:
        address = self._address(store=True)
        if address is None:
            return
        words, register = address.pop("words"), self._pick(list(self._known.vector))
        self._append("vstore", vx=register, **address)
        for word in words:
            self._known.memory[word] = self._known.vector[register]

    def _compute(self) -> None:
        mnemonic, m = self._random.choice(_COMPUTE), self._random.randrange(_MODULI)
        self._between_registers(mnemonic, {"rm": m}, self._moduli[m])

    def _shuffle(self) -> None:
        self._between_registers(self._random.choice(_SHUFFLE), {}, None)

    def _between_registers(self, mnemonic: str, operands: dict[str, int], q: int | None) -> None:
        spec = SPECS[mnemonic]
        for operand in spec.operands:
            if operand.role == "read" and operand.kind in ("vector", "scalar"):
                choice = self._source(
                    operand.kind, q if operand.name in spec.below_modulus else None, operands.values()
                )
                if choice is None:
                    return
                operands[operand.name] = choice
        sources = {number for name, number in operands.items() if name.startswith("v")}
        if len({number >> 2 for number in sources}) < len(sources):
            return
        instruction = Instruction(mnemonic, operands)
        destinations = self._destinations(instruction, sources)
        operands |= destinations
        self._append(mnemonic, **operands)
        bound = q if q is not None else max(self._known.vector[number] for number in sources)
        self._known.vector.update(dict.fromkeys(destinations.values(), bound))

    def _source(self, kind: str, q: int | None, taken) -> int | None:
        known = self._known.vector if kind == "vector" else self._known.scalar
        fitting = [number for number, bound in known.items() if q is None or bound <= q]
        again = [number for number in fitting if number in taken]
        if again and self._random.random() < 0.1:
            return self._random.choice(again)
        return self._pick(fitting) if fitting else None

    def _pick(self, registers: list[int]) -> int:
        recent = [number for number in registers if number in self._recent]
        return self._random.choice(recent if recent and self._random.random() < 0.5 else registers)

    def _destinations(self, instruction: Instruction, sources: set[int]) -> dict[str, int]:
        in_place = self._machine.ports == "none" or latency(self._machine, instruction) >= occupancy(
            self._machine, instruction
        )
        taken = set() if in_place else {number >> 2 for number in sources}
        destinations: dict[str, int] = {}
        for operand in instruction.spec.operands:
            if operand.role == "write":
                free = [number for number in range(64) if number >> 2 not in taken]
                destinations[operand.name] = self._pick(free)
                taken.add(destinations[operand.name] >> 2)
        return destinations
