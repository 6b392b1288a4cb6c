# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on encrypted arrays: the table of their verbs, and the checks that all verbs share.

Operands are checked before any work; packed.py, moves.py and row_maps.py do the work.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from ...errors import DepthExhausted, InvalidArgument, NoiseBoundExceeded, Unsupported
from ...values import kind_of
from ..array import advice
from ..array.array import EncryptedArray
from ..array.refusals import in_terms_of
from . import promises, shadow
from .combine import combining
from .composed import (
    average_of,
    cumsum_of,
    diff_of,
    inner_of,
    outer_of,
    polyval_of,
    trace_of,
    var_of,
    vdot_of,
    where_of,
)
from .dry_run import check_dry_run
from .elementwise import add, conjugate, divide, imaginary_part, multiply, negative, power, real_part, subtract
from .operands import encrypted_among, is_encrypted
from .products import dot_of, matmul
from .rearrange import moving, take
from .reductions import mean_of, sum_of

__all__ = ["apply_function", "apply_ufunc", "assume"]

UFUNCS: dict[np.ufunc, Callable[..., EncryptedArray]] = {
    np.add: add,
    np.subtract: subtract,
    np.multiply: multiply,
    np.true_divide: divide,
    np.negative: negative,
    np.conjugate: conjugate,
    np.positive: lambda a: a,
    np.power: power,
    np.float_power: power,
    np.square: lambda a: power(a, 2),
    np.matmul: matmul,
}


def _is_default(name: str, value: Any) -> bool:
    """Tells whether NumPy treats an option as if it was not given. Other options have another meaning with None."""
    return value is None and name in ("dtype", "out", "initial")


def _as_numpy(function: Callable[..., Any], verb: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a verb that takes its arguments in the order of NumPy's function.

    Parameters of NumPy's that ``verb`` lacks must have NumPy's default value, or be None if this means the default.
    """
    order, own = inspect.signature(function), inspect.signature(verb).parameters

    def ordered(*args: Any, **options: Any) -> Any:
        given = order.bind(*args, **options).arguments
        given = {name: value for name, value in given.items() if value is not order.parameters[name].default}
        if foreign := [name for name, value in given.items() if name not in own and not _is_default(name, value)]:
            what = f"numpy.{function.__name__} with {', '.join(foreign)} on encrypted arrays"
            raise Unsupported(what, "leave the other options out")
        if "keepdims" in given and not isinstance(given["keepdims"], (int, np.integer)):
            raise InvalidArgument(f"keepdims is {kind_of(given['keepdims'])}", "give True or False")
        return verb(**{name: value for name, value in given.items() if name in own})

    ordered.__signature__ = order  # type: ignore[attr-defined]
    return ordered


FUNCTIONS: dict[Any, Callable[..., Any]] = (
    {
        function: _as_numpy(function, verb)
        for function, verb in (
            (np.sum, sum_of),
            (np.mean, mean_of),
            (np.var, var_of),
            (np.average, average_of),
            (np.diff, diff_of),
            (np.cumsum, cumsum_of),
            (np.trace, trace_of),
        )
    }
    | {
        np.dot: dot_of,
        np.inner: inner_of,
        np.outer: outer_of,
        np.vdot: vdot_of,
        np.where: where_of,
        np.polyval: polyval_of,
        np.real: real_part,
        np.imag: imaginary_part,
        np.shape: lambda a: a.shape,
        np.ndim: lambda a: a.ndim,
        np.size: lambda a: a.size,
        operator.getitem: take,
    }
    | {
        function: moving(function)
        for function in (
            *(np.reshape, np.ravel, np.squeeze, np.expand_dims, np.copy),  # free
            *(
                np.roll,
                np.flip,
                np.transpose,
                np.swapaxes,
                np.moveaxis,
                np.diagonal,
                np.repeat,
                np.tile,
                np.broadcast_to,
            ),
            *(np.flipud, np.fliplr, np.rot90, np.take, np.delete),
        )
    }
    | {function: combining(function) for function in (np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack)}
)


_SHOWN_EXPONENTS = 1000
_SIGNS: dict[Any, str] = {
    **{np.add: "+", np.subtract: "-", np.multiply: "*", np.true_divide: "/", np.matmul: "@"},
    **{np.power: "**", np.float_power: "**"},
}


def _written(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> str:
    """Returns the operation as users write it: x ** 8, an array @ x."""
    sign = _SIGNS.get(ufunc)
    if sign is None:
        return f"numpy.{ufunc.__name__}"
    if len({id(value) for value in inputs if is_encrypted(value)}) == 2:
        return f"x {sign} y"
    return f" {sign} ".join(_named(value, sign) for value in inputs)


def _named(value: Any, sign: str) -> str:
    if is_encrypted(value):
        return "x"
    if isinstance(value, (int, float, complex)):
        return str(value) if isinstance(value, int) and sign == "**" and 0 < value < _SHOWN_EXPONENTS else "a number"
    return "an array"


def _done(what: str, verb: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Runs the verb after a dry run. An error about levels names the requested operation, because moves take levels."""
    arrays = encrypted_among(args)
    blocks = [block for array in arrays for block in array._packed.blocks]
    try:
        levels = check_dry_run(verb, args, options)
        with in_terms_of(arrays[0]._session.on, blocks, *levels) if arrays else nullcontext():
            return verb(*args, **options)
    except DepthExhausted as error:
        raise DepthExhausted(f"{what} {error.problem.removeprefix('this ')}", error.fix) from None
    except NoiseBoundExceeded as error:
        raise NoiseBoundExceeded(f"{what}: {error.problem}", error.fix) from None


def _instead(name: str, inputs: tuple[Any, ...]) -> str:
    known = ", ".join(sorted({known.__name__ for known in UFUNCS}))
    exact = any(is_encrypted(value) and value._session.on.exact for value in inputs)
    return advice.instead_of(name) or f"these can: {known}" + ("" if exact else "; approximate it by a polynomial")


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> EncryptedArray:
    if ufunc is np.add and method == "reduce":
        return apply_function(np.sum, inputs, {"axis": 0, **options})
    verb = UFUNCS.get(ufunc)
    if verb is None or method != "__call__":
        name = ufunc.__name__ + ("" if method == "__call__" else "." + method)
        raise Unsupported(f"numpy.{name} cannot work on encrypted values", _instead(ufunc.__name__, inputs))
    if options.get("out") is not None:
        raise Unsupported("NumPy's arrays cannot hold encrypted values", "make a new array: A = A + x")
    if not all(_is_default(name, value) for name, value in options.items()):
        raise Unsupported(
            f"numpy.{ufunc.__name__} with {', '.join(options)} on encrypted values", "leave these options out"
        )
    result = _done(_written(ufunc, inputs), verb, inputs, {})
    shadow.check(result, ufunc, ufunc.__name__, inputs, {})
    return result


def apply_function(function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    verb = FUNCTIONS.get(function)
    if verb is None:
        known = ", ".join(sorted(known.__name__ for known in FUNCTIONS if known is not operator.getitem))
        raise Unsupported(
            f"numpy.{function.__name__} does not work on encrypted arrays",
            advice.instead_of(function.__name__) or f"these do: {known}",
        )
    try:
        bound = inspect.signature(verb).bind(*args, **options)
    except TypeError as error:
        raise Unsupported(
            f"numpy.{function.__name__} on encrypted arrays: {error}", "leave the other options out"
        ) from None
    what = "an index" if function is operator.getitem else f"numpy.{function.__name__}"
    result = _done(what, verb, bound.args, bound.kwargs)
    if is_encrypted(result):
        shadow.check(result, function, function.__name__, args, options)
    return result


def assume(
    x: EncryptedArray, bounds: tuple[float | None, float | None, float | None], every_slot: bool
) -> EncryptedArray:
    domain = promises.promised(x, *bounds)
    promises.require_kept(x, domain)
    return _done("assume", promises.assumed, (x, domain, every_slot), {})
