# SPDX-License-Identifier: Apache-2.0
"""Progress messages of key generation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..._core import keys as core
from ...errors import InvalidArgument
from ...units import quantity, size
from ...values import kind_of

__all__ = ["announced"]


@contextmanager
def announced(
    plan: core.KeyPlan, progress: bool | Callable[[int, int], object]
) -> Iterator[Callable[[int, int], object] | None]:
    """Yields the function that key generation calls after every key. Yields None if progress is False. Yields
    ``progress`` if it is a function. If progress is True, prints a line with sizes, and yields a function that draws a
    progress bar below this line.

    Errors: InvalidArgument.
    """
    if progress is False or callable(progress):
        yield progress or None
        return
    if progress is not True:
        raise InvalidArgument(f"progress is {kind_of(progress)}", "give True, or a function of (done, total)")
    from ... import progress as bars  # imported only here, because the import of rich takes long

    console, count = bars.standard_error(), len(plan.steps) + plan.conjugation
    console.print(
        f"{quantity(count, 'rotation key')} of {size(plan.bytes_per_key)} and a relinearization key: "
        f"{size(plan.galois_bytes + plan.relinearization_bytes)} of memory"
    )
    with bars.shown(console, "making keys", count, "rotation key") as told:
        yield told
