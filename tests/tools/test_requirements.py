# SPDX-License-Identifier: Apache-2.0
"""Tests that requirements/*.txt fix the version and the digests of every package that ./dev setup installs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = ("3.10", "3.11", "3.12", "3.13")


def locked(name: str) -> list[tuple[Requirement, int]]:
    """Returns the requirements of a lock file, and how many digests each requirement has."""
    text = (ROOT / f"requirements/{name}.txt").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return [(Requirement(line.split("--hash")[0].strip()), line.count("--hash=sha256:")) for line in lines]


def wanted(name: str) -> list[Requirement]:
    lines = (ROOT / f"requirements/{name}.in").read_text().splitlines()
    found = [Requirement(line) for line in lines if not line.startswith("#")]
    if name == "dev":
        text = (ROOT / "pyproject.toml").read_text()
        lists = re.findall(r"^(?:requires|dependencies|report|test) = \[(.*?)\]$", text, re.MULTILINE | re.DOTALL)
        assert len(lists) == 4
        found += [Requirement(item) for each in lists for item in re.findall(r'"([^"]+)"', each)]
    return [requirement for requirement in found if requirement.name != "ringfort"]


@pytest.mark.parametrize("name", ["dev", "fuzz", "gpu", "intel", "portable", "reference", "rtl"])
def test_every_locked_package_has_one_version_with_digests(name):
    for requirement, digests in locked(name):
        assert re.fullmatch(r"==[\w.]+", str(requirement.specifier)), requirement
        assert digests > 0, requirement


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", ["dev", "fuzz", "reference"])
def test_every_required_package_is_locked_for_every_python(name, python):
    environment = {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux"}

    def applies(requirement):
        return requirement.marker is None or requirement.marker.evaluate(environment)

    versions = {each.name: next(iter(each.specifier)).version for each, _ in locked(name) if applies(each)}
    for requirement in filter(applies, wanted(name)):
        assert Version(versions[requirement.name]) in requirement.specifier, requirement
