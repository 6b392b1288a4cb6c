# SPDX-License-Identifier: Apache-2.0
"""Tests RINGFORT_CPU. Every instruction set must give the same results. If the variable names an instruction set that
the machine does not have, the library must use the best one of the machine, and warn. Unknown names must fail.
"""

import json
import os
import subprocess
import sys

import pytest

CAPS = ["ref", "generic", "avx2", "avx2-fma", "avx512", "ifma"]
PROGRAM = """
import hashlib, json, sys, warnings
import numpy as np
import ringfort as rf
digest = hashlib.sha256()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for bits in (28, 30, 31, 49, 50, 51, 60, 61, 62):
        for n in (2, 8, 16, 64, 1024):
            q = rf.ring.primes(bits, n, 1)[0]
            ntt = rf.ring.Ntt(n, q)
            rng = np.random.default_rng(bits * n)
            for dtype in (np.uint64, np.uint32)[: 1 + (q < 2**31)]:
                a, b = rng.integers(0, q, (2, 3, n), dtype)
                a[0] = q - 1
                for out in (ntt.forward(a), ntt.inverse(a), ntt.multiply(a, b)):
                    digest.update(out.astype("<u8").tobytes())
    q = rf.ring.primes(127, 16, 1)[0]
    a = np.arange(32, dtype=np.uint64).reshape(16, 2)
    digest.update(rf.ring.Ntt(16, q).multiply(a, a).tobytes())
cap = rf.cpu_cap()
print(json.dumps({"digest": digest.hexdigest(), "used": cap.used, "requested": cap.requested, "lowered": cap.lowered,
                  "warnings": [str(w.message) for w in caught]}))
"""


def run(cap):
    environment = {k: v for k, v in os.environ.items() if k != "RINGFORT_CPU"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    if cap is not None:
        environment["RINGFORT_CPU"] = cap
    return subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def uncapped():
    return json.loads(run(None).stdout)


@pytest.mark.parametrize("cap", CAPS)
def test_results_under_every_cap_are_identical(cap, uncapped):
    done = run(cap)
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    assert got["digest"] == uncapped["digest"]
    assert got["requested"] == cap
    assert CAPS.index(got["used"]) <= CAPS.index(cap)
    assert got["lowered"] == (got["used"] != cap)
    assert len(got["warnings"]) == got["lowered"]


def test_arrays_refuse_an_unknown_cap(monkeypatch):
    monkeypatch.setenv("RINGFORT_CPU", "sse9")
    code = "import ringfort as rf; rf.Context(depth=1, device='cpu').keygen(rotations=[])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "DeviceUnknown: device 'cpu' cannot be opened; RINGFORT_CPU=sse9 is not an instruction set" in done.stderr


@pytest.mark.parametrize("cap", ["sse9", "AVX2", "cpu:avx2", " "])
def test_unknown_cap_is_an_error_that_names_the_caps(cap):
    done = run(cap)
    assert done.returncode == 1
    assert "InvalidArgument" in done.stderr
    assert "ifma" in done.stderr
