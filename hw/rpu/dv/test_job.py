# SPDX-License-Identifier: Apache-2.0
"""Runs jobs (sim/job/job.h) with the program rpujob. Compares the words of results with words that Python computes; one
test compares transforms in a job with single runs. Compares cycles with cycles that were computed by hand. Also tests
that wrong jobs and wrong files are refused, and compares the texts of the errors.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path

import pytest
from asm import Image, assemble
from asm.expect import simulate

Q = 2**128 - 63963135
N = 1024

ADD = """
.vdm
x: .space 512
y: .space 512
c: .word 5
   .zero 511
.sdm
q:    .modulus 97
base: .word 0
.text
    mload   m0, q
    aload   a0, base
    vload   v0, x(a0)
    vload   v4, c(a0)
    vaddmod v8, v0, v4, m0
    vstore  v8, y(a0)
"""

ONE = """
program add add.b512
array   in  512 in.bin
array   out 512
d: load  add -> add
l: load  in -> add.x
k: run   add after d, l
s: store add.y -> out after k
"""


def words(values: list[int]) -> bytes:
    return b"".join(value.to_bytes(16, "little") for value in values)


def numbers(data: bytes) -> list[int]:
    return [int.from_bytes(data[i : i + 16], "little") for i in range(0, len(data), 16)]


class Bench:
    """A folder with the program and its input, in which jobs run."""

    def __init__(self, folder: Path, rpusim: Path):
        self.folder, self.rpusim = folder, rpusim
        (folder / "add.b512").write_bytes(assemble(ADD, "add.s").image.to_bytes())
        (folder / "in.bin").write_bytes(words([i % 97 for i in range(512)]))

    def run_job(self, job: str, *options: object) -> subprocess.CompletedProcess:
        (self.folder / "a.job").write_text(job)
        command = [self.rpusim.with_name("rpujob"), self.folder / "a.job", "--json", *options]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)

    def report(self, job: str, *options: object) -> dict:
        done = self.run_job(job, *options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def bench(tmp_path: Path, rpusim: Path) -> Bench:
    return Bench(tmp_path, rpusim)


def test_a_job_brings_data_in_runs_a_kernel_and_brings_the_result_out(bench: Bench):
    bench.report(ONE, "--store", f"out={bench.folder / 'out.bin'}")
    expected = [(i % 97 + (5 if i == 0 else 0)) % 97 for i in range(512)]
    assert numbers((bench.folder / "out.bin").read_bytes()) == expected


def test_every_cycle_of_a_small_job_is_accounted_for(bench: Bench):
    # A transfer moves 304.76 bytes per cycle, and cycles are rounded up. The program has 6 instructions of 8 bytes, and
    # 3 scalar words of 16 bytes: a modulus takes two words, and a base one. These 96 bytes take 1 cycle. The 512 * 16
    # bytes of a vector take 27 cycles. A run takes 3 cycles to write the 3 scalar words, then 32 cycles of the kernel.
    report = bench.report(ONE)
    assert [(step["name"], step["start"], step["finish"]) for step in report["steps"]] == [
        ("add: instructions and scalars", 0, 1),
        ("d", 1, 28),
        ("l", 28, 55),
        ("k", 55, 90),
        ("s", 90, 117),
    ]
    assert (report["cycles"], report["overlap_cycles"]) == (117, 0)
    assert report["hbm"] == {"bytes": 96 + 3 * 8192, "busy_cycles": 1 + 3 * 27}
    assert report["rpu"] == {"busy_cycles": 35}
    assert report["activity"]["instructions"] == 6


def test_parts_of_arrays_go_to_several_places_in_one_transfer(bench: Bench):
    job = ONE.replace("in -> add.x", "in[256..512] -> add.x, in[0..256] -> add + 256")
    job = job.replace("add.y -> out", "add.y + 1 -> out[2..4], add.y + 511 -> out[511..512]")
    report = bench.report(job, "--store", f"out={bench.folder / 'out.bin'}")
    x = [i % 97 for i in [*range(256, 512), *range(256)]]
    found = numbers((bench.folder / "out.bin").read_bytes())
    assert (found[2:4], found[511]) == (x[1:3], x[511])
    assert not any(found[4:511])
    times = {step["name"]: (step["bytes"], step["finish"] - step["start"]) for step in report["steps"]}
    assert (times["l"], times["s"]) == ((8192, 27), (48, 1))


def test_data_replaces_what_the_job_says(bench: Bench):
    (bench.folder / "other.bin").write_bytes(words([3] * 512))
    report = bench.report(ONE, "--data", f"in={bench.folder}/other.bin", "--store", f"out={bench.folder}/out.bin")
    assert numbers((bench.folder / "out.bin").read_bytes()) == [8] + [3] * 511
    assert report["pipes"]["compute"] == {
        "instructions": 1,
        "busy_cycles": 4,
        "stalls": {"front_end": 1, "busyboard": 9, "queue": 0, "port": 0},
    }
    assert "takes 8192; give 16 bytes" in bench.run_job(ONE, "--data", f"in={bench.folder}/add.b512").stderr


def test_the_machine_file_changes_the_transfers(bench: Bench):
    report = bench.report(ONE, "--set", "hbm_gigabytes=256,hbm_latency=10")
    assert [step["finish"] - step["start"] for step in report["steps"]] == [11, 64, 64, 35, 64]


def double_buffered(count: int, stride: int) -> str:
    lines = ["program ntt ntt.b512"]
    lines += [f"array in{i} {N} in{i}.bin\narray out{i} {N}" for i in range(count)]
    lines += [f"d{b}: load ntt -> ntt + {b * stride}" for b in range(2)]
    for i in range(count):
        offset, buffer = f"+ {i % 2 * stride}", i % 2
        free = f" after s{i - 2}" if i >= 2 else ""
        lines += [f"l{i}: load in{i} -> ntt.x {offset}{free}"]
        lines += [f"k{i}: run ntt with zero = {buffer * stride} after l{i}, d{buffer}"]
        lines += [f"s{i}: store ntt.RESULT {offset} -> out{i} after k{i}"]
    return "\n".join(lines) + "\n"


def test_transforms_in_two_buffers_have_the_values_of_single_runs_and_hide_their_transfers(bench: Bench):
    program = bench.folder / "ntt.b512"
    command = [bench.rpusim.with_name("rpugen"), "ntt", "--n", N, "--json", "--output", program]
    generated = json.loads(subprocess.run(list(map(str, command)), capture_output=True, check=True).stdout)
    image, source, count = Image.from_bytes(program.read_bytes()), random.Random(7), 4
    inputs = [[source.randrange(Q) for _ in range(N)] for _ in range(count)]
    for i, values in enumerate(inputs):
        (bench.folder / f"in{i}.bin").write_bytes(words(values))
    job = double_buffered(count, 8192).replace("RESULT", generated["result"])
    stores = [argument for i in range(count) for argument in ("--store", f"out{i}={bench.folder}/out{i}.bin")]
    report = bench.report(job, *stores)
    for i, values in enumerate(inputs):
        alone = simulate(bench.rpusim, image, [], [], {"x": values}).words[generated["result"]]
        assert numbers((bench.folder / f"out{i}.bin").read_bytes()) == alone
    busy = report["rpu"]["busy_cycles"]
    scalars = sum(len(s.words) for s in image.segments if s.space == "sdm")
    assert busy == count * (generated["cycles"] + scalars + 1)
    assert report["overlap_cycles"] > 0
    assert report["cycles"] < busy + report["hbm"]["busy_cycles"]


@pytest.mark.parametrize(
    ("part", "replacement", "complaint"),
    [
        ("k: run   add", "k: walk  add", "a.job:7: 'walk' is not a kind of step; write load, store or run"),
        ("k: run   add", "k: run   sub", "a.job:7: there is no program 'sub' above; declare it, or use add"),
        (
            "k: run   add",
            "k: run   add.other",
            "a.job:7: the program has no kernel 'other'; its first kernel is 'main'",
        ),
        ("after d, l", "after d, z", "a.job:7: there is no step 'z' above; declare it, or use d, l"),
        (
            "after d, l",
            "with q = ten",
            "a.job:7: 'ten' is not a number; write decimal digits, or hexadecimal digits (0 to 9, a to f) after 0x",
        ),
        (
            "after d, l",
            "with q = 18446744073709551616",
            "a.job:7: 18446744073709551616 is too large; write a number of at most 18446744073709551615",
        ),
        (
            "after d, l",
            "with x = 1",
            "a.job:7: 'x' is in vdm, but `with` sets words of sdm; load vectors by a step of their own",
        ),
        (
            "after d, l",
            "after d, l again",
            "a.job:7: unexpected 'again' after the statement; write one statement per line",
        ),
        ("after d, l", "after d,", "a.job:7: the line ends where a step is expected; complete it"),
        ("-> add.x", "add.x", "a.job:6: expected '->', found 'add.x'; write it as in docs/rpu.md"),
        ("in -> add.x", "in[0..513] -> add.x", "a.job:6: 513 is too large; write a number of at most 512"),
        (
            "in -> add.x",
            "in[7..7] -> add.x",
            "a.job:6: in[7..7] is empty; write the first word, and the one after the last",
        ),
        ("in -> add.x", "in[0..7 -> add.x", "a.job:6: expected ']', found '->'; write it as in docs/rpu.md"),
        (
            "in -> add.x",
            "in[0..9] -> add, in",
            "a.job:6: expected '->', found the end of the line; write it as in docs/rpu.md",
        ),
        ("-> add.x", "-> add.z", "a.job:6: the program has no symbol 'z'; its first symbol is 'x'"),
        ("-> add.x", "-> add.q", "a.job:6: 'q' is in sdm, but transfers access only vdm; name a symbol of vdm"),
        (
            "-> add.x",
            "-> add.x + 262144",
            "a.job:6: 512 words from word 262144 on do not fit in vdm, which has 262144 words; use another place, or "
            "enlarge vdm_words",
        ),
        (
            "array   in  512",
            "array   in  511",
            "a.job:3: in.bin has 8192 bytes, the array takes 8176; give 16 bytes for each word",
        ),
        ("array   out 512", "array   out 100", "a.job:8: add.y has 512 words, out has 100; make them equal"),
        ("array   out 512", "array   in 512", "a.job:4: the name 'in' is taken; choose another"),
        ("array   out 512", "array   o.t 512", "a.job:4: 'o.t' is not a name; use letters, digits and underscores"),
        (
            "array   out 512",
            "array   out 16776705",
            "a.job:4: 16776705 is too large; write a number of at most 16776704",
        ),
        (
            "array   out 512",
            "arrays  out 512",
            "a.job:4: 'arrays' is not the beginning of a statement; write program, array, or the name of a step and a "
            "colon",
        ),
        ("array   out 512", "array   out", "a.job:4: the declaration is malformed; write: array NAME WORDS [FILE]"),
        ("add.b512", "sub.b512", "a.job:2: {folder}/sub.b512: cannot read {folder}/sub.b512; check the path"),
        (
            "after d, l",
            "after d",
            "a.job:7: k and l touch word 0 of vdm, and nothing orders them; add `after l`, or use another place",
        ),
        (
            "s: store add.y -> out after k",
            "s: store add.y -> out after k\nm: load out -> add + 1024 after k",
            "a.job:9: m and s touch array out, and nothing orders them; add `after s`, or use another place",
        ),
    ],
)
def test_a_job_that_cannot_work_is_refused_with_its_line_and_the_fix(
    bench: Bench, part: str, replacement: str, complaint: str
):
    assert part in ONE
    done = bench.run_job(ONE.replace(part, replacement))
    assert done.returncode == 2
    assert done.stderr == f"rpujob: {bench.folder}/{complaint.format(folder=bench.folder)}\n"


@pytest.mark.parametrize("option", ["--chrome", "--store"])
def test_a_link_in_place_of_an_output_is_refused(bench: Bench, option: str):
    victim, link = bench.folder / "victim", bench.folder / "link"
    victim.write_text("precious")
    link.symlink_to(victim)
    done = bench.run_job(ONE, option, f"out={link}" if option == "--store" else link)
    assert done.returncode == 2
    assert "exists and is not a regular file" in done.stderr
    assert victim.read_text() == "precious"
    done = subprocess.run(
        [bench.rpusim, bench.folder / "add.b512", "--steps", link], capture_output=True, text=True, check=False
    )
    assert (done.returncode, victim.read_text()) == (2, "precious")


def test_output_that_does_not_fit_on_the_disk_is_an_error(bench: Bench):
    def run(program: str, *words: object) -> subprocess.CompletedProcess[str]:
        command = [str(bench.rpusim.with_name(program)), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    full = "/dev/full"
    program = bench.folder / "add.b512"
    done = [run("rpusim", program, option, full) for option in ("--steps", "--konata", "--chrome", "--schedule")]
    done += [run("rpusim", program, "--state", full), run("rpusim", program, "--store", f"y={full}")]
    done += [bench.run_job(ONE, "--chrome", full), bench.run_job(ONE, "--store", f"out={full}")]
    done += [run("rpugen", "ntt", "--n", 1024, "--tries", 1, "--c", full)]
    for each in done:
        assert (each.returncode, each.stdout) == (2, "")
        assert "cannot write all of /dev/full" in each.stderr
    with open(full, "wb") as output:
        shown = subprocess.run([bench.rpusim, program], stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    assert shown.returncode == 2
    assert "standard output" in shown.stderr


def test_a_job_that_names_a_device_or_a_pipe_is_refused_at_once(bench: Bench):
    os.mkfifo(bench.folder / "pipe")
    for file in ("/dev/zero", "pipe"):
        for named in ("in  512 in.bin", "add.b512"):
            done = bench.run_job(ONE.replace(named, f"in  512 {file}" if "in" in named else file))
            assert done.returncode == 2
            assert "is not a regular file" in done.stderr


@pytest.mark.parametrize("job", ["pipe", "/dev/zero"])
def test_a_pipe_or_a_device_instead_of_a_job_is_refused_at_once(bench: Bench, job):
    os.mkfifo(bench.folder / "pipe")
    done = subprocess.run(
        [bench.rpusim.with_name("rpujob"), bench.folder / job], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "is not a regular file" in done.stderr


def test_a_job_of_very_many_programs_is_refused(bench: Bench):
    done = bench.run_job("".join(f"program p{i} add.b512\n" for i in range(300)) + "k: run p1\n")
    assert done.returncode == 2
    assert "a.job:257: the job has more than 256 programs" in done.stderr


def test_a_job_of_very_many_steps_is_refused(bench: Bench):
    steps = "".join(f"s{i}: load in -> add.x\n" for i in range(4097))
    done = bench.run_job("program add add.b512\narray in 512\n" + steps)
    assert done.returncode == 2
    assert "a.job:4099: the job has more than 4096 steps; write several jobs" in done.stderr


def test_a_step_that_is_listed_twice_is_refused(bench: Bench):
    done = bench.run_job(ONE.replace("after d, l", "after d, l, d"))
    assert done.returncode == 2
    assert "a.job:7: `after` lists 'd' twice; list it once" in done.stderr


def test_a_trap_of_a_kernel_names_the_step(bench: Bench):
    (bench.folder / "in.bin").write_bytes(words([97] * 512))
    done = bench.run_job(ONE)
    assert done.returncode == 2
    assert "a.job:7: the kernel trapped at instruction 4: an operand that must be below the modulus" in done.stderr


def test_an_empty_job_is_refused(bench: Bench):
    assert "a.job has no step; write at least one" in bench.run_job("# nothing\n").stderr


def test_a_chrome_trace_shows_the_two_units(bench: Bench):
    bench.report(ONE, "--chrome", bench.folder / "t.json")
    events = json.loads((bench.folder / "t.json").read_text())["traceEvents"]
    assert [(e["name"], e["tid"], e["ts"], e["dur"]) for e in events if e["ph"] == "X"][3] == ("k", 1, 55, 35)
