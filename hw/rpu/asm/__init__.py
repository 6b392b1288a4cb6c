# SPDX-License-Identifier: Apache-2.0
"""Assembler, disassembler and static checks of B512, in plain Python without dependencies. hw/rpu/README.md explains
the terms of the machine.

assemble(text, file) -> Assembled: an image, and the location of each instruction
disassemble(image) -> text
check(assembled, machine) -> diagnostics
Image.from_bytes, Image.to_bytes: read and write the binary form .b512

Bad input raises AssemblyError, DecodeError, ImageError or MachineError, which are subclasses of ValueError. The text of
the error states the fix.
"""

from .assemble import Assembled, assemble
from .checks import check
from .cost import Estimate, estimate
from .diagnostics import AssemblyError, Diagnostic, SourceLocation
from .disassemble import disassemble, format_instruction
from .encoding import DecodeError, Instruction, decode, encode
from .image import Image, ImageError, Kernel, Segment, Symbol, reduction_constant
from .machine import Machine, MachineError

__all__ = [
    "Assembled",
    "AssemblyError",
    "DecodeError",
    "Diagnostic",
    "Estimate",
    "Image",
    "ImageError",
    "Instruction",
    "Kernel",
    "Machine",
    "MachineError",
    "SourceLocation",
    "Segment",
    "Symbol",
    "assemble",
    "check",
    "decode",
    "disassemble",
    "encode",
    "estimate",
    "format_instruction",
    "reduction_constant",
]
