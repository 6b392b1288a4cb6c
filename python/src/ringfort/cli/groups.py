# SPDX-License-Identifier: Apache-2.0
"""The groups of commands. They are empty in this module: a module of commands adds its commands to a group."""

from __future__ import annotations

import typer

__all__ = ["app", "pim_app", "rpu_app", "search_app", "statistics_app"]

app = typer.Typer(
    name="ringfort",
    help="Compute on encrypted data, on the hardware you have.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},  # groups and commands inherit it
    pretty_exceptions_enable=False,
)
search_app = typer.Typer(
    name="search",
    help="Count the words of an encrypted mailbox without being able to read it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(search_app)
statistics_app = typer.Typer(
    name="statistics",
    help="Means, variances and regressions over many users' encrypted records.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(statistics_app)
rpu_app = typer.Typer(
    name="rpu",
    help="Assemble, simulate, generate and explore programs of the ring processor.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(rpu_app)
pim_app = typer.Typer(
    name="pim",
    help="Operations on simulated processing in memory.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(pim_app)
