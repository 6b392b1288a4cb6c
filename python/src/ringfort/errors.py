# SPDX-License-Identifier: Apache-2.0
# Written by tools/gen_errors from include/ringfort/error.h; do not edit, run the tool again.
"""One class per error code, all derived from Error.

``code`` is the name of the error code, ``problem`` says what was requested and why it failed, ``fix`` says what to do.
InvalidArgument and ParametersMismatch also derive from ValueError, OutOfMemory from MemoryError, and IoOpen, IoRead,
IoWrite and IoLocked from OSError.
"""

from __future__ import annotations


class Error(Exception):
    """Base of all errors of Ringfort."""

    code: str = "internal"

    def __init__(self, problem: str, fix: str = "") -> None:
        super().__init__(f"{problem}; {fix}" if fix else problem)
        self.problem = problem
        self.fix = fix

    def __reduce__(self) -> tuple[type[Error], tuple[str, str]]:
        return (type(self), (self.problem, self.fix))

    def __str__(self) -> str:
        return f"{self.problem}; {self.fix}" if self.fix else self.problem


class InvalidArgument(Error, ValueError):
    """A value outside its documented range."""

    code = "invalid_argument"


class ParametersMismatch(Error, ValueError):
    """Objects made under different parameters."""

    code = "parameters_mismatch"


class InsecureParameters(Error):
    """Parameters below the required security (128 bits or more) that were not allowed."""

    code = "insecure_parameters"


class NoiseBoundExceeded(Error):
    """The error bound of a result is too large; the library did not compute this result."""

    code = "noise_bound_exceeded"


class DepthExhausted(Error):
    """No level is left for the operation."""

    code = "depth_exhausted"


class RangeExceeded(Error):
    """An integer may have left its declared range."""

    code = "range_exceeded"


class BoundViolated(Error):
    """A decrypted value, or in debug mode an error, is above its public bound."""

    code = "bound_violated"


class ReleaseRefused(Error):
    """A decryption for others is not planned, has no ledger, or would exceed the planned number."""

    code = "release_refused"


class ModeForbidden(Error):
    """The preset or the object does not allow this use."""

    code = "mode_forbidden"


class KeyMissing(Error):
    """The operation needs a key that was not given."""

    code = "key_missing"


class SecretRefused(Error):
    """A secret key is given where none is accepted, or would be stored unsealed."""

    code = "secret_refused"


class OutOfMemory(Error, MemoryError):
    """The host or the device has too little free memory."""

    code = "out_of_memory"


class DeviceUnknown(Error):
    """No device has this name and these options."""

    code = "device_unknown"


class DeviceLost(Error):
    """The device failed, and its data are lost."""

    code = "device_lost"


class Unsupported(Error):
    """The library, the device or the parameters do not support what was requested."""

    code = "unsupported"


class EntropyUnavailable(Error):
    """The operating system gave no randomness."""

    code = "entropy_unavailable"


class IoOpen(Error, OSError):
    """A file could not be opened."""

    code = "io_open"


class IoRead(Error, OSError):
    """A file could not be read."""

    code = "io_read"


class IoWrite(Error, OSError):
    """A file could not be written."""

    code = "io_write"


class IoTruncated(Error):
    """The file ends too early."""

    code = "io_truncated"


class IoMagic(Error):
    """The file is not a file of ringfort."""

    code = "io_magic"


class IoVersion(Error):
    """This version of the library does not read the file's format."""

    code = "io_version"


class IoType(Error):
    """The file has an object of another type than expected."""

    code = "io_type"


class IoFlags(Error):
    """The flags in the file's header are unknown or wrong."""

    code = "io_flags"


class IoDigest(Error):
    """The file is for other parameters or keys."""

    code = "io_digest"


class IoLength(Error):
    """The length of the file differs from the length that its parameters require."""

    code = "io_length"


class IoChecksum(Error):
    """A checksum differs: the file is damaged."""

    code = "io_checksum"


class IoRange(Error):
    """A coefficient or a field of the file is outside its range."""

    code = "io_range"


class IoLimit(Error):
    """The data are larger than the receiver's limit."""

    code = "io_limit"


class IoLocked(Error, OSError):
    """Another process, or another object of this process, has locked the file."""

    code = "io_locked"


class Passphrase(Error):
    """The passphrase is missing or wrong."""

    code = "passphrase"


class Stopped(Error):
    """The progress function stopped the work."""

    code = "stopped"


class Internal(Error):
    """A defect of the library."""

    code = "internal"


BY_CODE: dict[str, type[Error]] = {
    "invalid_argument": InvalidArgument,
    "parameters_mismatch": ParametersMismatch,
    "insecure_parameters": InsecureParameters,
    "noise_bound_exceeded": NoiseBoundExceeded,
    "depth_exhausted": DepthExhausted,
    "range_exceeded": RangeExceeded,
    "bound_violated": BoundViolated,
    "release_refused": ReleaseRefused,
    "mode_forbidden": ModeForbidden,
    "key_missing": KeyMissing,
    "secret_refused": SecretRefused,
    "out_of_memory": OutOfMemory,
    "device_unknown": DeviceUnknown,
    "device_lost": DeviceLost,
    "unsupported": Unsupported,
    "entropy_unavailable": EntropyUnavailable,
    "io_open": IoOpen,
    "io_read": IoRead,
    "io_write": IoWrite,
    "io_truncated": IoTruncated,
    "io_magic": IoMagic,
    "io_version": IoVersion,
    "io_type": IoType,
    "io_flags": IoFlags,
    "io_digest": IoDigest,
    "io_length": IoLength,
    "io_checksum": IoChecksum,
    "io_range": IoRange,
    "io_limit": IoLimit,
    "io_locked": IoLocked,
    "passphrase": Passphrase,
    "stopped": Stopped,
    "internal": Internal,
}

__all__ = [
    "BY_CODE",
    "Error",
    "InvalidArgument",
    "ParametersMismatch",
    "InsecureParameters",
    "NoiseBoundExceeded",
    "DepthExhausted",
    "RangeExceeded",
    "BoundViolated",
    "ReleaseRefused",
    "ModeForbidden",
    "KeyMissing",
    "SecretRefused",
    "OutOfMemory",
    "DeviceUnknown",
    "DeviceLost",
    "Unsupported",
    "EntropyUnavailable",
    "IoOpen",
    "IoRead",
    "IoWrite",
    "IoTruncated",
    "IoMagic",
    "IoVersion",
    "IoType",
    "IoFlags",
    "IoDigest",
    "IoLength",
    "IoChecksum",
    "IoRange",
    "IoLimit",
    "IoLocked",
    "Passphrase",
    "Stopped",
    "Internal",
]
