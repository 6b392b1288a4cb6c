# SPDX-License-Identifier: Apache-2.0
"""LogisticRegression: the server's part of a training. It computes on encrypted rows, and needs no secret key.

The program uses only operations of encrypted arrays. Therefore it runs on every device. A step computes new weights
from the rows x, the labels y in {-1/2, 1/2} and the weights v [KimSong18]:

    w = v + momentum (v - v_before),  v_after = w + rate / samples * sum over rows of (y - odd(<x, w>)) x

``odd`` is the sigmoid's polynomial minus 1/2. The inner product <x, w> is the *margin* of a row. An array's
``depth_left`` counts *levels*: one product takes one level. Most factors in the clear multiply the rows, because rows
are fresh encryptions and have spare levels. Two factors multiply weights: ``share`` in the first step, and the momentum
in ``_ahead``.
"""

from __future__ import annotations

import math

from ..encrypted import EncryptedArray
from ..errors import DepthExhausted, InvalidArgument
from ..values import kind_of
from .plan import Plan
from .steps import Step

__all__ = ["LogisticRegression"]


class LogisticRegression:
    """A model for a plan. ``fit`` computes ``weights``, an encrypted row: the weight of the intercept, then the weights
    of the features."""

    def __init__(self, plan: Plan) -> None:
        if not isinstance(plan, Plan):
            raise InvalidArgument(f"plan is {kind_of(plan)}", "give rf.logreg.Plan(rf.logreg.Records.of(rows, y))")
        self.plan = plan
        self._weights: EncryptedArray | None = None

    @property
    def weights(self) -> EncryptedArray:
        """The encrypted weights, divided by ``plan.unit``. Their shape is (1, plan.width). Errors: InvalidArgument (the
        model is not fitted)."""
        if self._weights is None:
            raise InvalidArgument("the model has no weights", "call fit(x, y) first")
        return self._weights

    def fit(self, x: EncryptedArray, y: EncryptedArray) -> LogisticRegression:
        """Trains on the arrays of ``Plan.encrypt``. Errors, before any work: InvalidArgument, DepthExhausted."""
        self._require_rows("x", x, self.plan.training_levels)
        self._require_rows("y", y, self.plan.training_levels)
        if x.shape != y.shape or x.shape[0] < self.plan.samples:
            raise InvalidArgument(
                f"x has the shape {x.shape}, y {y.shape}, and the plan {self.plan.samples} samples",
                "give both arrays of plan.encrypt(...)",
            )
        plan, unit = self.plan, self.plan.unit
        share, zoom = plan.share(x.shape[0]), unit / plan.sigmoid.interval  # x * zoom * weights: margins / interval
        first = (y * x).sum(axis=0, keepdims=True)
        first = first.assume(plan.steps[0].norm / unit / share, every_slot=True)
        # In ``products``, ``share`` multiplies x and not the sum, which saves a level.
        products, weights = (x * (share * zoom)) * first, first * share
        before, scaled = weights, x * share
        for step, following in zip(plan.steps[1:], (*plan.steps[2:], None), strict=False):
            gap = y - self._odd_part(products.sum(axis=1, keepdims=True), step.margin, step.window)
            moved = weights if not step.momentum else _ahead(weights, before, step)
            before, weights = weights, moved + (gap * scaled).sum(axis=0, keepdims=True)
            weights = weights.assume(step.norm / unit, every_slot=True)
            if following is not None:
                products = (x * (zoom * (1 + following.momentum))) * weights
                products = products - (x * (zoom * following.momentum)) * before
        self._weights = weights
        return self

    def decision_function(self, x: EncryptedArray) -> EncryptedArray:
        """Returns encrypted scores, divided by ``plan.score_unit``. There is a score for each row of
        ``Plan.encrypt_rows``. A score above zero means label 1.

        Takes one level of the weights and two levels of the rows. Errors: DepthExhausted (too few levels are left: plan
        result="scores" or "probabilities"), InvalidArgument.
        """
        weights = self._weights_for(x, 1)
        self._require_rows("x", x, 2)
        return (x * (self.plan.unit / self.plan.score_unit) * weights).sum(axis=1)

    def predict_proba(self, x: EncryptedArray) -> EncryptedArray:
        """Returns the encrypted probability of label 1 for each row. The shape is (rows, 1). The probabilities have the
        error of the sigmoid's polynomial.

        Errors: DepthExhausted (too few levels are left: plan result="probabilities"), InvalidArgument.
        """
        plan = self.plan
        weights = self._weights_for(x, 1 + plan.sigmoid.levels)
        products = (x * (plan.unit / plan.sigmoid.interval)) * weights
        largest = plan.steps[-1].norm
        return self._odd_part(products.sum(axis=1, keepdims=True), largest, math.sqrt(2) * largest) + 0.5

    def _weights_for(self, x: EncryptedArray, levels: int) -> EncryptedArray:
        weights = self.weights
        self._require_rows("x", x, levels)
        if weights.depth_left < levels:
            raise DepthExhausted(
                f"this needs {levels} levels, but the weights have {weights.depth_left}",
                'plan it: Plan(..., result="scores") or result="probabilities"',
            )
        return weights

    def _odd_part(self, sums: EncryptedArray, margin: float, window: float) -> EncryptedArray:
        sigmoid = self.plan.sigmoid
        known = sums.assume(max(margin, window) / sigmoid.interval, every_slot=True)
        return sigmoid.odd_part(known).assume(sigmoid.largest(margin), every_slot=True)

    def _require_rows(self, name: str, x: EncryptedArray, levels: int) -> None:
        if not isinstance(x, EncryptedArray):
            raise InvalidArgument(f"{name} is {kind_of(x)}", "give an array of plan.encrypt(...)")
        if x.ndim != 2 or x.shape[1] != self.plan.width:
            raise InvalidArgument(
                f"{name} has the shape {x.shape}, but rows of this plan take {self.plan.width} slots",
                "give an array of plan.encrypt(...)",
            )
        if x.depth_left < levels:
            raise DepthExhausted(
                f"{name} has {x.depth_left} levels left, but this needs {levels}",
                "make the context with plan.context(), or plan fewer iterations",
            )


def _ahead(weights: EncryptedArray, before: EncryptedArray, step: Step) -> EncryptedArray:
    return weights * (1 + step.momentum) - before * step.momentum
