# SPDX-License-Identifier: Apache-2.0
"""Polynomials that approximate functions on an interval, with a proven error. ``ringfort.sigmoid`` and similar
functions use these polynomials.

This folder encrypts nothing: ``encrypted/verbs/approximate.py`` evaluates the polynomials on arrays.
"""

from __future__ import annotations

from .chebyshev import Approximation
from .roots import approximation
from .sign import Steps, steps
from .table import FUNCTIONS, Function

__all__ = ["FUNCTIONS", "Approximation", "Function", "Steps", "approximation", "steps"]
