# SPDX-License-Identifier: Apache-2.0
"""Runs NumPy's functions on encrypted arrays. Finds the *verb* of a function (table.py), and makes the checks that all
verbs need.

A verb checks its operands before any work. Then the modules of ``packing`` do the work.
"""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable
from contextlib import nullcontext
from difflib import get_close_matches
from typing import Any

import numpy as np

from ...errors import DepthExhausted, NoiseBoundExceeded, Unsupported
from ...logs import logged
from ..array import advice
from ..array.array import EncryptedArray
from ..array.refusals import in_terms_of
from . import labels, promises, shadow
from .dry_run import check_dry_run
from .labels import columns_of, frame_of
from .operands import encrypted_among, is_encrypted
from .rearrange import moving
from .table import FUNCTIONS, METHODS, TESTS, UFUNCS, is_default

__all__ = ["apply_function", "apply_ufunc", "assume", "columns_of", "done", "frame_of", "transposed"]

_SHOWN_EXPONENTS = 1000
_SIGNS: dict[Any, str] = {
    **{np.add: "+", np.subtract: "-", np.multiply: "*", np.true_divide: "/", np.matmul: "@"},
    **{np.power: "**", np.float_power: "**"},
}


def _written(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> str:
    """Returns the text of an operation for a message, such as ``x ** 8`` or ``an array @ x``. The text shows the value
    of a plain operand only if it is an int from 1 to 999 on either side of ``**``."""
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


def done(
    what: str, verb: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any], name: str | None = None
) -> Any:
    """Runs the verb after a dry run (dry_run.py), and logs the operation.

    what: the name of the operation in messages. name: the name of the operation in the log. None means the part of
    ``what`` after its last dot.
    """
    labels.require_order(args, options)
    operation = what.rpartition(".")[2] if name is None else name
    return logged(operation, lambda: _done(what, verb, args, options), lambda result: getattr(result, "nbytes", 0))


def _done(what: str, verb: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Runs the verb. An error about levels (successive products) or noise names the operation that the caller
    requested, not the step that failed."""
    arrays = encrypted_among(args)
    ciphertexts = [ciphertext for array in arrays for ciphertext in array._stored.ciphertexts]
    try:
        levels = check_dry_run(verb, args, options)
        with in_terms_of(arrays[0]._session.on, ciphertexts, *levels) if arrays else nullcontext():
            return verb(*args, **options)
    except DepthExhausted as error:
        raise DepthExhausted(f"{what} {error.problem.removeprefix('this ')}", error.fix) from None
    except NoiseBoundExceeded as error:
        raise NoiseBoundExceeded(f"{what}: {error.problem}", error.fix) from None


def _instead(ufunc: np.ufunc, name: str, inputs: tuple[Any, ...]) -> str:
    if found := advice.instead_of(ufunc.__name__):
        return found
    exact = any(is_encrypted(value) and value._session.on.exact for value in inputs)
    if ufunc.nin == ufunc.nout == 1 and not exact:
        return (
            "approximate it by a series whose domain holds all values: ringfort.polynomial(x, "
            f"numpy.polynomial.Chebyshev.interpolate({name}, 15, domain=[low, high]))"
        )
    return "these functions do: " + ", ".join(sorted(known.__name__ for known in UFUNCS))


def _name_of(ufunc: np.ufunc) -> str:
    """Returns the name of the function as users write it, for example numpy.sin or scipy.special.expit. Other packages
    and numpy.frompyfunc make ufuncs, too. Returns the name of such a ufunc without a module."""
    for module in ("numpy", "scipy.special"):
        if getattr(sys.modules.get(module), ufunc.__name__, None) is ufunc:
            return f"{module}.{ufunc.__name__}"
    return ufunc.__name__


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if function := METHODS.get((ufunc, method)):
        return apply_function(function, inputs, {"axis": 0, **options})
    if ufunc in TESTS and method == "__call__" and not options:
        return np.full(inputs[0].shape, TESTS[ufunc])
    if method == "outer" and ufunc in UFUNCS and ufunc.nin == 2 and not options:
        return _outer(ufunc, *inputs)
    verb = UFUNCS.get(ufunc)
    if verb is None or method != "__call__":
        name = _name_of(ufunc)
        what = name + ("" if method == "__call__" else "." + method)
        raise Unsupported(f"{what} cannot work on encrypted values", _instead(ufunc, name, inputs))
    if options.get("out") is not None:
        raise Unsupported("NumPy's arrays cannot hold encrypted values", "make a new array: A = A + x")
    if not all(is_default(name, value) for name, value in options.items()):
        raise Unsupported(
            f"numpy.{ufunc.__name__} does not take {', '.join(options)} on encrypted values", "leave these options out"
        )
    result = done(_written(ufunc, inputs), verb, inputs, {}, ufunc.__name__)
    shadow.check(result, ufunc, ufunc.__name__, inputs, {})
    return labels.with_labels(result, ufunc, inputs, {})


def _outer(ufunc: np.ufunc, a: Any, b: Any) -> Any:
    """Computes ufunc.outer: applies the function to all pairs of an element of ``a`` and an element of ``b``."""
    if ufunc.signature is not None:
        raise Unsupported(f"numpy.{ufunc.__name__}.outer cannot work on encrypted values", "use numpy.outer or einsum")
    wide = (*np.shape(a), *(1,) * np.ndim(b))
    return ufunc(a.reshape(wide) if is_encrypted(a) else np.reshape(a, wide), b)


def apply_function(function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    verb, name = FUNCTIONS.get(function), _name(function)
    if verb is None:
        raise Unsupported(
            f"{name} does not work on encrypted arrays", advice.instead_of(function.__name__) or _nearest(name)
        )
    try:
        bound = inspect.signature(verb).bind(*args, **options)
    except TypeError as error:
        fix = "give all arguments" if "missing" in str(error) else "leave the other options out"
        raise Unsupported(f"{name} on encrypted arrays: {error}", fix) from None
    what = "an index" if function is operator.getitem else name
    result = done(what, verb, bound.args, bound.kwargs, function.__name__)
    shadow.check(result, function, function.__name__, args, options)
    return labels.with_labels(result, function, args, options)


def _name(function: Any) -> str:
    """Returns the name of the function as users write it, for example numpy.linalg.norm."""
    module = str(getattr(function, "__module__", None) or "numpy")
    return f"{'numpy' if module.startswith(('numpy._', '_operator')) else module}.{function.__name__}"


def _nearest(name: str) -> str:
    """Returns the names of functions with a similar name, as advice. If there are none, returns general advice.

    Compares names without their modules: with ``numpy.``, all short names would be similar."""
    known = {function.__name__: _name(function) for function in FUNCTIONS if function is not operator.getitem}
    close = get_close_matches(name.rpartition(".")[2], sorted(known), 3, 0.75)
    if close:
        return "similar functions that do: " + ", ".join(known[each] for each in close)
    return "write it with operators, sums and products of matrices, or decrypt first: x.decrypt(keys)"


def transposed(x: EncryptedArray) -> EncryptedArray:
    """Moves the elements to their places in the transposed matrix. ``x.T`` alone does not move them (rearrange.py)."""
    return moving(np.transpose)(x)


def assume(
    x: EncryptedArray, bounds: tuple[float | None, float | None, float | None], every_slot: bool
) -> EncryptedArray:
    domain = promises.promised(x, *bounds)
    promises.require_kept(x, domain)
    result: EncryptedArray = done("assume", promises.assumed, (x, domain, every_slot), {})
    result._labels = x.columns
    return result
