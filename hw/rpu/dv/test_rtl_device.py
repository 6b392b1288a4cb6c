# SPDX-License-Identifier: Apache-2.0
"""Runs the kernels of two operations of the library's device `rpu` on the hardware: a product of CKKS with
relinearization and rescaling, and a product of BFV with relinearization. tests/cosim/record_kernels.cpp records every
kernel of a product, in order, and the memories before each kernel. hw/rpu/README.md explains the terms. The words of
the hardware have 128 bits, because a product includes base conversions (to residues modulo other primes), which use
moduli of 128 bits. The test of every push runs only five kernels of the CKKS product, and only on the simulator.
RINGFORT_COUNTS=full runs all kernels on the hardware.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from asm import Image
from rig import rtl
from test_rtl import BUILDS, FULL, all_equal

WIDTH, MACHINE = 128, {"hples": 8, "banks": 8}
TOGETHER = 20  # largest number of runs whose files are on the disk at a time; one run can have files of 10 MB


def recorded(scheme: str, design: rtl.Design, rpusim: Path, folder: Path) -> list[Path]:
    """Records the kernels of a product. Returns their programs in the order of the runs."""
    recorder = rpusim.parents[2] / "tests" / "record_kernels"
    if not recorder.is_file():
        pytest.skip("record_kernels is not built; ./dev build makes it")
    device = "rpu:" + ",".join(design.settings)
    done = subprocess.run([recorder, scheme, device, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(folder.glob("*.b512"))


def test_the_kernels_of_a_product_are_programs(rpusim: Path, tmp_path: Path):
    design = rtl.design_of(WIDTH, MACHINE)
    programs = recorded("ckks", design, rpusim, tmp_path)
    assert len(programs) > 50
    for program in programs[:5]:  # the reader and the simulator must accept these programs
        rtl.expect(rpusim, Image.from_bytes(program.read_bytes()), design, tmp_path / program.stem)


@pytest.mark.skipif(not FULL, reason="hundreds of kernels take minutes; RINGFORT_COUNTS=full runs them")
@pytest.mark.parametrize("scheme", ["ckks", "bfv"])
def test_the_kernels_of_a_product_agree(scheme: str, verilator: Path, rpusim: Path, tmp_path: Path):
    design = rtl.design_of(WIDTH, MACHINE)
    programs = recorded(scheme, design, rpusim, tmp_path)
    assert len(programs) > 50
    binary = rtl.build(design, verilator, BUILDS)
    for first in range(0, len(programs), TOGETHER):
        folders = []
        for program in programs[first : first + TOGETHER]:
            folders.append(rtl.expect(rpusim, Image.from_bytes(program.read_bytes()), design, tmp_path / program.stem))
            program.unlink()
        all_equal((design, binary), folders)
        for folder in folders:
            for file in folder.iterdir():
                file.unlink()
