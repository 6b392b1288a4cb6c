# SPDX-License-Identifier: Apache-2.0
"""Builds kernels with NVIDIA's own compiler, as a build does on a machine without clang."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@cache
def configured(folder: Path) -> Path:
    """Returns a build folder in which nvcc compiles the kernels."""
    found = sorted((ROOT / "build/ptxas").glob("nvidia/*/bin/nvcc"))
    if not found or not sorted((ROOT / "build/ptxas").glob("nvidia/*/nvvm/bin/cicc")):
        pytest.skip("no nvcc: pip install --no-deps --target build/ptxas -r requirements/gpu.txt")
    options = ("-DRINGFORT_PTX_COMPILER=", f"-DRINGFORT_NVCC={found[0]}", "-DRINGFORT_TESTS=ON", "-DRINGFORT_SPIRV=OFF")
    command = ["cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", *options]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert f"kernels for NVIDIA GPUs: {found[0]}" in said
    return folder


@cache
def compiled_by_nvcc(family: str, folder: Path, extension: str = "ptx") -> Path:
    """Builds the module of a family of kernels in the folder. It runs the commands of the build, but does not build the
    library."""
    module = configured(folder) / "kernels" / f"{family}.{extension}"
    command = ["ninja", "-C", str(folder), "-t", "commands", str(module)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for line in said.splitlines():
        if f"/{family}." in line and str(module.parent) in line:
            subprocess.run(line, shell=True, check=True, cwd=folder)
    assert module.exists()
    return module
