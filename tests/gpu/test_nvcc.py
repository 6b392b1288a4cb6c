# SPDX-License-Identifier: Apache-2.0
"""Tests the kernels as nvcc compiles them, for builds on machines without clang.

The modules of nvcc have the same kernels as those of clang, no register spills (values that move to memory), and
machine code for three chips. The tests compile the sources in `FAMILIES` with nvcc. The modules of clang come from
build/release.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from nvcc import ROOT, compiled_by_nvcc, configured

KERNELS = ROOT / "build/release/kernels"
# The sources of transforms, kernels of constant shape, exchanges between lanes, divisions and base conversions.
FAMILIES = ("transforms_u64", "shapes12_u64", "shuffles_u32", "words_u32")
HEAD = re.compile(r"\.entry (\w+)\(\s*\.param \.align (\d+) \.b8 \w+\[(\d+)\]\s*\)\s*\.maxntid (\d+)")


def heads(ptx: Path) -> dict[str, tuple[str, ...]]:
    """Returns, for each kernel, the alignment and the bytes of its arguments, and the maximum number of lanes of a
    block."""
    return {name: tuple(rest) for name, *rest in HEAD.findall(ptx.read_text())}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nvcc")


@pytest.mark.parametrize("family", FAMILIES)
def test_nvcc_makes_the_kernels_that_clang_makes(family: str, folder: Path) -> None:
    found = heads(compiled_by_nvcc(family, folder))
    assert len(found) == (folder / "kernels" / f"{family}_gpu.cpp").read_text().count('extern "C"')
    if not (clangs := KERNELS / f"{family}.ptx").exists():
        pytest.skip("no kernels in PTX: apt-get install clang-19, then ./dev build")
    assert found == heads(clangs)


@pytest.mark.parametrize("family", FAMILIES)
def test_no_kernel_of_nvcc_is_empty_or_spills(family: str, folder: Path) -> None:
    ptx = compiled_by_nvcc(family, folder)
    for kernel in ptx.read_text().split(".entry ")[1:]:
        assert "st.global" in kernel, kernel[: kernel.index("(")]
    command = [str(program) for program in (ROOT / "build/ptxas").glob("nvidia/*/bin/ptxas")]
    for chip in ("sm_80", "sm_90", "sm_120"):
        options = [f"-arch={chip}", "-v", str(ptx), "-o", str(folder / "assembled")]
        said = subprocess.run([*command, *options], check=True, capture_output=True, text=True).stderr
        found = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", said)
        assert found == [("0", "0", "0")] * len(heads(ptx)), chip


def test_a_build_with_nvcc_carries_machine_code(folder: Path) -> None:
    image = compiled_by_nvcc("transforms_u64", folder, "fatbin")
    for chip in (80, 90, 120):
        cubin = image.with_name(f"{image.name}.{chip}").read_bytes()
        assert cubin.startswith(b"\x7fELF")
        assert all(b".text." + name.encode() + b"\0" in cubin for name in heads(image.with_suffix(".ptx")))
    images = (configured(folder) / "kernels/ptx_modules.cpp").read_text()
    assert "ringfort_fatbin_transforms_u64, " in images


def test_a_call_of_a_function_that_is_not_constexpr_is_an_error(folder: Path, tmp_path: Path) -> None:
    """By default, nvcc only warns of such a call, and the compiled kernel stops when it reaches the call."""
    source = tmp_path / "calls.cpp"
    source.write_text(
        "template <class T> T of_host(T x) { return x + 1; }\n"
        'extern "C" __attribute__((global)) void calls(int* x) { *x = of_host(*x); }\n'
    )
    rule = subprocess.run(
        ["ninja", "-C", str(configured(folder)), "-t", "commands", str(folder / "kernels/transforms_u64.ptx")],
        check=True, capture_output=True, text=True,
    ).stdout.splitlines()[-1]  # fmt: skip
    flags = rule.split(" -MD ")[0].split("&& ")[-1].split()
    done = subprocess.run([*flags, str(source), "-o", str(tmp_path / "calls.ptx")], capture_output=True, text=True)
    assert done.returncode != 0
    assert "of_host" in done.stderr
