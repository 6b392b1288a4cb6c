# SPDX-License-Identifier: Apache-2.0
# Written by tools/gen_stubs; do not edit, run the tool again.
"""Bindings of the Ringfort library; import ringfort instead."""

from ringfort._core import (
    bench as bench,
    bfv as bfv,
    bgv as bgv,
    ckks as ckks,
    files as files,
    keys as keys,
    parameters as parameters,
    ring as ring,
    search as search,
    statistics as statistics
)


def version() -> str:
    """The library's version."""

def compiler() -> str:
    """The compiler that built the library, for benchmark records."""

def secret_memory_is_locked() -> bool:
    """False once the system has refused to lock memory of a secret."""

def error_codes() -> list[str]:
    """The names of all error codes, in the order of the C++ enumeration."""

class DeviceInfo:
    """A device and the instruction set of its kernels."""

    @property
    def name(self) -> str: ...

    @property
    def instruction_set(self) -> str: ...

    def __repr__(self) -> str: ...

class CpuCap:
    """What RINGFORT_CPU asked for and what is used."""

    @property
    def requested(self) -> str: ...

    @property
    def used(self) -> str: ...

    @property
    def lowered(self) -> bool: ...

    def __repr__(self) -> str: ...

class VerbRecord:
    """One verb that a device ran; times in microseconds."""

    @property
    def verb(self) -> str: ...

    @property
    def device(self) -> str: ...

    @property
    def stream(self) -> int: ...

    @property
    def start_us(self) -> float: ...

    @property
    def end_us(self) -> float: ...

    @property
    def bytes(self) -> int: ...

    @property
    def multiplications(self) -> int: ...

    @property
    def simulated(self) -> bool: ...

    @property
    def energy_uj(self) -> float: ...

    @property
    def compute_us(self) -> float: ...

    @property
    def transform_us(self) -> float: ...

class Profile:
    """The verbs of a context's device while it was profiled."""

    def __init__(self) -> None: ...

    @property
    def records(self) -> list[VerbRecord]: ...

    @property
    def lost(self) -> int: ...

    def chrome_trace(self, title: str) -> str: ...

def devices() -> list[DeviceInfo]:
    """Every device that opens on this machine."""

def cpu_cap() -> CpuCap:
    """
    The cap that RINGFORT_CPU sets on device "cpu".

    Errors: InvalidArgument when it names no instruction set.
    """
