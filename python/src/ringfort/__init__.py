# SPDX-License-Identifier: Apache-2.0
"""Ringfort computes on encrypted data, on the hardware you have.

``ringfort.Context`` makes arrays of encrypted numbers, with NumPy's operators
``ringfort.plan``    chooses the parameters and keys that a program on such arrays needs
``ringfort.sigmoid`` and other functions approximate functions of encrypted numbers: docs/functions.md
``ringfort.ring``    computes transforms and products of polynomials without encryption, and finds primes
``ringfort.search``  counts the words of an encrypted mailbox without reading it
``ringfort.statistics`` computes means, variances and regressions over many users
``ringfort.logreg`` trains logistic regression on encrypted records
``ringfort.ml``      computes convolutions, and applies models of scikit-learn to encrypted rows
``ringfort.Error``   is the base of all errors; ``ringfort.errors`` has one class per code
"""

from __future__ import annotations

import os

# Idle threads of the OpenMP runtime must sleep, because threads that spin (wait in a loop) take time from other work on
# the same cores. Example: a search by full matrix products on two threads of a loaded machine takes 260 ms per word
# with sleeping threads, and 690 ms with spinning threads. However, threads spin for 1000 turns before they sleep,
# because the next loop often follows within microseconds, and waking a thread takes 40 us. Example: a relinearized
# product with n = 8192 on two threads takes 0.39 ms with these turns, and 1.2 ms without. The runtime reads the
# settings when it is loaded. Therefore they are set here, before the imports load it.
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ["OMP_WAIT_POLICY"] = "passive"
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")

from . import early as _early

if _early.is_command():
    _early.begin()

# Before NumPy: _core states that it works only in the main interpreter. NumPy's error in another one does not.
from . import _core as _core
from . import errors, logreg, ml, ring, search, statistics
from ._core import (
    CpuCap,
    DeviceInfo,
    DeviceMemory,
    cpu_cap,
    default_device,
    device_refusal,
    devices,
    first_gpu,
    frame,
    is_gpu,
    version,
)
from .encrypted import (
    Context,
    DevicePool,
    EncryptedArray,
    Groups,
    Inspection,
    Keys,
    Measurement,
    Options,
    PublicKeys,
    Release,
    abs,
    argmax,
    compare,
    debug,
    dumps,
    exp,
    group_by,
    inspect,
    inverse,
    inverse_sqrt,
    load,
    loads,
    log,
    maximum,
    minimum,
    polynomial,
    relu,
    save,
    sigmoid,
    sign,
    softmax,
    sqrt,
    tanh,
)
from .errors import *  # noqa: F403
from .errors import __all__ as _error_names
from .logs import request_id
from .planning import Like, Plan, Program, compile, like, plan

_early.end()

__version__ = version()

__all__ = [
    "Context",
    "CpuCap",
    "DeviceInfo",
    "DeviceMemory",
    "DevicePool",
    "EncryptedArray",
    "Groups",
    "Inspection",
    "Keys",
    "Like",
    "Measurement",
    "Options",
    "Plan",
    "Program",
    "PublicKeys",
    "Release",
    "__version__",
    "abs",
    "argmax",
    "compare",
    "compile",
    "cpu_cap",
    "debug",
    "default_device",
    "device_refusal",
    "devices",
    "dumps",
    "errors",
    "exp",
    "first_gpu",
    "frame",
    "group_by",
    "inspect",
    "inverse",
    "inverse_sqrt",
    "is_gpu",
    "like",
    "load",
    "loads",
    "log",
    "logreg",
    "maximum",
    "minimum",
    "ml",
    "plan",
    "polynomial",
    "relu",
    "request_id",
    "ring",
    "save",
    "search",
    "sigmoid",
    "sign",
    "softmax",
    "sqrt",
    "statistics",
    "tanh",
    *_error_names,
]


def __dir__() -> list[str]:
    """Lists the public names, for completion in notebooks. The other modules of the package are left out."""
    return sorted({*__all__, "__doc__", "__file__", "__name__", "__path__"})
