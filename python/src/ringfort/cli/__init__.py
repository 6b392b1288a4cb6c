# SPDX-License-Identifier: Apache-2.0
"""The command line: ``ringfort search ...``, ``ringfort bench ...``, ``ringfort devices``."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Runs the command; the subcommands are imported only now, so that ``import ringfort`` stays light."""
    from .app import app

    app()
