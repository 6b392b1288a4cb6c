# SPDX-License-Identifier: Apache-2.0
"""Writes and reads plans (plan.py) as JSON. Somebody may have changed a stored document. Therefore the reader checks
every field. The context checks the values of the options."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from ..encrypted import Options
from ..encrypted.context.options import reason
from ..values import flag, whole
from .attempt import Attempt, Inputs, Result
from .like import Like, like
from .timing import VERBS, Call

__all__ = ["fields_of", "text_of"]

_FORMAT = "ringfort plan 1"
_DTYPES = ("real", "complex", "int")
_OPTIONS = {"depth", *Options.__annotations__}
_MOST_BYTES = 2**62
_MOST_STEPS = 2**17
_MOST_LEVELS = 2**10


class _Wrong(ValueError):
    pass


def text_of(plan: Any) -> str:
    """Returns a plan as JSON. Errors: TypeError (an option has a type that JSON lacks)."""
    return json.dumps({"format": _FORMAT, **asdict(plan)}, indent=1)


def fields_of(document: str) -> dict[str, Any]:
    """Reads a document. Returns the arguments of a Plan. Errors: ValueError (the document is not a plan)."""
    try:
        read = json.loads(document)
        _require(read["format"] == _FORMAT and read["dtype"] in _DTYPES and "depth" in read["options"])
        if read["dtype"] == "int":  # without a range, numbers could wrap around
            _require(read["options"]["range"] is not None and not read["options"].get("modular"))
        return {
            "name": _printable(read["name"]),
            "dtype": read["dtype"],
            "inputs": _inputs(read["inputs"]),
            "options": {name: _option(name, value) for name, value in _pairs(read["options"])},
            "found": _found(read["found"]),
        }
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError):
        raise _Wrong from None


def _require(condition: bool) -> None:
    if not condition:
        raise _Wrong


def _pairs(read: Any) -> list[tuple[str, Any]]:
    _require(isinstance(read, dict))
    return list(read.items())


def _printable(read: Any) -> str:
    _require(isinstance(read, str) and read.isprintable() and len(read) <= 200)
    return str(read)


def _number(read: Any) -> float:
    _require(isinstance(read, (int, float)) and not isinstance(read, bool))
    value = float(read)
    _require(math.isfinite(value))
    return value


def _option(name: str, read: Any) -> Any:
    """Checks the type and the length of an option."""
    _require(name in _OPTIONS)
    if name == "insecure":  # rf.Context accepts any length
        return reason(read)
    if isinstance(read, str):
        return _printable(read)
    if isinstance(read, (list, dict)):
        scalars = read.values() if isinstance(read, dict) else read
        _require(len(read) <= 8 and all(isinstance(each, (bool, int, float, str)) for each in scalars))
        return {_printable(k): v for k, v in read.items()} if isinstance(read, dict) else tuple(read)
    _require(read is None or isinstance(read, bool) or math.isfinite(_number(read)))
    return read


def _inputs(read: Any) -> Inputs:
    _require(isinstance(read["positional"], list))
    return Inputs(
        tuple(map(_like, read["positional"])), {_printable(name): _like(v) for name, v in _pairs(read["named"])}
    )


def _like(read: Any) -> Like:
    _require(isinstance(read["shape"], list))
    found = like(read["shape"], magnitude=read["magnitude"])
    if (columns := read.get("columns")) is None:  # older plans have no columns
        return found
    _require(isinstance(columns, list) and len(set(columns)) == len(columns) and found.shape[-1:] == (len(columns),))
    return replace(found, columns=tuple(map(_name, columns)))


def _name(read: Any) -> str:
    """Checks the name of a column, which may be any text."""
    _require(isinstance(read, str))
    return str(read)


def _found(read: Mapping[str, Any]) -> Attempt:
    calls = read.get("calls", [])  # older plans have no calls
    _require({name for name, _ in _pairs(read)} | {"calls"} == {field.name for field in fields(Attempt)})
    _require(isinstance(calls, list) and len(calls) <= _MOST_STEPS)
    _require(isinstance(read["results"], list) and 0 < len(read["results"]) <= 1000)
    steps = read["rotations"]
    _require(isinstance(steps, list) and len(steps) <= _MOST_STEPS)
    _require(all(whole("step", abs(step), _MOST_STEPS) or step == 0 for step in steps if not isinstance(step, bool)))
    _require(not any(isinstance(step, bool) for step in steps))
    return Attempt(
        results=tuple(map(_result, read["results"])),
        rotations=tuple(int(step) for step in steps),
        swap=flag("swap", read["swap"]),
        multiplications=whole("multiplications", read["multiplications"], 2**100),
        input_bytes=whole("input_bytes", read["input_bytes"], _MOST_BYTES),
        log2_qp=_number(read["log2_qp"]),
        n=whole("n", read["n"], 2**20),
        calls=tuple(map(_call, calls)),
    )


def _call(read: Any) -> Call:
    _require(isinstance(read, list) and len(read) == 3 and read[0] in VERBS)
    return str(read[0]), whole("level", read[1], _MOST_LEVELS), whole("count", read[2], _MOST_BYTES)


def _result(read: Mapping[str, Any]) -> Result:
    _require({name for name, _ in _pairs(read)} == {field.name for field in fields(Result)})
    return Result(
        shape=like(read["shape"]).shape if read["shape"] else (),
        precision_bits=_number(read["precision_bits"]),
        magnitude=_number(read["magnitude"]),
        nbytes=whole("nbytes", read["nbytes"], _MOST_BYTES),
    )
