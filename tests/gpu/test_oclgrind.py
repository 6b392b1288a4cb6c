# SPDX-License-Identifier: Apache-2.0
"""Runs every kernel of OpenCL, at its smallest size, on the simulator oclgrind.

oclgrind checks each access of the compiled code. It finds races between lanes and between blocks, accesses out of
bounds, and reads of words that nothing wrote."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/bench/gpu-bench"
SIMULATOR = ROOT / "build/release/tests/support/oclgrind"

pytestmark = pytest.mark.skipif(
    not (PROGRAM.exists() and (SIMULATOR / "libOpenCL.so.1").exists()),
    reason="no kernels on oclgrind: apt-get install oclgrind clang-22 llvm-spirv-15, then ./dev build",
)

# Runs the kernel `fault` on 4 lanes and an array of 4 words.
RUN_FAULT = """
import ctypes, sys
cl = ctypes.CDLL("libOpenCL.so.1")
kept, result = [ctypes.c_void_p() for _ in range(2)], ctypes.c_int()
def call(name, *args):
    function = getattr(cl, name)
    function.restype = ctypes.c_void_p
    return ctypes.c_void_p(function(*args))
size, pointer = ctypes.c_size_t, ctypes.byref
cl.clGetPlatformIDs(1, pointer(kept[0]), None)
cl.clGetDeviceIDs(kept[0], ctypes.c_uint64(0xFFFFFFFF), 1, pointer(kept[1]), None)
context = call("clCreateContext", None, 1, pointer(kept[1]), None, None, pointer(result))
queue = call("clCreateCommandQueueWithProperties", context, kept[1], (ctypes.c_uint64 * 3)(0x1093, 2, 0), None)
text = ctypes.c_char_p(sys.argv[1].encode())
program = call("clCreateProgramWithSource", context, 1, pointer(text), None, None)
assert cl.clBuildProgram(program, 1, pointer(kept[1]), b"", None, None) == 0
kernel = call("clCreateKernel", program, b"fault", None)
memory = call("clSVMAlloc", context, ctypes.c_uint64(1), size(16), 0)
words = (ctypes.c_uint32 * 4)(1, 2, 3, 4)
assert cl.clEnqueueSVMMemcpy(queue, 1, memory, words, size(16), 0, None, None) == 0
assert cl.clSetKernelArg(kernel, 0, size(8), pointer(memory)) == 0
assert cl.clSetKernelArg(kernel, 1, size(16), None) == 0
assert cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, pointer(size(4)), pointer(size(4)), 0, None, None) == 0
cl.clFlush(queue)
assert cl.clEnqueueSVMMemcpy(queue, 1, words, memory, size(16), 0, None, None) == 0
print(list(words))
"""
FAULT = """
kernel void fault(ulong x, local uint* shared) {
  global uint* words = (global uint*)x;
  const uint lane = get_local_id(0);
  if (lane != UNSET) shared[lane] = words[lane];
  BARRIER
  words[lane + SKIPPED] = shared[lane ^ 1];
}
"""


def findings(folder: Path, *command: str | Path) -> tuple[str, str]:
    """Returns what the simulator found in a process, and what the process wrote."""
    log = folder / "oclgrind.log"
    log.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": f"{SIMULATOR / 'simulator'}:{SIMULATOR}",
        "OCL_ICD_VENDORS": "none",  # no other driver of OpenCL
        "OCLGRIND_DATA_RACES": "1",
        "OCLGRIND_UNINITIALIZED": "1",
        "OCLGRIND_LOG": str(log),
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return log.read_text() if log.exists() else "", done.stdout


def test_kernels_of_opencl_have_no_races_stay_in_bounds_and_read_written_words(tmp_path: Path) -> None:
    options = ("--section", "answers", "--largest", "5", "--quick", "--device", "opencl:0", "--out", tmp_path / "out")
    found, _ = findings(tmp_path, PROGRAM, *options)
    assert found == ""
    document = json.loads((tmp_path / "out/results.json").read_text())
    rows = {row["name"]: row["median"] for row in document["rows"]}
    assert (rows["answers/wrong"], rows["answers/kernels_never_launched"]) == (0, 0)
    assert rows["answers/right"] >= 240
    assert rows["answers/kernels"] >= 61


@pytest.mark.parametrize(
    ("barrier", "skipped", "unset", "wanted"),
    [
        ("barrier(3);", 0, 4, ""),
        ("", 0, 4, "data race"),
        ("barrier(3);", 1, 4, "Invalid write"),
        ("barrier(3);", 0, 2, "Uninitialized value written to global memory"),
    ],
    ids=["no fault", "no barrier", "off by one", "unset word"],
)
def test_the_simulator_finds_faults(barrier: str, skipped: int, unset: int, wanted: str, tmp_path: Path) -> None:
    text = FAULT.replace("BARRIER", barrier).replace("SKIPPED", str(skipped)).replace("UNSET", str(unset))
    found, words = findings(tmp_path, sys.executable, "-c", RUN_FAULT, text)
    assert (wanted in found) if wanted else (found == "")
    assert wanted or words == "[2, 1, 4, 3]\n"


def test_the_simulator_knows_which_part_of_a_buffer_was_written(tmp_path: Path) -> None:
    """The host writes the first three of the four words in two steps, and never writes the last word."""
    write = "assert cl.clEnqueueSVMMemcpy(queue, 1, memory, words, size(16), 0, None, None) == 0\n"
    first = write.replace("size(16)", "size(4)")
    later = write.replace("memory", "ctypes.c_void_p(memory.value + 4)").replace("size(16)", "size(8)")
    assert write in RUN_FAULT
    text = FAULT.replace("BARRIER", "barrier(3);").replace("SKIPPED", "0").replace("UNSET", "4")
    found, _ = findings(tmp_path, sys.executable, "-c", RUN_FAULT.replace(write, first + later), text)
    assert found.count("Uninitialized value written to local memory") == 1
    assert found.count("Uninitialized value written to global memory") == 1
