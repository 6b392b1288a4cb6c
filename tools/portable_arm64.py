# SPDX-License-Identifier: Apache-2.0
"""Tries a wheel for aarch64 on another processor. It uses Debian's Python for arm64, in a folder, emulated by qemu.

It needs qemu-aarch64-static (Debian's package qemu-user-static), and apt with a mirror of Debian. From the mirror, it
gets packages for arm64. The packages of the system are not changed.
"""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

from portable_build import run

__all__ = ["emulated", "unpack"]

_RELEASE = "trixie"
_PYTHON = "3.13"
_PACKAGES = (f"python{_PYTHON}-minimal", f"libpython{_PYTHON}-stdlib", "libstdc++6")


def emulated(folder: Path) -> list[str] | None:
    """Returns the command of a Python for arm64. If this system has none, prints a message and returns None."""
    if not (shutil.which("qemu-aarch64-static") and shutil.which("apt-get")):
        print("the wheel is not tried: the trial needs apt-get install qemu-user-static", file=sys.stderr)
        return None
    mirrors = run("apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages", "Label: Debian").split()
    if not mirrors:
        print("the wheel is not tried: apt has no mirror of Debian; run apt-get update", file=sys.stderr)
        return None
    root = folder / "arm64"
    for name in ("state/lists/partial", "cache/archives/partial"):
        (root / name).mkdir(parents=True)
    (root / "sources.list").write_text(f"deb [arch=arm64] {mirrors[0]} {_RELEASE} main\n")
    (root / "status").touch()
    options = {
        "APT::Architecture": "arm64",
        "APT::Architectures::": "arm64",
        "Acquire::Languages": "none",
        "Debug::NoLocking": "1",
        "Dir::State": root / "state",
        "Dir::State::status": root / "status",
        "Dir::Cache": root / "cache",
        "Dir::Etc::sourcelist": root / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
    }
    apt = ["apt-get", "-q", "-y", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
    run(*apt, "update")
    run(*apt, "install", "--no-install-recommends", "--download-only", *_PACKAGES)
    for package in sorted((root / "cache/archives").glob("*.deb")):
        run("dpkg", "-x", package, root / "files")
    if not (root / "files/lib").exists():
        (root / "files/lib").symlink_to("usr/lib")
    return ["qemu-aarch64-static", "-L", str(root / "files"), str(root / f"files/usr/bin/python{_PYTHON}")]


def unpack(wheel: Path, folder: Path) -> Path:
    """Unpacks the wheel, and the packages for arm64 that it needs, into one folder. Returns this folder."""
    platforms = ("manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux2014_aarch64")
    run(
        *(sys.executable, "-m", "pip", "download", "-q", "--only-binary", ":all:", "--python-version", _PYTHON),
        *(word for name in platforms for word in ("--platform", name)),
        *("-d", folder / "packages", wheel),
    )
    for package in (folder / "packages").glob("*.whl"):
        with zipfile.ZipFile(package) as content:
            content.extractall(folder / "site")
    return folder / "site"
