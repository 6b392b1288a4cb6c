# SPDX-License-Identifier: Apache-2.0
"""Linear maps between the rows of packed tables (layout.py). Computes them by diagonals, with *baby steps* (small
rotations, which diagonals share) and *giant steps* (large rotations of sums) [HaleviShoup18].

Row i of the result is the sum over j of entry (i, j) times row j. Entries with the same distance from row j to row i
share a rotation. Entries that lead from one orbit (layout.py) to the other share an exchange of the orbits. A map takes
one level: the products with plain vectors. Unused slots of the source may have any values. Unused slots of the result
are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...distinct import distinct
from .arithmetic import Arithmetic
from .layout import Layout
from .moves import rotated

__all__ = ["RowMap", "row_product"]

C = TypeVar("C")
Each = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


@dataclass(frozen=True)
class RowMap:
    """The nonzero entries of a map. An entry has a row in the result (``to``), a row in the source (``source``) and a
    value."""

    rows: int
    """Number of rows of the result."""
    to: NDArray[np.int64]
    source: NDArray[np.int64]
    value: NDArray[Any]

    @classmethod
    def of_matrix(cls, matrix: NDArray[Any], copies: int = 1) -> RowMap:
        """Returns the map that multiplies ``matrix`` by each of several tables. copies: the number of tables. The rows
        of the first table come first, then those of the second, and so on."""
        to, source = np.nonzero(matrix)
        if to.size == 0:
            to = source = np.zeros(1, np.int64)
        step = np.arange(copies)[:, None]
        return cls(
            copies * matrix.shape[0],
            (to + step * matrix.shape[0]).reshape(-1),
            (source + step * matrix.shape[1]).reshape(-1),
            np.tile(matrix[to, source], copies),
        )

    @classmethod
    def of_matrices(cls, matrices: NDArray[Any]) -> RowMap:
        """Returns the map that multiplies matrices[i] by table i. The rows of the tables are as in ``of_matrix``."""
        count, rows, cols = matrices.shape
        number, to, source = np.nonzero(matrices)
        if to.size == 0:
            number = to = source = np.zeros(1, np.int64)
        return cls(count * rows, number * rows + to, number * cols + source, matrices[number, to, source])


def row_product(
    on: Arithmetic[C], ciphertexts: Sequence[C], layout: Layout, entries: RowMap, each: Each
) -> tuple[list[C], Layout]:
    """Applies a map to a table. The rows of the result have the same stride as those of the table."""
    result = layout.with_table(entries.rows, layout.cols)
    plan = _Plan(layout, result, entries)
    columns = [plan.column(on, ciphertexts, c, each) for c in range(layout.col_groups)]
    return [column[r] for r in range(result.row_groups) for column in columns], result


class _Plan:
    """The plain vectors of a map. They multiply rotated ciphertexts.

    ``terms`` has the vectors: terms[ciphertext of the source, exchanged][ciphertext of the result, group][baby step].
    The distance of a vector is group * giant step + baby step, in units of ``unit`` rows. ``unit`` is the largest power
    of two that divides all distances.
    """

    def __init__(self, layout: Layout, result: Layout, entries: RowMap) -> None:
        self.layout, self.result = layout, result
        in_orbit = layout.slots.orbit // layout.stride
        to_ciphertext, to_row = np.divmod(entries.to, layout.rows_per_ciphertext)
        from_ciphertext, from_row = np.divmod(entries.source, layout.rows_per_ciphertext)
        exchanged = to_row // in_orbit != from_row // in_orbit
        far = (from_row - to_row + in_orbit // 2) % in_orbit - in_orbit // 2
        together = int(np.gcd.reduce(far, initial=in_orbit))
        self.unit = together & -together
        far = far // self.unit
        sources = len(distinct(from_ciphertext * 2 + exchanged))
        self.giant = _giant(int(far.min()), int(far.max()), sources, len(distinct(to_ciphertext)))
        group, baby = np.divmod(far, self.giant)
        self.low = int(group.min())
        self.high = int(group.max())
        self.terms: dict[tuple[int, bool], dict[tuple[int, int], dict[int, NDArray[Any]]]] = {}
        keys = np.stack([from_ciphertext, exchanged, to_ciphertext, group, baby])
        order = np.lexsort(keys[::-1])
        starts = np.flatnonzero(np.any(np.diff(keys[:, order], axis=1, prepend=-1 - in_orbit), axis=0))
        for members in np.split(order, starts[1:]):
            ciphertext, swapped, target, g, b = (int(key) for key in keys[:, members[0]])
            vector = np.zeros(layout.rows_per_ciphertext, entries.value.dtype)
            np.add.at(vector, to_row[members], entries.value[members])
            rotated = np.roll(vector.reshape(layout.slots.orbits, in_orbit), g * self.giant * self.unit, axis=1)
            targets = self.terms.setdefault((ciphertext, bool(swapped)), {})
            targets.setdefault((target, g), {})[b] = rotated.reshape(-1)

    def column(self, on: Arithmetic[C], ciphertexts: Sequence[C], c: int, each: Each) -> list[C]:
        """Computes the ciphertexts of the result for one group of columns."""
        layout = self.layout
        used = np.arange(layout.stride) < layout.cols - c * layout.stride
        sums: dict[tuple[int, int], C] = {}
        for (ciphertext, exchanged), targets in self.terms.items():
            a = ciphertexts[ciphertext * layout.col_groups + c]
            steps = self._baby_steps(
                on, on.swap_rows(a) if exchanged else a, max(max(babies) for babies in targets.values())
            )

            def inner_sum(babies: dict[int, NDArray[Any]], steps: Sequence[C] = steps) -> C:
                values = [(rows[:, None] * used).reshape(-1) for rows in babies.values()]
                return on.inner_product_plain([steps[baby] for baby in babies], values)

            for key, value in zip(targets, each(inner_sum, targets.values()), strict=True):
                sums[key] = on.add(sums[key], value) if key in sums else value
        return [self._joined(on, sums, r, ciphertexts[c]) for r in range(self.result.row_groups)]

    def _baby_steps(self, on: Arithmetic[C], a: C, last: int) -> list[C]:
        steps = [a]
        while len(steps) <= last:
            steps.append(rotated(on, steps[-1], self.unit * self.layout.stride, self.layout.slots))
        return steps

    def _joined(self, on: Arithmetic[C], sums: dict[tuple[int, int], C], ciphertext: int, any_ciphertext: C) -> C:
        """Adds the sums of the groups for one ciphertext of the result, by Horner's rule. Returns a ciphertext of zeros
        if there is no group."""
        step = self.giant * self.unit * self.layout.stride
        result = None
        for group in range(self.high, self.low - 1, -1):
            if result is not None:
                result = rotated(on, result, step, self.layout.slots)
            if (ciphertext, group) in sums:
                term = sums[ciphertext, group]
                result = term if result is None else on.add(result, term)
        if result is None:
            return on.multiply_plain(any_ciphertext, np.zeros(self.layout.slots.count, np.int64))
        return rotated(on, result, self.low * step, self.layout.slots)


def _giant(low: int, high: int, sources: int, targets: int) -> int:
    """Returns the giant step with which the fewest rotations are needed. It is a power of two.

    A baby step is a rotation of every ciphertext of the source. A giant step is a rotation of every ciphertext of the
    result. low, high: the range of distances. sources, targets: the numbers of ciphertexts.
    """

    def rotations(giant: int) -> int:
        return sources * (min(giant, high - low + 1) - 1) + targets * (high // giant - low // giant)

    return min((1 << k for k in range((high - low + 1).bit_length() + 1)), key=rotations)
