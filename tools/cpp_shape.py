# SPDX-License-Identifier: Apache-2.0
"""Finds the functions in C++ text, by counting braces: their names, lengths, parameters and nesting.

This is not a parser. It removes comments and strings, and splits the text at braces. The text before a brace tells what
the brace opens. This is sufficient for the style of this repository. Macros that hide braces are not understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from repository import code_only

_CONTROL = re.compile(
    r"(?:^|[\s;{}])(?:else|do|try|(?:if|for|while|switch|catch)\s*(?:constexpr\s*)?\(.*\))\s*$", re.DOTALL
)
_LAMBDA = re.compile(
    r"(?<!\w)\[[^\[\]]*\](?:\s*<[^<>]*>)?\s*(?:\(.*\)\s*(?:mutable|noexcept|->[\w:<>*& ]+|\s)*)?$", re.DOTALL
)
_TYPE = re.compile(r"\b(?:class|struct|union|enum)\b[^(){}=]*$")
_NAMESPACE = re.compile(r"\b(?:namespace|extern)\b[^()]*$")
_INITIALISERS = re.compile(r"\)\s*(?:noexcept\s*)?:[^:]")
TYPE_DEFINITION = re.compile(
    r"^\s*(?:enum class|class|struct|enum|union)\s+(?:\[\[\w+\]\]\s*)?(?:alignas\(\w+\)\s*)?(\w+)(?:<[^;{]*>)?"
    r"(?:\s+final)?\s*(?::[^;(){]*)?\{",
    re.MULTILINE,
)
# Matches the text between the closing bracket of the parameters and the body.
_TAIL = re.compile(
    r"\)\s*(?:(?:const|noexcept|override|final|try|&&?)\s*|noexcept\s*\((?:[^()]|\([^()]*\))*\)\s*"
    r"|requires\s+[^;{}]*|->\s*[^;{}]*?)*$"
)


@dataclass
class Function:
    """A function definition. `name` is as written, with its class. `line` is the line of its head."""

    name: str
    line: int
    lines: int
    parameters: int
    nesting: int
    typed: bool = True  # a type precedes the name, so it is not a constructor


@dataclass
class _Brace:
    kind: str  # function, control, lambda, scope, value
    line: int
    head: str
    depth: int = 0
    deepest: int = 0


def _without_template(head: str) -> str:
    """Returns `head` without attributes, without access labels, and without the template<...> at its beginning."""
    head = re.sub(r"\[\[[^\]]*\]\]|__attribute__\s*\(\([^()]*(?:\([^()]*\))?[^()]*\)\)|alignas\s*\([^)]*\)", " ", head)
    head = re.sub(r"\b(?:public|private|protected)\s*:", " ", head)
    while match := re.match(r"\s*template\s*<", head):
        depth, at = 1, match.end()
        while at < len(head) and depth:
            depth += {"<": 1, ">": -1}.get(head[at], 0)
            at += 1
        head = head[at:]
    return head


def _first_call(head: str) -> int:
    """Returns where the parameter list starts. This is the first round bracket outside angle brackets."""
    if match := re.search(r"\boperator\s*(\(\)|[^\s(]+)\s*\(", head):
        return match.end() - 1
    depth = 0
    for at, letter in enumerate(head):
        depth += {"<": 1, ">": -1}.get(letter, 0) if head[at - 1 : at + 1] not in ("->", "<<") else 0
        if letter == "(" and depth <= 0:
            return at
    return -1


def _closing(text: str, at: int) -> int:
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return len(text)


def _count_parameters(inside: str) -> int:
    depth, commas = 0, 0
    for letter in inside:
        depth += {"(": 1, "<": 1, "[": 1, "{": 1, ")": -1, ">": -1, "]": -1, "}": -1}.get(letter, 0)
        commas += letter == "," and depth == 0
    return commas + 1 if inside.strip() not in ("", "void") else 0


def _is_initialised(head: str) -> bool:
    """Tells whether `head` has a value instead of a body. Then an equals sign precedes any bracket."""
    return "=" in re.sub(r"operator\S+|<[^<>]*>", "", _without_template(head)).split("(")[0]


def _kind(head: str, inside_function: bool) -> str:
    head = re.sub(r"\[\[[^\]]*\]\]|alignas\s*\([^)]*\)", " ", head).strip()
    if _CONTROL.search(head):
        return "control"
    if _LAMBDA.search(head):
        return "lambda"
    if _NAMESPACE.search(head) or _TYPE.search(head):
        return "scope"
    if inside_function:
        return "control" if head == "" else "value"
    if _INITIALISERS.search(head):
        return "value" if re.search(r"[\w>]$", head) else "function"
    return "function" if _TAIL.search(head) and not _is_initialised(head) else "value"


def _function(brace: _Brace, last_line: int) -> Function | None:
    head = _without_template(brace.head)
    at = _first_call(head)
    names = re.search(r"((?:[\w~]+(?:<[^<>]*>)?::)*(?:operator\s*\S+?|~?\w+))\s*$", head[:at])
    if at < 0 or names is None:
        return None
    inside = head[at + 1 : _closing(head, at)]
    first = brace.line - brace.head.strip().count("\n")
    typed = re.sub(r"\b(?:explicit|constexpr|inline)\b", "", head[: names.start()]).strip() != ""
    name = re.sub(r"\s+", "", names.group(1))
    return Function(name, first, last_line - first + 1, _count_parameters(inside), brace.deepest, typed)


def _open(stack: list[_Brace], head: str, line: int) -> None:
    function = next((b for b in reversed(stack) if b.kind in ("function", "lambda")), None)
    brace = _Brace(_kind(head, function is not None), line, head)
    if function is not None and brace.kind == "control":
        brace.depth = 1 + max((b.depth for b in stack[stack.index(function) + 1 :]), default=0)
        function.deepest = max(function.deepest, brace.depth)
    stack.append(brace)


def _close(stack: list[_Brace], line: int, found: list[Function]) -> str:
    """Closes a brace. If a value ends there, returns the head that continues after it, and otherwise nothing."""
    brace = stack.pop() if stack else _Brace("scope", line, "")
    if brace.kind == "function" and (function := _function(brace, line)) is not None:
        found.append(function)
    return brace.head + "{}" if brace.kind in ("value", "lambda") else ""


def functions(text: str) -> list[Function]:
    code = re.sub(
        r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
        lambda m: re.sub(r"[^\n]", " ", m.group(0)),
        code_only(text),
        flags=re.MULTILINE,
    )
    stack: list[_Brace] = []
    found: list[Function] = []
    head, line, round_depth = "", 1, 0
    for letter in code:
        line += letter == "\n"
        if letter == "{":
            _open(stack, head, line)
            head, round_depth = "", 0
        elif letter == "}":
            head = _close(stack, line, found)
            round_depth = head.count("(") - head.count(")")
        elif letter == ";" and round_depth <= 0:
            head = ""
        else:
            round_depth += {"(": 1, ")": -1}.get(letter, 0)
            head += letter
    return found
