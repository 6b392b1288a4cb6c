# SPDX-License-Identifier: Apache-2.0
"""Program: a function with its plan (plan.py). Checks that its arguments fit the plan before it computes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..encrypted import Context, Dtype, EncryptedArray, Keys, Options, PublicKeys
from ..errors import InvalidArgument
from ..units import quantity
from ..values import DRY_RUN, kind_of
from .like import Like
from .plan import Plan, plan

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Program", "compile"]

_ROUNDING = 1 + 2.0**-40


def _shape_fix(planned: tuple[int, ...], given: tuple[int, ...]) -> str:
    return (
        f"the plan is for {planned}: give an array of this shape, or make a plan for like({given}) or inputs=[values]"
    )


class Program:
    """A function and its plan: ``program(x)`` computes on encrypted arrays. Errors: InvalidArgument.

    The plan promises a precision of results. The promise holds for arguments that ``encrypt`` made. Arguments that
    other operations computed may have more noise (a larger error). The ``precision_bits`` of a result is correct for
    all arguments.
    """

    def __init__(self, function: Callable[..., Any], plan: Plan) -> None:
        if not callable(function) or not isinstance(plan, Plan):
            raise InvalidArgument("a program needs a function and its plan", "make it with rf.compile(function, ...)")
        self.function = function
        self.plan = plan
        self._planned = plan.context(device=DRY_RUN)

    def context(self, *, device: str | None = None, threads: int | None = None) -> Context:
        """Returns the context of the plan."""
        return self.plan.context(device=device, threads=threads)

    def encrypt(self, ctx: Context, keys: Keys | PublicKeys, *values: ArrayLike) -> tuple[EncryptedArray, ...]:
        """Encrypts the positional arguments. For real and complex numbers, declares the magnitudes of the plan. Errors:
        InvalidArgument, and those of ``Context.encrypt``."""
        likes = self.plan.inputs.positional
        if len(values) != len(likes):
            raise InvalidArgument(
                f"the program has {quantity(len(likes), 'positional argument')}", "give one array for each"
            )
        for position, (value, each) in enumerate(zip(values, likes, strict=True)):
            if np.shape(value) != each.shape:
                raise InvalidArgument(
                    f"argument {position} has the shape {np.shape(value)}", _shape_fix(each.shape, np.shape(value))
                )
        if self.plan.dtype == "int":
            return tuple(ctx.encrypt(value, keys) for value in values)
        pairs = zip(values, likes, strict=True)
        return tuple(ctx.encrypt(value, keys, magnitude=each.magnitude) for value, each in pairs)

    def __call__(self, *arrays: EncryptedArray, **named: EncryptedArray) -> Any:
        """Returns the result of the function. Errors: InvalidArgument before any work (an array does not fit the plan);
        those of the function."""
        inputs = self.plan.inputs
        if len(arrays) != len(inputs.positional) or set(named) != set(inputs.named):
            names = ", ".join([quantity(len(inputs.positional), "array"), *sorted(inputs.named)])
            raise InvalidArgument("the arguments are not those of the plan", f"give {names}")
        for position, (array, each) in enumerate(zip(arrays, inputs.positional, strict=True)):
            self._require(f"argument {position}", array, each)
        for name, array in named.items():
            self._require(name, array, inputs.named[name])
        return self.function(*arrays, **named)

    def _require(self, name: str, array: EncryptedArray, planned: Like) -> None:
        if not isinstance(array, EncryptedArray):
            raise InvalidArgument(f"{name} is {kind_of(array)}", "encrypt it: program.encrypt(ctx, keys, values)")
        if array._session.keys.context != self._planned:
            raise InvalidArgument(f"{name} is of another context", "encrypt it in program.context()")
        if array.shape != planned.shape:
            raise InvalidArgument(f"{name} has the shape {array.shape}", _shape_fix(planned.shape, array.shape))
        if self.plan.dtype != "int" and array.magnitude > planned.magnitude * _ROUNDING:
            raise InvalidArgument(
                f"{name} has the magnitude {array.magnitude:g}, but the plan has {planned.magnitude:g}",
                f"declare it: ctx.encrypt(values, keys, magnitude={planned.magnitude:g})",
            )
        if array.depth_left < self.plan.depth:
            raise InvalidArgument(
                f"{name} has {array.depth_left} levels left, but the plan needs {self.plan.depth}",
                "encrypt it in program.context()",
            )

    def __repr__(self) -> str:
        return f"Program({self.plan!r})"


def compile(
    function: Callable[..., Any],
    *likes: Like,
    inputs: Iterable[Any] | None = None,
    dtype: Dtype = "real",
    **options: Unpack[Options],
) -> Program:
    """Makes the plan of a function, ``plan(function, ...)``. Returns the function with this plan. Errors: those of
    ``plan``.

    To store a program, save the text ``program.plan.to_json()``. ``Program(function, Plan.from_json(text))`` restores
    the program.
    """
    return Program(function, plan(function, *likes, inputs=inputs, dtype=dtype, **options))
