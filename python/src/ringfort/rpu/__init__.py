# SPDX-License-Identifier: Apache-2.0
"""The ring processor [Soni23] as a model: programs of its instruction set B512, the machine, and the cost of a run.

``machine(file, settings)``     the modelled machine, profile `paper` by default
``assemble``, ``load``, ``run`` programs NAME.s and NAME.b512, run with time, energy and area
``unmet``                       a test NAME.s + NAME.exp, and its failed expectations
``stream``                      many runs with fresh data from off-chip memory
``compare_with_hardware``       a run on the simulator and on the hardware in SystemVerilog
``run_job``                     kernels and off-chip transfers with their order, NAME.job
``Transform``, ``generate``     number-theoretic transforms as verified programs
The assembler itself is ``ringfort.rpu.b512``, the area and energy models ``ringfort.rpu.model``.
"""

from .._rpu import asm as b512
from .._rpu import model
from .hardware import Agreement, Builds, compare_with_hardware, default_builds, hardware_agreement, hardware_finds
from .machine import area_of, machine, parse_settings, settings_of
from .programs import Transform, assemble, disassemble, generate, load, run, run_job, simulate, unmet
from .stream import stream
from .timeline import write_timeline

__all__ = [
    "Agreement",
    "Builds",
    "Transform",
    "area_of",
    "assemble",
    "b512",
    "compare_with_hardware",
    "default_builds",
    "disassemble",
    "generate",
    "hardware_agreement",
    "hardware_finds",
    "load",
    "machine",
    "model",
    "parse_settings",
    "run",
    "run_job",
    "settings_of",
    "simulate",
    "stream",
    "unmet",
    "write_timeline",
]
