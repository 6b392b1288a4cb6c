# SPDX-License-Identifier: Apache-2.0
"""Tests ``ringfort rpu`` as a hardware researcher uses it. The command assembles, runs and times programs of the ring
processor, a simulated vector processor for transforms (docs/rpu.md). If the tests expect a number of cycles and give no
formula for it, the number is the result of an earlier simulation.
"""

import json
import os
import zlib
from pathlib import Path

import numpy as np
import pytest

from ringfort import ring, rpu
from ringfort.errors import InvalidArgument

SOURCE = (Path(__file__).parents[2] / "hw/rpu/dv/programs/add_two_vectors.s").read_text()
NTT_KEYS = {
    "cycles",
    "us",
    "instructions",
    "utilisation",
    "theoretical_us",
    "ratio",
    "area_mm2",
    "energy_uj",
    "verified",
}


@pytest.fixture
def add(tmp_path):
    """Writes the first program of docs/rpu.md to the folder of the command."""
    (tmp_path / "add.s").write_text(SOURCE)
    return tmp_path


def test_assembling_a_disassembled_program_gives_the_same_bytes(command, add):
    assembled = command("rpu", "asm", "add.s", "--json")
    assert (assembled.code, assembled.json["kernels"]) == (0, [{"name": "main", "instructions": 6}])
    assert assembled.json["diagnostics"][0]["message"].startswith("kernel main: 6 instructions, at least 12 cycles")
    (add / "back.s").write_text(command("rpu", "disasm", "add.b512", "--json").json["source"])
    assert command("rpu", "asm", "back.s", "-o", "back.b512").code == 0
    assert (add / "back.b512").read_bytes() == (add / "add.b512").read_bytes()


def test_an_error_of_the_source_names_line_column_and_fix(command, add):
    (add / "add.s").write_text(SOURCE.replace("vaddmod v8", "vaddmod v64"))
    found = command("rpu", "asm", "add.s", "--json")
    assert found.code == 2
    assert found.json["error"]["problem"].startswith("add.s:17:13: error: ")
    assert found.json["error"]["fix"]
    assert not (add / "add.b512").exists()


def test_a_finding_of_the_checks_is_a_failure(command, add):
    (add / "add.s").write_text(SOURCE.replace("    vload   v4, y(a0)\n", ""))
    found = command("rpu", "asm", "add.s", "--json")
    assert found.code == 1
    assert {"error"} <= {d["severity"] for d in found.json["diagnostics"]}
    assert found.json["program"] is None
    assert not (add / "add.b512").exists()
    assert "no program is written" in command("rpu", "asm", "add.s").out


@pytest.mark.parametrize(
    "arguments",
    [
        ("asm", "add.s", "-o", "add.s"),
        ("asm", "add.b512"),
        ("disasm", "add.b512", "-o", "./add.b512"),
        ("run", "add.s", "--store", "z=link"),
        ("run", "add.b512", "--timeline", "add.b512"),
        ("run", "add.s", "--data", "x=x.bin", "--store", "z=x.bin"),
        ("run", "add.s", "--konata", "z", "--steps", "z"),
        ("run", "add.s", "--store", "z=z", "--chrome", "./z"),
        ("run", "add.job", "--store", "a=add.b512"),
        ("run", "add.job", "--store", "a=x.bin"),
        ("ntt", "--machine", "small.yml", "-o", "small.yml"),
        ("dse", "--program", "add.s", "--csv", "rpu-dse.jsonl"),
        ("dse", "--program", "add.s", "--csv", "z", "--html", "z"),
        ("dse", "--program", "add.s", "--results", "add.s"),
        ("dse", "--program", "add.job", "--html", "x.bin"),
        ("dse", "--machine", "small.yml", "--csv", "small.yml"),
        ("report", "--rtl-results", "x.bin", "--html", "./x.bin"),
    ],
)
def test_an_output_that_is_the_input_or_another_output_is_refused(command, add, arguments):
    assert command("rpu", "asm", "add.s").code == 0
    (add / "link").symlink_to("add.s")
    (add / "x.bin").write_bytes(bytes(16))
    (add / "add.job").write_text("program p add.b512\narray a 1 x.bin\nd: load p -> p\n")
    (add / "small.yml").write_text("hples: 64\n")
    (add / "rpu-dse.jsonl").write_text("")
    before = {path.name: path.read_bytes() for path in add.iterdir()}
    found = command("rpu", *arguments)
    assert (found.code, "are the same file" in found.err) == (2, True)
    assert {path.name: path.read_bytes() for path in add.iterdir()} == before


@pytest.mark.parametrize("arguments", [("asm", "add.s", "-o", "-"), ("dse", "--csv", "-"), ("report", "--html", "-")])
def test_an_output_is_a_file_and_not_standard_output(command, add, arguments):
    found = command("rpu", *arguments)
    assert (found.code, "names standard output" in found.err, (add / "-").exists()) == (2, True, False)


def test_a_generated_program_does_not_replace_a_source(command, add):
    before = (add / "add.s").read_bytes()
    found = command("rpu", "ntt", "--n", 1024, "--tries", 1, "--output", "add.s")
    assert (found.code, "add.s is the name of a source" in found.err) == (2, True)
    assert (add / "add.s").read_bytes() == before


def test_a_parameter_that_is_set_twice_is_refused(command, add):
    found = command("rpu", "run", "add.s", "--set", "hples=512,hples=4")
    assert (found.code, "'hples=4' sets hples, which is already set" in found.err) == (2, True)
    found = command("rpu", "run", "add.s", "--set", "hples=4", "--hples", 8)
    assert (found.code, "--set and --hples both set hples" in found.err) == (2, True)


def test_several_outputs_may_go_to_a_device(command, add):
    assert command("rpu", "run", "add.s", "--konata", "/dev/null", "--steps", "/dev/null").code == 0


def test_a_run_reports_values_cycles_waits_and_energy(command, add):
    ran = command("rpu", "run", "add.s", "--store", "z=z.bin", "--json")
    assert (ran.code, ran.json["cycles"], ran.json["executed"], ran.json["trap"]) == (0, 32, 6, None)
    words = (add / "z.bin").read_bytes()
    assert [int.from_bytes(words[16 * i : 16 * i + 16], "little") for i in range(4)] == [11, 22, 29, 0]
    assert ran.json["pipes"]["compute"]["stalls"]["busyboard"] == 9
    # Each of the 512 elements takes one addition with three register accesses. Each of the two loads and the store
    # takes one register access, one memory access and one passage through the crossbar per element. Each of the six
    # instructions takes 24 pJ in addition. All these energies, in pJ, are fitted (hw/rpu/model/energy.py).
    pj = 512 * (0.33 + (3 + 3) * 1.832 + 3 * (8.69 + 1.90)) + 6 * 24
    assert ran.json["energy_uj"] == pytest.approx(pj / 1e6)
    assert "32 cycles" in command("rpu", "run", "add.s").out


def test_a_smaller_machine_takes_more_cycles(command, add):
    assert command("rpu", "run", "add.s", "--hples", 64, "--banks", 64, "--json").json["cycles"] == 48
    (add / "mine.yml").write_text("hples: 64\nbanks: 64\n")
    ran = command("rpu", "run", "add.s", "--machine", "mine.yml", "--json").json
    assert (ran["cycles"], ran["machine"]["hples"]) == (48, 64)
    assert command("rpu", "run", "add.s", "--machine", "paper", "--json").json["cycles"] == 32


def test_ninety_six_lanes_are_refused_with_the_sizes_that_work_and_their_area(command, add):
    refused = command("rpu", "run", "add.s", "--set", "hples=96", "--json")
    assert refused.code == 2
    assert "not a power of two" in refused.json["error"]["problem"]
    assert refused.json["error"]["fix"] == "use 64 or 128: 12.6 mm2 or 20.5 mm2 of area"
    (add / "mine.yml").write_text("banks: 64\nhples: 96   # why not\n")
    from_file = command("rpu", "run", "add.s", "--machine", "mine.yml", "--json").json["error"]
    assert from_file["problem"].startswith("mine.yml:2: hples = 96 is not a power of two")
    assert from_file["fix"] == refused.json["error"]["fix"]


def test_the_timeline_is_one_page_with_every_instruction(command, add):
    done = command("rpu", "run", "add.s", "--timeline", "t.html", "--konata", "t.kanata")
    assert done.code == 0
    assert "wrote t.html, t.kanata" in done.err
    page = (add / "t.html").read_text()
    data = json.loads(page.split("const DATA=")[1].split(";\n")[0])
    assert data["rows"] == ["front_end", "load_store", "compute", "shuffle", "front end waits"]
    assert [2, 18, 4, "vaddmod v8, v0, v4, m1", 4, "front_end 1, busyboard 9 (by 3)"] in data["slices"]
    assert "http" not in page.replace("http://www.w3.org", "")
    assert "<td>load_store</td><td>3</td><td>12</td><td>38%</td>" in page
    assert "<td>shuffle</td><td>0</td><td>0</td><td>0%</td>" in page
    assert "by the instruction with the number behind" in page
    assert (add / "t.kanata").read_text().startswith("Kanata")


JOB = """
program add add.b512
array   out 512
d: load  add -> add
k: run   add after d
s: store add.z -> out after k
"""


def test_a_job_is_timed_with_its_transfers(command, add):
    command("rpu", "asm", "add.s")
    (add / "sum.job").write_text(JOB)
    ran = command("rpu", "run", "sum.job", "--store", "out=z.bin", "--timeline", "t.html", "--json")
    assert ran.code == 0, ran.err
    assert [step["name"] for step in ran.json["steps"]][1:] == ["d", "k", "s"]
    assert ran.json["cycles"] == ran.json["steps"][-1]["finish"]
    assert (add / "z.bin").read_bytes()[16] == 22
    assert '"k"' in (add / "t.html").read_text()
    assert "off-chip memory" in command("rpu", "run", "sum.job").out


def test_a_job_is_refused_with_its_line(command, add):
    command("rpu", "asm", "add.s")
    (add / "sum.job").write_text(JOB.replace("after d", ""))
    refused = command("rpu", "run", "sum.job", "--json")
    assert (refused.code, refused.json["error"]["fix"]) == (2, "add `after d`, or use another place")
    assert "sum.job:5" in refused.json["error"]["problem"]
    assert command("rpu", "run", "sum.job", "--konata", "k").code == 2


def test_a_trap_reports_line_register_element_and_value_but_no_cost(command, add):
    (add / "add.s").write_text(SOURCE.replace("1, 2, 96", "1, 97, 256"))
    ran = command("rpu", "run", "add.s", "--json")
    line = SOURCE.splitlines().index(next(line for line in SOURCE.splitlines() if "vaddmod" in line)) + 1
    trap = ran.json["trap"]
    assert (ran.code, trap["name"], trap["pc"], trap["place"]) == (1, "operand_range", 4, f"add.s:{line}")
    assert "v0[1] = 97 is not below the modulus 97 (2 elements are like that)" in trap["cause"]
    assert ran.json.keys() == {"executed", "trap", "machine"}
    shown = command("rpu", "run", "add.s")
    assert "reduce it first" in shown.out
    assert "µJ" not in shown.out
    with pytest.raises(InvalidArgument, match=r"trap operand_range at add.s:\d+: .*v0\[1\] = 97"):
        rpu.run(Path("add.s"), rpu.machine())


def test_run_finds_what_asm_finds(command, add):
    (add / "add.s").write_text(SOURCE.replace("vaddmod v8, v0", "vaddmod v8, v12"))
    refused = command("rpu", "run", "add.s", "--json")
    assert refused.code == 2
    assert "v12 is read but was never written" in refused.json["error"]["problem"]


def test_a_program_without_its_source_names_the_instruction_of_a_trap(command, add):
    (add / "add.s").write_text(SOURCE.replace("vaddmod v8, v0", "vaddmod v8, v12"))
    (add / "add.b512").write_bytes(rpu.assemble(add / "add.s").image.to_bytes())
    trap = command("rpu", "run", "add.b512", "--json").json["trap"]
    assert (trap["name"], trap["place"], trap["instruction"]) == (
        "uninitialised",
        "instruction 4",
        "vaddmod v8, v12, v4, m1",
    )
    assert "v12 was never written" in trap["cause"]


def test_a_transform_prints_its_cost(command, add):
    report = command("rpu", "ntt", "--n", 1024, "--optimizer", "paper", "--output", "ntt.b512", "--json").json
    assert report.keys() >= NTT_KEYS
    assert report["instructions"].keys() >= {"lsi", "ci", "si"}
    assert report["verified"]
    assert report["theoretical_us"] == pytest.approx(1024 * 10 / (128 * 1680))
    assert report["ratio"] == pytest.approx(report["us"] / report["theoretical_us"], rel=1e-4)
    assert report["area_mm2"] == pytest.approx(20.5, rel=0.01)
    assert command("rpu", "run", "ntt.b512", "--json").json["cycles"] == report["cycles"]


def test_a_transform_beyond_the_memory_is_a_job(command, tmp_path):
    small = ("--n", 32768, "--tries", 1, "--set", "vdm_words=36000")
    generated = command("rpu", "ntt", *small, "--inverse", "--output", "long", "--json").json
    assert generated.keys() >= NTT_KEYS | {"kernels", "kernel_cycles", "hbm_bytes", "pipes"}
    assert (generated["verified"], generated["output"]) == (True, "long.job")
    assert generated["vdm_words"] <= 36000
    ran = command("rpu", "run", "long.job", "--set", "vdm_words=36000", "--timeline", "t.html", "--json").json
    assert (ran["cycles"], ran["energy_uj"]) == (generated["cycles"], generated["energy_uj"])
    assert "which overlap for" in command("rpu", "ntt", *small).out
    refused = command("rpu", "ntt", *small, "--stream", 2, "--json")
    assert (refused.code, refused.json["error"]["fix"]) == (2, "use --batch 2")


def test_equal_seeds_give_equal_cycles(command):
    one, other = (command("rpu", "ntt", "--n", 2048, "--seed", 3, "--tries", 4, "--json").json for _ in range(2))
    assert one == other


@pytest.mark.parametrize("bits", [64, 32])
@pytest.mark.parametrize("verb", ["forward", "inverse"])
def test_a_generated_transform_equals_the_librarys_transform_bit_for_bit(command, tmp_path, bits, verb):
    n = 2048
    (q,) = ring.primes(bits, n, 1)
    options = ("--n", n, "--bits", bits, "--tries", 2, "--output", "p.b512", "--json")
    generated = command("rpu", "ntt", *options, *(["--inverse"] if verb == "inverse" else [])).json
    assert generated["verified"]
    values = np.zeros((n, 2), np.uint64)
    values[:, 0] = np.random.default_rng(bits).integers(0, q, n, np.uint64)
    values.tofile(tmp_path / "x.bin")
    ran = command("rpu", "run", "p.b512", "--data", "x=x.bin", "--store", f"{generated['result']}=y.bin", "--json")
    assert ran.json["cycles"] == generated["cycles"]
    expected = getattr(ring.Ntt(n, q, wide=True), verb)(values)
    assert (np.fromfile(tmp_path / "y.bin", np.uint64).reshape(n, 2) == expected).all()


def test_a_batch_interleaves_independent_transforms(command):
    alone = command("rpu", "ntt", "--n", 1024, "--tries", 2, "--json").json
    batch = command("rpu", "ntt", "--n", 1024, "--tries", 2, "--batch", 16, "--json").json
    assert batch["verified"]
    assert batch["cycles"] / 16 < alone["cycles"] / 3
    assert batch["instructions"]["si"] == 16 * alone["instructions"]["si"]


def test_a_private_order_needs_no_more_cycles(command):
    canonical = command("rpu", "ntt", "--n", 1024, "--json").json
    private = command("rpu", "ntt", "--n", 1024, "--order", "private", "--json").json
    assert private["verified"]
    assert private["cycles"] <= canonical["cycles"]


def test_transfers_of_a_stream_of_transforms_overlap_with_kernels(command):
    report = command("rpu", "ntt", "--n", 4096, "--tries", 2, "--stream", 6, "--json").json
    streamed = report["stream"]
    assert streamed["places"] == 2
    launch = streamed["rpu_busy_cycles"] / 6
    # Before the kernel, the controller writes words of scalar data. Each word takes one cycle of the launch.
    assert report["cycles"] < launch < report["cycles"] + 20
    assert launch <= streamed["cycles_each"] < 1.1 * launch
    assert streamed["overlap_cycles"] > 0
    assert "cycles each" in command("rpu", "ntt", "--n", 4096, "--tries", 2, "--stream", 6).out


def test_where_two_places_do_not_fit_transfers_and_kernels_alternate(command, tmp_path):
    options = ("rpu", "ntt", "--n", 4096, "--tries", 2, "--output", "p.b512", "--json")
    assert command(*options).code == 0
    words = 2 * rpu.load(tmp_path / "p.b512").extent("vdm") - 1
    streamed = command(*options, "--stream", 4, "--set", f"vdm_words={words}").json["stream"]
    assert streamed["places"] == 1
    # Before and after every kernel, 4096 words of 16 bytes are transferred, at 304.76 bytes per cycle.
    assert streamed["cycles_each"] == pytest.approx(streamed["rpu_busy_cycles"] / 4 + 2 * 216, abs=1)


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (("ntt", "--n", 1000), 2, "n = 1000 is not a power of two in 1024 .. 131072"),
        (("ntt", "--set", "lanes=3"), 2, "the machine has no parameter 'lanes'"),
        (("ntt", "--stream", 1), 2, "a stream of 1 has no steady state"),
        (("ntt", "--bits", 0), 2, "no modulus of 0 bits is offered"),
        (("op", "--n", 0), 2, "greater than or equal to 1"),
        (("ntt", "--set", "lanes"), 2, "expected name=value, found 'lanes'"),
        (("ntt", "--machine", "nothing.yml"), 1, "nothing.yml"),
        (("run", "nothing.b512"), 1, "nothing.b512"),
        (("run", "nothing.s"), 1, "nothing.s"),
        (("disasm", "add.s.b512"), 1, "add.s.b512"),
    ],
)
def test_impossible_requests_are_refused_with_a_fix(command, add, options, code, says):
    done = command("rpu", *options, "--json")
    assert done.code == code
    assert says in done.json["error"]["problem"]
    assert done.json["error"]["fix"]


def test_a_program_with_its_expectation_is_a_test(command, add):
    (add / "add.exp").write_text("z[0..2] = 11, 22, 29\ncycles = 32\n")
    passed = command("rpu", "test", ".", "--json")
    assert (passed.code, passed.json) == (0, {"tests": [{"source": "add.s", "unmet": []}]})
    (add / "add.exp").write_text("z[0] = 12\n")
    failed = command("rpu", "test", "add.s")
    assert failed.code == 1
    assert "add.exp:1: z[0] = 0xc expected, found 0xb (1 of 1 differ)" in failed.out
    (add / "add.exp").write_text("z is 12\n")
    assert command("rpu", "test", "add.s", "--json").json["error"]["problem"].startswith("add.exp:1: expected")
    (add / "add.exp").unlink()
    assert command("rpu", "test", ".").code == 2


def test_a_damaged_program_is_refused(command, add):
    command("rpu", "asm", "add.s")
    (add / "add.b512").write_bytes((add / "add.b512").read_bytes()[:-1])
    for verb in ("disasm", "run"):
        done = command("rpu", verb, "add.b512", "--json")
        assert done.code == 2, done.out
        assert "fix" in done.json["error"]


def test_a_program_of_no_instruction_is_refused_by_the_disassembler(command, add):
    command("rpu", "asm", "add.s")
    data = bytearray((add / "add.b512").read_bytes()[:-4])
    first = rpu.load(add / "add.b512").code[0]
    data[data.index(first.to_bytes(8, "little")) + 7] |= 1
    (add / "add.b512").write_bytes(data + zlib.crc32(data).to_bytes(4, "little"))
    found = command("rpu", "disasm", "add.b512", "--json")
    assert (found.code, found.json["error"]["code"]) == (2, "invalid_argument")
    assert "a field that the instruction does not use is not zero" in found.json["error"]["problem"]


@pytest.mark.parametrize(
    "arguments",
    [
        "asm X.s",
        "disasm X.s",
        "disasm X.b512",
        "run X.s",
        "run X.b512",
        "run X.job",
        "test X.s",
        "run add.s --machine X",
    ],
)
def test_a_pipe_or_a_device_instead_of_a_program_is_refused_at_once(command, add, arguments):
    words = arguments.split()
    ending = Path(words[-1]).suffix
    os.mkfifo(add / f"pipe{ending}")
    (add / f"zero{ending}").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        (add / f"{name}.exp").touch()
        found = command("rpu", *words[:-1], name + ending, "--json")
        assert found.code != 0
        assert "not a regular file" in found.json["error"]["problem"]
