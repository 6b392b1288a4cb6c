# SPDX-License-Identifier: Apache-2.0
"""Runs random programs through the assembler, the disassembler and the two simulators, functional and cycle-level
(hw/rpu/README.md explains the terms). Compares the results of other random programs with the semantics in the
instruction file. Also tests traps, traces and costs.

RINGFORT_RPU_PROGRAMS is the number of programs of test_a_random_program_agrees_everywhere, and RINGFORT_RPU_LENGTH the
number of instructions of each program. The defaults are 12 and 300; with RINGFORT_COUNTS=full they are 1000 and 1500.
To run only this test: python3 -m pytest dv/test_random.py -k agrees_everywhere. A failure prints the seed.
rig.program.ProgramGenerator(seed, machine).make(length) makes the program again.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from asm import Image, Instruction, Kernel, Machine, assemble, decode, disassemble, encode, format_instruction
from asm.cost import latency, occupancy
from asm.expect import simulate
from rig.faults import FAULTS, SLOW_LANES, TRAP_AT
from rig.oracle import Oracle
from rig.program import ProgramGenerator

FULL = os.environ.get("RINGFORT_COUNTS") == "full"
PROGRAMS = int(os.environ.get("RINGFORT_RPU_PROGRAMS", "1000" if FULL else "12"))
LENGTH = int(os.environ.get("RINGFORT_RPU_LENGTH", "1500" if FULL else "300"))
MACHINES = (
    {},
    {"dispatch": 1, "scalar_cycles": 1},
    {"busyboard": "hazards", "dispatch": 1},
    {"ports": "head", "dispatch": 1},
    {"ports": "none", "busyboard": "hazards", "dispatch": 1, "queue_depth": 1},
    {"hples": 16, "banks": 32, "bank_hash": "xor"},
    {"hples": 256, "banks": 32, "multiply_interval": 4, "multiply_latency": 17},
    {"hples": 512, "banks": 512, "memory_latency": 40, "shuffle_latency": 9},
)


def settings_of(machine: dict) -> list[str]:
    return [f"{name}={value}" for name, value in machine.items()]


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_a_random_program_agrees_everywhere(seed: int, rpusim: Path):
    settings = MACHINES[seed % len(MACHINES)]
    image = ProgramGenerator(seed, Machine.make(settings)).make(LENGTH)
    again = assemble(disassemble(image)).image
    assert again.to_bytes() == image.to_bytes()
    alone = simulate(rpusim, image, settings_of(settings), ["--functional"])
    timed = simulate(rpusim, again, settings_of(settings), ["--replay"])
    assert (alone.report["trap"], alone.report["executed"]) == (None, LENGTH)
    assert timed.words == alone.words, f"seed {seed}: values under timing differ"
    assert timed.report["replay_agrees"], (
        f"seed {seed}: the timing model lets an instruction overtake one that it depends on"
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_simulator_computes_what_the_instruction_file_says(seed: int, rpusim: Path):
    image = ProgramGenerator(1000 + seed, Machine.make()).make(200)
    run = simulate(rpusim, image, [], ["--functional"])
    oracle = Oracle(image)
    oracle.execute(image)
    expected = {f"v{r}": words for r, words in enumerate(oracle.v)}
    for prefix, words in (("s", oracle.s), ("a", oracle.a), ("m", oracle.m)):
        expected |= {f"{prefix}{r}": [word] for r, word in enumerate(words)}
    for symbol in image.symbols:
        expected[symbol.name] = [oracle.memory[symbol.space].get(symbol.address + i, 0) for i in range(symbol.words)]
    different = [name for name in expected if expected[name] != run.words[name]]
    assert not different, f"seed {1000 + seed}: {different} differ"


@pytest.mark.parametrize("fault", FAULTS, ids=": ".join)
def test_the_simulator_stops_at(fault: tuple[str, str], rpusim: Path):
    at = TRAP_AT + (fault[0] == "no_end")
    run = simulate(rpusim, FAULTS[fault], ["hples=64"] if fault in SLOW_LANES else [])
    assert run.report["trap"] == {"name": fault[0], "pc": at}
    assert run.report["executed"] == at


def digest(words: list[int]) -> str:
    state = 0xCBF29CE484222325
    for byte in b"".join(word.to_bytes(16, "little") for word in words):
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return f"{state:016x}"


def test_the_step_trace_tells_every_change(tmp_path: Path, rpusim: Path):
    image = ProgramGenerator(77, Machine.make()).make(60)
    simulate(rpusim, image, [], ["--functional", "--steps", str(tmp_path / "steps")])
    oracle = Oracle(image)
    lines = (tmp_path / "steps").read_text().splitlines()
    assert len(lines) == len(image.code)
    for pc, (line, word) in enumerate(zip(lines, image.code, strict=True)):
        step, instruction = json.loads(line), decode(word)
        oracle.step(instruction)
        assert (step["pc"], int(step["word"], 16), step["text"]) == (pc, word, format_instruction(instruction))
        for name, value in step["writes"].items():
            if name == "vdm":
                assert value == digest(oracle.v[instruction.operands["vx"]])
            elif name[0] == "v":
                assert value == digest(oracle.v[int(name[1:])])
            else:
                assert int(value, 16) == getattr(oracle, name[0])[int(name[1:])]


@pytest.mark.parametrize("settings", MACHINES, ids=str)
def test_assembler_and_simulator_agree_on_what_an_instruction_costs(settings: dict, tmp_path: Path, rpusim: Path):
    machine, image = Machine.make(settings), ProgramGenerator(5, Machine.make(settings)).make(150)
    program, chrome = tmp_path / "p.b512", tmp_path / "p.json"
    program.write_bytes(image.to_bytes())
    command = [
        rpusim,
        program,
        "--chrome",
        chrome,
        *(argument for setting in settings_of(settings) for argument in ("--set", setting)),
    ]
    subprocess.run(command, check=True, capture_output=True)
    bases: dict[int, int] = {}
    for event in json.loads(chrome.read_text())["traceEvents"]:
        if event["ph"] != "X" or event["tid"] == 4:
            continue
        instruction = decode(image.code[event["args"]["pc"]])
        if instruction.mnemonic == "aload":
            bases[instruction.operands["ad"]] = image.segments[1].words[instruction.operands["sdm"]]
        cycles = occupancy(machine, instruction, bases.get(instruction.operands.get("ra", -1), 0))
        assert event["dur"] == cycles, format_instruction(instruction)
        assert event["args"]["finish"] == event["ts"] + cycles + latency(machine, instruction)


def test_an_image_with_a_wrong_length_is_refused_by_the_simulator(tmp_path: Path, rpusim: Path):
    end = Instruction("aload", {"ad": 0, "sdm": 0}, True)
    data = Image([Kernel("main", 0, 1)], [encode(end)]).to_bytes()
    for cut in range(len(data)):
        (tmp_path / "p").write_bytes(data[:cut])
        if cut % 8 == 0:
            done = subprocess.run([rpusim, tmp_path / "p"], capture_output=True, text=True, check=False)
            assert done.returncode == 2
            assert "assemble the program again" in done.stderr


def test_schedule_and_memories_are_those_of_the_run(tmp_path: Path, rpusim: Path):
    image = ProgramGenerator(78, Machine.make()).make(60)
    (tmp_path / "p.b512").write_bytes(image.to_bytes())
    outputs = ["--schedule", tmp_path / "schedule", "--memory", tmp_path, "--chrome", tmp_path / "chrome"]
    subprocess.run([rpusim, tmp_path / "p.b512", *outputs], check=True, capture_output=True)
    lines = (tmp_path / "schedule").read_text().splitlines()
    assert lines[0] == "pc,dispatch,start,finish,front_end,busyboard,queue,port,text"
    rows = [line.split(",", 8) for line in lines[1:]]
    assert [row[8] for row in rows] == [f'"{format_instruction(decode(word))}"' for word in image.code]
    events = [event for event in json.loads((tmp_path / "chrome").read_text())["traceEvents"] if event["ph"] == "X"]
    starts = {event["args"]["pc"]: event["ts"] for event in events if event["tid"] < 4}
    assert {int(row[0]): int(row[2]) for row in rows} == starts
    oracle = Oracle(image)
    oracle.execute(image)
    for name, memory in (("sdm.hex", oracle.memory["sdm"]), ("vdm_after.hex", oracle.memory["vdm"])):
        assert _readmemh(tmp_path / name) == {address: word for address, word in memory.items() if word != 0}
    assert _readmemh(tmp_path / "im.hex") == dict(enumerate(image.code))
    outcome = dict(line.split() for line in (tmp_path / "outcome").read_text().splitlines())
    assert (outcome["executed"], outcome["trap"], outcome["cycles"]) == (
        "60",
        "0",
        str(max(int(row[3]) for row in rows)),
    )


def _readmemh(path: Path) -> dict[int, int]:
    memory, address = {}, 0
    for line in path.read_text().split():
        if line[0] == "@":
            address = int(line[1:], 16)
        else:
            memory[address] = int(line, 16)
            address += 1
    return memory
