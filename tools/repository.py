# SPDX-License-Identifier: Apache-2.0
"""Code that the checks share: files of the repository, C++ text without comments or strings, and the report.

Every check is a program `tools/check_NAME [--root FOLDER]`. It prints one line for each finding (path:line: text). If
there is a finding, its exit status is 1. It needs only the standard library.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

CPP = {".h", ".hpp", ".cpp", ".c", ".cu", ".cuh"}
OF_LIBRARIES = re.compile(r"c[ul][A-Z]\w+")  # functions of the libraries of NVIDIA and of OpenCL
_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<d>[^(\s]{0,16})\(.*?\)(?P=d)"|"""
    r""""(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL,
)


@dataclass
class Source:
    """One file. `path` is relative to the root of the repository, with forward slashes."""

    path: str
    text: str

    @property
    def suffix(self) -> str:
        return Path(self.path).suffix

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    def is_cpp(self) -> bool:
        return self.suffix in CPP

    def is_python(self) -> bool:
        return self.suffix == ".py" or self.lines[:1] == ["#!/usr/bin/env python3"]


@dataclass
class Report:
    """The findings of a check, in order."""

    name: str
    findings: list[str] = field(default_factory=list)

    def add(self, path: str, line: int, text: str) -> None:
        self.findings.append(f"{path}:{line}: {text}")


def blank(text: str) -> str:
    """Replaces all characters except line ends by blanks."""
    return re.sub(r"[^\n]", " ", text)


def code_only(text: str) -> str:
    """Returns C++ text in which comments and the contents of strings are blanks. Lines and columns stay the same."""

    def replace(match: re.Match[str]) -> str:
        found = match.group(0)
        return blank(found) if found.startswith("/") else found[0] + blank(found[1:-1]) + found[-1]

    return _TOKEN.sub(replace, text)


def comments_only(text: str) -> str:
    """Returns C++ text in which everything except comments is blank."""
    kept, position = [], 0
    for match in _TOKEN.finditer(text):
        kept.append(blank(text[position : match.start()]))
        kept.append(match.group(0) if match.group(0).startswith("/") else blank(match.group(0)))
        position = match.end()
    return "".join(kept) + blank(text[position:])


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _listed(root: Path) -> list[str]:
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0 and done.stdout:
        return sorted(done.stdout.splitlines())
    return sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file() and ".git" not in p.parts)


def sources(root: Path) -> Iterator[Source]:
    """Yields every text file that is tracked or not ignored. Skips binary files."""
    for name in _listed(root):
        path = root / name
        if not path.is_file():
            continue
        try:
            yield Source(name, path.read_bytes().decode("utf-8"))
        except UnicodeDecodeError:
            continue


def run(name: str, check: Callable[[Path, Report], None]) -> None:
    """Runs a check as a main program."""
    parser = argparse.ArgumentParser(prog=name)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    report = Report(name)
    check(parser.parse_args().root, report)
    for finding in report.findings:
        print(finding)
    print(f"{name}: {len(report.findings) or 'no'} findings")
    sys.exit(1 if report.findings else 0)
