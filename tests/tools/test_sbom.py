# SPDX-License-Identifier: Apache-2.0
"""Tests that the bill of materials names the packages that a wheel requires, the libraries that it links, and its build
tools. The bill must be reproducible."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest

import ringfort._core

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import sbom


@pytest.fixture
def wheel(tmp_path):
    path = tmp_path / "ringfort-0.1.0-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w") as files:
        files.write(ringfort._core.__file__, "ringfort/_core.cpython-311-x86_64-linux-gnu.so")
    return path


def test_the_bill_of_materials_lists_the_packages_that_the_wheel_needs_and_links(wheel):
    bill = sbom.bill(wheel, "c0ffee", 1_700_000_000)
    required = {component["name"] for component in bill["components"] if component["scope"] == "required"}
    assert {"numpy", "typer", "rich"} <= required
    assert any(name.startswith("libsodium.so") for name in required)
    assert {"nanobind", "pygments", "shellingham"} <= {name.lower() for name in required}
    assert not {"mypy", "pytest", "matplotlib", "ruff"} & required
    assert {"mypy", "nanobind", "scikit-build-core"} <= {component["name"] for component in bill["components"]}
    references = [component["bom-ref"] for component in bill["components"]]
    assert len(set(references)) == len(references)
    assert set(bill["dependencies"][0]["dependsOn"]) <= set(references)


def test_bill_of_the_same_wheel_is_the_same(wheel):
    one, other = (json.dumps(sbom.bill(wheel, "c0ffee", 1_700_000_000)) for _ in range(2))
    assert one == other
    assert json.loads(one)["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
