# SPDX-License-Identifier: Apache-2.0
"""Plan: the sizes of a training, and the values that follow from them: steps, bounds on margins, depth, keys, packing.

A record is a row of 2^k slots. The rows fill whole ciphertexts. Therefore a sum over rows is in every row, and no
operation needs a mask. If there are fewer records than rows, all records are repeated as often as they fit: the bound
on a sum counts all rows, and empty rows would make the bound larger than necessary. A step takes 2 levels plus those of
the polynomial; the first step takes 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..encrypted import Context, EncryptedArray, Keys, PublicKeys
from ..errors import InvalidArgument
from ..locks import CachedProperty
from ..values import kind_of, matrix_of, positive, shown, whole
from .scaling import LARGEST_ENTRY, Records, labels_of, require_rows
from .sigmoid import Sigmoid
from .steps import Step, bounds_of, largest_rate, stable_rate

__all__ = ["Plan"]

_RESULTS = ("weights", "scores", "probabilities")
_MOST_ITERATIONS = 64
_PRECISION = 40  # bits of precision after ``depth`` levels
_MOST_EMPTY = 2  # ciphertexts have fewer than this many rows for each row that holds a record


@dataclass(frozen=True)
class Plan:
    """Plan of a training. records: facts about the training rows. iterations: gradient steps.

    result: what the server computes: only "weights", or also "scores" (one more level) or "probabilities" of encrypted
    rows. rate: None selects the largest rate with which all margins of the training are certain to stay in the
    sigmoid's interval; with result="probabilities" also the margins of any row with the weights. If the records tell
    little about the labels, it selects a smaller rate, with which no step overshoots. For more than two steps the rate
    is small, and further steps gain little. Errors: InvalidArgument.
    """

    records: Records
    iterations: int = 2
    result: str = "weights"
    sigmoid: Sigmoid = Sigmoid()  # noqa: RUF009  (frozen)
    rate: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.records, Records):
            raise InvalidArgument(f"records is {kind_of(self.records)}", "give rf.logreg.Records.of(rows, y)")
        if not 1 <= whole("iterations", self.iterations, 2**32) <= _MOST_ITERATIONS:
            raise InvalidArgument(f"iterations is {shown(self.iterations)}", f"give 1 .. {_MOST_ITERATIONS}")
        if self.result not in _RESULTS:
            raise InvalidArgument(f"result is {shown(self.result)}", "give one of: " + ", ".join(_RESULTS))
        if not isinstance(self.sigmoid, Sigmoid):
            raise InvalidArgument(f"sigmoid is {kind_of(self.sigmoid)}", "give rf.logreg.Sigmoid(degree, interval)")
        if self.rate is not None and positive("rate", self.rate, 20) > self._largest_rate:
            raise InvalidArgument(
                f"with a rate of {self.rate:g}, margins might leave the interval of the polynomial",
                f"give a rate of at most {self._largest_rate:.4g} for {self.iterations} iterations, or a larger "
                "interval",
            )

    @property
    def samples(self) -> int:
        """Number of training rows."""
        return self.records.samples

    @property
    def features(self) -> int:
        """Number of columns, without the intercept."""
        return self.records.features

    @property
    def step_rate(self) -> float:
        """The factor of every gradient step."""
        if self.rate is not None:
            return float(self.rate)
        return min(self._largest_rate, stable_rate(self.records, self.sigmoid))

    @CachedProperty
    def _largest_rate(self) -> float:
        is_last_inside = self.result == "probabilities"
        return largest_rate(self.records, self.sigmoid, self.iterations, is_last_inside)

    @CachedProperty
    def steps(self) -> tuple[Step, ...]:
        """Bounds on weights and margins after each step."""
        return bounds_of(self.records, self.sigmoid, self.iterations, self.step_rate)

    @property
    def training_levels(self) -> int:
        """Levels of the gradient steps alone."""
        return max(2, 1 + (self.iterations - 1) * (2 + self.sigmoid.levels))

    @property
    def depth(self) -> int:
        """Levels of training and of the result. The last product of a polynomial needs an operand with a level left."""
        return self.training_levels + {"weights": 0, "scores": 1, "probabilities": 2 + self.sigmoid.levels}[self.result]

    @property
    def width(self) -> int:
        """Slots of a row: the intercept and the features, rounded up to a power of two."""
        return 1 << self.features.bit_length()

    @CachedProperty
    def unit(self) -> float:
        """Encrypted weights are divided by this number, so that no sum of such values is above 1."""
        gaps = [0.5 + self.sigmoid.largest(step.margin) for step in self.steps]
        ahead = max(1 + 2 * step.momentum for step in self.steps)
        return _MOST_EMPTY * self.step_rate * LARGEST_ENTRY * max(gaps) + ahead * self.steps[-1].norm

    @property
    def score_unit(self) -> float:
        """Encrypted scores are divided by this number. The library's bound on a sum adds the bounds of all terms, and
        a sum whose bound is far above 1 has no room at the lowest level. A row's entries count as 1."""
        return max(self.unit, self.width * self.steps[-1].norm)

    def context(self, **options: Any) -> Context:
        """Returns the context of the smallest secure ring for this depth, with all its slots. options: those of
        ``Context``.

        Errors: Unsupported (no ring has this depth; give fewer iterations), as ``Context``.
        """
        given = {"depth": self.depth, "precision": _PRECISION, "magnitude": 1.0, **options}
        context = Context(**given)
        if context.slots < self.width:
            context = Context(**{**given, "slots": self.width})
        return context

    def share(self, rows: int) -> float:
        """Returns a step's factor of the gradient, divided by ``unit``. rows: those that the gradient sums."""
        return self.step_rate / (self._repeats(rows) * self.samples) / self.unit

    def iterations_in(self, context: Context) -> int:
        """Returns the number of iterations for which the depth of a context suffices."""
        after = self.depth - self.training_levels
        spare = context.explain().facts.depth - after - 1
        return 0 if spare < 0 else 1 + spare // (2 + self.sigmoid.levels)

    def rotations(self, context: Context) -> list[int]:
        """Returns the rotations that training and results use."""
        inside = [1 << i for i in range(self.width.bit_length() - 1)]
        across = [1 << i for i in range(self.width.bit_length() - 1, context.slots.bit_length() - 1)]
        return inside + across + [-step for step in inside]

    def keygen(self, context: Context, **options: Any) -> Keys:
        """Returns a key set with these rotations only. options: those of ``Context.keygen``."""
        self._require_fit(context)
        return context.keygen(self.rotations(context), **options)

    def encrypt(
        self, context: Context, rows: ArrayLike, y: ArrayLike, keys: Keys | PublicKeys
    ) -> tuple[EncryptedArray, EncryptedArray]:
        """Encrypts the training records: rows of ``Scaling.rows``, and labels of 0 and 1. Errors: InvalidArgument."""
        given = matrix_of("rows", rows)
        labels = labels_of(y)
        if given.shape[0] != self.samples or labels.size != self.samples:
            raise InvalidArgument(
                f"there are {given.shape[0]} rows and {labels.size} labels",
                f"give as many as the plan has samples: {self.samples}",
            )
        self.records.require_of(given, labels)
        repeats = self._repeats(self._filled_rows(context, self.samples))
        x = self.encrypt_rows(context, np.tile(given, (repeats, 1)), keys)
        half = np.zeros(x.shape)
        # A copy in every column, so that y * x moves no elements.
        half[: repeats * labels.size] = np.tile(labels - 0.5, repeats)[:, None]
        return x, context.encrypt(half, keys, magnitude=0.5)

    def encrypt_rows(self, context: Context, rows: ArrayLike, keys: Keys | PublicKeys) -> EncryptedArray:
        """Encrypts rows of ``Scaling.rows``, filled up with zeros to whole ciphertexts. Errors: InvalidArgument."""
        given = matrix_of("rows", rows)
        self._require_fit(context)
        if given.shape[1] != 1 + self.features:
            raise InvalidArgument(
                f"rows have {given.shape[1]} entries, but the plan has {self.features} features",
                "give Scaling.of(x).rows(x): a constant entry, then the features",
            )
        require_rows(given)
        padded = np.zeros((self._filled_rows(context, len(given)), self.width))
        padded[: len(given), : given.shape[1]] = given
        return context.encrypt(padded, keys, magnitude=LARGEST_ENTRY)

    def decrypt_weights(self, weights: EncryptedArray, keys: Keys) -> NDArray[np.float64]:
        """Returns the weights of a fitted model: the intercept's, then one per feature, for rows of ``Scaling.rows``.

        weights: those of a model of this plan. Another plan of the same width has other units, which nothing detects.
        Errors: as ``EncryptedArray.decrypt``; InvalidArgument for an array of another shape.
        """
        if weights.shape != (1, self.width):
            raise InvalidArgument(f"the weights have the shape {weights.shape}", "give model.weights of this plan")
        found: NDArray[np.float64] = weights.decrypt(keys)[0, : 1 + self.features] * self.unit
        return found

    def _filled_rows(self, context: Context, rows: int) -> int:
        """Returns the number of rows rounded up to whole ciphertexts."""
        per_block = context.slots // self.width
        return -(-rows // per_block) * per_block

    def _repeats(self, rows: int) -> int:
        return max(1, rows // self.samples)

    def _require_fit(self, context: Context) -> None:
        if not isinstance(context, Context) or context.dtype.kind != "f":
            raise InvalidArgument("this is not a context of real numbers", "make it with plan.context()")
        if context.slots < self.width:
            raise InvalidArgument(
                f"a row takes {self.width} slots, but the context has {context.slots}", "use plan.context()"
            )
        if (fitting := self.iterations_in(context)) < self.iterations:
            raise InvalidArgument(
                f"{self.iterations} iterations with {self.result} need depth {self.depth}, the context has "
                f"{context.explain().facts.depth}",
                f"use plan.context(), or plan {fitting} iterations" if fitting else "use plan.context()",
            )
