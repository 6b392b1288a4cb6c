# SPDX-License-Identifier: Apache-2.0
"""Parses text into statements. A line has at most one statement: `label: name argument, argument # comment`.

A number is an integer as in Python: 10, 0xff, 1_000. A name has ASCII letters, digits and _, and may begin with a dot.
The first character after the dot, if there is one, is not a digit.
A comment begins with # or //. Columns are counted from 1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from .diagnostics import SourceError

NAME = r"\.?[A-Za-z_][0-9A-Za-z_]*"
_TOKEN = re.compile(rf"\s*(?:(?P<comment>#|//)|(?P<number>[0-9][0-9A-Za-z_]*)|(?P<name>{NAME})|(?P<mark>[-+,:()]))")


class Token(NamedTuple):
    kind: str  # "number", "name" or "mark"
    text: str
    column: int


@dataclass(frozen=True)
class Statement:
    line: int
    label: Token | None
    head: Token | None  # the mnemonic or the directive
    arguments: tuple[tuple[Token, ...], ...]
    end_column: int


def tokens_of(text: str) -> list[Token]:
    tokens, position, text = [], 0, text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if not match:
            column = position + len(text[position:]) - len(text[position:].lstrip()) + 1
            raise SourceError(column, f"the character {text[column - 1]!r} is not allowed here", "remove it")
        if match["comment"]:
            break
        kind = match.lastgroup
        tokens.append(Token(kind, match[kind], match.start(kind) + 1))
        position = match.end()
    return tokens


def parse_line(text: str, line: int) -> Statement:
    tokens = tokens_of(text)
    end = tokens[-1].column + len(tokens[-1].text) if tokens else len(text.rstrip()) + 1
    label = None
    if len(tokens) >= 2 and tokens[0].kind == "name" and tokens[1].text == ":":
        label, tokens = tokens[0], tokens[2:]
    if not tokens:
        return Statement(line, label, None, (), end)
    head = tokens[0]
    if head.kind != "name":
        raise SourceError(
            head.column,
            f"expected an instruction or a directive, found {head.text!r}",
            "begin the statement with a mnemonic such as vload",
        )
    return Statement(line, label, head, _arguments(tokens[1:], end), end)


def _arguments(tokens: list[Token], end: int) -> tuple[tuple[Token, ...], ...]:
    if not tokens:
        return ()
    arguments: list[list[Token]] = [[]]
    for token in tokens:
        if token.text == ",":
            arguments.append([])
        else:
            arguments[-1].append(token)
    commas = [token.column for token in tokens if token.text == ","] + [end]
    for argument, column in zip(arguments, commas, strict=True):
        if not argument:
            raise SourceError(column, "an argument is missing here", "write it or remove the comma")
    return tuple(map(tuple, arguments))


def number_of(token: Token, bits: int = 128) -> int:
    try:
        value = int(token.text, 0)
    except ValueError:
        raise SourceError(
            token.column, f"{token.text!r} is not a number", "write it in decimal, or in hexadecimal as in 0xff"
        ) from None
    if value >> bits:
        raise SourceError(token.column, f"{token.text} does not fit in {bits} bits", f"use a value below 2^{bits}")
    return value
