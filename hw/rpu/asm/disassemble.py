# SPDX-License-Identifier: Apache-2.0
"""Turns an image into a source from which the assembler makes the same bytes: the data with labels, then the
kernels."""

from __future__ import annotations

from .encoding import MODE_BY_CODE, Instruction, decode
from .image import Image, ImageError, Symbol
from .tables import REGISTER_PREFIX

_PER_LINE = 4


def disassemble(image: Image) -> str:
    """Returns the source. Raises DecodeError for an illegal word, and ImageError for an image that the assembler
    cannot have made."""
    lines: list[str] = []
    for space in ("vdm", "sdm"):
        lines += _data(image, space)
    lines.append(".text")
    starts = {kernel.first: kernel.name for kernel in image.kernels}
    ends = {kernel.first + kernel.count - 1 for kernel in image.kernels}
    for index, word in enumerate(image.code):
        instruction = decode(word)
        if instruction.end != (index in ends):
            raise ImageError(
                f"instruction {index}: END does not agree with the table of kernels; assemble the program again"
            )
        if index in starts:
            lines.append(f".kernel {starts[index]}")
        lines.append("    " + format_instruction(instruction))
    return "\n".join(lines) + "\n"


def format_instruction(instruction: Instruction) -> str:
    words: list[str] = []
    for operand in instruction.spec.operands:
        value = instruction.operands[operand.name]
        if operand.kind in ("vdm_offset", "sdm_address"):
            words.append(str(16 * value))
        elif operand.name == "ra":
            words[-1] += f"(a{value})"
        elif operand.kind == "mode":
            mode = MODE_BY_CODE[value]
            if mode.has_value:
                words.append(f"{mode.name} {1 << instruction.operands['value']}")
        elif operand.kind != "mode_value":
            words.append(f"{REGISTER_PREFIX[operand.kind]}{value}")
    return f"{instruction.mnemonic} {', '.join(words)}"


def _data(image: Image, space: str) -> list[str]:
    words = {
        segment.address + i: word
        for segment in image.segments
        if segment.space == space
        for i, word in enumerate(segment.words)
    }
    symbols = [symbol for symbol in image.symbols if symbol.space == space]
    if not symbols and not words:
        return []
    lines, cursor, covered = [f".{space}"], 0, 0
    for symbol in symbols:
        if symbol.address < cursor:
            raise ImageError(f"the symbol {symbol.name!r} overlaps the one before it; give each its own words")
        if symbol.address > cursor:
            lines.append(f".org {16 * symbol.address}")
        lines += [f"{symbol.name}:", *_runs(symbol, words)]
        covered += sum(address in words for address in range(symbol.address, symbol.address + symbol.words))
        cursor = symbol.address + symbol.words
    if covered != len(words):
        raise ImageError(f"{len(words) - covered} words of {space} belong to no symbol; give every segment a symbol")
    return lines


def _runs(symbol: Symbol, words: dict[int, int]) -> list[str]:
    lines, address, end = [], symbol.address, symbol.address + symbol.words
    while address < end:
        kind, length = _run(words, address, end)
        if kind == ".word":
            values = [f"{words[address + i]:#x}" for i in range(length)]
            lines += [f"    .word {', '.join(values[i : i + _PER_LINE])}" for i in range(0, length, _PER_LINE)]
        else:
            lines.append(f"    {kind} {length}")
        address += length
    return lines


def _run(words: dict[int, int], start: int, end: int) -> tuple[str, int]:
    def kind_of(address: int) -> str:
        return ".space" if address not in words else ".word" if words[address] else ".zero"

    kind, stop = kind_of(start), start
    while stop < end and kind_of(stop) == kind:
        stop += 1
    return kind, stop - start
