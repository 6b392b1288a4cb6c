# SPDX-License-Identifier: Apache-2.0
"""Makes the machine for a command or an exploration: reads a profile or a file, and then changes settings."""

from __future__ import annotations

import re
from pathlib import Path

from .._rpu import model
from .._rpu.asm import Machine, MachineError
from ..errors import InvalidArgument, IoOpen
from .tools import MACHINES

__all__ = ["area_of", "machine", "parse_settings", "settings_of"]

_DEFAULTS = vars(Machine.make())


def machine(file: Path | str | None = None, settings: dict[str, object] | None = None) -> Machine:
    """Returns a machine. file: a path, or the name of an installed profile, such as `paper`. Errors: InvalidArgument,
    IoOpen."""
    try:
        return Machine.read(_file(file), settings) if file else Machine.make(settings)
    except MachineError as error:
        problem, _, fix = str(error).rpartition("; ")
        raise InvalidArgument(problem, fix + _cost(problem, fix)) from None
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(sorted(path.stem for path in MACHINES.glob("*.yml")))
        fix = f"check the path, or give a profile: {known}"
        raise IoOpen(f"the machine file {file} cannot be read: {error}", fix) from None


def _file(named: Path | str) -> Path:
    profile = MACHINES / f"{named}.yml"
    return profile if not Path(named).exists() and profile.is_file() else Path(named)


def _cost(problem: str, fix: str) -> str:
    """Returns the end of advice such as `use 64 or 128`: the area of the machine `paper` with each of the two sizes.
    Omits sizes above 512. Returns an empty text for other advice."""
    named = re.search(r"\b(hples|banks) = \d+ is not a power of two", problem)
    sizes = [int(word) for word in fix.split() if word.isdigit()]
    if not named or len(sizes) != 2:
        return ""
    areas = [area_of(Machine.make({named[1]: size})).total for size in sizes if size <= 512]
    return ": " + " or ".join(f"{mm2:.1f} mm2" for mm2 in areas) + " of area"


def area_of(on: Machine) -> model.Area:
    return model.area(on.hples, on.banks, on.vdm_words, on.multiply_interval, on.multiply_latency)


def settings_of(on: Machine) -> dict[str, object]:
    """Returns the settings that differ from the profile `paper`."""
    return {name: value for name, value in vars(on).items() if value != _DEFAULTS[name]}


def parse_settings(text: str) -> dict[str, object]:
    """Parses settings such as `dispatch=1,bank_hash=xor`. Errors: InvalidArgument (also for a name that is set
    twice)."""
    found: dict[str, object] = {}
    for item in filter(None, (word.strip() for word in text.split(","))):
        name, equals, value = (word.strip() for word in item.partition("="))
        if not equals or not name or not value:
            raise InvalidArgument(f"expected name=value, found {item!r}", "write for example dispatch=1,bank_hash=xor")
        if name in found:
            raise InvalidArgument(f"{item!r} sets {name}, which is already set", "remove one of the two")
        found[name] = value
    return found
