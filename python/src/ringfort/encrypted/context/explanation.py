# SPDX-License-Identifier: Apache-2.0
"""Explanation: an object with the properties of a context's parameters. It prints as a table."""

from __future__ import annotations

import re
from typing import Any

from ..._core import parameters as plain
from ..array import ranges, show

__all__ = ["Explanation"]


class Explanation:
    """The properties of a context's parameters, as attributes of ``facts`` and as text. The explanations of equal
    contexts with equal ranges are equal."""

    def __init__(self, facts: plain.Explanation, parameters: Any, promise: ranges.Interval | None = None) -> None:
        self.facts = facts
        self._range = promise
        self._parameters = parameters

    def _values(self) -> tuple[Any, ...]:
        """Returns the text, and facts that the text rounds."""
        chain = self._parameters.chain
        return str(self), self.facts.bits_left, chain.data, chain.special

    def __eq__(self, other: object) -> bool:
        return self._values() == other._values() if isinstance(other, Explanation) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        lines = self.facts.text().splitlines()
        lines.insert(2, "primes         " + show.chain(self._parameters.chain))
        return "\n".join(lines + show.values(self._parameters, self._range)) + "\n"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        lines = (re.split(r"\s{2,}", line, maxsplit=1) for line in str(self).splitlines())
        return show.table("Context", dict(lines))
