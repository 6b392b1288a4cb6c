# SPDX-License-Identifier: Apache-2.0
"""The group of commands ``ringfort search``; its commands are in search.py, search_index.py and search_server.py."""

from __future__ import annotations

import typer

__all__ = ["app"]

app = typer.Typer(
    name="search",
    help="Count the words of an encrypted mailbox without being able to read it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
