# SPDX-License-Identifier: Apache-2.0
"""Command line with the commands asm, disasm, check and test. Diagnostics go to stderr. Exit status: 0: success; 1: a
check or a test has failed, or there is no test; 2: bad input."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .assemble import Assembled, assemble
from .checks import check
from .diagnostics import AssemblyError
from .disassemble import disassemble
from .encoding import DecodeError
from .expect import ExpectationError, failures
from .image import Image, ImageError
from .machine import Machine, MachineError

_REFUSALS = (AssemblyError, DecodeError, ExpectationError, ImageError, MachineError, OSError, RuntimeError)


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return options.action(options)
    except _REFUSALS as refusal:
        print(refusal, file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="b512", description="Assembler, disassembler and tests of B512 programs")
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("asm", help="assemble NAME.s to NAME.b512")
    one.add_argument("source", type=Path)
    one.add_argument("-o", "--output", type=Path)
    one.set_defaults(action=_asm)
    one = commands.add_parser("disasm", help="write the source of NAME.b512 to stdout")
    one.add_argument("program", type=Path)
    one.set_defaults(action=_disasm)
    one = commands.add_parser(
        "check", help="static checks of NAME.s: uninitialised reads, bounds, ports, bank conflicts, least cycles"
    )
    one.add_argument("source", type=Path)
    one.add_argument("--machine", type=Path, help="machine file (default: profile paper)")
    one.add_argument("--set", default="", help="NAME=VALUE,...: overrides the machine file")
    one.set_defaults(action=_check)
    one = commands.add_parser("test", help="run every NAME.s that has a NAME.exp in the same folder")
    one.add_argument("folders", type=Path, nargs="+")
    one.add_argument("--simulator", required=True, help="path of rpusim")
    one.set_defaults(action=_test)
    return parser


def _read(source: Path) -> Assembled:
    return assemble(source.read_text(encoding="utf-8"), str(source))


def _asm(options: argparse.Namespace) -> int:
    output = options.output or options.source.with_suffix(".b512")
    output.write_bytes(_read(options.source).image.to_bytes())
    return 0


def _disasm(options: argparse.Namespace) -> int:
    sys.stdout.write(disassemble(Image.from_bytes(options.program.read_bytes())))
    return 0


def _check(options: argparse.Namespace) -> int:
    settings = dict(pair.partition("=")[::2] for pair in options.set.split(",") if pair)
    machine = Machine.read(options.machine, settings) if options.machine else Machine.make(settings)
    found = check(_read(options.source), machine)
    for diagnostic in found:
        print(diagnostic, file=sys.stderr)
    return int(any(diagnostic.severity == "error" for diagnostic in found))


def _test(options: argparse.Namespace) -> int:
    sources = [
        source
        for folder in options.folders
        for source in sorted(folder.glob("*.s"))
        if source.with_suffix(".exp").exists()
    ]
    failed = 0
    for source in sources:
        found = failures(options.simulator, source)
        failed += bool(found)
        print(f"{source}: {'failed' if found else 'passed'}", *found, sep="\n  ")
    print(f"{len(sources) - failed} of {len(sources)} passed")
    return int(failed > 0 or not sources)


if __name__ == "__main__":
    sys.exit(main())
