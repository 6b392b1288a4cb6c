# SPDX-License-Identifier: Apache-2.0
"""Builds a wheel for glibc 2.28 and newer, for x86_64 or aarch64, with zig's clang from PyPI.

zig links a program with stub libraries for a chosen version of the C library, and with its own libc++. libsodium comes
from the source package of PyNaCl. libomp, the runtime of OpenMP, comes from cmeel-libomp
(requirements/portable-sources.txt). Therefore the extension module needs only glibc and libomp. make_portable puts
libomp into the wheel. On aarch64, the wheel has only the kernels without vector instructions, and no simulators.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

__all__ = ["ARCHITECTURES", "GLIBC", "build_wheel", "licence_of_nanobind", "run"]

ROOT = Path(__file__).resolve().parents[1]
ARCHITECTURES = ("x86_64", "aarch64")
GLIBC = "2.28"
_SODIUM = "pynacl-*/src/libsodium"


def run(*command: str | Path, **options: object) -> str:
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, **options).stdout


def toolchain(folder: Path, arch: str) -> Path:
    """Writes scripts that call zig as cc, c++, ar and ranlib. Returns a toolchain file for CMake."""
    zig = Path(str(metadata.distribution("ziglang").locate_file("ziglang/zig")))
    folder.mkdir(parents=True)
    cache = f'export ZIG_GLOBAL_CACHE_DIR="${{ZIG_GLOBAL_CACHE_DIR:-{folder.parents[1] / "zig-cache"}}}"\n'
    lines = ["set(CMAKE_SYSTEM_NAME Linux)", f"set(CMAKE_SYSTEM_PROCESSOR {arch})"]
    for tool, variable in (("cc", "C_COMPILER"), ("c++", "CXX_COMPILER"), ("ar", "AR"), ("ranlib", "RANLIB")):
        target = f" -target {arch}-linux-gnu.{GLIBC}" if tool in ("cc", "c++") else ""
        script = folder / tool
        script.write_text(f'#!/bin/sh\n{cache}exec "{zig}" {tool}{target} "$@"\n')
        script.chmod(0o755)
        lines.append(f"set(CMAKE_{variable} {script})")
    (folder / "toolchain.cmake").write_text("\n".join(lines) + "\n")
    return folder / "toolchain.cmake"


def download(folder: Path, arch: str) -> None:
    """Unpacks the source of libsodium into ``folder``, and libomp with its headers into ``folder``/cmeel.prefix."""
    run(
        *(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--require-hashes", "--no-binary", "pynacl"),
        *("--only-binary", "cmeel-libomp", "--platform", f"manylinux_{GLIBC.replace('.', '_')}_{arch}"),
        *("-r", ROOT / "requirements/portable-sources.txt", "-d", folder),
    )
    for archive in folder.glob("pynacl-*.tar.gz"):
        with tarfile.open(archive) as source:
            source.extractall(folder, filter="data")
    for wheel in folder.glob("cmeel_libomp-*.whl"):
        with zipfile.ZipFile(wheel) as content:
            content.extractall(folder)


def build_sodium(folder: Path, tools: Path, arch: str) -> Path:
    """Builds libsodium. Returns the folder that has include/ and lib/libsodium.a."""
    (source,) = folder.glob(_SODIUM)
    built, installed = folder / "sodium-build", folder / "sodium"
    built.mkdir()
    programs = {name: str(tools / program) for name, program in (("CC", "cc"), ("AR", "ar"), ("RANLIB", "ranlib"))}
    run(
        *(source / "configure", f"--host={arch}-linux-gnu", "--disable-shared", "--enable-static", "--with-pic"),
        *("--disable-dependency-tracking", f"--prefix={installed}"),
        cwd=built,
        env={**os.environ, **programs, "CFLAGS": "-O2 -g0"},
    )
    run("make", "-j", str(os.cpu_count() or 1), "install", cwd=built)
    return installed


def licence_of_nanobind() -> Path:
    (file,) = (file for file in metadata.files("nanobind") or () if file.name == "LICENSE")
    return Path(str(file.locate()))


def write_licences(folder: Path) -> None:
    """Writes the licences of libsodium and LLVM. The wheel has parts of libsodium, libomp, libc++ and compiler-rt."""
    target = folder / "licenses"
    target.mkdir()
    (source,) = folder.glob(_SODIUM)
    shutil.copy(source / "LICENSE", target / "libsodium.txt")
    llvm = metadata.distribution("ziglang").locate_file("ziglang/lib/libcxx/LICENSE.TXT")
    shutil.copy(str(llvm), target / "llvm.txt")


def build_wheel(folder: Path, arch: str) -> tuple[Path, Path, Path]:
    """Returns the wheel, the folder of libomp, and the folder of licences. Errors: CalledProcessError, SystemExit."""
    if arch != os.uname().machine and sys.version_info < (3, 12):
        raise SystemExit("a wheel for another processor has the stable ABI: run this with Python 3.12 or newer")
    shutil.rmtree(folder, ignore_errors=True)
    file = toolchain(folder / "tools", arch)
    print("downloads libsodium and libomp", flush=True)
    download(folder, arch)
    print("builds libsodium", flush=True)
    sodium, openmp = build_sodium(folder, file.parent, arch), folder / "cmeel.prefix"
    write_licences(folder)
    defines = {
        "CMAKE_TOOLCHAIN_FILE": file,
        "CMAKE_SHARED_LINKER_FLAGS": "-s",
        "CMAKE_MODULE_LINKER_FLAGS": "-s",
        "CMAKE_EXE_LINKER_FLAGS": "-s",
        "Python_INCLUDE_DIR": sysconfig.get_path("include"),
        "Sodium_LIBRARY": sodium / "lib/libsodium.a",
        "Sodium_INCLUDE_DIR": sodium / "include",
        "OpenMP_CXX_FLAGS": f"-fopenmp -I{openmp / 'include'}",
        "OpenMP_CXX_LIB_NAMES": "omp",
        "OpenMP_omp_LIBRARY": openmp / "lib/libomp.so",
        "RINGFORT_SIMULATORS": "ON" if arch == "x86_64" else "OFF",
        "RINGFORT_PROBES": "ON",
    }
    print(f"builds Ringfort for {arch}: minutes", flush=True)
    options = [word for name, value in defines.items() for word in ("-C", f"cmake.define.{name}={value}")]
    run(
        *(sys.executable, "-m", "pip", "wheel", "-v", "--no-deps", "--no-build-isolation", "-w", folder / "made"),
        *("-C", f"build-dir={folder / 'build'}", *options, "."),
        cwd=ROOT,
        env={
            **os.environ,
            "_PYTHON_HOST_PLATFORM": f"linux-{arch}",
            "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count() or 1),
        },
    )
    (wheel,) = (folder / "made").glob("*.whl")
    return wheel, openmp / "lib", folder / "licenses"
