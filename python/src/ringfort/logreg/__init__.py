# SPDX-License-Identifier: Apache-2.0
"""Logistic regression on encrypted data. Trains by accelerated gradient steps, and computes scores and probabilities.

scaling = rf.logreg.Scaling.of(x)                                     # the owner of the records, in the clear
rows = scaling.rows(x)
plan = rf.logreg.Plan(rf.logreg.Records.of(rows, y))
ctx = plan.context()
keys = plan.keygen(ctx)
ex, ey = plan.encrypt(ctx, rows, y, keys.public)
model = rf.logreg.LogisticRegression(plan).fit(ex, ey)                # a server, without a secret key
weights = plan.decrypt_weights(model.weights, keys)                   # the owner again
labels = scaling.rows(x) @ weights > 0
"""

from __future__ import annotations

from .model import LogisticRegression
from .plan import Plan
from .scaling import Records, Scaling
from .sigmoid import Sigmoid
from .steps import Step

__all__ = ["LogisticRegression", "Plan", "Records", "Scaling", "Sigmoid", "Step"]
