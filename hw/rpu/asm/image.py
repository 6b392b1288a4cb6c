# SPDX-License-Identifier: Apache-2.0
"""A linked program and its binary form .b512. A program has kernels, instruction words, initialised data and symbols.

All numbers are little endian. The parts of a file are, in this order:
  head        : magic "B512", u16 version = 1, u16 zero, and u32 numbers: kernels, instructions, segments, symbols,
                vdm_words, sdm_words
  kernel      : u32 first instruction, u32 number of instructions, name
  instruction : u64
  segment     : u8 memory (0 vdm, 1 sdm), u8 x 3 zero, u32 address, u32 number of words, words of 16 bytes
  symbol      : u8 memory, u8 x 3 zero, u32 address, u32 number of words, name
  end         : u32 CRC-32 of all bytes before it

The memory vdm is the vector data memory, and sdm is the scalar data memory. vdm_words and sdm_words are the numbers of
words that the program needs. A name is a u16 length and ASCII bytes. A segment is a maximal run of initialised words. A
symbol is a label with the address and the number of its words. Segments and symbols are in ascending order. The names
of kernels and symbols match the pattern NAME of source.py, because other names could change the text of a disassembled
program.
"""

from __future__ import annotations

import re
import struct
import zlib
from dataclasses import dataclass, field
from typing import NamedTuple

from .source import NAME
from .tables import MEMORIES

MAGIC, VERSION = b"B512", 1
SPACES = ("vdm", "sdm")
_HEAD = struct.Struct("<4sHHIIIIII")
_ENTRY = struct.Struct("<B3xII")


class ImageError(ValueError):
    """The bytes are not a .b512 program. The text states what was found and how to fix it."""


class Kernel(NamedTuple):
    name: str
    first: int
    count: int


class Segment(NamedTuple):
    space: str
    address: int
    words: tuple[int, ...]


class Symbol(NamedTuple):
    name: str
    space: str
    address: int
    words: int


@dataclass
class Image:
    kernels: list[Kernel] = field(default_factory=list)
    code: list[int] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    symbols: list[Symbol] = field(default_factory=list)

    def extent(self, space: str) -> int:
        ends = [symbol.address + symbol.words for symbol in self.symbols if symbol.space == space]
        ends += [segment.address + len(segment.words) for segment in self.segments if segment.space == space]
        return max(ends, default=0)

    def symbol(self, name: str) -> Symbol:
        for symbol in self.symbols:
            if symbol.name == name:
                return symbol
        raise KeyError(
            f"the program has no symbol {name!r}; it has {', '.join(s.name for s in self.symbols) or 'none'}"
        )

    def to_bytes(self) -> bytes:
        parts = [
            _HEAD.pack(
                MAGIC,
                VERSION,
                0,
                len(self.kernels),
                len(self.code),
                len(self.segments),
                len(self.symbols),
                self.extent("vdm"),
                self.extent("sdm"),
            )
        ]
        for kernel in self.kernels:
            parts += [struct.pack("<II", kernel.first, kernel.count), _name_bytes(kernel.name)]
        parts.append(struct.pack(f"<{len(self.code)}Q", *self.code))
        for segment in self.segments:
            parts.append(_ENTRY.pack(SPACES.index(segment.space), segment.address, len(segment.words)))
            parts += [word.to_bytes(16, "little") for word in segment.words]
        for symbol in self.symbols:
            parts += [_ENTRY.pack(SPACES.index(symbol.space), symbol.address, symbol.words), _name_bytes(symbol.name)]
        body = b"".join(parts)
        return body + struct.pack("<I", zlib.crc32(body))

    @staticmethod
    def from_bytes(data: bytes) -> Image:
        return _Reader(data).image()


def reduction_constant(q: int) -> int:
    """Returns floor((2^256 - 1) / (q 2^z)) - 2^128 for a modulus q with z leading zeros.

    The lanes reduce products modulo q with this constant. mload reads the constant from the word after q in the scalar
    data memory."""
    if not 2 <= q < 1 << 128:
        raise ValueError(f"modulus {q} is outside 2 .. 2^128 - 1; use one inside")
    return ((1 << 256) - 1) // (q << (128 - q.bit_length())) - (1 << 128)


def _name_bytes(name: str) -> bytes:
    data = name.encode()
    return struct.pack("<H", len(data)) + data


class _Reader:
    """Reads the parts of a file in order. Before it reads a part, it compares the length with the bytes that are
    left."""

    def __init__(self, data: bytes):
        if len(data) < _HEAD.size + 4 or data[:4] != MAGIC:
            raise ImageError("not a .b512 program (too short, or no magic number); assemble one with: asm NAME.s")
        if zlib.crc32(data[:-4]) != int.from_bytes(data[-4:], "little"):
            raise ImageError("the checksum does not match: the file is damaged; assemble it again")
        self._data, self._position = data[:-4], 0

    def image(self) -> Image:
        _, version, zero, kernels, instructions, segments, symbols, vdm, sdm = self._unpack(_HEAD)
        if version != VERSION or zero:
            raise ImageError(f"format version {version} is unknown; this assembler reads version {VERSION}")
        if instructions > MEMORIES["im"].maximum_units:
            raise ImageError(f"{instructions} instructions exceed the instruction memory; split the program")
        image = Image()
        for _ in range(kernels):
            first, count = self._unpack(struct.Struct("<II"))
            if count == 0 or first + count > instructions:
                raise ImageError(
                    f"a kernel spans {count} instructions from number {first}, of {instructions}; assemble it again"
                )
            image.kernels.append(Kernel(self._name(), first, count))
        image.code = list(self._unpack(struct.Struct(f"<{instructions}Q")))
        image.segments = [self._segment() for _ in range(segments)]
        image.symbols = [self._symbol() for _ in range(symbols)]
        if self._position != len(self._data) or (image.extent("vdm"), image.extent("sdm")) != (vdm, sdm):
            raise ImageError("the sizes in the head and the contents disagree; assemble it again")
        return image

    def _take(self, count: int) -> bytes:
        if count > len(self._data) - self._position:
            raise ImageError(
                f"the file ends early: {count} bytes needed, {len(self._data) - self._position} left; assemble it again"
            )
        self._position += count
        return self._data[self._position - count : self._position]

    def _unpack(self, form: struct.Struct) -> tuple:
        return form.unpack(self._take(form.size))

    def _name(self) -> str:
        (length,) = self._unpack(struct.Struct("<H"))
        name = self._take(length).decode("ascii", "replace")
        if re.fullmatch(NAME, name) is None:
            raise ImageError("a name is not one that a source can have; assemble it again")
        return name

    def _entry(self) -> tuple[str, int, int]:
        space, address, words = self._unpack(_ENTRY)
        if space >= len(SPACES) or address + words > MEMORIES[SPACES[space]].maximum_units:
            raise ImageError(f"{words} words from word {address} on do not fit in memory {space}; assemble it again")
        return SPACES[space], address, words

    def _segment(self) -> Segment:
        space, address, count = self._entry()
        data = self._take(16 * count)
        words = tuple(int.from_bytes(data[i : i + 16], "little") for i in range(0, len(data), 16))
        return Segment(space, address, words)

    def _symbol(self) -> Symbol:
        space, address, words = self._entry()
        return Symbol(self._name(), space, address, words)
