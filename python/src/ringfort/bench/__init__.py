# SPDX-License-Identifier: Apache-2.0
"""Benchmarks. Each returns rows of numbers and a description of the machine; the command is ``ringfort bench``."""

from __future__ import annotations

from .machine import describe
from .rows import Row, Versus, document, row_of

__all__ = ["Row", "Versus", "describe", "document", "row_of"]
