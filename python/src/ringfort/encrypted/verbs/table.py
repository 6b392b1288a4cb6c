# SPDX-License-Identifier: Apache-2.0
"""Tables that map functions of NumPy to verbs. A *verb* is the function of this package that computes a function of
NumPy on encrypted arrays. A verb takes all or some of the arguments of NumPy's function."""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidArgument, Unsupported
from ...values import kind_of
from ..array.array import EncryptedArray
from .approximate import absolute_of, maximum_of, minimum_of, smooth_of
from .combine import appended, blocked, combining, inserted
from .composed import (
    average_of,
    cumsum_of,
    diff_of,
    ediff1d_of,
    outer_of,
    polyval_of,
    trace_of,
    var_of,
    vdot_of,
    where_of,
)
from .contractions import einsum_of, inner_of, kron_of, tensordot_of, wide_dot_of
from .covariance import cov_of
from .elementwise import add, conjugate, divide, imaginary_part, multiply, negative, power, real_part, subtract
from .filters import convolve_of, correlate_of, cross_of, gradient_of, trapezoid_of
from .operands import is_encrypted, require_sensible, require_unmasked
from .padding import diag_of, diagflat_of, pad_of, tril_of, triu_of
from .products import matmul, matrix_power_of, vecdot_of
from .rearrange import atleast, compress_of, moving, split_by, take, transpose_of
from .reductions import mean_of, sum_of
from .roots import norm_of, std_of
from .running import cumprod_of, prod_of

__all__ = ["FUNCTIONS", "METHODS", "TESTS", "UFUNCS", "is_default"]


def _newer(name: str) -> list[Any]:
    """Returns a list with NumPy's function of this name. Returns an empty list if this version of NumPy does not have
    the function."""
    return [getattr(np, name)] if hasattr(np, name) else []


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
    **dict.fromkeys(_newer("vecdot"), vecdot_of),
    # computed by polynomials, on the interval that the bounds of the array guarantee
    np.exp: lambda x: smooth_of(x, "exp"),
    np.log: lambda x: smooth_of(x, "log"),
    np.tanh: lambda x: smooth_of(x, "tanh"),
    np.sqrt: lambda x: smooth_of(x, "sqrt"),
    np.reciprocal: lambda x: smooth_of(x, "inverse"),
    np.absolute: absolute_of,
    np.fabs: absolute_of,
    np.maximum: maximum_of,
    np.minimum: minimum_of,
}


TESTS: dict[np.ufunc, bool] = {np.isnan: False, np.isinf: False, np.isfinite: True}
"""Tests whose results are known without decryption: no encrypted value is NaN or infinite."""


def is_default(name: str, value: Any) -> bool:
    """Tells whether the value is None, and whether None is NumPy's default for this option."""
    return value is None and name in ("dtype", "out", "initial")


def _as_numpy(function: Any, verb: Any) -> Callable[..., Any]:
    """Makes a verb whose arguments have the order of NumPy's function.

    ``verb`` may lack some parameters of NumPy's function. Arguments for these parameters must be NumPy's default value,
    or None if None means the default.
    """
    order, accepted = inspect.signature(function), inspect.signature(verb).parameters

    def ordered(*args: Any, **options: Any) -> Any:
        given = order.bind(*args, **options).arguments
        given = {name: value for name, value in given.items() if value is not order.parameters[name].default}
        if foreign := [name for name, value in given.items() if name not in accepted and not is_default(name, value)]:
            what = f"numpy.{function.__name__} does not take {', '.join(foreign)} on encrypted arrays"
            raise Unsupported(what, "leave the other options out")
        if "keepdims" in given and not isinstance(given["keepdims"], (int, np.integer)):
            raise InvalidArgument(f"keepdims is {kind_of(given['keepdims'])}", "give True or False")
        return verb(**{name: value for name, value in given.items() if name in accepted})

    ordered.__signature__ = order  # type: ignore[attr-defined]
    return ordered


def _like(function: Callable[..., Any]) -> Callable[..., NDArray[Any]]:
    """Makes a function that returns a plain array of constants. Constants need no encryption, because operators accept
    plain arrays."""

    def verb(a: EncryptedArray, *args: Any, **options: Any) -> NDArray[Any]:
        if not is_encrypted(a) or any(map(is_encrypted, (*args, *options.values()))):
            raise Unsupported(
                f"numpy.{function.__name__} does not take an encrypted value", "give a plain value, or 0 * a + x"
            )
        require_unmasked(f"numpy.{function.__name__}", (*args, *options.values()))
        if (shape := options.get("shape")) is not None:
            sides = shape if isinstance(shape, (list, tuple)) else (shape,)
            if all(isinstance(side, (int, np.integer)) for side in sides):  # if not, NumPy refuses the argument
                require_sensible(f"numpy.{function.__name__}", math.prod(map(int, sides)), a.size)
        try:
            result: NDArray[Any] = function(np.broadcast_to(np.zeros((), a.dtype), a.shape), *args, **options)
            return np.array(result)
        # Omits NumPy's message, which may contain the value.
        except (TypeError, ValueError, OverflowError, MemoryError):
            pass
        raise InvalidArgument(
            f"numpy.{function.__name__} does not take these arguments", "give what numpy's function takes"
        )

    return verb


FUNCTIONS: dict[Any, Callable[..., Any]] = (
    {
        function: _as_numpy(function, verb)
        for function, verb in (
            (np.sum, sum_of),
            (np.mean, mean_of),
            (np.var, var_of),
            (np.std, std_of),
            (np.linalg.norm, norm_of),
            (np.average, average_of),
            (np.diff, diff_of),
            (np.cumsum, cumsum_of),
            (np.trace, trace_of),
            (np.prod, prod_of),
            (np.cumprod, cumprod_of),
            (np.nanprod, prod_of),
            (np.nancumprod, cumprod_of),
            (np.cov, cov_of),
            *((function, trapezoid_of) for function in _newer("trapezoid")),
            (np.ediff1d, ediff1d_of),
            (np.nansum, sum_of),  # because no encrypted value is NaN
            (np.nanmean, mean_of),
            (np.nanvar, var_of),
            (np.nanstd, std_of),
            (np.nancumsum, cumsum_of),
        )
    }
    | {
        np.dot: wide_dot_of,
        np.einsum: einsum_of,
        np.tensordot: tensordot_of,
        np.kron: kron_of,
        np.cross: _as_numpy(np.cross, cross_of),
        np.convolve: convolve_of,
        np.correlate: correlate_of,
        np.gradient: gradient_of,
        np.linalg.matrix_power: matrix_power_of,
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
        np.transpose: transpose_of,
        np.append: appended,
        np.insert: inserted,
        np.block: blocked,
        np.pad: pad_of,
        np.compress: compress_of,
        np.diag: diag_of,
        np.diagflat: diagflat_of,
        np.triu: triu_of,
        np.tril: tril_of,
        np.isrealobj: lambda x: x.dtype.kind != "c",
        np.iscomplexobj: lambda x: x.dtype.kind == "c",
        np.zeros_like: _like(np.zeros_like),
        np.ones_like: _like(np.ones_like),
        np.empty_like: _like(np.zeros_like),
        np.full_like: _like(np.full_like),
        operator.getitem: take,
    }
    | {
        function: moving(function)
        for function in (
            *(np.reshape, np.ravel, np.squeeze, np.expand_dims, np.copy),  # in C order, these move no elements
            *(np.roll, np.flip, np.flipud, np.fliplr, np.rot90, np.swapaxes, np.moveaxis, np.rollaxis),
            *(np.diagonal, np.repeat, np.tile, np.resize, np.broadcast_to, np.take, np.take_along_axis, np.delete),
            *(np.lib.stride_tricks.sliding_window_view, *_newer("matrix_transpose")),
        )
    }
    | {
        function: split_by(function)
        for function in (np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, *_newer("unstack"))
    }
    | {function: atleast(function) for function in (np.atleast_1d, np.atleast_2d, np.atleast_3d)}
    | {
        function: combining(function)
        for function in (np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack)
    }
)

METHODS: dict[tuple[np.ufunc, str], Callable[..., Any]] = {
    (np.add, "reduce"): np.sum,
    (np.add, "accumulate"): np.cumsum,
    (np.multiply, "reduce"): np.prod,
    (np.multiply, "accumulate"): np.cumprod,
}
"""Methods of ufuncs (NumPy's functions on elements), and the functions that equal them with axis=0."""
