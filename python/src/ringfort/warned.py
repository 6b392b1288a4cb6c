# SPDX-License-Identifier: Apache-2.0
"""Shows warnings without the caller's source line, because it may contain a passphrase."""

from __future__ import annotations

import warnings
from typing import Any

__all__ = ["warn"]

_shown: dict[Any, Any] = {}  # remembers warnings that Python's filters show only once


def warn(message: str, category: type[Warning]) -> None:
    """Warns in the name of the package. The warning has no position in the program. Therefore the message must state
    the cause."""
    warnings.warn_explicit(message, category, "ringfort", 0, module="ringfort", registry=_shown)
