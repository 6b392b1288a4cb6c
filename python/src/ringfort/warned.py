# SPDX-License-Identifier: Apache-2.0
"""Warnings that do not show the caller's source line, which may contain a passphrase."""

from __future__ import annotations

import warnings
from typing import Any

__all__ = ["warn"]

_shown: dict[Any, Any] = {}  # the warnings that Python's filters show once


def warn(message: str, category: type[Warning]) -> None:
    """Warns in the name of the package, without a position in the program. So the message must state the cause."""
    warnings.warn_explicit(message, category, "ringfort", 0, module="ringfort", registry=_shown)
