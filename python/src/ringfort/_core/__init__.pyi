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
    """
    A device. ``instruction_set`` is the instruction set of its kernels, or empty if the device states none.
    """

    @property
    def name(self) -> str: ...

    @property
    def instruction_set(self) -> str: ...

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple[str, str]: ...

    def __setstate__(self, arg: tuple[str, str], /) -> None: ...

class CpuCap:
    """
    The instruction set that RINGFORT_CPU requests, and the limit in effect.
    """

    @property
    def requested(self) -> str: ...

    @property
    def used(self) -> str: ...

    @property
    def lowered(self) -> bool: ...

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple[str, str, bool]: ...

    def __setstate__(self, arg: tuple[str, str, bool], /) -> None: ...

class VerbRecord:
    """
    One operation (verb) that a device has computed. Times are in us, energy in uJ.
    """

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

    def __getstate__(self) -> tuple[str, int, float, float, int, int, bool, float, float, float, str, str, int]: ...

    def __setstate__(self, arg: tuple[str, int, float, float, int, int, bool, float, float, float, str, str, int], /) -> None: ...

class LaunchRecord:
    """
    A kernel, a program or a transfer that a device launched for a verb. Times are in us, energy in uJ.
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

    def __getstate__(self) -> tuple[str, str, int, float, float, float, str, str, int, int]: ...

    def __setstate__(self, arg: tuple[str, str, int, float, float, float, str, str, int, int], /) -> None: ...

class ProfileRow:
    """
    Totals of all verbs, launches or sections with the same name on the same device. ``time_share`` is the row's
    part of the time of all rows of the device, and ``transform_share`` is the part of the multiplications that
    belongs to transforms. ``bandwidth_share`` and ``multiplier_share`` are fractions of the device's peak rates.
    They are negative in rows of launches, and if the device does not state its peak rates.
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

    def __getstate__(self) -> tuple[str, str, int, float, float, float, float, float, int, int, float]: ...

    def __setstate__(self, arg: tuple[str, str, int, float, float, float, float, float, int, int, float], /) -> None: ...

class Profile:
    """Collects records of the operations of a context's device."""

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
        Opens a section for a block: ``with profile.section("multiply"):``. All operations that the profile
        records in the block, in any thread, belong to the section. Sections nest.
        """

    def table(self, by: str = 'verb') -> list[ProfileRow]:
        """
        Returns one row for each ``"verb"``, ``"launch"`` or ``"section"`` of each device. The rows of a
        device are together, the longest time first.

        Errors: InvalidArgument.
        """

    def csv(self, by: str = 'verb') -> str:
        """Returns the table as comma-separated values, with a header line."""

    def json(self) -> str:
        """Returns all three tables as JSON."""

class ProfileSection:
    """A section of a profile, for a block ``with``."""

    def __enter__(self) -> None: ...

    def __exit__(self, *args: object) -> None: ...

class DeviceMemory:
    """
    Use of the memory of a context's device, in bytes, and numbers of requests for memory.
    """

    @property
    def used(self) -> int:
        """Memory of arrays, keys and running operations."""

    @property
    def cached(self) -> int:
        """Freed memory that is kept for later requests."""

    @property
    def most_used(self) -> int:
        """The largest value of ``used`` so far."""

    @property
    def most(self) -> int:
        """The largest value of ``used + cached`` so far."""

    @property
    def keys(self) -> int:
        """The part of ``used`` that belongs to keys."""

    @property
    def scratch(self) -> int:
        """The part of ``used`` that belongs to running operations."""

    @property
    def most_cached(self) -> int:
        """The limit of ``cached``."""

    @property
    def limit(self) -> int:
        """The memory that the device has; 0 if unknown."""

    @property
    def copies(self) -> int:
        """
        The part of ``used`` that belongs to kept copies of arrays from other devices.
        """

    @property
    def hits(self) -> int:
        """Number of requests that were served from kept memory."""

    @property
    def misses(self) -> int:
        """Number of requests that the device itself served."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> tuple[int, int, int, int, int, int, int, int, int, int, int]: ...

    def __setstate__(self, arg: tuple[int, int, int, int, int, int, int, int, int, int, int], /) -> None: ...

class frame:
    """
    A block ``with rf.frame():`` speeds up a loop whose iterations make arrays of the same sizes. In the block,
    the devices that this thread uses keep all freed memory for the next arrays and operations, without a limit.
    When the outermost block ends, the devices free the kept memory above their usual limit.

    Errors: InvalidArgument if the block ends in another thread, or if the object is in use already.
    """

    def __init__(self) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *args: object) -> None: ...

def devices() -> list[DeviceInfo]:
    """Returns the devices that can be opened on this machine."""

def default_device() -> str:
    """
    Returns the default device: the value of ``RINGFORT_DEVICE``, or ``"cpu"`` if it is not set.
    """

def is_gpu(device: str) -> bool:
    """
    Tells whether a device name belongs to a GPU, or to a device that works as one: emu, OpenCL.
    """

def first_gpu() -> str:
    """
    Returns the GPU that ``RINGFORT_DEVICE`` names, or else the first GPU of this machine.

    Errors: DeviceUnknown, with the reason, if there is none.
    """

def device_refusal(device: str) -> str:
    """
    Returns why a device cannot be opened, and how to fix this. Returns an empty text if the device can be opened.
    """

def cpu_cap() -> CpuCap:
    """
    Returns the limit that ``RINGFORT_CPU`` sets for the kernels of device ``"cpu"``.

    Errors: InvalidArgument if ``RINGFORT_CPU`` is not the name of an instruction set.
    """
