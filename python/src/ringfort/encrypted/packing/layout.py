# SPDX-License-Identifier: Apache-2.0
"""Positions of an array's elements in the slots of its ciphertexts. A slot is a place for one number.

The array's elements, in C order (row by row), fill a table of ``rows`` x ``cols``. In a ciphertext, each row has
``stride`` slots, a power of two. Therefore a ciphertext has ``slots // stride`` rows. If ``cols`` is above the stride,
each group of ``stride`` columns has its own ciphertexts.

The slots of a ciphertext are one *orbit* in CKKS. In BFV and BGV they are two orbits, the two rows of slots. A rotation
moves the slots of each orbit cyclically. A row of the table never crosses the end of an orbit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Layout", "Scattered", "Several", "Slots"]


@dataclass(frozen=True)
class Slots:
    """The slots of one ciphertext."""

    orbit: int
    """Number of slots of an orbit; a power of two."""
    orbits: int = 1
    """Number of orbits, 1 or 2. A swap exchanges the two orbits."""

    @property
    def count(self) -> int:
        return self.orbit * self.orbits


@dataclass(frozen=True)
class Layout:
    """A table of rows x cols in the slots of ciphertexts. The first ``size`` places are elements. The other places are
    unused."""

    slots: Slots
    size: int
    rows: int
    cols: int
    stride: int

    @classmethod
    def of_shape(cls, shape: tuple[int, ...], slots: Slots) -> Layout:
        """Returns the layout of a newly encrypted array. If the last axis fits an orbit, it is a row of the table. If
        not, a row is a whole orbit."""
        size = math.prod(shape)
        cols = shape[-1] if shape else 1
        if cols > slots.orbit:
            return cls(slots, size, -(-size // slots.orbit), slots.orbit, slots.orbit)
        return cls(slots, size, max(1, size // max(1, cols)), cols, _power_of_two(cols))

    @property
    def rows_per_ciphertext(self) -> int:
        return self.slots.count // self.stride

    @property
    def row_groups(self) -> int:
        return -(-self.rows // self.rows_per_ciphertext)

    @property
    def col_groups(self) -> int:
        return -(-self.cols // self.stride)

    @property
    def ciphertexts(self) -> int:
        """Number of ciphertexts. The ciphertext of row group r and column group c has the number r * col_groups + c."""
        return self.row_groups * self.col_groups

    @property
    def reach(self) -> int:
        """Number of slots, from slot 0 on, that contain all elements of a ciphertext; rounded up to a power of two."""
        rows = min(self.rows, self.rows_per_ciphertext)
        return _power_of_two(min(self.cols, self.stride) if rows == 1 else rows * self.stride)

    @property
    def is_full(self) -> bool:
        """True if no slot of any ciphertext is unused."""
        return self.size == self.ciphertexts * self.slots.count

    @property
    def is_canonical(self) -> bool:
        """True if every place of the table has an element.

        The exception is a table whose rows are whole orbits: the end of its last row may be unused.
        """
        of_orbits = self.cols == self.stride == self.slots.orbit < self.size and self.rows == -(-self.size // self.cols)
        return self.rows * self.cols == self.size or of_orbits

    def with_table(self, rows: int, cols: int) -> Layout:
        """Returns the layout of another table with the same stride."""
        return replace(self, size=rows * cols, rows=rows, cols=cols)

    def widened(self, stride: int) -> Layout:
        """Returns the layout of the same table with rows of at least ``stride`` slots, a power of two."""
        return replace(self, stride=max(self.stride, stride))

    def pack(self, values: NDArray[Any]) -> NDArray[Any]:
        """Converts elements in C order to an array of ciphertexts x slots. Unused slots are zero."""
        table = np.zeros((self.row_groups * self.rows_per_ciphertext, self.col_groups * self.stride), values.dtype)
        whole = np.zeros(self.rows * self.cols, values.dtype)
        whole[: self.size] = values.reshape(-1)
        table[: self.rows, : self.cols] = whole.reshape(self.rows, self.cols)
        cut = table.reshape(self.row_groups, self.rows_per_ciphertext, self.col_groups, self.stride)
        return np.ascontiguousarray(cut.transpose(0, 2, 1, 3)).reshape(self.ciphertexts, self.slots.count)

    def unpack(self, ciphertexts: NDArray[Any]) -> NDArray[Any]:
        """Inverts pack: returns the elements in C order."""
        cut = ciphertexts.reshape(self.row_groups, self.col_groups, self.rows_per_ciphertext, self.stride).transpose(
            0, 2, 1, 3
        )
        table = cut.reshape(self.row_groups * self.rows_per_ciphertext, self.col_groups * self.stride)
        return table[: self.rows, : self.cols].reshape(-1)[: self.size]

    def positions(self, numbers: NDArray[np.int64] | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns the ciphertext and the slot of each element with these numbers. None means all elements, in C
        order."""
        row, col = np.divmod(np.arange(self.size) if numbers is None else numbers, max(1, self.cols))
        ciphertext = row // self.rows_per_ciphertext * self.col_groups + col // self.stride
        return ciphertext, row % self.rows_per_ciphertext * self.stride + col % self.stride


@dataclass(frozen=True)
class Several:
    """The layouts of several arrays, as if their elements and their ciphertexts were concatenated."""

    layouts: tuple[Layout, ...]

    @property
    def slots(self) -> Slots:
        return self.layouts[0].slots

    @property
    def ciphertexts(self) -> int:
        return sum(layout.ciphertexts for layout in self.layouts)

    def positions(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        before = np.cumsum([0, *(layout.ciphertexts for layout in self.layouts)])
        positions = [layout.positions() for layout in self.layouts]
        ciphertexts = [ciphertext + first for (ciphertext, _), first in zip(positions, before, strict=False)]
        return np.concatenate(ciphertexts), np.concatenate([slot for _, slot in positions])


@dataclass(frozen=True)
class Scattered:
    """Elements in any slots. Element i is in slot ``slot[i]`` of ciphertext ``ciphertext[i]``."""

    slots: Slots
    ciphertext: NDArray[np.int64]
    slot: NDArray[np.int64]

    @property
    def ciphertexts(self) -> int:
        return int(self.ciphertext.max()) + 1

    def positions(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return self.ciphertext, self.slot


def _power_of_two(at_least: int) -> int:
    return 1 << max(0, at_least - 1).bit_length()
