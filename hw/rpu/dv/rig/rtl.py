# SPDX-License-Identifier: Apache-2.0
"""Runs programs on the simulator. Compares their runs on the hardware with these runs (cosim/)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import cosim
from asm import Image, Machine
from cosim import RPU, SOURCES, Design, build, compare

__all__ = ["RPU", "SOURCES", "Design", "build", "compare", "compare_recorded", "design_of", "expect", "machine_of"]


def design_of(width: int, settings: dict) -> Design:
    return Design.of(width, Machine.make(settings), settings)


def machine_of(design: Design) -> Machine:
    return Machine.make(dict(setting.split("=") for setting in design.settings))


def expect(rpusim: Path, image: Image, design: Design, folder: Path, data: dict[str, list[int]] | None = None) -> Path:
    """Runs the simulator. Writes the files of the comparison into the folder, and returns the folder. `data` has the
    initial words of symbols."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "p.b512").write_bytes(image.to_bytes())
    command = [rpusim, folder / "p.b512", *cosim.outputs(folder), "--json"]
    for setting in design.settings:
        command += ["--set", setting]
    for name, words in (data or {}).items():
        (folder / f"{name}.bin").write_bytes(b"".join(word.to_bytes(16, "little") for word in words))
        command += ["--data", f"{name}={folder / f'{name}.bin'}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise RuntimeError(done.stderr)
    return folder


def compare_recorded(design: Design, binary: Path, folders: list[Path]) -> list[str]:
    """Returns the lines of `compare`. If RINGFORT_RTL_RECORD names a file, appends the results to this file."""
    lines = compare(binary, folders)
    if path := os.environ.get("RINGFORT_RTL_RECORD"):
        cosim.record(Path(path), design, folders, lines)
    return lines
