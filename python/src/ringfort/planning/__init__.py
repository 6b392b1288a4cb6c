# SPDX-License-Identifier: Apache-2.0
"""Finds parameters and keys for a program. ``plan`` runs the program without encryption, and finds the smallest
parameters and keys that the program needs.

plan = rf.plan(score, rf.like((100, 30), magnitude=5))
ctx = plan.context()
keys = ctx.keygen(plan)
"""

from __future__ import annotations

from .like import Like, like
from .plan import Plan, plan
from .program import Program, compile

__all__ = ["Like", "Plan", "Program", "compile", "like", "plan"]
