# SPDX-License-Identifier: Apache-2.0
"""Tests kernels as compilers for Intel's and AMD's GPUs compile them: fewer registers may spill, but not more.

A register spills if its value moves to memory because too few registers are left. Intel's offline compiler, `ocloc`,
compiles the SPIR-V (intermediate code of OpenCL) for two chips. clang 22 compiles the same sources to machine code of
an AMD chip. compiled_opencl.json lists the kernels that spill registers, or that keep words in the scratch memory of a
lane. All other kernels must do neither. If a change makes a count smaller, write the smaller count into the file.
``python tests/gpu/test_compiled_opencl.py`` does this.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "build/release/kernels"
FAMILIES = ("transforms_u32", "transforms_u64", "words_u32", "words_u64")
COUNTS = Path(__file__).with_name("compiled_opencl.json")
# For Intel's GPUs, the library's driver uses this option (src/backend/opencl/driver.cpp).
MORE_REGISTERS = "-cl-intel-256-GRF-per-thread"
INTEL_SPILLS = re.compile(r"kernel (\w+) .*spilled around (\d+)")
AMD_FLAGS = (
    *("--target=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-x", "c++", "-std=c++20", "-O3", "-ffreestanding"),
    *("-nostdinc", "-fno-exceptions", "-fno-rtti", f"-I{ROOT / 'src'}", "-mllvm", "-inline-threshold=100000"),
    "-Rpass-analysis=kernel-resource-usage",
)
AMD_COUNTS = re.compile(
    r"Function Name: (?P<name>\w+).*?ScratchSize \[bytes/lane\]: (?P<scratch>\d+).*?SGPRs Spill: (?P<scalars>\d+)"
    r".*?VGPRs Spill: (?P<vectors>\d+)",
    re.DOTALL,
)


def compiled_by_intel(family: str, chip: str, folder: Path, options: str = MORE_REGISTERS) -> dict[str, int]:
    """Returns the spilled bytes of the kernels that spill."""
    if shutil.which("ocloc") is None:
        pytest.skip("no ocloc: apt-get install intel-opencl-icd")
    if not (module := KERNELS / f"{family}.spv").exists():
        pytest.skip("no kernels in SPIR-V: apt-get install clang-22, then ./dev build")
    command = ["ocloc", "compile", "-spirv_input", "-file", str(module), "-device", chip, "-options", options]
    done = subprocess.run(
        [*command, "-output", f"{family}.{chip}", "-out_dir", str(folder)], check=True, capture_output=True, text=True
    )
    assert "Build succeeded" in done.stdout + done.stderr
    return {name: int(count) for name, count in INTEL_SPILLS.findall(done.stdout + done.stderr)}


def compiled_for_amd(family: str, folder: Path) -> dict[str, dict[str, int]]:
    """Returns, for each kernel, the scratch memory of a lane and the number of spilled registers."""
    if (clang := shutil.which("clang++-22")) is None:
        pytest.skip("no clang 22: apt-get install clang-22")
    command = [clang, *AMD_FLAGS, "-c", str(KERNELS / f"{family}_opencl.cpp"), "-o", str(folder / f"{family}.o")]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    return {m["name"]: {k: int(v) for k, v in m.groupdict().items() if k != "name"} for m in AMD_COUNTS.finditer(said)}


def nonzero(kernels: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    return {name: counts for name, counts in kernels.items() if any(counts.values())}


@pytest.mark.parametrize("chip", ["dg2", "pvc"])
def test_no_kernel_spills_on_gpus_of_intel(chip: str, tmp_path: Path) -> None:
    for family in FAMILIES:
        assert compiled_by_intel(family, chip, tmp_path) == {}, family


def test_kernels_spill_without_the_option_that_the_driver_gives(tmp_path: Path) -> None:
    assert "ntt_u64_lazy" in compiled_by_intel("transforms_u64", "pvc", tmp_path, "-cl-std=CL2.0")


@pytest.mark.parametrize("family", FAMILIES)
def test_spills_on_a_gpu_of_amd_only_fall(family: str, tmp_path: Path) -> None:
    known = json.loads(COUNTS.read_text())["gfx942"]
    kernels = compiled_for_amd(family, tmp_path)
    source = (KERNELS / f"{family}_opencl.cpp").read_text()
    assert len(kernels) == source.count("[[clang::device_kernel]]")
    for name, counts in kernels.items():
        assert counts["vectors"] == 0, name
        for what, count in counts.items():
            assert count <= known.get(name, {}).get(what, 0), f"{name}: {what}"


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else COUNTS
    measured = {name: counts for f in FAMILIES for name, counts in nonzero(compiled_for_amd(f, ROOT / "build")).items()}
    target.write_text(json.dumps({"gfx942": measured}, indent=1, sort_keys=True) + "\n")
