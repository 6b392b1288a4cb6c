# SPDX-License-Identifier: Apache-2.0
"""Tests that there is an error class for each code of the C++ enumeration."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import ringfort as rf
from ringfort import _core, errors

ROOT = Path(__file__).resolve().parents[2]


def test_codes_and_error_classes_correspond_one_to_one():
    assert _core.error_codes() == list(errors.BY_CODE)


@pytest.mark.parametrize("code", errors.BY_CODE)
def test_a_class_has_the_name_of_its_code_and_contains_problem_and_fix(code):
    error = errors.BY_CODE[code]("found x", "do y")
    assert type(error).__name__.lower() == code.replace("_", "")
    assert getattr(rf, type(error).__name__) is type(error)
    assert isinstance(error, rf.Error)
    assert (error.code, error.problem, error.fix, str(error)) == (code, "found x", "do y", "found x; do y")
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.problem, copy.fix) == (type(error), "found x", "do y")


def test_errors_derive_from_pythons_matching_errors():
    assert issubclass(rf.InvalidArgument, ValueError)
    assert issubclass(rf.ParametersMismatch, ValueError)
    assert issubclass(rf.IoOpen, OSError)
    assert issubclass(rf.OutOfMemory, MemoryError)


def test_generated_classes_match_the_header():
    done = subprocess.run([sys.executable, ROOT / "tools/gen_errors", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
