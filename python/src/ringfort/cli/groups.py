# SPDX-License-Identifier: Apache-2.0
"""The groups of commands. Other modules add their commands to these groups."""

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
    help="Count a word in an encrypted mailbox, on a server that cannot read the mailbox.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(search_app)
statistics_app = typer.Typer(
    name="statistics",
    help="Compute means, variances and regressions of many users' encrypted records.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(statistics_app)
rpu_app = typer.Typer(
    name="rpu",
    help="Assemble, simulate, generate and explore programs of the ring processor (RPU), a simulated accelerator.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(rpu_app)
pim_app = typer.Typer(
    name="pim",
    help="Measure operations on simulated processing in memory (PIM). See also: ringfort bench pim.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(pim_app)
