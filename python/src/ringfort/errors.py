# SPDX-License-Identifier: Apache-2.0
# Written by tools/gen_errors from include/ringfort/error.h; do not edit, run the tool again.
"""One class per error code, all derived from Error.

``code`` is the code's name, ``problem`` says what was asked and what was found, ``fix`` what to do.
Where the language has a class of its own for the case (ValueError, OSError, MemoryError), the class is that too.
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
    """Below 128 bits and not explicitly allowed."""

    code = "insecure_parameters"


class NoiseBoundExceeded(Error):
    """The public bound would be passed; nothing was computed."""

    code = "noise_bound_exceeded"


class DepthExhausted(Error):
    """No level left."""

    code = "depth_exhausted"


class RangeExceeded(Error):
    """An integer may have left the range that was declared."""

    code = "range_exceeded"


class BoundViolated(Error):
    """A decrypted value, or in debug mode an error, is outside its public bound."""

    code = "bound_violated"


class ReleaseRefused(Error):
    """Decryptions for others: not planned for, no ledger, or all spent."""

    code = "release_refused"


class ModeForbidden(Error):
    """The preset does not allow this key mode or engine."""

    code = "mode_forbidden"


class KeyMissing(Error):
    """A key that the operation needs was not given."""

    code = "key_missing"


class SecretRefused(Error):
    """A server-side command was handed a secret key."""

    code = "secret_refused"


class OutOfMemory(Error, MemoryError):
    """Out of memory."""

    code = "out_of_memory"


class DeviceUnknown(Error):
    """Device unknown."""

    code = "device_unknown"


class DeviceLost(Error):
    """Device lost."""

    code = "device_lost"


class Unsupported(Error):
    """Refused by plan: word width, modulus class, size."""

    code = "unsupported"


class EntropyUnavailable(Error):
    """The operating system gave no randomness."""

    code = "entropy_unavailable"


class IoOpen(Error, OSError):
    """Io open."""

    code = "io_open"


class IoRead(Error, OSError):
    """Io read."""

    code = "io_read"


class IoWrite(Error, OSError):
    """Io write."""

    code = "io_write"


class IoTruncated(Error):
    """Io truncated."""

    code = "io_truncated"


class IoMagic(Error):
    """Io magic."""

    code = "io_magic"


class IoVersion(Error):
    """Io version."""

    code = "io_version"


class IoType(Error):
    """Io type."""

    code = "io_type"


class IoFlags(Error):
    """Io flags."""

    code = "io_flags"


class IoDigest(Error):
    """Parameter or key digest differs."""

    code = "io_digest"


class IoLength(Error):
    """Payload length differs from the computed one."""

    code = "io_length"


class IoChecksum(Error):
    """Io checksum."""

    code = "io_checksum"


class IoRange(Error):
    """A coefficient or field outside its range."""

    code = "io_range"


class IoLimit(Error):
    """Larger than the receiver's limit."""

    code = "io_limit"


class IoLocked(Error, OSError):
    """Another process holds the index."""

    code = "io_locked"


class Passphrase(Error):
    """Missing or wrong."""

    code = "passphrase"


class Stopped(Error):
    """The caller asked for it through the progress function."""

    code = "stopped"


class Internal(Error):
    """Internal."""

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
