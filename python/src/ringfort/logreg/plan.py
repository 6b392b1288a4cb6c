# SPDX-License-Identifier: Apache-2.0
"""Plan: the sizes of a training of logistic regression, and the values that follow from these sizes. These are the
gradient steps, the bounds on margins, the depth, the keys and the packing of rows in ciphertexts.

A *margin* is the inner product of a row and the weights. A record takes a row of 2^k slots, the places for numbers in a
ciphertext. The rows fill whole ciphertexts. Therefore the result of a sum over rows is in every row. No such sum needs
a mask, which is a product that clears slots. If there are fewer records than rows, the plan repeats all records as
often as they fit. The reason is that the bound on a sum counts all rows: empty rows would make the bound larger than
necessary.

An array's ``depth_left`` counts *levels*: one product takes one level. The first gradient step takes 1 level. Every
other step takes 2 levels and the levels of the sigmoid's polynomial. A training of one step takes 2 levels, because its
result is the sum of the first step times ``share``.
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
_MOST_EMPTY = 2  # the number of rows is less than this number times the rows with records


@dataclass(frozen=True)
class Plan:
    """The plan of a training. records: facts about the training rows. iterations: the number of gradient steps.

    result: what the server computes. "weights" means the weights. "scores" means the weights and the scores of
    encrypted rows, and takes one more level. "probabilities" means the weights and the probabilities of encrypted rows.

    rate: the factor of every gradient step. None selects the smaller of two rates. The first is the largest rate with
    which all margins of the training are certain to stay in the sigmoid's interval. With result="probabilities", the
    margins of any row with the trained weights stay there, too. The second is the largest rate with which a step from
    small margins ends no farther from the minimum of the loss than it began. The second rate is the smaller one if the
    records tell little about the labels. For more than two steps, the rate is small, and further steps gain little.
    Errors: InvalidArgument.
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
        """The rate: the factor of every gradient step."""
        if self.rate is not None:
            return float(self.rate)
        return min(self._largest_rate, stable_rate(self.records, self.sigmoid))

    @CachedProperty
    def _largest_rate(self) -> float:
        is_last_inside = self.result == "probabilities"
        return largest_rate(self.records, self.sigmoid, self.iterations, is_last_inside)

    @CachedProperty
    def steps(self) -> tuple[Step, ...]:
        """The momentum of each step, and bounds on margins and weights: see ``Step``."""
        return bounds_of(self.records, self.sigmoid, self.iterations, self.step_rate)

    @property
    def training_levels(self) -> int:
        """Levels that the gradient steps take."""
        return max(2, 1 + (self.iterations - 1) * (2 + self.sigmoid.levels))

    @property
    def depth(self) -> int:
        """Levels of the training and of the result. For probabilities, they include a level that remains at the end,
        because the last product of the polynomial needs an operand with a level left."""
        return self.training_levels + {"weights": 0, "scores": 1, "probabilities": 2 + self.sigmoid.levels}[self.result]

    @property
    def width(self) -> int:
        """Slots of a row: the number of features and the intercept, rounded up to a power of two."""
        return 1 << self.features.bit_length()

    @CachedProperty
    def unit(self) -> float:
        """Encrypted weights are divided by this number. Then no sum that the training computes has an absolute value
        above 1."""
        gaps = [0.5 + self.sigmoid.largest(step.margin) for step in self.steps]
        ahead = max(1 + 2 * step.momentum for step in self.steps)
        return _MOST_EMPTY * self.step_rate * LARGEST_ENTRY * max(gaps) + ahead * self.steps[-1].norm

    @property
    def score_unit(self) -> float:
        """Encrypted scores are divided by this number. A score is a sum of products. The library adds the bounds of all
        products, and counts every entry of a row as 1. A sum whose bound is far above 1 does not fit the small modulus
        of the lowest level."""
        return max(self.unit, self.width * self.steps[-1].norm)

    def context(self, **options: Any) -> Context:
        """Returns a context for this depth. Its ring degree (number of coefficients of a polynomial) is the smallest
        degree that is secure and that gives a ciphertext enough slots for a row. options: as in ``Context``.

        Errors: Unsupported (no ring has this depth: plan fewer iterations), and those of ``Context``.
        """
        given = {"depth": self.depth, "precision": _PRECISION, "magnitude": 1.0, **options}
        context = Context(**given)
        if context.slots < self.width:
            context = Context(**{**given, "slots": self.width})
        return context

    def share(self, rows: int) -> float:
        """Returns the factor by which a step multiplies the gradient's sum over rows. It includes the division by
        ``unit``. rows: the number of rows in the sum, including repeated records and rows of zeros."""
        return self.step_rate / (self._repeats(rows) * self.samples) / self.unit

    def iterations_in(self, context: Context) -> int:
        """Returns the largest number of iterations for which the depth of the context suffices, with this plan's
        result."""
        after = self.depth - self.training_levels
        spare = context.explain().facts.depth - after - 1
        return 0 if spare < 0 else 1 + spare // (2 + self.sigmoid.levels)

    def rotations(self, context: Context) -> list[int]:
        """Returns the rotations that training and results use."""
        inside = [1 << i for i in range(self.width.bit_length() - 1)]
        across = [1 << i for i in range(self.width.bit_length() - 1, context.slots.bit_length() - 1)]
        return inside + across + [-step for step in inside]

    def keygen(self, context: Context, **options: Any) -> Keys:
        """Returns a key set with keys for the steps that ``rotations`` returns, and for no other rotations. options: as
        in ``Context.keygen``. Errors: InvalidArgument (the context does not fit the plan)."""
        self._require_fit(context)
        return context.keygen(self.rotations(context), **options)

    def encrypt(
        self, context: Context, rows: ArrayLike, y: ArrayLike, keys: Keys | PublicKeys
    ) -> tuple[EncryptedArray, EncryptedArray]:
        """Encrypts the training records. rows: the result of ``Scaling.rows``. y: their labels, 0 or 1. Errors:
        InvalidArgument."""
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
        # Writes the label of a row to all its columns. Then y * x moves no elements.
        half[: repeats * labels.size] = np.tile(labels - 0.5, repeats)[:, None]
        return x, context.encrypt(half, keys, magnitude=0.5)

    def encrypt_rows(self, context: Context, rows: ArrayLike, keys: Keys | PublicKeys) -> EncryptedArray:
        """Encrypts rows, the result of ``Scaling.rows``. Adds rows of zeros to fill whole ciphertexts. Errors:
        InvalidArgument."""
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
        """Returns the weights of a fitted model: first the intercept's weight, then the weight of each feature. They
        apply to rows of ``Scaling.rows``.

        weights: encrypted weights of a model of this plan. The weights of another plan of the same width give wrong
        numbers, and no error. Errors: as ``EncryptedArray.decrypt``; InvalidArgument for an array of another shape.
        """
        if weights.shape != (1, self.width):
            raise InvalidArgument(f"the weights have the shape {weights.shape}", "give model.weights of this plan")
        found: NDArray[np.float64] = weights.decrypt(keys)[0, : 1 + self.features] * self.unit
        return found

    def _filled_rows(self, context: Context, rows: int) -> int:
        """Rounds the number of rows up to whole ciphertexts."""
        per_ciphertext = context.slots // self.width
        return -(-rows // per_ciphertext) * per_ciphertext

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
