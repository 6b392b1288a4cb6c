# SPDX-License-Identifier: Apache-2.0
"""Parameters of the modelled machine. The defaults are the profile `paper`. A file with lines `name: value` replaces
some of them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from .tables import PARAMETERS, VECTOR_LENGTH

# (number of banks, frequency in MHz with at least this number of banks) [Soni23, Section VI-B]
_FREQUENCIES = ((256, 1680), (128, 1680), (64, 1530), (0, 1290))
_MOST_BYTES = 1 << 16  # size of the largest machine file
_MOST_SHOWN = 60  # characters of a wrong line in a message


class MachineError(ValueError):
    """A parameter is unknown, or its value is out of range. The text names the parameter and says what to write."""


class Machine(SimpleNamespace):
    """Machine parameters as attributes. The manual, doc/isa.md, lists their names."""

    @staticmethod
    def make(settings: dict[str, object] | None = None) -> Machine:
        machine = Machine(**{name: parameter.default for name, parameter in PARAMETERS.items()})
        for name, value in (settings or {}).items():
            setattr(machine, name, _checked(name, str(value)))
        return machine

    @staticmethod
    def read(path: Path | str, settings: dict[str, object] | None = None) -> Machine:
        if Path(path).exists() and not Path(path).is_file():
            raise MachineError(f"{path} is not a regular file; give a file of lines `name: value`")
        with Path(path).open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise MachineError(f"{path} has more than {_MOST_BYTES >> 10} KiB; give a file of lines `name: value`")
        return Machine.make(parse_lines(data.decode(), str(path)) | (settings or {}))

    @property
    def clock_mhz(self) -> int:
        return self.megahertz or next(mhz for banks, mhz in _FREQUENCIES if self.banks >= banks)

    @property
    def beats(self) -> int:
        """Returns the number of cycles that the elements of a vector take to enter the lanes."""
        return max(1, VECTOR_LENGTH // self.hples)


def parse_lines(text: str, file: str) -> dict[str, str]:
    settings: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        body = line.split("#", 1)[0].strip()
        if not body:
            continue
        name, colon, value = (part.strip() for part in body.partition(":"))
        if not colon or not name or not value:
            raise MachineError(
                f"{file}:{number}: expected `name: value`, found {_short(body)!r}; write for example `hples: 64`"
            )
        if name in settings:
            raise MachineError(f"{file}:{number}: {name} is set twice; keep one of the lines")
        try:
            _checked(name, value)
        except MachineError as error:
            raise MachineError(f"{file}:{number}: {error}") from None
        settings[name] = value
    return settings


def _short(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "..."


def _checked(name: str, text: str) -> int | str:
    parameter = PARAMETERS.get(name)
    if parameter is None:
        raise MachineError(f"the machine has no parameter {_short(name)!r}; it has {', '.join(PARAMETERS)}")
    if parameter.kind == "choice":
        if text not in parameter.choices:
            raise MachineError(f"{name} = {_short(text)} is not a choice; use {' or '.join(parameter.choices)}")
        return text
    value = int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else -1
    if not parameter.minimum <= value <= parameter.maximum:
        raise MachineError(
            f"{name} = {_short(text)} is outside {parameter.minimum} .. {parameter.maximum}; use a number inside"
        )
    if parameter.kind == "power_of_two" and value & (value - 1):
        raise MachineError(
            f"{name} = {value} is not a power of two: element i is in lane or bank i mod {name}, and 512 elements "
            f"would not fill the last beat; use {1 << (value.bit_length() - 1)} or {1 << value.bit_length()}"
        )
    return value
