# SPDX-License-Identifier: Apache-2.0
"""Tests the package: its stubs, its metadata, and the command `ringfort`."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ringfort as rf
from ringfort import _core

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments, **environment):
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    return subprocess.run([sys.executable, *arguments], env=variables, capture_output=True, text=True)


def test_stubs_are_what_the_generator_writes():
    done = run(str(ROOT / "tools/gen_stubs"), "--check")
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm, which lists the exported names")
def test_the_extension_exports_its_entry_alone():
    done = subprocess.run(["nm", "-D", "--defined-only", _core.__file__], capture_output=True, text=True, check=True)
    assert [line.split()[-1] for line in done.stdout.splitlines()] == ["PyInit__core"]


def test_completion_offers_public_names_only():
    names = [name for name in dir(rf) if not name.startswith("__")]
    assert set(names) == {name for name in rf.__all__ if not name.startswith("__")}
    assert {"Context", "plan", "ml", "sigmoid", "Error"} <= set(names)
    assert not {"os", "annotations", "units", "locks"} & set(names)


def test_shells_complete_commands_and_benchmarks():
    def completed(words):
        wanted = {"_RINGFORT_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        return run("-c", "from ringfort.cli import main; main([])", **wanted).stdout.split()

    assert completed("ringfort sea") == ["search"]
    assert completed("ringfort bench gpu-r") == ["gpu-reduction", "gpu-roofline"]


IN_ANOTHER = """
try:
    import _interpreters as interpreters
except ImportError:  # before Python 3.13
    import _xxsubinterpreters as interpreters
interpreters.run_string(interpreters.create(), '''
try:
    import ringfort
except ImportError as error:
    print(error)
''')
"""


def test_only_the_main_interpreter_imports_the_package():
    """Newer versions of Python refuse the extension in other interpreters with a message of their own."""
    done = run("-c", IN_ANOTHER)
    assert (done.returncode, "interpreter" in done.stdout) == (0, True), done


def test_package_is_typed():
    assert (Path(rf.__file__).parent / "py.typed").is_file()


WORK = """
import numpy as np, ringfort as rf
ctx = rf.Context(depth=1, precision=10, slots=512)
keys = ctx.keygen(rotations=[1])
x = ctx.encrypt([1.0, 2.0], keys)
kept = [x + x, x * x, x.sum(), np.add.reduce(x), x.decrypt(keys)]
for refused in (np.exp, np.sort, lambda x: x[5], lambda x: x + "a", lambda x: x.decrypt(keys.public)):
    try:
        refused(x)
    except rf.Error as error:
        kept.append(error)
study = rf.statistics.Study({"a": (0, 9)}, uploads=2)
keys_of_study = rf.statistics.keygen(study, n=64, insecure="a test")
kept.append(rf.statistics.encrypt({"a": [1]}, keys_of_study))
"""


def test_nothing_is_printed_at_the_end_of_a_program():
    """With leak warnings, the first run would report references that the package does not release. Without leak
    warnings, the second run prints nothing about the references that NumPy does not release."""
    done = run("-c", WORK, RINGFORT_LEAK_WARNINGS="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    lost_by_numpy = "\ntry:\n    np.multiply.reduce(x)\nexcept rf.Unsupported:\n    pass\n"
    done = run("-c", WORK + lost_by_numpy)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_importing_the_package_does_not_import_the_command_or_matplotlib():
    done = run("-c", "import sys, ringfort; print([m for m in ('typer', 'rich', 'matplotlib') if m in sys.modules])")
    assert done.stdout.strip() == "[]", done.stderr


def test_idle_openmp_threads_soon_sleep_by_default():
    program = "import os, ringfort; print(os.environ['OMP_WAIT_POLICY'], os.environ.get('GOMP_SPINCOUNT'))"
    chosen = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
    variables = {name: value for name, value in os.environ.items() if name not in chosen}
    variables["PYTHONPATH"] = os.pathsep.join(sys.path)
    for given, wanted in (
        ({}, "passive 1000"),
        ({"GOMP_SPINCOUNT": "5"}, "passive 5"),
        ({"OMP_WAIT_POLICY": "active"}, "active None"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", program], env={**variables, **given}, capture_output=True, text=True
        )
        assert done.stdout.strip() == wanted, done.stderr


def test_version_is_printed():
    assert run("-m", "ringfort", "--version").stdout == f"ringfort {rf.__version__}\n"


def test_devices_are_listed_as_one_json_document():
    done = run("-m", "ringfort", "devices", "--json", RINGFORT_CPU="generic")
    found = json.loads(done.stdout)
    assert [d["name"] for d in found["devices"]] == [d.name for d in rf.devices()]
    assert found["cpu"]["requested"] == "generic"
    assert done.stderr == ""


def test_an_unknown_cap_fails_with_a_fix_and_exit_code_2():
    done = run("-m", "ringfort", "devices", "--json", RINGFORT_CPU="mmx")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "invalid_argument"
    assert "error: RINGFORT_CPU=mmx" in done.stderr
    assert "fix: " in done.stderr
