# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of the assembler: a location in the source, what was found there, and how to fix it."""

from __future__ import annotations

from typing import NamedTuple


class SourceLocation(NamedTuple):
    file: str
    line: int
    column: int


class Diagnostic(NamedTuple):
    location: SourceLocation
    severity: str  # "error", "warning" or "note"
    message: str
    fix: str

    def __str__(self) -> str:
        file, line, column = self.location
        return f"{file}:{line}:{column}: {self.severity}: {self.message}; {self.fix}"


class AssemblyError(ValueError):
    """One or more errors in a source; str() gives one line per error."""

    def __init__(self, diagnostics: list[Diagnostic]):
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(map(str, diagnostics)))


class SourceError(ValueError):
    """The first error of a line. The assembler catches it and makes a Diagnostic from it."""

    def __init__(self, column: int, message: str, fix: str):
        self.column, self.message, self.fix = column, message, fix
        super().__init__(message)
