# SPDX-License-Identifier: Apache-2.0
"""A model of the ring processor [Soni23], an accelerator for vectors of residues modulo long primes. It runs programs
of the instruction set B512 and states the cost of a run.

``machine(file, settings)``     the modelled machine; by default the profile `paper`
``assemble``, ``load``, ``run`` make, read and run programs NAME.s and NAME.b512
``unmet``                       failed expectations of a test: a program NAME.s, and its expectations NAME.exp
``stream``                      many runs of a program, each with new data from off-chip memory
``compare_with_hardware``       compares a run on the simulator with a run on the hardware in SystemVerilog
``run_job``                     a job NAME.job: runs of kernels (parts of programs), and off-chip transfers
``Transform``, ``generate``     verified programs for number-theoretic transforms
``ringfort.rpu.b512`` is the assembler. ``ringfort.rpu.model`` has the models of area and energy.
"""

from .._rpu import asm as b512
from .._rpu import model
from .hardware import Agreement, Builds, compare_with_hardware, default_builds, hardware_agreement, hardware_finds
from .machine import area_of, machine, parse_settings, settings_of
from .programs import Transform, assemble, disassemble, files_of_job, generate, load, run, run_job, simulate, unmet
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
    "files_of_job",
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
