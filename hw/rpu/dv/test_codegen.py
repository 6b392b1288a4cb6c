# SPDX-License-Identifier: Apache-2.0
"""Tests the programs of rpugen, the generator, by independent means: Python integers check the values, and the
assembler reads the binary."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest
from asm import Assembled, Image, Machine, SourceLocation, assemble, check, disassemble
from asm.expect import simulate

MODULI = (2**128 - 63963135, 2**65 - 1048575, 2146959361)


@pytest.fixture(scope="session")
def rpugen(rpusim: Path) -> Path:
    return rpusim.with_name("rpugen")


def generate(rpugen: Path, *options: object, function: str = "ntt") -> dict:
    done = subprocess.run(
        [str(rpugen), function, "--json", *map(str, options)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def execute(rpusim: Path, path: Path, report: dict, data: dict) -> dict:
    run = simulate(rpusim, Image.from_bytes(path.read_bytes()), [], ["--replay"], data)
    assert run.report["trap"] is None
    assert run.report["replay_agrees"]
    assert run.report["cycles"] == report["cycles"]
    return run.words


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
    locations = tuple(SourceLocation("p", i, 1) for i in range(len(image.code)))
    assert {d.severity for d in check(Assembled(image, locations), Machine.make())} == {"note"}


@pytest.mark.parametrize("options", [("--inverse",), ("--inverse", "--cyclic"), ("--order", "private", "--inverse")])
def test_an_inverse_gives_the_coefficients_back(options: tuple, tmp_path: Path, rpugen: Path, rpusim: Path):
    n, q, path = 1024, MODULI[1], tmp_path / "p.b512"
    report = generate(rpugen, "--n", n, "--modulus", q, "--optimizer", "best", *options, "--output", path)
    cyclic = "--cyclic" in options
    root = minimal_root(q, n // 2 if cyclic else n)
    polynomial = {3: 5, 700: q - 1, 1023: 12}
    x = []
    for position in range(n):
        index = sum((position >> bit & 1) << target for bit, target in enumerate(report["order"]))
        exponent = reversed_bits(index, 10)
        point = pow(root, exponent if cyclic else 2 * exponent + 1, q)
        x.append(sum(c * pow(point, k, q) for k, c in polynomial.items()) % q)
    words = execute(rpusim, path, report, {"x": x})[report["result"]]
    assert words[:n] == [polynomial.get(k, 0) for k in range(n)]


def test_a_product_of_polynomials_wraps_around_with_a_minus_sign(tmp_path: Path, rpugen: Path, rpusim: Path):
    n, moduli, path = 1024, MODULI[:2], tmp_path / "p.b512"
    report = generate(rpugen, "--n", n, "--modulus", ",".join(map(str, moduli)), "--output", path, function="polymul")
    source = random.Random(5)
    a = [source.randrange(moduli[i // n]) for i in range(2 * n)]
    b = [source.randrange(moduli[i // n]) for i in range(2 * n)]
    words = execute(rpusim, path, report, {"a": a, "b": b})["a"]
    for limb, q in enumerate(moduli):
        x, y = a[limb * n : (limb + 1) * n], b[limb * n : (limb + 1) * n]
        for k in (0, 1, 511, 1023, *(source.randrange(n) for _ in range(6))):
            value = sum(x[i] * (y[k - i] if i <= k else -y[n + k - i]) for i in range(n)) % q
            assert words[limb * n + k] == value, (limb, k)


ELEMENT_WISE = {
    "add": lambda a, b, c, s: a + b,
    "sub": lambda a, b, c, s: a - b,
    "negate": lambda a, b, c, s: -a,
    "multiply": lambda a, b, c, s: a * b,
    "multiply_add": lambda a, b, c, s: c + a * b,
    "multiply_scalar": lambda a, b, c, s: a * s,
}


@pytest.mark.parametrize("function", ELEMENT_WISE)
def test_an_element_wise_kernel_works_on_every_limb(function: str, tmp_path: Path, rpugen: Path, rpusim: Path):
    n, path = 1024, tmp_path / "p.b512"
    moduli = ",".join(map(str, MODULI))
    report = generate(rpugen, "--n", n, "--batch", 2, "--modulus", moduli, "--output", path, function=function)
    source = random.Random(function)
    of = [q for q in MODULI for _ in range(2 * n)]
    data = {name: [source.randrange(q) for q in of] for name in "abc"}
    scalars = [source.randrange(q) for q in MODULI]
    used = {symbol.name for symbol in Image.from_bytes(path.read_bytes()).symbols}
    given = {name: words for name, words in (data | {"scalars": scalars}).items() if name in used}
    words = execute(rpusim, path, report, given)[report["result"]]
    for i, q in enumerate(of):
        expected = ELEMENT_WISE[function](*(data[name][i] for name in "abc"), scalars[i // (2 * n)]) % q
        assert words[i] == expected, i


def test_sixteen_short_transforms_take_at_most_90_cycles_each(rpugen: Path):
    report = generate(rpugen, "--n", 1024, "--batch", 16, "--optimizer", "best")
    assert report["cycles"] <= 16 * 90
    assert report["instructions"] == {"lsi": 74, "ci": 160, "si": 288, "scalar": 2}


def test_the_longest_inverse_runs_as_a_job_beyond_the_vector_data_memory(tmp_path: Path, rpugen: Path, rpusim: Path):
    n, q = 131072, MODULI[0]
    report = generate(rpugen, "--n", n, "--inverse", "--optimizer", "best", "--tries", 1, "--output", tmp_path / "long")
    image = Image.from_bytes((tmp_path / "long.ntt.b512").read_bytes())
    assert len(image.kernels) == report["kernels"]
    assert assemble(disassemble(image)).image.to_bytes() == (tmp_path / "long.ntt.b512").read_bytes()
    psi = minimal_root(q, n)
    polynomial = {0: 9, 3: 5, n - 1: q - 1}
    powers = {k: [1] for k in polynomial}  # psi^(k e) for the odd exponents e
    for k, found in powers.items():
        square, found[0] = pow(psi, 2 * k, q), pow(psi, k, q)
        for _ in range(n - 1):
            found.append(found[-1] * square % q)
    values = [sum(c * powers[k][reversed_bits(i, 17)] for k, c in polynomial.items()) % q for i in range(n)]
    (tmp_path / "x.bin").write_bytes(b"".join(value.to_bytes(16, "little") for value in values))
    command = [rpusim.with_name("rpujob"), tmp_path / "long.job", "--json", "--data", f"x={tmp_path / 'x.bin'}"]
    command += ["--store", f"{report['result']}={tmp_path / 'y.bin'}"]
    done = subprocess.run(list(map(str, command)), capture_output=True, check=True)
    assert json.loads(done.stdout)["cycles"] == report["cycles"]
    words = (tmp_path / "y.bin").read_bytes()
    found = [int.from_bytes(words[16 * i : 16 * i + 16], "little") for i in range(n)]
    assert {k: value for k, value in enumerate(found) if value} == polynomial


def test_equal_seeds_give_equal_programs_and_others_may_differ(tmp_path: Path, rpugen: Path):
    paths = [tmp_path / f"{name}.b512" for name in "abc"]
    for path, seed in zip(paths, (1, 1, 2), strict=True):
        generate(rpugen, "--n", 1024, "--seed", seed, "--tries", 4, "--output", path)
    assert paths[0].read_bytes() == paths[1].read_bytes() != paths[2].read_bytes()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--n", 1000), "n = 1000 is not a power of two in 1024 .. 131072; choose one of them"),
        (
            ("--modulus", "0x1g"),
            "--modulus = 0x1g is not a number of at most 128 bits; write it in decimal, or in hexadecimal as in 0xff",
        ),
        (
            ("--modulus", 2**128),
            f"--modulus = {2**128} is not a number of at most 128 bits; write it in decimal, or in hexadecimal as in "
            "0xff",
        ),
        (("--optimizer", "fastest"), "there is no optimizer 'fastest'; use none, paper or best"),
        (
            ("--set", "hples=96"),
            "hples = 96 is not a power of two: element i is in lane or bank i mod hples, and 512 elements would not "
            "fill the last beat; use 64 or 128",
        ),
        (
            ("--n", 131072, "--output", "x.b512"),
            "the program exceeds the vector data memory and is a job of several kernels; name the output NAME.job, "
            "choose a smaller n, or enlarge vdm_words",
        ),
        (
            ("--n", 131072, "--c", "x.c"),
            "a job cannot be written in C; set vdm_words so that the program fits, or choose a smaller n",
        ),
        (("--order", "mine"), "there is no order 'mine'; use canonical or private"),
        (
            ("--bits", 12),
            "no prime of 12 bits is 1 modulo 131072; ask for more bits, at most 128, or a smaller n",
        ),
        (("--batch", 0), "the batch is empty; ask for at least one polynomial"),
    ],
)
def test_what_cannot_be_generated_is_refused_with_the_fix(options: tuple, complaint: str, rpugen: Path):
    done = subprocess.run([str(rpugen), "ntt", *map(str, options)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"rpugen: {complaint}\n"
