# SPDX-License-Identifier: Apache-2.0
"""Runs ``mypy --strict`` on a sample. Also checks that ``help`` lists the options of a context."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ringfort as rf
from ringfort._core import parameters
from ringfort.encrypted.context.options import _DEFAULTS, MEANINGS, described

SAMPLE = """
import numpy as np
import ringfort as rf

ctx = rf.Context("real", depth=2, security=128)
keys = ctx.keygen()
x = ctx.encrypt(np.ones((4, 3)), keys)
plain = np.ones((3, 2))

reveal_type(x + 1)  # EncryptedArray
reveal_type(2.5 * x)  # EncryptedArray
reveal_type(x - x)  # EncryptedArray
reveal_type(x / 3)  # EncryptedArray
reveal_type(x**2)  # EncryptedArray
reveal_type(-x)  # EncryptedArray
reveal_type(x @ plain)  # EncryptedArray
reveal_type(np.ones((2, 4)) @ x)  # EncryptedArray
reveal_type(np.ones(3) + x)  # EncryptedArray
reveal_type(np.float64(2) * x)  # EncryptedArray
reveal_type(x.T)  # EncryptedArray
reveal_type(x.real)  # EncryptedArray
reveal_type(x[0])  # EncryptedArray
reveal_type(next(iter(x)))  # EncryptedArray
reveal_type(x.sum(axis=0))  # EncryptedArray
reveal_type(x.mean().prod())  # EncryptedArray
reveal_type(x.reshape(2, 6).swapaxes(0, 1))  # EncryptedArray
reveal_type(x.shape)  # tuple[int, ...]
reveal_type(x.precision_bits)  # float
reveal_type(x.decrypt(keys))  # numpy.ndarray
x += 1
reveal_type(x)  # EncryptedArray

x.foo  # error: attr-defined
x.max()  # error: attr-defined
x < 1  # error: operator
x % 2  # error: operator
1 / x  # error: operator
x**0.5  # error: operator
rf.Context("float")  # error: arg-type
rf.Context(security=100)  # error: arg-type
rf.Context(precison=10)  # error: call-arg
rf.Context("int", range=(0, 9), scheme="ckks")  # error: arg-type
rf.Context(primes={"bits": 24, "form": "odd"})  # error: typeddict-item
"""


def test_a_strict_type_checker_knows_the_types_of_operations(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = tmp_path / "sample.py"
    program.write_text(SAMPLE)
    package = Path(rf.__file__).parents[1]
    where = {} if package.name == "site-packages" else {"MYPYPATH": str(package)}  # mypy finds installed packages
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-color-output", "--hide-error-context", "sample.py"],
        cwd=tmp_path,
        env={**where, "MYPY_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
    )
    told = dict(re.findall(r"sample\.py:(\d+): (?:note: Revealed type is |error: )(.*)", checked.stdout))
    for number, line in enumerate(SAMPLE.splitlines(), 1):
        _, comment, expected = line.partition("  # ")
        found = told.pop(str(number), "")
        if expected.startswith("error: "):
            assert f"[{expected.removeprefix('error: ')}]" in found, line
        elif comment:
            assert expected in found, (line, found, checked.stdout[-500:])
    assert not told, checked.stdout


def test_help_lists_every_option_of_a_context_with_its_default() -> None:
    assert list(MEANINGS) == list(rf.Options.__annotations__)
    text = re.sub(r"\s+", " ", inspect.getdoc(rf.Context) or "")
    for name, (default, _) in MEANINGS.items():
        assert f" {name} (default: {default or repr(dict(_DEFAULTS)[name])}): " in text
    assert re.sub(r"\s+", " ", described()) in text


def test_defaults_are_those_of_the_requirements_in_cpp() -> None:
    given, cpp = dict(_DEFAULTS), parameters.CkksRequirements()
    for name in ("precision", "magnitude", "slots", "n"):
        assert getattr(cpp, name) == given[name]
    security = (cpp.security.bits, cpp.security.standard, cpp.security.quantum)
    assert security == (given["security"], given["standard"], given["quantum"])
    assert cpp.depth == inspect.signature(rf.Context).parameters["depth"].default
    assert parameters.BgvRequirements().plain_modulus == given["plain_modulus"]
    assert parameters.BfvRequirements().plain_modulus == given["plain_modulus"]


@pytest.mark.parametrize("name", [name for name, (default, _) in MEANINGS.items() if not default])
def test_the_stated_default_is_the_one_that_a_context_takes(name: str) -> None:
    default = dict(_DEFAULTS)[name]
    if name == "modular":
        assert default is False
        return
    assert rf.Context(depth=1, **{name: default}) == rf.Context(depth=1)  # type: ignore[arg-type]
