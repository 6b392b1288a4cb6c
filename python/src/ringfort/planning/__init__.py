# SPDX-License-Identifier: Apache-2.0
"""Parameters and keys from a program: ``plan`` runs it dry, and finds the smallest parameters and keys that it needs.

plan = rf.plan(score, rf.like((100, 30), magnitude=5))
ctx = plan.context()
keys = ctx.keygen(plan)
"""

from __future__ import annotations

from .like import Like, like
from .plan import Plan, plan
from .program import Program, compile

__all__ = ["Like", "Plan", "Program", "compile", "like", "plan"]
