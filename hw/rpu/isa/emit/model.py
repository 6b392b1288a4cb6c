# SPDX-License-Identifier: Apache-2.0
"""Reads isa/*.yml and validates the files against their JSON schemas. Then checks rules that a schema cannot express.

The fields of an instruction fill the 64-bit word without gaps and overlaps. Encodings are unique. The pipe, the latency
class, the operands and the traps of an instruction are defined. Its operands have different fields, and its semantics
are valid Python. The default of a machine parameter is in its range.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import yaml

_COMMON_TRAPS = ("opcode", "reserved_bits", "no_end", "uninitialised")


class ModelError(ValueError):
    """An error in the instruction file or the machine file. The text names the place and the fix."""


@dataclass(frozen=True)
class Model:
    isa: dict
    machine: dict
    prices: dict  # pJ per event, from model/constants.json

    @property
    def fields(self) -> dict:
        return {field["name"]: field for field in self.isa["fields"]}

    @property
    def traps(self) -> dict:
        return {trap["name"]: trap for trap in self.isa["traps"]}

    def operand(self, name: str) -> dict:
        return self.isa["operands"][name]

    def used_mask(self, instruction: dict) -> int:
        """Returns the mask of the bits of the word that this instruction uses. All other bits must be zero."""
        names = {self.operand(name)["field"] for name in instruction["operands"]} | {"opcode", "bfly", "end"}
        return sum(field_mask(self.fields[name]) for name in names)


def traps_of(instruction: dict) -> list[str]:
    """Returns the illegal cases that can occur: those that the instruction lists, and the common ones. But loads of the
    front end read no register, and the butterfly bit is legal with opcode 8."""
    never = {"uninitialised"} if instruction["pipe"] == "front_end" else set()
    never |= {"opcode"} if instruction["opcode"] == 8 else set()
    return [name for name in (*instruction["traps"], *_COMMON_TRAPS) if name not in never]


def field_mask(field: dict) -> int:
    return ((1 << field["width"]) - 1) << field["lsb"]


def load(folder: Path) -> Model:
    constants = json.loads((folder.parent / "model" / "constants.json").read_text(encoding="utf-8"))
    model = Model(_read(folder, "b512"), _read(folder, "machine"), constants["energy_pj"])
    _check_fields(model)
    _check_encodings(model)
    for instruction in model.isa["instructions"]:
        _check_instruction(model, instruction)
    for parameter in model.machine["parameters"]:
        _check_parameter(parameter)
    return model


def _read(folder: Path, stem: str) -> dict:
    document = yaml.safe_load((folder / f"{stem}.yml").read_text(encoding="utf-8"))
    schema = json.loads((folder / f"{stem}.schema.json").read_text(encoding="utf-8"))
    errors = [
        f"{stem}.yml: {'/'.join(map(str, error.absolute_path))}: {error.message}"
        for error in jsonschema.Draft202012Validator(schema).iter_errors(document)
    ]
    if errors:
        raise ModelError("\n".join(errors) + f"; correct the file or extend {stem}.schema.json")
    return document


def _check_fields(model: Model) -> None:
    covered = 0
    for field in model.isa["fields"]:
        if covered & field_mask(field):
            raise ModelError(f"b512.yml: field {field['name']} overlaps another; give it free bits")
        covered |= field_mask(field)
    if covered != (1 << model.isa["word_bits"]) - 1:
        raise ModelError(f"b512.yml: fields leave bits {~covered & (2**64 - 1):#x} without a name; name them 'spare'")


def _check_encodings(model: Model) -> None:
    seen: dict = {}
    for instruction in model.isa["instructions"]:
        key = (instruction["opcode"], instruction.get("bfly", False))
        if key in seen:
            raise ModelError(f"b512.yml: {instruction['mnemonic']} has the encoding of {seen[key]}; choose a free one")
        seen[key] = instruction["mnemonic"]


def _check_instruction(model: Model, instruction: dict) -> None:
    name = instruction["mnemonic"]
    known = {
        "pipe": {pipe["name"] for pipe in model.isa["pipes"]},
        "latency": {latency["name"] for latency in model.isa["latency_classes"]},
    }
    for key, names in known.items():
        if instruction[key] not in names:
            raise ModelError(f"b512.yml: {name}: {key} {instruction[key]!r} is not defined; use one of {sorted(names)}")
    for trap in instruction["traps"]:
        if trap not in model.traps:
            raise ModelError(f"b512.yml: {name}: trap {trap!r} is not defined; add it to traps")
    fields = set()
    for operand in instruction["operands"]:
        if operand not in model.isa["operands"]:
            raise ModelError(f"b512.yml: {name}: operand {operand!r} is not defined; add it to operands")
        field = model.operand(operand)["field"]
        if field not in model.fields or field in fields:
            raise ModelError(f"b512.yml: {name}: operand {operand!r} needs a field of its own, found {field!r}")
        fields.add(field)
    try:
        ast.parse(instruction.get("element") or instruction["register"])
    except SyntaxError as error:
        raise ModelError(f"b512.yml: {name}: semantics are not Python notation: {error}; correct them") from error


def _check_parameter(parameter: dict) -> None:
    default = parameter["default"]
    if parameter["kind"] == "choice":
        fits = default in parameter["choices"]
    else:
        fits = isinstance(default, int) and parameter["minimum"] <= default <= parameter["maximum"]
        fits = fits and (parameter["kind"] != "power_of_two" or default & (default - 1) == 0)
    if not fits:
        raise ModelError(f"machine.yml: {parameter['name']}: default {default!r} is outside its own range; correct one")
