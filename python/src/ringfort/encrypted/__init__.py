# SPDX-License-Identifier: Apache-2.0
"""Arrays of encrypted numbers. ``Context`` makes keys and arrays. ``EncryptedArray`` computes on encrypted numbers."""

from __future__ import annotations

from . import pickles
from .array.array import EncryptedArray
from .context.context import Context, Keys, PublicKeys
from .context.explanation import Explanation
from .context.measurement import Measurement
from .context.options import Dtype, Options, Primes, Release
from .files import dumps, load, loads, save
from .inspection import Entry, Inspection, inspect
from .pool import DevicePool
from .verbs import functions
from .verbs.approximated import (
    abs,
    argmax,
    compare,
    exp,
    inverse,
    inverse_sqrt,
    log,
    maximum,
    minimum,
    polynomial,
    relu,
    sigmoid,
    sign,
    softmax,
    sqrt,
    tanh,
)
from .verbs.groups import Groups, group_by
from .verbs.shadow import debug

__all__ = [
    "Context",
    "DevicePool",
    "Dtype",
    "EncryptedArray",
    "Entry",
    "Explanation",
    "Groups",
    "Inspection",
    "Keys",
    "Measurement",
    "Options",
    "Primes",
    "PublicKeys",
    "Release",
    "abs",
    "argmax",
    "compare",
    "debug",
    "dumps",
    "exp",
    "group_by",
    "inspect",
    "inverse",
    "inverse_sqrt",
    "load",
    "loads",
    "log",
    "maximum",
    "minimum",
    "polynomial",
    "relu",
    "save",
    "sigmoid",
    "sign",
    "softmax",
    "sqrt",
    "tanh",
]

# The modules of these classes do not import the modules that implement these functions.
EncryptedArray._numpy = functions
EncryptedArray._reduced = pickles.reduced_array
PublicKeys._reduced = pickles.reduced_keys
Context._reduced = pickles.reduced_context
