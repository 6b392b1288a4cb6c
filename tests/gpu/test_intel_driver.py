# SPDX-License-Identifier: Apache-2.0
"""Runs every kernel of OpenCL, at small sizes, through Intel's driver for CPUs.

This driver compiles SPIR-V (intermediate code of OpenCL) and has sub-groups (warps, in CUDA's words). The tests compare
the kernels of verbs with the reference device `ref`. A second process uses the machine code that the first process
kept. The sections of variants, reductions and products compare the kernels of publications with their definitions."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/bench/gpu-bench"
DRIVER = ROOT / "build/intel"

pytestmark = pytest.mark.skipif(
    not (PROGRAM.exists() and (DRIVER / "vendors/intel.icd").exists()),
    reason="no Intel driver of OpenCL for CPUs: ./dev test --full installs it",
)


def rows_of(section: str, kernels: Path, out: Path) -> dict[str, float]:
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": str(DRIVER / "lib"),
        "OCL_ICD_VENDORS": str(DRIVER / "vendors"),
        "RINGFORT_KERNEL_CACHE": str(kernels),
    }
    options = ("--section", section, "--largest", "5", "--quick", "--device", "opencl:0", "--out", out)
    done = subprocess.run([PROGRAM, *options], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads((out / "results.json").read_text())
    assert document["machine"][f"section {section}"] == "whole"
    return {row["name"]: row["median"] for row in document["rows"]}


def test_every_kernel_has_the_residues_of_ref_also_from_kept_machine_code(tmp_path: Path) -> None:
    kernels = tmp_path / "kernels"
    first = rows_of("answers", kernels, tmp_path / "compiled")
    assert (first["answers/wrong"], first["answers/kernels_never_launched"]) == (0, 0)
    assert first["answers/right"] >= 240
    assert first["answers/kernels"] >= 61
    kept = {path: path.read_bytes() for path in kernels.iterdir()}
    assert len(kept) >= 6
    assert rows_of("answers", kernels, tmp_path / "kept") == first
    assert {path: path.read_bytes() for path in kernels.iterdir()} == kept


def test_kernels_of_publications_have_the_words_of_their_definitions(tmp_path: Path) -> None:
    rows = {
        name: len(rows_of(name, DRIVER / "kernels", tmp_path / name)) for name in ("variants", "reductions", "products")
    }
    assert all(count > 0 for count in rows.values()), rows
