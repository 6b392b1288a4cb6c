# SPDX-License-Identifier: Apache-2.0
"""``ringfort doctor`` opens every device of this machine and compares two computations on it with known results.

The first computation is the transform (NTT, a Fourier transform modulo a prime q) of the polynomial x. The correct
results are odd powers of psi, a 2n-th root of unity modulo q. Python computes these powers with its own integers. The
second computation squares an encrypted array, including the key switch, the step that takes the most time. The product
must equal, bit for bit, the product on ``ref``, the plain device with which tests compare all others. It must decrypt
to the squares of the values.
"""

from __future__ import annotations

import ctypes
import pickle
import shutil
from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from .. import Context, EncryptedArray, Keys, default_device, device_refusal, devices
from .._core import ring
from ..encrypted.context.options import Primes
from ..errors import Error, Unsupported
from ..values import text
from .facts import default_lines
from .groups import app
from .options import AsJson
from .output import Speaker, table

__all__ = ["diagnose"]

_N = 4096
# every device supports uint32, and most devices support uint64
_MODULI = {np.uint32: 998244353, np.uint64: 1152921504606830593}
_PRIMES: Primes = {"bits": 30, "form": "c*2^16+1"}  # primes that every device supports
_KINDS_OF_GPUS = ("cuda", "opencl")
_NO_GPU_OF_KIND = "there is no GPU of this kind; to examine another device, give --device, as in --device opencl:0"
_VALUES = np.arange(-8.0, 8.0)
_COMPILERS = (
    "clang++-19",
    "clang++-20",
    "clang++-21",
    "clang++-22",
    "clang++",
    "nvcc",
)  # compilers of CUDA kernels, in the order in which CMake prefers them


@dataclass(frozen=True)
class Finding:
    """The state of one device. refusal: why the device cannot be opened; empty if it can be opened. transform,
    key_switch: the results of the two checks: "right", "wrong" or the text of an error. They are empty if the device
    cannot be opened."""

    device: str
    refusal: str
    transform: str = ""
    key_switch: str = ""

    @property
    def is_well(self) -> bool:
        return not self.refusal and (self.transform, self.key_switch) == ("right", "right")


class _KeySwitch:
    """The square of an encrypted array. Keeps the keys, the operand, and the product on ``ref``."""

    def __init__(self) -> None:
        context = Context(depth=1, magnitude=64, primes=_PRIMES, device="ref")
        self._keys: Keys = context.keygen(rotations=[])
        self._operand: EncryptedArray = context.encrypt(_VALUES, self._keys)
        self._product = self._operand * self._operand

    def is_right(self, device: str) -> bool:
        operand = self._operand.to(device)
        product = operand * operand
        same_bits = pickle.dumps(product.to("ref")) == pickle.dumps(self._product)
        return same_bits and bool(np.allclose(product.decrypt(self._keys), _VALUES**2, rtol=0, atol=2**-10))


def transform_is_right(device: str) -> bool:
    """Tells whether the transform of x has the powers of psi, and the inverse transform gives x again. Checks words of
    32 bits, and of 64 bits if the device supports them."""
    bits = _N.bit_length() - 1
    exponents = [2 * int(f"{i:0{bits}b}"[::-1], 2) + 1 for i in range(_N)]
    for word, q in _MODULI.items():
        try:
            transform = ring.Transform(_N, (q, 0), 8 * np.dtype(word).itemsize, device)
        except Unsupported:
            if word is np.uint64:
                continue
            raise
        x, values, back = np.zeros(_N, word), np.empty(_N, word), np.empty(_N, word)
        x[1], psi = 1, transform.psi[0]
        transform.forward(x, values, 1)
        transform.inverse(values, back, 1)
        is_root = pow(psi, _N, q) == q - 1
        if not is_root or values.tolist() != [pow(psi, e, q) for e in exponents] or not np.array_equal(back, x):
            return False
    return True


def diagnose(device: str, key_switch: _KeySwitch) -> Finding:
    if refusal := device_refusal(device):
        return Finding(device, refusal)
    answers = []
    for check in (transform_is_right, key_switch.is_right):
        try:
            answers.append("right" if check(device) else "wrong")
        except Error as error:
            answers.append(str(error))
    return Finding(device, "", *answers)


def gpu_software() -> dict[str, str]:
    """Returns the state of the software for GPUs on this machine: the drivers, and the compilers for a build."""
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), "")
    return {
        "NVIDIA's driver": _nvidia_driver(),
        "OpenCL": "libOpenCL.so.1" if _library("libOpenCL.so.1") else "none: apt-get install ocl-icd-libopencl1",
        "compiler of kernels": compiler or "none: apt-get install clang-19 (or use nvcc), and build ringfort again",
    }


def _library(name: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def _nvidia_driver() -> str:
    library, version = _library("libcuda.so.1"), ctypes.c_int()
    if library is None:
        return "none: there is no libcuda.so.1"
    if library.cuDriverGetVersion(ctypes.byref(version)) != 0:
        return "it does not tell its version"
    return f"for CUDA {version.value // 1000}.{version.value % 1000 // 10}"


@app.command("doctor")
def doctor_command(
    device: Annotated[str, typer.Option(help="Examine only this device, and fail if it cannot be opened.")] = "",
    as_json: AsJson = False,
) -> None:
    """Open each device, compare two computations on it with known results, and say why a device is missing.

    Fails if a result is wrong, or if the default device cannot be opened.
    """
    with Speaker(as_json).guarded() as speaker:
        found = [each.name for each in devices()]
        missing = [kind for kind in _KINDS_OF_GPUS if not any(name.startswith(kind) for name in found)]
        key_switch, findings = _KeySwitch(), []
        for name in [text("--device", device)] if device else found:
            speaker.say(f"{name} ...")
            findings.append(diagnose(name, key_switch))
        if not device:
            findings += [Finding(kind, device_refusal(kind) or _NO_GPU_OF_KIND) for kind in missing]

        software, (default_text, default_refusal) = gpu_software(), default_lines()

        def show(console: Console) -> None:
            rows = table("", "device", "transform", "key switch", "why it is missing")
            for finding in findings:
                rows.add_row(finding.device, finding.transform, finding.key_switch, finding.refusal)
            console.print(rows)
            for what, state in software.items():
                console.print(f"{what}: {state}")
            console.print(default_text)

        document = {
            "devices": [asdict(f) for f in findings],
            "gpu_software": software,
            "default": default_device(),
            "default_refusal": default_refusal,
        }
        speaker.result(document, show)
        if any(not f.is_well for f in findings if device or not f.refusal) or (default_refusal and not device):
            raise typer.Exit(1)
