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
    """Returns the library's version."""

def compiler() -> str:
    """Returns the compiler that built the library, for benchmark records."""

def secret_memory_is_locked() -> bool:
    """Returns False once the system has failed to lock memory of a secret."""

def error_codes() -> list[str]:
    """
    Returns the names of all error codes, in the order of the C++ enumeration.
    """

class DeviceInfo:
    """A device and the instruction set of its kernels."""

    @property
    def name(self) -> str: ...

    @property
    def instruction_set(self) -> str: ...

    def __repr__(self) -> str: ...

class CpuCap:
    """The instruction set that RINGFORT_CPU names, and the one in use."""

    @property
    def requested(self) -> str: ...

    @property
    def used(self) -> str: ...

    @property
    def lowered(self) -> bool: ...

    def __repr__(self) -> str: ...

class VerbRecord:
    """One operation (verb) that a device ran; times in microseconds."""

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

    @property
    def section(self) -> str: ...

    @property
    def transform_multiplications(self) -> int: ...

    def __repr__(self) -> str: ...

class LaunchRecord:
    """
    A kernel, a program or a transfer that a device launched to run a verb; times in microseconds.
    """

    @property
    def name(self) -> str: ...

    @property
    def verb(self) -> str: ...

    @property
    def device(self) -> str: ...

    @property
    def section(self) -> str: ...

    @property
    def stream(self) -> int: ...

    @property
    def start_us(self) -> float: ...

    @property
    def end_us(self) -> float: ...

    @property
    def energy_uj(self) -> float: ...

    @property
    def bytes(self) -> int: ...

    @property
    def multiplications(self) -> int: ...

    def __repr__(self) -> str: ...

class ProfileRow:
    """
    Totals of the verbs, launches or sections with one name on one device. Shares are in [0, 1].
    ``bandwidth_share`` and ``multiplier_share`` are the shares of the device's peak rates that were used;
    they are negative if the device states no rates.
    """

    @property
    def name(self) -> str: ...

    @property
    def device(self) -> str: ...

    @property
    def count(self) -> int: ...

    @property
    def us(self) -> float: ...

    @property
    def time_share(self) -> float: ...

    @property
    def transform_share(self) -> float: ...

    @property
    def bandwidth_share(self) -> float: ...

    @property
    def multiplier_share(self) -> float: ...

    @property
    def bytes(self) -> int: ...

    @property
    def multiplications(self) -> int: ...

    @property
    def energy_uj(self) -> float: ...

    def __repr__(self) -> str: ...

class Profile:
    """Records the verbs that a context's device runs while it is profiled."""

    def __init__(self) -> None: ...

    @property
    def records(self) -> list[VerbRecord]: ...

    @property
    def launches(self) -> list[LaunchRecord]: ...

    @property
    def lost(self) -> int: ...

    def chrome_trace(self, title: str) -> str: ...

    def section(self, name: str) -> ProfileSection:
        """
        In ``with profile.section("multiply"):`` every verb of every thread belongs to this section. Sections nest.
        """

    def table(self, by: str = 'verb') -> list[ProfileRow]:
        """
        Returns rows by ``"verb"``, ``"launch"`` or ``"section"``, device by device, the longest first.

        Errors: InvalidArgument.
        """

    def csv(self, by: str = 'verb') -> str:
        """Returns the table as comma-separated values."""

    def json(self) -> str:
        """Returns all three tables."""

class ProfileSection:
    """A section of a profile, for ``with``."""

    def __enter__(self) -> None: ...

    def __exit__(self, *args: object) -> None: ...

class DeviceMemory:
    """
    Memory of a context's device in bytes, and requests that kept memory (hits) and the device (misses) served.
    """

    @property
    def used(self) -> int:
        """Memory of arrays, keys and running operations."""

    @property
    def cached(self) -> int:
        """Freed memory that is kept for reuse."""

    @property
    def most_used(self) -> int:
        """The high-water mark of ``used``."""

    @property
    def most(self) -> int:
        """The high-water mark of ``used + cached``."""

    @property
    def keys(self) -> int:
        """Part of ``used``: keys."""

    @property
    def scratch(self) -> int:
        """Part of ``used``: operations that run now."""

    @property
    def most_cached(self) -> int:
        """The limit of ``cached``."""

    @property
    def limit(self) -> int:
        """Memory of the device; 0 if unknown."""

    @property
    def copies(self) -> int:
        """Part of ``used``: kept copies of arrays that are on other devices."""

    @property
    def hits(self) -> int:
        """Requests served from kept memory."""

    @property
    def misses(self) -> int:
        """Requests served by the device."""

    def __repr__(self) -> str: ...

class frame:
    """
    ``with rf.frame():`` speeds up loops whose iterations make arrays of the same sizes. On the devices that the
    thread uses in the block, freed memory is kept for the next arrays and operations, and has no limit. When the
    outermost frame ends, kept memory above the usual limit is freed.

    Errors: InvalidArgument if it ends in another thread.
    """

    def __init__(self) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *args: object) -> None: ...

def devices() -> list[DeviceInfo]:
    """Returns the devices that are available on this machine."""

def default_device() -> str:
    """Returns the default device: ``RINGFORT_DEVICE``, or ``"cpu"``."""

def is_gpu(device: str) -> bool:
    """Tells whether a device is a GPU, or emulates one."""

def first_gpu() -> str:
    """
    Returns the first GPU of this machine, or the GPU that RINGFORT_DEVICE names.

    Errors: DeviceUnknown, with the reason, if there is none.
    """

def device_refusal(device: str) -> str:
    """
    Returns why a device cannot be opened, and what to do; empty if it can.
    """

def cpu_cap() -> CpuCap:
    """
    Returns the cap that RINGFORT_CPU sets on device "cpu".

    Errors: InvalidArgument if RINGFORT_CPU is not an instruction set.
    """
