# SPDX-License-Identifier: Apache-2.0
"""Tests the generated packages rtl/rpu_isa_pkg.sv and rtl/rpu_machine_pkg.sv. Verilator and yosys must read them. The
functions and the machine parameters must have the values of asm/tables.py and dv/rig/tables.py. hw/rpu/README.md
explains the terms.

A module without ports compares the values and calls $fatal if one is wrong. The tools evaluate the comparisons while
they read the design (elaboration). Nothing is built, and nothing runs.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from asm.tables import MODES, PARAMETERS, SPECS, TRAPS
from rig.tables import MODE_ELEMENT
from rig.tables import TRAPS as TRAPS_OF

RTL = Path(__file__).resolve().parents[1] / "rtl"
PACKAGES = (RTL / "rpu_isa_pkg.sv", RTL / "rpu_machine_pkg.sv")
ROLES = (
    *("vd_write", "vd1_write", "vd_read", "vs_read", "vt_read", "vt1_read", "s_read", "m_read", "a_read"),
    *("s_write", "m_write", "a_write", "vdm_offset", "sdm_address", "mode"),
)
IMMEDIATES = ("vdm_offset", "sdm_address", "mode", "mode_value")
# The pipes and the latency classes, in the order of their codes.
PIPES = ("front_end", "load_store", "compute", "shuffle")
LATENCY_CLASSES = ("front_end", "memory", "add", "multiply", "multiply_add", "shuffle")
LETTER = {"scalar": "s", "modulus": "m", "address": "a"}


def role_of(operand) -> str:
    if operand.kind in IMMEDIATES:
        return operand.kind
    return f"{operand.field if operand.kind == 'vector' else LETTER[operand.kind]}_{operand.role}"


def bits(roles: set[str]) -> int:
    return int("".join(str(int(name in roles)) for name in ROLES), 2)


def expectations() -> list[tuple[str, int]]:
    """Returns pairs of an expression and its value, from asm/tables.py and dv/rig/tables.py."""
    rows = [(f"rpu_isa_pkg::{who.capitalize()}Traps", who_checks(who)) for who in ("decoder", "hardware", "simulator")]
    codes = {spec.bfly << 4 | spec.opcode: spec for spec in SPECS.values()}
    for code in range(32):
        spec, op = codes.get(code), f"(5'd{code})"
        rows += [(f"rpu_isa_pkg::known_op{op}", int(spec is not None))]
        rows += [(f"rpu_isa_pkg::used_mask{op}", spec.used_mask if spec else 0)]
        if spec is None:
            continue
        operands = {operand.name: role_of(operand) for operand in spec.operands}
        rows += [
            (f"rpu_isa_pkg::pipe_of{op}", PIPES.index(spec.pipe)),
            (f"rpu_isa_pkg::latency_of{op}", LATENCY_CLASSES.index(spec.latency)),
            (f"rpu_isa_pkg::roles_of{op}", bits(set(operands.values()))),
            (f"rpu_isa_pkg::below_modulus_of{op}", bits({operands[name] for name in spec.below_modulus})),
            (f"rpu_isa_pkg::traps_of{op}", sum(1 << TRAPS[name].code for name in TRAPS_OF[spec.mnemonic])),
        ]
    for mode in MODES.values():
        rows.append((f"rpu_isa_pkg::mode_takes_value(2'd{mode.code})", int(mode.has_value)))
        rows.append((f"rpu_isa_pkg::mode_stores(2'd{mode.code})", int(mode.store)))
        for value in range(21 if mode.has_value else 1):
            for i in (0, 1, 2, 3, 100, 255, 256, 510, 511):
                offset = eval(MODE_ELEMENT[mode.name], {"i": i, "value": value})  # noqa: S307
                rows.append((f"rpu_isa_pkg::mode_offset(2'd{mode.code}, 6'd{value}, 30'd{i})", offset))
    for name, parameter in PARAMETERS.items():
        constant = "rpu_machine_pkg::" + "".join(word.capitalize() for word in name.split("_"))
        if parameter.choices:
            rows.append((constant, parameter.choices.index(parameter.default)))
            rows += [(constant + choice.capitalize(), k) for k, choice in enumerate(parameter.choices)]
        else:
            rows += [(constant, parameter.default), (constant + "Minimum", parameter.minimum)]
            rows += [(constant + "Maximum", parameter.maximum)]
    return rows


def who_checks(who: str) -> int:
    return sum(1 << trap.code for trap in TRAPS.values() if trap.checked_by == who)


def module_of(rows: list[tuple[str, int]]) -> str:
    lines = [
        f"  if (64'({call}) != 64'd{value}) begin : gen_{row}\n    $fatal(1, \"row {row}\");\n  end"
        for row, (call, value) in enumerate(rows)
    ]
    return "\n".join(["module expected;", *lines, "endmodule", ""])


def verdict_of_verilator(tool: Path, top: Path) -> subprocess.CompletedProcess:
    command = [tool, "--lint-only", "-Wall", "--top-module", "expected", *PACKAGES, top]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def verdict_of_yosys(tool: Path, top: Path) -> subprocess.CompletedProcess:
    # yosys runs in a sandbox that has a /tmp of its own. Therefore all files are named relative to the current folder.
    names = [Path(shutil.copy(package, top.parent)).name for package in PACKAGES]
    script = f"read_verilog -sv {' '.join(names)} {top.name}; hierarchy -top expected; proc; check -assert"
    return subprocess.run([tool, "-q", "-p", script], cwd=top.parent, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["verilator", "yosys"])
def test_a_tool_reads_the_packages_and_finds_the_values_of_the_tables(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
):
    tool = request.getfixturevalue(name)
    verdict = verdict_of_verilator if name == "verilator" else verdict_of_yosys
    rows = expectations()
    assert len(rows) > 600
    top = tmp_path / "expected.sv"
    top.write_text(module_of(rows))
    done = verdict(tool, top)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    call, value = rows[-1]
    top.write_text(module_of([*rows[:-1], (call, value + 1)]))
    assert verdict(tool, top).returncode != 0, "the tool does not evaluate the conditions"
