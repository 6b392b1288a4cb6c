# SPDX-License-Identifier: Apache-2.0
"""Tests `./dev gpu-bench` on an emulated GPU, so that minutes on a real GPU are not spent on untested code.

On the emulated GPU `emu:0`, the program compares every kernel with the reference device `ref`. Its rows are counts, and
times that a model computes. The library in tests/support/libcuda replaces NVIDIA's library. A run with this library
executes the code that measures times.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/bench/gpu-bench"
DOUBLE = ROOT / "build/release/tests/support/libcuda"
SECTIONS = (
    *("answers", "sanitizer", "rates", "transforms", "variants", "reductions", "products", "routines"),
    *("matmul", "operations"),
)
FIELDS = {"name", "device", "params", "unit", "min", "median", "max", "limit_share", "versus"}

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="no gpu-bench: ./dev build makes it")


def run(out: Path, *options: str, command: tuple[str | Path, ...] = (PROGRAM,), status: int = 0) -> dict[str, Any]:
    """Runs the program, checks the form and the files of its document, and returns the document."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(DOUBLE)}
    done = subprocess.run(
        [*command, "--out", out, "--quick", *options], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == status, done.stdout + done.stderr
    assert len(list(out.iterdir())) <= 8
    document: dict[str, Any] = json.loads((out / "results.json").read_text())
    assert document.keys() == {"machine", "rows"}
    assert all(row.keys() == FIELDS and row["min"] <= row["median"] <= row["max"] for row in document["rows"])
    assert (out / "table.txt").read_text() in done.stdout
    return document


def medians(document: dict[str, Any]) -> dict[str, float]:
    return {row["name"]: row["median"] for row in document["rows"]}


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Runs all sections on the emulator, and returns the document."""
    return run(tmp_path_factory.mktemp("emulated"), "--device", "emu:0", command=("./dev", "gpu-bench"))


def test_on_the_emulator_every_kernel_is_right_and_rows_are_counts(emulated: dict[str, Any]) -> None:
    machine, found = emulated["machine"], medians(emulated)
    assert [machine[f"section {name}"] for name in SECTIONS] == ["whole"] * len(SECTIONS)
    assert (machine["device"], machine["chip"], machine["has_times"]) == ("emu:0", "emulated", False)
    assert {row["unit"] for row in emulated["rows"]} <= {
        *("answers", "kernels", "products", "divisions", "sectors", "wavefronts", "launches", "bytes", "us, model")
    }
    assert found["answers/right"] > 500
    assert (found["answers/wrong"], found["answers/kernels_never_launched"]) == (0, 0)
    # A butterfly with Shoup's product takes three products of words.
    for word, n in (("q30", 1 << 13), ("q60", 1 << 10)):
        stages = n.bit_length() - 1
        assert found[f"ntt/forward/n{n}/{word}/b1/products"] == 3 * n // 2 * stages
        assert found[f"ntt/forward/n{n}/{word}/b1/launches"] == 1
    # The library's own kernels have no bank conflicts (accesses to one bank of shared memory, which the GPU serves one
    # after the other). The kernels of publications may have some.
    for row in emulated["rows"]:
        if row["unit"] == "wavefronts" and not row["name"].startswith("variant/"):
            assert row["median"] <= 1.1 * row["params"]["least"], row["name"]


def test_variants_have_the_counts_and_the_models_of_their_schedules(emulated: dict[str, Any]) -> None:
    found = medians(emulated)
    n, batch, stages = 8192, 2, 13
    for word, reduction, products in (("q30", "proposed", 5), ("q62", "harvey", 3), ("q63", "shoup", 3)):
        rows = f"variant/forward/naive/{reduction}/n{n}/{word}/b{batch}"
        assert found[f"{rows}/products"] == products * batch * n // 2 * stages
        assert found[f"{rows}/launches"] == stages
    # Radix 16 moves all words twice. Radix 2 moves them 13 times. In its last two stages, both points of a butterfly
    # are in one sector (32 bytes), which therefore counts twice.
    naive, radix16 = (f"variant/forward/{name}/harvey/n{n}/q62/b{batch}" for name in ("naive", "radix16"))
    assert found[f"{naive}/sectors"] == (stages + 2) * 2 * batch * n * 8 / 32
    assert found[f"{radix16}/sectors"] == 2 * 2 * batch * n * 8 / 32
    # A cluster of two blocks passes through memory once. Half of the words are in the other block.
    cluster, two_launches = (f"variant/forward/{name}/harvey/n16384/q62/b1" for name in ("cluster", "2d-radix16"))
    assert (found[f"{cluster}/launches"], found[f"{two_launches}/launches"]) == (1, 2)
    assert found[f"{cluster}/sectors"] == found[f"{two_launches}/sectors"] / 2 == 2 * 16384 * 8 / 32
    assert found[f"{cluster}/remote"] == 16384 / 2 * 8
    assert f"{cluster}/model/A100" not in found  # the A100 has no clusters
    for chip in ("H200", "RTX 5090"):
        assert 0 < found[f"{cluster}/model/{chip}"] < found[f"{two_launches}/model/{chip}"]
    for chip in ("A100", "H200", "RTX 5090"):
        assert 0 < found[f"{radix16}/model/{chip}"] < found[f"{naive}/model/{chip}"]
    assert found["reduction/proposed/q62/model/H200"] < found["reduction/classical/q62/model/H200"]
    fused, separate = (f"product/{name}/proposed/n1024/q30/b1/middle" for name in ("fused", "separate"))
    assert (found[f"{fused}/launches"], found[f"{separate}/launches"]) == (1, 4)
    assert (found[f"{fused}/products"], found[f"{separate}/products"]) == (5 * 4 * 512, 5 * 5 * 512)


def test_steps_of_routines_need_fewer_launches_and_bytes(tmp_path: Path) -> None:
    found = medians(run(tmp_path, "--device", "emu:0,checks=off", "--section", "routines"))
    for routine in ("mul_lin", "mul_lin_rs", "sqr_lin_rs", "mul_lin_rs_mod_sw_add", "rotate"):
        for count in ("launches", "bytes", "model/A100", "model/H200", "model/RTX 5090"):
            naive, radix8, own = (found[f"routine/{s}/{routine}/n2048/{count}"] for s in ("naive", "radix8", "own"))
            assert naive > radix8 > own, (routine, count)


def test_matrix_products_are_right_and_have_the_launches_of_their_steps(tmp_path: Path) -> None:
    found = medians(run(tmp_path, "--device", "emu:0,checks=off", "--section", "matmul", "--section", "reductions"))
    assert "reduction/builtin/q28/launches" in found  # both sections ran
    products = 3 * 2 * 2
    launches = [found[f"matmul/{s}/3x2x2/n2048/launches"] for s in ("separate", "mad_mod", "arithmetic", "cache")]
    assert launches == [2 * products] * 4
    for count in ("bytes", "products/model/A100", "products/model/H200", "products/model/RTX 5090"):
        separate, fused = (found[f"matmul/{s}/3x2x2/n2048/{count}"] for s in ("separate", "mad_mod"))
        assert fused < separate, count


def test_pretended_times_take_the_paths_of_a_gpu(tmp_path: Path) -> None:
    digests = tmp_path / "digests.txt"
    subprocess.run([PROGRAM, "--quick", "--write-digests", digests], check=True)
    document = run(tmp_path / "out", "--device", "cuda:0", "--pretend", "--digests", str(digests))
    assert (document["machine"]["is_pretended"], document["machine"]["has_times"]) == (True, False)
    found = medians(document)
    assert found["answers/wrong"] == 0
    wanted = ("rate/butterfly/u64", "memory/copy/1MiB", "launch/device", "copy/in/4096", "ntt/inverse/n8192/q60/b1")
    assert all(found[name] > 0 for name in wanted)
    for step in ("naive", "radix8", "own", "callers"):
        assert found[f"routine/{step}/rotate/n2048"] > 0
    for step in ("separate", "mad_mod", "arithmetic", "cache"):
        assert 0 < found[f"matmul/{step}/3x2x2/n2048/products"] < found[f"matmul/{step}/3x2x2/n2048/whole"]
    chain = "ckks/n2048/3+1/q60/"
    assert {name.removeprefix(chain) for name in found if name.startswith(chain)} >= {
        *("mul_lin_rs", "rotate/bytes", "copy/out", "mul_lin_rs/cache/on", "mul_lin_rs/callers/8")
    }


def test_a_wrong_answer_fails_and_has_a_name(tmp_path: Path) -> None:
    digests = tmp_path / "digests.txt"
    options = ("--section", "answers", "--largest", "5", "--device", "emu:0,checks=off", "--digests", str(digests))
    subprocess.run([PROGRAM, "--quick", "--write-digests", digests], check=True)
    first, *others = digests.read_text().splitlines()
    wrong = first.split(" ", 1)[1]
    digests.write_text("\n".join(["0" * 32 + " " + wrong, *others]) + "\n")
    document = run(tmp_path / "out", *options, status=1)
    assert medians(document)["answers/wrong"] == 1
    assert f"wrong: {wrong}\n" in (tmp_path / "out/answers.txt").read_text()


def test_a_section_without_time_says_what_is_missing(tmp_path: Path) -> None:
    document = run(tmp_path, "--device", "emu:0,checks=off", "--seconds", "0")
    assert document["machine"]["section answers"].startswith("cut by the clock; missing: answers of ")
    assert document["machine"]["section operations"].startswith("cut by the clock; missing: ckks/")


def test_other_devices_are_refused(tmp_path: Path) -> None:
    for device, reason in (("cpu", "it is no GPU"), ("emu:9", "DEVICE is a number in 0 .. 3")):
        done = subprocess.run([PROGRAM, "--device", device], capture_output=True, text=True)
        assert done.returncode == 2
        assert reason in done.stderr


def machine_without_clang(folder: Path) -> tuple[Path, dict[str, str]]:
    """Returns a checkout without builds, and a PATH without clang. The program cmake in this PATH only logs its
    arguments, and makes a symbolic link to PROGRAM.
    """
    tree, programs = folder / "tree", folder / "programs"
    tree.mkdir()
    programs.mkdir()
    for entry in ROOT.iterdir():
        if entry.name not in ("build", ".git", ".venv"):
            (tree / entry.name).symlink_to(entry)
    for path in dict.fromkeys(os.environ["PATH"].split(":")):
        for found in Path(path).glob("*"):
            here = programs / found.name
            if not found.name.startswith(("clang", "cmake", "nvcc")) and not here.is_symlink():
                here.symlink_to(found)
    (programs / "cmake").write_text(
        f'#!/bin/bash\necho "$@" >>{folder}/cmake.log\nmkdir -p build/gpu-bench/bench\n'
        f"ln -sf {PROGRAM} build/gpu-bench/bench/gpu-bench\n"
    )
    (programs / "cmake").chmod(0o755)
    return tree, {**os.environ, "PATH": str(programs)}


def function_of_dev(name: str) -> str:
    """Returns the text of a function of ./dev."""
    found = re.search(rf"^{name}\(\) {{(.*?;|.*?\n)\s*}}$", (ROOT / "dev").read_text(), re.DOTALL | re.MULTILINE)
    assert found, name
    return found.group()


def test_a_bundle_has_at_most_40_mib(tmp_path: Path) -> None:
    bundle = tmp_path / "gpu-bundle"
    bundle.mkdir()
    folders = sum(path.stat().st_size for path in (tmp_path, bundle))
    for size, fits in ((40 << 20, True), ((40 << 20) + 1, False)):
        with (bundle / "gpu-bench").open("wb") as file:
            file.truncate(size - folders)
        script = f"{function_of_dev('bundle_fits')}\nbundle_fits {tmp_path}"
        assert (subprocess.run(["bash", "-c", script]).returncode == 0) == fits


@pytest.mark.parametrize("bundle", ["none", "of other sources", "of these sources"])
def test_a_machine_without_clang_builds_with_nvcc_or_the_kernels_of_its_bundle(bundle: str, tmp_path: Path) -> None:
    tree, environment = machine_without_clang(tmp_path)
    if bundle != "none":
        (tree / "build/gpu-bundle").mkdir(parents=True)
        program = tree / "build/gpu-bundle/gpu-bench"
        program.write_text("#!/bin/bash\nexit 127\n")  # the program needs a newer glibc than the machine has
        program.chmod(0o755)
        digest = "other"
        if bundle == "of these sources":
            command = ["bash", "-c", f"{function_of_dev('sources_digest')}; sources_digest"]
            digest = subprocess.run(
                command, cwd=tree, env=environment, check=True, capture_output=True, text=True
            ).stdout
        (tree / "build/gpu-bundle/sources").write_text(digest)
        with tarfile.open(tree / "build/gpu-bundle/kernels.tar.gz", "w:gz") as kernels:
            kernels.add(ROOT / "src/backend/device/kernels/catalog.cmake", "probes_u32.ptx")
    options = ("--section", "answers", "--largest", "5", "--device", "emu:0,checks=off", "--quick")
    done = subprocess.run(
        ["./dev", "gpu-bench", "--out", tmp_path / "out", *options],
        cwd=tree, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert medians(json.loads((tmp_path / "out/results.json").read_text()))["answers/wrong"] == 0
    configured = (tmp_path / "cmake.log").read_text()
    assert "-B build/gpu-bench -DRINGFORT_TESTS=OFF -DRINGFORT_PROBES=ON" in configured
    kernels = tree / "build/gpu-kernels"
    assert (f"-DRINGFORT_PTX_FOLDER={kernels}" in configured) == (bundle == "of these sources")
    assert (kernels / "probes_u32.ptx").exists() == (bundle == "of these sources")
