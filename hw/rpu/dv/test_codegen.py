# SPDX-License-Identifier: Apache-2.0
"""Generated programs from outside: Python's integers judge the values, the assembler reads the binary."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest
from asm import Assembled, Image, Machine, Place, assemble, check, disassemble
from asm.expect import simulate

MODULI = (2**128 - 63963135, 2**65 - 1048575, 2146959361)


@pytest.fixture(scope="session")
def rpugen(rpusim: Path) -> Path:
    return rpusim.with_name("rpugen")


def generate(rpugen: Path, *options: object) -> dict:
    done = subprocess.run(
        [str(rpugen), "ntt", "--json", *map(str, options)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def reversed_bits(value: int, bits: int) -> int:
    return int(f"{value:0{bits}b}"[::-1], 2)


def minimal_root(q: int, n: int) -> int:
    base = next(b for b in range(2, 100) if pow(b, (q - 1) // 2, q) == q - 1)
    root = pow(base, (q - 1) // (2 * n), q)
    square, roots = root * root % q, [root]
    for _ in range(n - 1):
        roots.append(roots[-1] * square % q)
    return min(roots)


@pytest.mark.parametrize("modulus", MODULI)
@pytest.mark.parametrize("optimizer", ["none", "paper", "best"])
def test_a_program_evaluates_the_polynomial(modulus: int, optimizer: str, tmp_path: Path, rpugen: Path, rpusim: Path):
    n, path = 2048, tmp_path / "p.b512"
    report = generate(rpugen, "--n", n, "--modulus", modulus, "--optimizer", optimizer, "--output", path)
    assert report["verified"]
    source = random.Random(n)
    x = [source.randrange(modulus) for _ in range(n)]
    run = simulate(rpusim, Image.from_bytes(path.read_bytes()), [], ["--replay"], {"x": x})
    assert run.report["trap"] is None
    assert run.report["replay_agrees"]
    assert run.report["cycles"] == report["cycles"]
    psi = minimal_root(modulus, n)
    for index in (0, 1, 2, 511, 512, 1024, n - 1, *(source.randrange(n) for _ in range(9))):
        point, value = pow(psi, 2 * reversed_bits(index, 11) + 1, modulus), 0
        for coefficient in reversed(x):
            value = (value * point + coefficient) % modulus
        assert run.words[report["result"]][index] == value, index


@pytest.mark.parametrize("n", [1024, 16384])
def test_a_program_is_sound_by_the_assemblers_checks_and_survives_its_round_trip(n: int, tmp_path: Path, rpugen: Path):
    path = tmp_path / "p.b512"
    generate(rpugen, "--n", n, "--tries", 1, "--output", path)
    image = Image.from_bytes(path.read_bytes())
    assert image.to_bytes() == path.read_bytes()
    assert assemble(disassemble(image)).image.to_bytes() == path.read_bytes()
    places = tuple(Place("p", i, 1) for i in range(len(image.code)))
    assert {d.severity for d in check(Assembled(image, places), Machine.make())} == {"note"}


def test_equal_seeds_give_equal_programs_and_others_may_differ(tmp_path: Path, rpugen: Path):
    paths = [tmp_path / name for name in "abc"]
    for path, seed in zip(paths, (1, 1, 2), strict=True):
        generate(rpugen, "--n", 4096, "--seed", seed, "--tries", 4, "--output", path)
    assert paths[0].read_bytes() == paths[1].read_bytes() != paths[2].read_bytes()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--n", 1000), "n = 1000 is not a power of two in 1024 .. 131072; choose one of them"),
        (("--modulus", "0x1g"), "--modulus = 0x1g is not a number of at most 128 bits"),
        (("--modulus", 2**128), "is not a number of at most 128 bits"),
        (("--optimizer", "fastest"), "there is no optimizer 'fastest'; use none, paper or best"),
        (("--set", "hples=96"), "use 64 or 128"),
        (("--n", 131072), "set vdm_words=393216 or choose a smaller n"),
    ],
)
def test_what_cannot_be_generated_is_refused_with_the_fix(options: tuple, complaint: str, rpugen: Path):
    done = subprocess.run([str(rpugen), "ntt", *map(str, options)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert complaint in done.stderr
