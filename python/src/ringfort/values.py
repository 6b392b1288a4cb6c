# SPDX-License-Identifier: Apache-2.0
"""Checks users' arguments before the C++ extension gets them. The extension's own error would be a TypeError that lists
signatures.

A message about data (passphrases, records, words) contains no value. It states the type, or says for instance that a
text is empty. A message about an option may contain its value.
"""

from __future__ import annotations

import array
import math
import numbers
import operator
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._core import default_device
from .errors import DeviceUnknown, InvalidArgument, SecretRefused

__all__ = [
    "CPU",
    "DRY_RUN",
    "device_name",
    "device_names",
    "flag",
    "is_masked",
    "is_plain_device",
    "kind_of",
    "kind_of_objects",
    "matrix_of",
    "numbers_of",
    "positive",
    "require_kind_of_device",
    "require_seal",
    "shown",
    "text",
    "to_doubles",
    "whole",
]

CPU = "cpu"  # the device of this machine's processor
DRY_RUN = "dry"  # the device that checks operations, without their arithmetic
_KINDS = (CPU, "ref", "cuda", "opencl", "emu", "pim", "rpu", "deferred", DRY_RUN)
_NUMBERED = ("cuda", "emu", "opencl")  # kinds of devices whose names have a number, and perhaps the number of a tile
_LEADING_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
_LONGEST_SHOWN = 64  # bits of an integer in a message
_MASKLESS = {bool, int, float, complex, str, bytes, bytearray, memoryview, range, array.array, np.ndarray}


def device_name(value: object) -> str:
    """Returns the name of a device. None and the empty text mean the default device. The names "emu", "emu:0" and
    "emu:00" mean one device: returns "emu:0" for all of them. Errors: InvalidArgument."""
    name = (text("device", value) if value is not None else "") or default_device()
    kind, _, options = name.partition(":")
    if kind not in _NUMBERED or (name != kind and not options):
        return name
    number, comma, others = options.partition(",")
    if not options or "=" in number:  # without a number, the name means device 0
        number, comma, others = "0", "," if options else "", options
    return f"{kind}:{_LEADING_ZEROS.sub('', number)}{comma}{others}"


def device_names(device: object, devices: object) -> list[str]:
    """Returns the names of devices. At most one of the arguments ``device`` and ``devices`` may be given.

    Errors: InvalidArgument.
    """
    if devices is None:
        return [device_name(device)]
    if device is not None:
        raise InvalidArgument("device and devices are both given", "give one device, or a list of devices")
    if isinstance(devices, str) or not isinstance(devices, Iterable):
        raise InvalidArgument(f"devices is {shown(devices)}", 'give a list of names: ["cuda:0", "cuda:1"]')
    names = [device_name(text("a device", name)) for name in devices]
    if not names:
        raise InvalidArgument("devices is empty", "name at least one device, or leave it out")
    return names


def is_plain_device(name: str) -> bool:
    """Tells whether the device is the CPU, or ``ref``, with which tests compare all other devices."""
    return name.partition(":")[0] in (CPU, "ref")


def require_kind_of_device(name: str) -> None:
    """Refuses the name of a device of an unknown kind. This machine need not have the device. Errors: DeviceUnknown."""
    if name.partition(":")[0] not in _KINDS:
        raise DeviceUnknown(f"there is no device {shown(name)}", "devices begin with one of " + ", ".join(_KINDS))


def flag(name: str, value: object) -> bool:
    """Returns ``value`` if it is True or False. Refuses all other values, such as "no". Errors: InvalidArgument."""
    if not isinstance(value, bool):
        raise InvalidArgument(f"{name} is {kind_of(value)}", f"give {name} as True or False")
    return value


def whole(name: str, value: object, limit: int) -> int:
    """Returns ``value`` as an int. It must be in 0 .. limit - 1. Errors: InvalidArgument."""
    number = None if isinstance(value, bool) else _index(value)
    if number is None:  # raised here, because a traceback from `except` would also show the TypeError
        raise InvalidArgument(f"{name} is {kind_of(value)}, not a whole number", f"give {name} as an int")
    if not 0 <= number < limit:
        problem = f"{name} = {shown(number)} is out of range"
        most = f"2^{limit.bit_length() - 1} - 1" if limit & (limit - 1) == 0 else str(limit - 1)
        raise InvalidArgument(problem, f"{name} is in 0 .. {most}")
    return number


def _index(value: Any) -> int | None:
    try:
        return operator.index(value)
    except TypeError:
        return None


def positive(name: str, value: object, limit_bits: int) -> float:
    """Returns ``value`` as a float. It must be a number in (0, 2^limit_bits], not a text and not True. Errors:
    InvalidArgument."""
    number: Any = value if isinstance(value, numbers.Real) and not isinstance(value, bool) else 0
    if 0 < number <= 2**limit_bits:
        return float(number)
    raise InvalidArgument(f"{name} is {shown(value)}", f"give {name} as a number above zero, at most 2^{limit_bits}")


def is_masked(values: object) -> bool:
    """Tells whether ``values`` is an array with masked values, contains such an array at any depth of nested sequences,
    or makes such an array by its method ``__array__``. Callers need this check, because numpy.asarray returns masked
    values as if they were valid.

    If the search for masks raises an exception, returns False. For such an object, numpy.asarray raises an exception,
    too, or makes an array of objects, which callers refuse.
    """
    try:
        return _has_mask(values)
    except Exception:  # __array__ is foreign code, and may raise anything
        return False


def numbers_of(name: str, x: object) -> NDArray[np.float64]:
    """Returns ``x`` as an array of finite numbers. Elements may be Python objects, as in a table of pandas whose
    columns have several dtypes. Errors: InvalidArgument (also if ``x`` is empty, has masked values, or has numbers that
    no float64 can hold). The message contains no number of ``x``."""
    try:
        array = np.asarray(x) if not is_masked(x) else np.empty(0)
        if array.dtype.kind == "O" and kind_of_objects(array) in ("i", "f"):
            array = array.astype(np.float64)
    except (ValueError, TypeError):
        array = np.empty(0)
    except OverflowError:
        raise InvalidArgument(f"{name} has integers outside the range of doubles", "scale the values down") from None
    if array.dtype.kind not in "iufb" or array.size == 0:
        raise InvalidArgument(f"{name} is {kind_of(x)}", f"give {name} as numbers")
    if not np.all(np.isfinite(array)):
        raise InvalidArgument(f"{name} has values that are not finite numbers", "fill them in, or leave them out")
    return to_doubles(name, array)


def to_doubles(name: str, array: NDArray[Any], dtype: Any = np.float64) -> NDArray[Any]:
    """Converts numbers to ``dtype``, which is float64 or complex128. A long double may be outside the range of doubles.
    NumPy would convert it to an infinity. Errors: InvalidArgument (a finite number is outside the range). The message
    contains no number of the array."""
    with np.errstate(over="ignore"):
        converted = array.astype(dtype)
    if array.dtype.itemsize > converted.dtype.itemsize and np.any(np.isfinite(array) & ~np.isfinite(converted)):
        raise InvalidArgument(
            f"{name} has values outside the range of doubles, about -1.8e308 .. 1.8e308", "scale the values down"
        )
    return converted


def matrix_of(name: str, x: object) -> NDArray[np.float64]:
    """Returns ``x`` as a matrix of finite numbers. Errors: InvalidArgument. The message contains no number of ``x``."""
    array = numbers_of(name, x)
    if array.ndim != 2:
        raise InvalidArgument(f"{name} is {kind_of(x)}", f"give {name} as a matrix of numbers, samples x features")
    return array


def _has_mask(values: Any) -> bool:
    if isinstance(values, np.ndarray):
        return bool(np.ma.is_masked(values))
    if type(values) in _MASKLESS:
        return False
    if hasattr(values, "__array__"):
        return bool(np.ma.is_masked(np.asanyarray(values)) or np.ma.is_masked(values))
    if not (hasattr(values, "__len__") and hasattr(values, "__getitem__")):
        return False
    kinds = {kind for kind in set(map(type, values)) - _MASKLESS if not issubclass(kind, np.generic)}
    return bool(kinds) and any(_has_mask(value) for value in values if type(value) in kinds)


def kind_of_objects(array: NDArray[Any]) -> str:
    """Returns the kind of numbers in an array of objects, as in NumPy's dtype.kind: "i", "f" or "c". Returns an empty
    text if an element is not a number. Tables of pandas with columns of several dtypes are such arrays. Decimals count
    as real numbers, because databases return them."""
    kinds = set(map(type, array.flat))
    real = (numbers.Real, Decimal)
    for kind, number in (("i", (numbers.Integral,)), ("f", real), ("c", (*real, numbers.Complex))):
        if all(issubclass(each, (*number, np.bool_)) for each in kinds):
            return kind
    return ""


def shown(value: object) -> str:
    """Returns a text for an error message about an option. The text shows None, booleans, numbers of up to 64 bits, and
    the first 40 characters of a str. Of other values, it shows only the size or the type. Do not use it for data."""
    if isinstance(value, (bool, type(None))):
        return repr(value)
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:40] + "...")
    if isinstance(value, (int, np.integer)):
        length = int(value).bit_length()
        return str(value) if length <= _LONGEST_SHOWN else f"a number of {length} bits"
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}" if math.isfinite(value) else str(float(value))
    return kind_of(value)


def kind_of(value: object) -> str:
    """Returns a text for an error message about data: only the type."""
    return f"of type {type(value).__name__}"


def text(name: str, value: object) -> str:
    """Returns ``value``, which must be a str that UTF-8 can encode. Errors: InvalidArgument."""
    if not isinstance(value, str):
        raise InvalidArgument(f"{name} is {kind_of(value)}, not text", f"give {name} as a str")
    if not value.isascii() and any(
        "\ud800" <= c <= "\udfff" for c in value
    ):  # an error of encode() would contain the text
        raise InvalidArgument(f"{name} has unpaired surrogates", "decode its bytes as UTF-8, without errors=...")
    return value


def require_seal(secret: str, public: str, passphrase: str | None, unsealed: bool) -> None:
    """Requires a passphrase or unsealed=True before a secret key is written.

    secret: the user's name for the object with the secret key; empty if there is no such object. public: the user's
    name for the object without the secret key. The error recommends this object. Errors: SecretRefused,
    InvalidArgument.
    """
    if passphrase is not None and not text("passphrase", passphrase):
        raise InvalidArgument("the passphrase is empty", "give some words, or unsealed=True")
    if flag("unsealed", unsealed) and passphrase is not None:
        raise InvalidArgument("a passphrase was given with unsealed=True", "give one of them")
    if passphrase is not None and not secret:
        raise InvalidArgument(
            "a passphrase was given, but there is no secret key: the passphrase would protect nothing",
            "leave the passphrase out: arrays and public keys need none",
        )
    if secret and passphrase is None and not unsealed:
        raise SecretRefused(
            f"{secret} holds a secret key",
            f"a server needs only {public}; to keep the secret key, give passphrase=..., or unsealed=True",
        )
