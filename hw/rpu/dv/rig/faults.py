# SPDX-License-Identifier: Apache-2.0
"""Illegal programs. FAULTS maps (trap, variant) to a program that ends with this trap (doc/isa.md lists the traps).

The assembler rejects most of these programs. Therefore this file encodes their instructions itself. The trap occurs at
the instruction with index TRAP_AT, right after a valid prologue; `no_end` occurs one instruction later. SLOW_LANES has
the programs that trap only on a machine with 64 HPLEs, where an instruction reads its operands for eight cycles.
"""

from __future__ import annotations

from asm import Image, Instruction, Kernel, Segment, Symbol, encode, reduction_constant
from asm.tables import FIELDS, SPECS

_Q, _END = 97, 1 << FIELDS["end"].lsb
_CONSTANTS = (
    _Q,
    reduction_constant(_Q),
    0,
    5,
    96,
    2**128 - 1,
    1,
    0,
    2**21 - 1,
)  # modulus 97 and its constant; four words; modulus 1 and a zero; the largest address
_VDM_WORDS, _SDM_WORDS = 262144, 2048


def _word(mnemonic: str, **operands: int) -> int:
    return encode(Instruction(mnemonic, operands))


_PROLOGUE = (
    _word("mload", md=1, sdm=0),
    _word("aload", ad=1, sdm=2),
    _word("aload", ad=2, sdm=8),
    _word("sload", sd=1, sdm=3),
    _word("sload", sd=2, sdm=5),
    *(_word("vbcast", vd=r, vdm=3, ra=1) for r in (0, 1, 4, 8, 12)),  # all elements are 5
    _word("vbcast", vd=16, vdm=4, ra=1),  # all elements are 2^128 - 1
)
TRAP_AT = len(_PROLOGUE)


def _image(*words: int, end: bool = True) -> Image:
    code = [*_PROLOGUE, *words]
    code[-1] |= _END if end else 0
    return Image(
        [Kernel("main", 0, len(code))],
        code,
        [Segment("vdm", 0, (0, 1, 2, 5, 2**128 - 1)), Segment("sdm", 0, _CONSTANTS)],
        [Symbol("x", "vdm", 0, 5), Symbol("k", "sdm", 0, len(_CONSTANTS))],
    )


def _set(word: int, field: str, value: int) -> int:
    return word | value << FIELDS[field].lsb


_THREE = {"vs": 4, "vt": 8, "rm": 1}
_SOUND = {  # operands with which each instruction is legal after the prologue
    "vload": {"vd": 20, "vdm": 0, "ra": 1, "mode": 0, "value": 0},
    "vstore": {"vx": 4, "vdm": 0, "ra": 1, "mode": 0, "value": 0},
    "vbcast": {"vd": 20, "vdm": 0, "ra": 1},
    "sload": {"sd": 9, "sdm": 3},
    "mload": {"md": 9, "sdm": 0},
    "aload": {"ad": 9, "sdm": 2},
    **{name: {"vd": 20, **_THREE} for name in ("vaddmod", "vsubmod", "vmulmod")},
    "bfly": {"vd": 20, "vd1": 24, "vt1": 12, **_THREE},
    **{name: {"vd": 20, "vs": 4, "rt": 1, "rm": 1} for name in ("vsaddmod", "vssubmod", "vsmulmod")},
    **{name: {"vd": 20, "vs": 4, "vt": 8} for name in ("unpklo", "unpkhi", "pklo", "pkhi")},
}


def sound(mnemonic: str, **changes: int) -> int:
    return _word(mnemonic, **_SOUND[mnemonic] | changes)


def _faults() -> dict[tuple[str, str], Image]:
    faults: dict[tuple[str, str], Image] = {}
    with_bfly = {spec.opcode for spec in SPECS.values() if spec.bfly}
    for opcode in range(16):
        if opcode not in with_bfly:
            faults["opcode", f"bfly with {opcode:x}"] = _image(_set(opcode << FIELDS["opcode"].lsb, "bfly", 1))
    for name, spec in SPECS.items():
        unused = [bit for bit in range(64) if not spec.used_mask >> bit & 1]
        for bit in (unused[0], unused[-1]):
            faults["reserved_bits", f"{name} bit {bit}"] = _image(sound(name) | 1 << bit)
    for name in ("vload", "vstore"):
        faults["mode_value", f"{name} stride 2^21"] = _image(sound(name, mode=1, value=21))
        faults["mode_value", f"{name} linear with a value"] = _image(sound(name, value=1))
        faults["mode_value", f"{name} mode 4"] = _image(sound(name, mode=4))
        faults["vdm_bounds", f"{name} last element"] = _image(sound(name, vdm=_VDM_WORDS - 511))
        faults["vdm_bounds", f"{name} stride"] = _image(sound(name, mode=1, value=10))
        faults["vdm_bounds", f"{name} base"] = _image(sound(name, ra=2))
        faults["uninitialised", f"{name} base"] = _image(sound(name, ra=3))
    faults["vdm_bounds", "vbcast"] = _image(sound("vbcast", vdm=_VDM_WORDS))
    faults["uninitialised", "vbcast base"] = _image(sound("vbcast", ra=3))
    faults["vdm_bounds", "vload repeat 1024"] = _image(sound("vload", vdm=_VDM_WORDS - 511, mode=3, value=10))
    faults["store_collision", "repeat"] = _image(sound("vstore", mode=3, value=9))
    for name in ("sload", "aload"):
        faults["sdm_bounds", name] = _image(sound(name, sdm=_SDM_WORDS))
    faults["sdm_bounds", "mload constant"] = _image(sound("mload", sdm=_SDM_WORDS - 1))
    for name in SPECS:
        faults["no_end", name] = _image(sound(name), end=False)
    faults["modulus_constant", "constant of another modulus"] = _image(sound("mload", sdm=3))
    faults["modulus_constant", "modulus one"] = _image(sound("mload", sdm=6))
    faults["modulus_constant", "modulus zero"] = _image(sound("mload", sdm=2))
    return faults | _register_faults()


def _register_faults() -> dict[tuple[str, str], Image]:
    faults: dict[tuple[str, str], Image] = {}
    for name, spec in SPECS.items():
        sources = [operand.name for operand in spec.operands if operand.role == "read" and operand.kind == "vector"]
        if spec.pipe in ("compute", "shuffle"):
            faults["uninitialised", f"{name} vector"] = _image(sound(name, **{sources[-1]: 40}))
        if len(sources) > 1:
            faults["register_memory", f"{name} sources"] = _image(sound(name, **{sources[0]: 0, sources[1]: 1}))
        if spec.pipe == "compute":
            faults["uninitialised", f"{name} modulus"] = _image(sound(name, rm=2))
        for operand in spec.below_modulus:
            faults["operand_range", f"{name} {operand}"] = _image(
                sound(name, **{operand: 2 if operand == "rt" else 16})
            )
        if spec.pipe in ("compute", "shuffle"):
            faults["in_place", name] = _image(sound(name, vd=5))
    for vd1 in (20, 21):
        faults["register_memory", f"bfly destinations {vd1}"] = _image(sound("bfly", vd1=vd1))
    faults["register_memory", "bfly third source"] = _image(sound("bfly", vs=0, vt1=1))
    faults["uninitialised", "scalar"] = _image(sound("vsmulmod", rt=3))
    return faults


FAULTS = _faults()
SLOW_LANES = {("in_place", name) for name, spec in SPECS.items() if spec.latency != "add"}
