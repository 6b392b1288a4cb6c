# SPDX-License-Identifier: Apache-2.0
"""Makes a software bill of materials (CycloneDX 1.6) of a wheel: required packages, linked libraries and build tools.

The same wheel, lock file and commit give the same bytes: times come from SOURCE_DATE_EPOCH, and the serial number from
the wheel. The components are of four kinds. The first is the required packages with their own requirements.
pyproject.toml allows a range of versions for them, and the bill names the version of the lock file. The second is
nanobind, whose library is in the wheel. The third is the shared libraries that the extension needs. The fourth is the
other packages that `./dev setup` installs (requirements/dev.txt), which are marked as excluded.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import tempfile
import uuid
import zipfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
_LINKED = "nanobind"  # linked statically into the extension
_SPACE = uuid.UUID("6f2d9f0e-3a5b-5b07-9c1e-9f0a8f6f2f11")


def locked() -> list[tuple[Requirement, list[str]]]:
    """Returns the packages that `./dev setup` installs, as requirements with their digests."""
    text = (ROOT / "requirements/dev.txt").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    digest = re.compile(r"--hash=sha256:([0-9a-f]{64})")
    return [(Requirement(line.split("--hash")[0].strip()), digest.findall(line)) for line in lines]


def needed_by_wheel() -> list[str]:
    text = (ROOT / "pyproject.toml").read_text()
    found = re.search(r"^dependencies = \[(.*?)\]$", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return [Requirement(item).name for item in re.findall(r'"([^"]+)"', found[1])]


def required() -> set[str]:
    """Returns the names of nanobind, of the wheel's requirements, and of their requirements in the lock file."""
    asked_by: dict[str, set[str]] = {}
    name = ""
    for line in (ROOT / "requirements/dev.txt").read_text().splitlines():
        if line and line[0].isalnum():
            name = re.split(r"[=\s;]", line)[0]
        elif found := re.fullmatch(r"\s*#\s+(?:via\s+)?([\w.-]+)(?: \(pyproject\.toml\))?", line):
            asked_by.setdefault(name, set()).add(found[1])
    all_needed = set(needed_by_wheel())
    while more := {name for name, parents in asked_by.items() if parents & all_needed} - all_needed:
        all_needed |= more
    return all_needed | {_LINKED}


def libraries(wheel: Path) -> list[str]:
    """Returns the names of the shared libraries that the extension needs."""
    with zipfile.ZipFile(wheel) as files, tempfile.TemporaryDirectory() as folder:
        name = next(name for name in files.namelist() if name.startswith("ringfort/_core.") and name.endswith(".so"))
        path = files.extract(name, folder)
        shown = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    return sorted(re.findall(r"\(NEEDED\).*\[(.+)\]", shown))


def _package(requirement: Requirement, digests: list[str], needed: set[str]) -> dict[str, Any]:
    version = next(iter(requirement.specifier)).version
    purl = f"pkg:pypi/{requirement.name.lower()}@{version}"
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": purl,
        "name": requirement.name,
        "version": version,
        "purl": purl,
        "scope": "required" if requirement.name in needed else "excluded",
        "properties": [{"name": "ringfort:sha256", "value": digest} for digest in digests],
    }
    if requirement.marker is not None:
        component["properties"].append({"name": "ringfort:marker", "value": str(requirement.marker)})
    return component


def bill(wheel: Path, commit: str, epoch: int) -> dict[str, Any]:
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    version = wheel.name.split("-")[1]
    needed = required()
    itself = f"pkg:pypi/ringfort@{version}"
    packages = [_package(requirement, digests, needed) for requirement, digests in locked()]
    linked = [
        {"type": "library", "bom-ref": f"soname:{name}", "name": name, "scope": "required"} for name in libraries(wheel)
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(_SPACE, digest)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "library",
                "bom-ref": itself,
                "name": "ringfort",
                "version": version,
                "purl": itself,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "hashes": [{"alg": "SHA-256", "content": digest}],
                "properties": [
                    {"name": "ringfort:file", "value": wheel.name},
                    {"name": "ringfort:commit", "value": commit},
                ],
            },
        },
        "components": linked + packages,
        "dependencies": [
            {
                "ref": itself,
                "dependsOn": sorted(
                    component["bom-ref"] for component in (*linked, *packages) if component["scope"] == "required"
                ),
            }
        ],
    }
