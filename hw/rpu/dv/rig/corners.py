# SPDX-License-Identifier: Apache-2.0
"""Programs that try all compute instructions with the smallest and largest values of their operands. Other programs try
all modes of loads and stores (doc/isa.md), from aligned and from unaligned bases, and all shuffles. A value has at most
`width` bits; only the reduction constant of a modulus has 128.
"""

from __future__ import annotations

import random

from asm import Image, Instruction, Kernel, Segment, Symbol, encode, reduction_constant
from asm.tables import MODES, SPECS

_LENGTH = 512
_SCALARS = 6
_BASES = (0, 1, 512, 2 * _LENGTH + 7, 5)


def _image(code: list[Instruction], vdm: list[int], sdm: list[int]) -> Image:
    code[-1] = Instruction(code[-1].mnemonic, code[-1].operands, True)
    return Image(
        [Kernel("main", 0, len(code))],
        [encode(instruction) for instruction in code],
        [Segment("vdm", 0, tuple(vdm)), Segment("sdm", 0, tuple(sdm))],
        [Symbol("data", "vdm", 0, len(vdm)), Symbol("constants", "sdm", 0, len(sdm))],
    )


def moduli(width: int) -> list[int]:
    top = 2**width
    return [2, 3, 97, top // 2 - 1, top // 2, top // 2 + 1, top - 1, top // 3 | 1]


def arithmetic(q: int, width: int, seed: int) -> Image:
    """Returns a program with all compute instructions. The values are 0, 1, q // 2, q - 2, q - 1 and a random number
    below q. Two vectors have all pairs of these values, and scalars are drawn from them. The factor of a product that
    may be q or larger also has values up to 2^width - 1."""
    draw = random.Random(seed)
    below = sorted({0, 1, q // 2, q - 2, q - 1, draw.randrange(q)})
    anything = [0, 1, q - 1, q % 2**width, 2**width - 1, 2**width - 2, draw.getrandbits(width)]
    first = [below[i % len(below)] for i in range(_LENGTH)]
    second = [below[i // len(below) % len(below)] for i in range(_LENGTH)]
    factor = [anything[i % len(anything)] for i in range(_LENGTH)]
    other = [below[i // len(anything) % len(below)] for i in range(_LENGTH)]
    sdm = [q, reduction_constant(q), 0, *(draw.choice(below) for _ in range(_SCALARS))]
    code = [Instruction("mload", {"md": 9, "sdm": 0}), Instruction("aload", {"ad": 4, "sdm": 2})]
    code += [Instruction("sload", {"sd": s, "sdm": 3 + s}) for s in range(_SCALARS)]
    for register, vector in ((0, 0), (4, 1), (8, 2), (12, 3)):
        where = {"vd": register, "vdm": vector * _LENGTH, "ra": 4, "mode": 0, "value": 0}
        code.append(Instruction("vload", where))
    for name, spec in SPECS.items():
        if spec.pipe != "compute":
            continue
        with_scalar = any(operand.name == "rt" for operand in spec.operands)
        multiplies = "multiply" in spec.latency
        for s in range(_SCALARS if with_scalar else 1):
            operands = {"vd": 16, "vd1": 20, "vs": 0 if "vs" in spec.below_modulus else 8, "rt": s, "rm": 9}
            operands |= {"vt": 12 if multiplies else 4, "vt1": 8}
            operands = {operand.name: operands[operand.name] for operand in spec.operands}
            code.append(Instruction(name, operands))
            code.append(Instruction("vstore", {"vx": 16, "vdm": 4 * _LENGTH, "ra": 4, "mode": 0, "value": 0}))
    return _image(code, first + second + factor + other, sdm)


def modes(width: int, seed: int) -> Image:
    """Returns a program with loads and stores in all modes, broadcasts and all shuffles, for each base."""
    draw = random.Random(seed)
    # With a stride of 2^7, element 511 is 65408 words after the base.
    vdm = [draw.getrandbits(width) for _ in range(1 << 17)]
    code = [Instruction("aload", {"ad": a, "sdm": a}) for a in range(len(_BASES))]
    for number in range(len(_BASES)):
        for mode in MODES.values():
            for value in range(8) if mode.has_value else (0,):
                address = {"vdm": draw.choice((0, 3, 64)), "ra": number, "mode": mode.code, "value": value}
                code += _moves(address, 4 * draw.randrange(16), mode.store)
        code.append(Instruction("vbcast", {"vd": 1, "vdm": 77, "ra": number}))
        code += _shuffles(number)
    return _image(code, vdm, list(_BASES))


def _moves(address: dict[str, int], register: int, store: bool) -> list[Instruction]:
    """Returns a load and, if the mode allows stores, a store to addresses that are one word higher."""
    load = Instruction("vload", {"vd": register, **address})
    return [load, Instruction("vstore", {"vx": register, **address, "vdm": address["vdm"] + 1})] if store else [load]


def _shuffles(base: int) -> list[Instruction]:
    """Returns two loads and all shuffles: of two different registers, and of one register with itself."""
    code = [Instruction("vload", {"vd": r, "vdm": 512 * r, "ra": base, "mode": 0, "value": 0}) for r in (8, 12)]
    names = [name for name, spec in SPECS.items() if spec.pipe == "shuffle"]
    pairs = [(name, other) for name in names for other in (12, 8)]
    return code + [Instruction(name, {"vd": 16 + 4 * k, "vs": 8, "vt": other}) for k, (name, other) in enumerate(pairs)]
