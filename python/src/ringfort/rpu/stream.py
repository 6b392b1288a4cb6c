# SPDX-License-Identifier: Apache-2.0
"""Measures a stream: many runs of one program, each with new data from off-chip memory.

A *buffer* is a range of the vector data memory that has space for the data of one run. If the memory has space for two
buffers, a transfer to one buffer can overlap the run that uses the other one. The program's tables of constants are
loaded once for each buffer.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from .._rpu import asm as b512
from .programs import load, run_job

__all__ = ["job_of_stream", "stream"]

_BASE = "zero"  # generated programs add this word to all addresses of vector data


def stream(program: Path, result: str, on: b512.Machine, count: int) -> dict[str, Any]:
    """Measures ``count`` >= 2 runs, and returns the report.

    program: a file that ``generate`` made. result: the array that contains the result of the program, as the report of
    ``generate`` states.
    """
    image = load(program)
    buffers = 2 if 2 * image.extent("vdm") <= on.vdm_words else 1
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "stream.job"
        job.with_name("p.b512").write_bytes(image.to_bytes())
        job.write_text(job_of_stream(image, result, buffers, count), encoding="utf-8")
        report = run_job(job, on)
    finished = [step["finish"] for step in report["steps"] if step["kind"] == "run"]
    return {
        "count": count,
        "places": buffers,
        "cycles": report["cycles"],
        "cycles_each": (finished[-1] - finished[0]) / (count - 1),
        "hbm_bytes": report["hbm"]["bytes"],
        "hbm_busy_cycles": report["hbm"]["busy_cycles"],
        "rpu_busy_cycles": report["rpu"]["busy_cycles"],
        "overlap_cycles": report["overlap_cycles"],
    }


def job_of_stream(image: b512.Image, result: str, buffers: int, count: int) -> str:
    """Returns the text of the job. Run i uses buffer i mod ``buffers``. New data enter a buffer after the store of
    the earlier result in this buffer."""
    step, words = image.extent("vdm"), image.symbol("x").words
    lines = ["program p p.b512", f"array a {words}"]
    lines += [f"d{i}: load p -> p + {i * step}" for i in range(buffers)]
    for i in range(count):
        at = i % buffers * step
        free = f" after s{i - buffers}" if i >= buffers else ""
        lines += [
            f"array r{i} {words}",
            f"l{i}: load a -> p.x + {at}{free}",
            f"k{i}: run p with {_BASE} = {at} after l{i}, d{i % buffers}",
            f"s{i}: store p.{result} + {at} -> r{i} after k{i}",
        ]
    return "\n".join(lines) + "\n"
