# SPDX-License-Identifier: Apache-2.0
"""Reads the data files of this folder: fitted constants, and the statements of [Soni23] with tolerances for the
models."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_FOLDER = Path(__file__).parent


class Statement(NamedTuple):
    """A number that the paper states.

    The number is between `low` and `high`, or at least `low` if there is no `high`. `tolerance` is the largest residual
    (class Residual) that counts as agreement. If `fitted` is true, the number determined a constant or a rule of the
    model; otherwise the model predicts it. `contradiction` names other statements of the paper that contradict it.
    """

    id: str
    where: str
    text: str
    unit: str
    low: float
    high: float | None
    tolerance: float
    fitted: bool = False
    contradiction: str = ""

    @property
    def paper(self) -> str:
        if self.high is None:
            return f"over {self.low:g}"
        return f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"


class Residual(NamedTuple):
    """A statement and the value of the model. `residual` is 0 if the value is between `low` and `high`. Otherwise it is
    the distance from the nearer end, divided by this end."""

    statement: Statement
    model: float

    @property
    def residual(self) -> float:
        nearer = max(self.model, self.statement.low)
        if self.statement.high is not None:
            nearer = min(nearer, self.statement.high)
        return self.model / nearer - 1

    @property
    def within(self) -> bool:
        return abs(self.residual) <= self.statement.tolerance

    @property
    def verdict(self) -> str:
        if self.within:
            return "within"
        return "contradicted" if self.statement.contradiction else "missed"

    @property
    def origin(self) -> str:
        return "fitted" if self.statement.fitted else "predicted"

    def document(self) -> dict[str, Any]:
        return {
            **self.statement._asdict(),
            "paper": self.statement.paper,
            "model": self.model,
            "residual": self.residual,
            "origin": self.origin,
            "verdict": self.verdict,
        }


@cache
def constants() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((_FOLDER / "constants.json").read_text(encoding="utf-8"))
    return found


@cache
def statements() -> dict[str, Statement]:
    listed = json.loads((_FOLDER / "published.json").read_text(encoding="utf-8"))["statements"]
    return {entry["id"]: Statement(**entry) for entry in listed}


def compare(values: dict[str, float]) -> list[Residual]:
    """Compares values with the paper. The keys are the ids of statements. The result has the order of
    published.json."""
    if unknown := values.keys() - statements().keys():
        raise KeyError(f"published.json states nothing on {', '.join(sorted(unknown))}")
    return [Residual(statement, values[name]) for name, statement in statements().items() if name in values]
