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

    @property
    def section(self) -> str: ...

    @property
    def transform_multiplications(self) -> int: ...

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

class ProfileRow:
    """
    All verbs, launches or sections of one name on one device. Shares are in [0, 1]; those of the roofs
    (bytes and products at the device's peak rates, over the time) are negative where the device states no rates.
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

class Profile:
    """The verbs of a context's device while it was profiled."""

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
        ``with profile.section("multiply"):`` names what runs inside, in all threads. Sections nest.
        """

    def table(self, by: str = 'verb') -> list[ProfileRow]:
        """
        Rows by ``"verb"``, ``"launch"`` or ``"section"``, the longest first.

        Errors: InvalidArgument.
        """

    def csv(self, by: str = 'verb') -> str:
        """The table as comma-separated values."""

    def json(self) -> str:
        """All three tables."""

class ProfileSection:
    """A section of a profile, for ``with``."""

    def __enter__(self) -> None: ...

    def __exit__(self, *args: object) -> None: ...

class DeviceMemory:
    """Memory of a context's device in bytes, and how often it was asked for."""

    @property
    def used(self) -> int:
        """Of arrays, keys and operations that run."""

    @property
    def cached(self) -> int:
        """Kept for the next ones."""

    @property
    def most_used(self) -> int:
        """The high-water mark of ``used``."""

    @property
    def most(self) -> int:
        """The high-water mark of ``used + cached``."""

    @property
    def most_cached(self) -> int:
        """What may be kept."""

    @property
    def limit(self) -> int:
        """What the device has; 0: it does not say."""

    @property
    def copies(self) -> int:
        """Of ``used``, copies from other devices that are kept."""

    @property
    def hits(self) -> int:
        """Requests that what was kept served."""

    @property
    def misses(self) -> int:
        """Requests that the device served."""

    def __repr__(self) -> str: ...

class frame:
    """
    ``with rf.frame():`` keeps the memory of what ends inside for the next arrays and operations, without a limit,
    on the devices that the thread uses. What is above the limit goes back when the outermost frame ends.
    For loops whose turns make the same arrays.

    Errors: InvalidArgument when it ends in another thread.
    """

    def __init__(self) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *args: object) -> None: ...

def devices() -> list[DeviceInfo]:
    """Every device that opens on this machine."""

def default_device() -> str:
    """
    What ``RINGFORT_DEVICE`` names, or ``"cpu"``: the device of everything that is given none.
    """

def cpu_cap() -> CpuCap:
    """
    The cap that RINGFORT_CPU sets on device "cpu".

    Errors: InvalidArgument when it names no instruction set.
    """
