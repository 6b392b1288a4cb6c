# SPDX-License-Identifier: Apache-2.0
"""Assembles source text into an image (image.py), in which all labels are replaced by addresses.

Lays out the data first. Then all labels are known, and the instructions are encoded. Offsets and addresses count bytes
and are multiples of 16. The value of a label is the byte address of its data. Sums and differences of labels and
numbers are allowed. `.kernel NAME` begins a kernel. The last instruction of a kernel gets the END bit. hw/rpu/README.md
explains the terms.
"""

from __future__ import annotations

from dataclasses import dataclass

from .data import SECTIONS, Layout
from .diagnostics import AssemblyError, Diagnostic, SourceError, SourceLocation
from .encoding import Instruction, encode, illegal_case
from .image import Image, Kernel
from .source import Statement, Token, number_of, parse_line
from .tables import FIELDS, MAXIMUM_MODE_VALUE, MEMORIES, MODES, REGISTER_COUNT, REGISTER_PREFIX, SPECS, TRAPS, Operand

_NEAREST = {"vadd": "vaddmod", "vsub": "vsubmod", "vmul": "vmulmod", "load": "vload", "store": "vstore"}


@dataclass(frozen=True)
class Assembled:
    image: Image
    locations: tuple[SourceLocation, ...]  # one for each instruction


def assemble(text: str, file: str = "<text>") -> Assembled:
    """Assembles a source. If lines are wrong, raises AssemblyError, which has the first error of each wrong line."""
    return _Assembler(file).assemble_text(text)


class _Assembler:
    def __init__(self, file: str):
        self._file = file
        self._errors: list[Diagnostic] = []
        self._layout = Layout()
        self._section = ".text"
        self._text: list[Statement] = []
        self._kernels: list[tuple[Token, int, int]] = []  # name; index of its first instruction; line
        self._kernel_names: set[str] = set()

    def assemble_text(self, text: str) -> Assembled:
        for line, source in enumerate(text.splitlines(), 1):
            self._guard(line, lambda line=line, source=source: self._collect(parse_line(source, line)))
        for address, argument, statement in self._layout.pending:
            self._guard(statement.line, lambda a=address, e=argument, s=statement: self._resolve(a, e, s))
        code = [self._guard(statement.line, lambda s=statement: self._instruction(s)) for statement in self._text]
        kernels = [] if self._errors else self._finish_kernels(code)
        if self._errors:
            raise AssemblyError(sorted(self._errors))
        image = Image(
            kernels,
            [encode(instruction) for instruction in code],
            self._layout.segments(),
            self._layout.sorted_symbols(),
        )
        return Assembled(image, tuple(SourceLocation(self._file, s.line, s.head.column) for s in self._text))

    def _guard(self, line: int, action):
        try:
            return action()
        except SourceError as error:
            self._errors.append(
                Diagnostic(SourceLocation(self._file, line, error.column), "error", str(error), error.fix)
            )
            return None

    def _collect(self, statement: Statement) -> None:
        head, label = statement.head, statement.label
        if label and self._section == ".text":
            raise SourceError(label.column, "labels name data; B512 has no jumps", "remove it, or write .kernel NAME")
        if label:
            self._layout.add_label(label, self._section[1:])
        if head is None:
            return
        if head.text in SECTIONS:
            self._section, self._layout.current = head.text, None
        elif head.text == ".kernel":
            self._kernel(statement)
        elif self._section != ".text":
            self._layout.add(statement, self._section[1:])
        else:
            self._text.append(statement)

    def _kernel(self, statement: Statement) -> None:
        arguments = statement.arguments
        if len(arguments) != 1 or len(arguments[0]) != 1 or arguments[0][0].kind != "name":
            raise SourceError(statement.head.column, ".kernel takes a name", "write for example `.kernel ntt`")
        name = arguments[0][0]
        if self._section != ".text" or (self._text and not self._kernels):
            raise SourceError(
                name.column, ".kernel must be in .text, and the first one before all instructions", "move it"
            )
        if name.text in self._kernel_names:
            raise SourceError(name.column, f"the kernel {name.text!r} is already defined", "choose another name")
        self._kernel_names.add(name.text)
        self._kernels.append((name, len(self._text), statement.line))

    def _resolve(self, address: int, argument: tuple[Token, ...], statement: Statement) -> None:
        value = self._expression(argument, "vdm")
        self._layout.words["sdm"][address] = _in_words(value, argument[0].column, MEMORIES["vdm"].maximum_units)

    def _finish_kernels(self, code: list[Instruction]) -> list[Kernel]:
        starts = self._kernels or [(Token("name", "main", 1), 0, 1)]
        lasts = [first for _, first, _ in starts[1:]] + [len(code)]
        kernels = []
        for (name, first, line), last in zip(starts, lasts, strict=True):
            if first == last:
                self._errors.append(
                    Diagnostic(
                        SourceLocation(self._file, line, name.column),
                        "error",
                        f"the kernel {name.text!r} has no instruction",
                        "write one in .text",
                    )
                )
                continue
            code[last - 1] = Instruction(code[last - 1].mnemonic, code[last - 1].operands, True)
            kernels.append(Kernel(name.text, first, last - first))
        if len(code) > MEMORIES["im"].maximum_units:
            self._errors.append(
                Diagnostic(
                    SourceLocation(self._file, self._text[-1].line, 1),
                    "error",
                    f"{len(code)} instructions exceed the instruction memory",
                    "split the program",
                )
            )
        return kernels

    def _instruction(self, statement: Statement) -> Instruction:
        head = statement.head
        spec = SPECS.get(head.text)
        if spec is None:
            near = _NEAREST.get(head.text)
            raise SourceError(
                head.column,
                f"unknown instruction {head.text!r}",
                f"did you mean {near}?" if near else "use one of " + " ".join(SPECS),
            )
        operands: dict[str, int] = {}
        columns: dict[str, int] = {}
        arguments = list(statement.arguments)
        for operand in spec.operands:
            if operand.kind in ("mode_value", "address") and operand.role != "write":
                continue  # its value is part of the preceding argument
            if not arguments and operand.kind == "mode":
                operands |= {"mode": 0, "value": 0}
                continue
            if not arguments:
                raise SourceError(
                    statement.end_column,
                    f"{spec.mnemonic} needs the operand {operand.name} here",
                    f"write {_syntax(spec.operands)}",
                )
            argument = arguments.pop(0)
            columns[operand.name] = argument[0].column
            operands |= self._operand(operand, argument)
        if arguments:
            raise SourceError(
                arguments[0][0].column, f"{spec.mnemonic} takes no further operand", f"write {_syntax(spec.operands)}"
            )
        instruction = Instruction(spec.mnemonic, operands)
        _refuse_illegal(instruction, columns, head.column)
        return instruction

    def _operand(self, operand: Operand, argument: tuple[Token, ...]) -> dict[str, int]:
        if operand.kind == "vdm_offset":
            return self._memory_operand(argument)
        if operand.kind == "sdm_address":
            value = self._expression(argument, "sdm")
            return {operand.name: _in_words(value, argument[0].column, 1 << FIELDS["address"].width)}
        if operand.kind == "mode":
            return _mode(argument)
        return {operand.name: _register(argument, operand.kind)}

    def _memory_operand(self, argument: tuple[Token, ...]) -> dict[str, int]:
        texts = [token.text for token in argument]
        if len(argument) < 4 or texts[-3] != "(" or texts[-1] != ")":
            raise SourceError(
                argument[0].column, "expected an offset and a base address register", "write for example 0(a1)"
            )
        base = _register(argument[-2:-1], "address")
        value = self._expression(argument[:-3], "vdm")
        return {"vdm": _in_words(value, argument[0].column, 1 << FIELDS["address"].width), "ra": base}

    def _expression(self, tokens: tuple[Token, ...], space: str) -> int:
        total, sign, expect_term = 0, 1, True
        for token in tokens:
            if expect_term and token.kind != "mark":
                total, sign, expect_term = total + sign * self._term(token, space), 1, False
            elif token.text in "+-":
                sign, expect_term = (-sign if token.text == "-" else sign), True
            else:
                raise SourceError(
                    token.column, f"{token.text!r} is not allowed in an address", "write sums of labels and numbers"
                )
        if expect_term:
            raise SourceError(tokens[-1].column, "the address ends with a sign", "write a label or a number after it")
        return total

    def _term(self, token: Token, space: str) -> int:
        if token.kind == "number":
            return number_of(token, 32)
        symbol = self._layout.symbols.get(token.text)
        if symbol is None:
            raise SourceError(
                token.column,
                f"the label {token.text!r} is not defined",
                "define it in .vdm or .sdm, or correct its name",
            )
        if symbol.space != space:
            raise SourceError(
                token.column,
                f"{token.text!r} is in {symbol.space}, but this instruction accesses {space}",
                f"use a label of .{space}",
            )
        return 16 * symbol.address


def _refuse_illegal(instruction: Instruction, columns: dict[str, int], column: int) -> None:
    trap = illegal_case(instruction)
    if trap is None:
        return
    if trap != "register_memory":
        raise SourceError(columns.get("mode", column), TRAPS[trap].doc, TRAPS[trap].fix)
    name, first, second = _one_memory(instruction)
    if first == second:
        raise SourceError(
            columns[name], f"v{first} is both destinations", "write the two results to different registers"
        )
    low = first & ~3
    raise SourceError(
        columns[name],
        f"v{first} and v{second} are in the same single-port memory (v{low} .. v{low + 3})",
        TRAPS[trap].fix,
    )


def _one_memory(instruction: Instruction) -> tuple[str, int, int]:
    """Returns the first operand that shares a register memory with an earlier operand of the same role (read or write).
    Also returns both registers."""
    seen: dict[tuple[str, int], int] = {}
    for operand in instruction.spec.operands:
        if operand.kind != "vector":
            continue
        register, key = instruction.operands[operand.name], (operand.role, instruction.operands[operand.name] >> 2)
        if key in seen and (seen[key] != register or operand.role == "write"):
            return operand.name, seen[key], register
        seen[key] = register
    raise AssertionError("the instruction has no two operands in one memory")


def _register(argument: tuple[Token, ...], kind: str) -> int:
    token, prefix, count = argument[0], REGISTER_PREFIX[kind], REGISTER_COUNT[kind]
    digits = token.text[len(prefix) :]
    is_number = digits.isascii() and digits.isdecimal()
    if len(argument) != 1 or not token.text.startswith(prefix) or not is_number:
        raise SourceError(
            token.column,
            f"expected a {kind} register, found {''.join(t.text for t in argument)!r}",
            f"write {prefix}0 .. {prefix}{count - 1}",
        )
    if len(digits) > 9 or int(digits) >= count:
        raise SourceError(token.column, f"there is no register {token.text}", f"use {prefix}0 .. {prefix}{count - 1}")
    return int(digits)


def _mode(argument: tuple[Token, ...]) -> dict[str, int]:
    name, mode = argument[0], MODES.get(argument[0].text)
    if mode is None:
        raise SourceError(
            name.column, f"unknown addressing mode {name.text!r}", "use linear, stride K, skip K or repeat K"
        )
    if len(argument) != 1 + mode.has_value:
        raise SourceError(
            name.column,
            f"{mode.name} takes {'one number' if mode.has_value else 'no number'}",
            f"write `{mode.name}{' 2' if mode.has_value else ''}`",
        )
    value = number_of(argument[1]) if mode.has_value else 1
    if value == 0 or value & (value - 1) or value >> (MAXIMUM_MODE_VALUE + 1):
        raise SourceError(
            argument[1].column, f"{value} is not a power of two up to 2^{MAXIMUM_MODE_VALUE}", "use 1, 2, 4, 8 ..."
        )
    return {"mode": mode.code, "value": value.bit_length() - 1}


def _in_words(value: int, column: int, limit: int) -> int:
    if value % 16:
        raise SourceError(
            column,
            f"{value} is not a multiple of 16 bytes, the size of a word",
            f"use {value - value % 16} or {value - value % 16 + 16}",
        )
    if not 0 <= value < 16 * limit:
        raise SourceError(
            column, f"{value} is outside 0 .. {16 * limit - 16}", "use an address inside, or move the base register"
        )
    return value // 16


def _syntax(operands: tuple[Operand, ...]) -> str:
    names = {"vdm_offset": "offset(ra)", "mode": "[mode]", "sdm_address": "address"}
    return ", ".join(
        names.get(o.kind, o.name)
        for o in operands
        if o.kind != "mode_value" and (o.kind != "address" or o.role == "write")
    )
