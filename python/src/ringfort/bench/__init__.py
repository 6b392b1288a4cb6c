# SPDX-License-Identifier: Apache-2.0
"""Benchmarks. Each benchmark returns rows of numbers and a description of the machine. `ringfort bench` runs them."""

from __future__ import annotations

from .machine import describe
from .rows import Row, Versus, document, row_of

__all__ = ["Row", "Versus", "describe", "document", "row_of"]
