# SPDX-License-Identifier: Apache-2.0
"""Runs tests of programs. The file NAME.s has a program. The file NAME.exp has one setting or expected result per line:

set dispatch=1,banks=64      machine parameters (default: the profile `paper`, machines/paper.yml)
cycles = 32                  the cycles of the run
executed = 6                 the number of executed instructions
trap = operand_range at 4    the illegal case that stops the run (doc/isa.md), and the index of the instruction
v8 = 5                       every element of the vector register
v8[0..2] = 1, 2, 0xff        some elements
s1 = 7                       a scalar register; also a modulus register (m1) or an address register (a0)
y[511] = 3                   words of the data with the label y

A label that is also the name of a register, or `cycles`, `executed` or `trap`, cannot be named here.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .assemble import assemble
from .image import Image
from .tables import VECTOR_LENGTH

_LINE = re.compile(r"(?P<name>\w+)(?:\[(?P<first>\d+)(?:\.\.(?P<last>\d+))?\])?\s*=\s*(?P<values>.+)")
_FACTS = ("cycles", "executed", "trap")
_REGISTER = re.compile(r"[vsma]([0-9]|[1-5][0-9]|6[0-3])")


class ExpectationError(ValueError):
    """An error in a line of an expectation file; the text says what to write."""


@dataclass(frozen=True)
class Expectation:
    location: str
    name: str
    first: int | None
    values: tuple


@dataclass(frozen=True)
class Run:
    """The result of a simulation: the report of rpusim, all registers, and the words of every symbol."""

    report: dict
    words: dict[str, list[int]]


def parse(text: str, file: str) -> tuple[list[str], list[Expectation]]:
    """Returns the machine settings and the expectations."""
    settings: list[str] = []
    expectations: list[Expectation] = []
    for number, line in enumerate(text.splitlines(), 1):
        body, location = line.split("#", 1)[0].strip(), f"{file}:{number}"
        if body.startswith("set "):
            settings.append(body[4:].strip())
        elif body:
            expectations.append(_expectation(body, location))
    return settings, expectations


def _expectation(body: str, location: str) -> Expectation:
    match = _LINE.fullmatch(body)
    if not match:
        raise ExpectationError(
            f"{location}: expected `name = value`, found {body!r}; write for example `v8[0..1] = 5, 6`"
        )
    if match["name"] in _FACTS and (match["first"] is not None or "," in match["values"]):
        raise ExpectationError(f"{location}: {match['name']} has one value; write `{match['name']} = value`")
    if match["name"] == "trap":
        return Expectation(location, "trap", None, (match["values"].strip(),))
    try:
        values = tuple(int(value.strip(), 0) for value in match["values"].split(","))
    except ValueError:
        raise ExpectationError(
            f"{location}: {match['values']!r} is not a list of numbers; write decimal numbers, or hexadecimal "
            "numbers as 0xff"
        ) from None
    first = None if match["first"] is None else int(match["first"])
    last = first if match["last"] is None else int(match["last"])
    if first is not None and last - first + 1 != len(values):
        raise ExpectationError(
            f"{location}: {last - first + 1} elements and {len(values)} values; write one value for each"
        )
    return Expectation(location, match["name"], first, values)


def simulate(
    simulator: Path | str,
    image: Image,
    settings: list[str] = (),
    options: list[str] = (),
    data: dict[str, list[int]] | None = None,
) -> Run:
    """Runs rpusim on an image. `data` has the initial words of symbols. If rpusim fails, raises RuntimeError with
    rpusim's message."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        (base / "program.b512").write_bytes(image.to_bytes())
        command = [str(simulator), str(base / "program.b512"), "--json", "--state", str(base / "state"), *options]
        for index, symbol in enumerate(image.symbols):
            command += ["--store", f"{symbol.name}={base / str(index)}"]
        for name, words in (data or {}).items():
            (base / f"in.{name}").write_bytes(b"".join(word.to_bytes(16, "little") for word in words))
            command += ["--data", f"{name}={base / f'in.{name}'}"]
        for setting in settings:
            command += ["--set", setting]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(done.stderr.strip())
        words = {symbol.name: _words(base / str(index)) for index, symbol in enumerate(image.symbols)}
        return Run(json.loads(done.stdout), words | _registers(_words(base / "state")))


def _words(path: Path) -> list[int]:
    data = path.read_bytes()
    return [int.from_bytes(data[i : i + 16], "little") for i in range(0, len(data), 16)]


def _registers(state: list[int]) -> dict[str, list[int]]:
    registers = {f"v{r}": state[VECTOR_LENGTH * r : VECTOR_LENGTH * (r + 1)] for r in range(64)}
    for index, prefix in enumerate("sma"):
        start = 64 * VECTOR_LENGTH + 64 * index
        registers |= {f"{prefix}{r}": [state[start + r]] for r in range(64)}
    return registers


def failures(simulator: Path | str, source: Path) -> list[str]:
    """Runs NAME.s. Returns one line for each result that differs from NAME.exp in the same folder."""
    expected = source.with_suffix(".exp")
    for path in (expected, source):
        if path.exists() and not path.is_file():
            raise ExpectationError(f"{path} is not a regular file")
    try:
        text = expected.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ExpectationError(f"{expected.name} is not a text in UTF-8; write lines such as `cycles = 32`") from None
    settings, expectations = parse(text, expected.name)
    image = assemble(source.read_text(encoding="utf-8"), source.name).image
    _refuse_two_meanings(expectations, {symbol.name for symbol in image.symbols})
    run = simulate(simulator, image, settings)
    trap = run.report["trap"]
    found = (
        []
        if trap is None or any(e.name == "trap" for e in expectations)
        else [
            f"{expected.name}: the program trapped: {trap['name']} at {trap['pc']}; "
            "correct it, or expect it with `trap = ...`"
        ]
    )
    for expectation in expectations:
        found += _compare(expectation, run)
    return found


def _refuse_two_meanings(expectations: list[Expectation], labels: set[str]) -> None:
    for expectation in expectations:
        name = expectation.name
        if name in labels and (name in _FACTS or _REGISTER.fullmatch(name)):
            other = "a fact of the run" if name in _FACTS else "a register"
            raise ExpectationError(
                f"{expectation.location}: {name} is {other}, and also a label of the program; rename the label"
            )


def _compare(expectation: Expectation, run: Run) -> list[str]:
    location, name = expectation.location, expectation.name
    if name in _FACTS:
        trap = run.report["trap"]
        actual = (
            ("none" if trap is None else f"{trap['name']} at {trap['pc']}") if name == "trap" else run.report.get(name)
        )
        return (
            []
            if actual == expectation.values[0]
            else [f"{location}: {name} = {expectation.values[0]} expected, found {actual}"]
        )
    if name not in run.words:
        raise ExpectationError(
            f"{location}: {name!r} is neither a register nor a label of the program; write v0 .. v63 or a label"
        )
    words = run.words[name]
    first = expectation.first or 0
    expected = (
        expectation.values
        if expectation.first is not None or len(expectation.values) > 1
        else expectation.values * len(words)
    )
    if first + len(expected) > len(words):
        raise ExpectationError(f"{location}: {name} has {len(words)} words; use 0 .. {len(words) - 1}")
    wrong = [i for i, value in enumerate(expected) if words[first + i] != value]
    if not wrong:
        return []
    i = wrong[0]
    return [
        f"{location}: {name}[{first + i}] = {expected[i]:#x} expected, found {words[first + i]:#x} "
        f"({len(wrong)} of {len(expected)} differ)"
    ]
