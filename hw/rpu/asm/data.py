# SPDX-License-Identifier: Apache-2.0
"""Lays out the data of a source: sections, labels, and the directives that put words into memory.

The directives are:
  .vdm, .sdm        choose the memory
  .word W, ...      words with these values
  .zero N           N words of zero
  .space N          N words that the host or the program fills
  .modulus Q        two words: the modulus and its reduction constant
  .addr LABEL       the word address of vector data, for aload
  .org BYTES        continues at this byte of the memory

A word has 16 bytes. A label names the data after it, up to the next label.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .diagnostics import SourceError
from .image import Segment, Symbol, reduction_constant
from .source import Statement, Token, number_of
from .tables import MEMORIES

SECTIONS = (".vdm", ".sdm", ".text")
DIRECTIVES = (".word", ".zero", ".space", ".modulus", ".addr", ".org")


@dataclass
class Layout:
    words: dict[str, dict[int, int]] = field(default_factory=lambda: {"vdm": {}, "sdm": {}})
    cursor: dict[str, int] = field(default_factory=lambda: {"vdm": 0, "sdm": 0})
    symbols: dict[str, Symbol] = field(default_factory=dict)
    # .addr directives; their values are known at the end
    pending: list[tuple[int, tuple[Token, ...], Statement]] = field(default_factory=list)
    current: str | None = None

    def add_label(self, label: Token, space: str) -> None:
        if label.text in self.symbols:
            raise SourceError(label.column, f"the label {label.text!r} is already defined", "choose another name")
        self.symbols[label.text] = Symbol(label.text, space, self.cursor[space], 0)
        self.current = label.text

    def add(self, statement: Statement, space: str) -> None:
        head, arguments = statement.head, statement.arguments
        if head.text not in DIRECTIVES:
            raise SourceError(
                head.column, f"{head.text!r} is not allowed in a data section", "use one of " + " ".join(DIRECTIVES)
            )
        if not arguments:
            raise SourceError(statement.end_column, f"{head.text} needs an operand", "write one")
        if head.text == ".word":
            self._put(space, [number_of(_single(argument)) for argument in arguments], head)
            return
        if len(arguments) > 1:
            raise SourceError(
                arguments[1][0].column, f"{head.text} takes one operand", "write one directive per operand"
            )
        self._add_one(statement, space)

    def _add_one(self, statement: Statement, space: str) -> None:
        head, argument = statement.head, statement.arguments[0]
        if head.text == ".addr":
            if space != "sdm":
                raise SourceError(
                    head.column,
                    ".addr must be in the scalar data memory, where aload reads it",
                    "write .sdm before it",
                )
            self.pending.append((self.cursor[space], argument, statement))
            self._put(space, [0], head)
            return
        token = _single(argument)
        value = number_of(token)
        if head.text == ".modulus":
            self._modulus(space, value, token)
        elif head.text == ".zero":
            self._room(space, value, head)
            self._put(space, [0] * value, head)
        elif head.text == ".space":
            self._put(space, [None] * self._room(space, value, head), head)
        else:
            self._origin(space, value, token)

    def _modulus(self, space: str, value: int, token: Token) -> None:
        if space != "sdm":
            raise SourceError(
                token.column,
                "a modulus must be in the scalar data memory, where mload reads it",
                "write .sdm before it",
            )
        if value < 2:
            raise SourceError(token.column, f"{value} is not a modulus", "use a value from 2 to 2^128 - 1")
        self._put(space, [value, reduction_constant(value)], token)

    def _origin(self, space: str, value: int, token: Token) -> None:
        if value % 16 or value // 16 < self.cursor[space]:
            raise SourceError(
                token.column,
                f"cannot continue at byte {value}: the current byte is {16 * self.cursor[space]}",
                "use a multiple of 16 that is not below it",
            )
        self._room(space, value // 16 - self.cursor[space], token)
        self.cursor[space], self.current = value // 16, None

    def _room(self, space: str, count: int, token: Token) -> int:
        most = MEMORIES[space].maximum_units
        if self.cursor[space] + count > most:
            raise SourceError(
                token.column,
                f"{space} would need {self.cursor[space] + count} words, but has at most {most}",
                "use less data, or reuse space",
            )
        return count

    def _put(self, space: str, words: list, token: Token) -> None:
        if self.current is None:
            raise SourceError(token.column, "data without a label has no address", "write `name:` before it")
        self._room(space, len(words), token)
        start = self.cursor[space]
        self.words[space].update((start + i, word) for i, word in enumerate(words) if word is not None)
        self.cursor[space] += len(words)
        symbol = self.symbols[self.current]
        self.symbols[self.current] = symbol._replace(words=symbol.words + len(words))

    def segments(self) -> list[Segment]:
        return [segment for space in ("vdm", "sdm") for segment in _runs(space, self.words[space])]

    def sorted_symbols(self) -> list[Symbol]:
        return sorted(self.symbols.values(), key=lambda s: (s.space != "vdm", s.address, s.words))


def _single(argument: tuple[Token, ...]) -> Token:
    if len(argument) != 1 or argument[0].kind != "number":
        raise SourceError(
            argument[0].column, "expected one number", "write it in decimal, or in hexadecimal as in 0xff"
        )
    return argument[0]


def _runs(space: str, words: dict[int, int]) -> list[Segment]:
    runs: list[tuple[int, list[int]]] = []
    for address in sorted(words):
        if not runs or runs[-1][0] + len(runs[-1][1]) != address:
            runs.append((address, []))
        runs[-1][1].append(words[address])
    return [Segment(space, start, tuple(run)) for start, run in runs]
