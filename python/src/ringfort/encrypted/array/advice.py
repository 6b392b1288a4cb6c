# SPDX-License-Identifier: Apache-2.0
"""Alternatives to the NumPy names that encrypted arrays do not have."""

from __future__ import annotations

__all__ = ["instead_of"]

_COMPARED = (
    "the larger of encrypted values is unknown: decrypt first, or take a polynomial of ringfort: sign, relu, abs, "
    "maximum, minimum, compare"
)
_ORDERED = (
    "ringfort.compare(x, y) is near 1 where x is larger, and near 0 where it is smaller; "
    "or decrypt first: x.decrypt(keys)"
)
_UNEQUAL = "a comparison needs the values: decrypt first"
_READ = "the values are encrypted: decrypt first, x.decrypt(keys)"
_DIVIDED = "it divides by encrypted values: decrypt first, or multiply by ringfort.inverse"
_WHOLE = "encrypted values have no quotients, remainders and bits: decrypt first"
_LOGICAL = "if all values are 0 or 1, write x * y, x + y - x * y, x + y - 2 * x * y or 1 - x; or decrypt first"
_COUNTED = "encrypt an indicator of each bin, and sum it; or decrypt first"
_INSTEAD = {
    **dict.fromkeys(
        (
            "max",
            "min",
            "amax",
            "amin",
            "argmin",
            "sort",
            "argsort",
            "median",
            "percentile",
            "quantile",
        )
        + ("maximum", "minimum", "ptp", "partition", "argpartition", "searchsorted", "absolute", "fabs", "sign", "abs")
        + ("signbit", "heaviside", "copysign", "lexsort", "interp"),
        _COMPARED,
    ),
    **dict.fromkeys(
        (
            "equal",
            "not_equal",
            "allclose",
            "isclose",
            "array_equal",
            "any",
            "all",
            "nonzero",
            "count_nonzero",
            "unique",
        ),
        _UNEQUAL,
    ),
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal"), _ORDERED),
    **dict.fromkeys(("item", "tolist", "tobytes", "tofile", "dump", "dumps", "data", "view", "savetxt", "save"), _READ),
    **dict.fromkeys(("values", "to_numpy"), _READ),
    **dict.fromkeys(
        ("floor_divide", "remainder", "fmod", "divmod", "left_shift", "right_shift", "bitwise_count", "spacing")
        + ("floor", "ceil", "rint", "trunc", "fix", "round", "around", "mod"),
        _WHOLE,
    ),
    **dict.fromkeys(
        ("logical_and", "logical_or", "logical_xor", "logical_not")
        + ("bitwise_and", "bitwise_or", "bitwise_xor", "invert"),
        _LOGICAL,
    ),
    **dict.fromkeys(("histogram", "histogram2d", "histogramdd", "bincount", "digitize"), _COUNTED),
    "expit": "use ringfort.sigmoid(x)",
    "clip": "use ringfort.minimum(ringfort.maximum(x, low), high); or decrypt first",
    "log1p": "use numpy.log((1 + x).assume(low=..., high=...))",
    "expm1": "use numpy.exp(x) - 1",
    "log2": "use numpy.log(x) * (1 / numpy.log(2))",
    "log10": "use numpy.log(x) * (1 / numpy.log(10))",
    "exp2": "use numpy.exp(numpy.log(2) * x)",
    "hypot": "use numpy.sqrt((x * x + y * y).assume(low=..., high=...))",
    "argmax": "ringfort.argmax(x) is an indicator of the largest element; or decrypt first",
    "softmax": "use ringfort.softmax(x)",
    **dict.fromkeys(
        ("vector_norm", "matrix_norm"),
        "use numpy.linalg.norm; or its square, np.vdot(x, x), and ringfort.sqrt",
    ),
    "corrcoef": "it divides by deviations, so a bound above zero must be known: "
    "s = ringfort.inverse_sqrt(x.var(axis=1).assume(low=0.5, high=8)), "
    "np.cov(x, bias=True).assume(magnitude=8) * s * s.reshape(-1, 1); "
    "or decrypt numpy.cov(x), then divide",
    **dict.fromkeys(("lstsq", "polyfit"), "decrypt the normal equations, A.T @ A and A.T @ b, then solve them"),
    **{
        name: f'use x @ numpy.fft.{name}(numpy.eye(n)), in a context with dtype="complex"'
        for name in ("fft", "ifft", "rfft")
    },
    **dict.fromkeys(("deg2rad", "radians"), "use x * (numpy.pi / 180)"),
    **dict.fromkeys(("rad2deg", "degrees"), "use x * (180 / numpy.pi)"),
    **dict.fromkeys(("fmax", "fmin"), "use numpy.maximum or numpy.minimum: no encrypted value is NaN"),
    "nan_to_num": "no encrypted value is NaN or infinite: use x itself",
    "vander": "use numpy.stack([x, x**2], axis=-1), with the powers that you need",
    "cumulative_sum": "use numpy.cumsum",
    "cumulative_prod": "use numpy.cumprod",
    "multi_dot": "use a @ b @ c",
    **dict.fromkeys(("inv", "pinv", "solve", "det", "eig", "svd", "qr"), _DIVIDED),
    **dict.fromkeys(("matmul", "matvec", "vecmat"), "use a @ b"),
    "vecdot": "use numpy.vecdot(a, b), or (a * b).sum(axis=-1)",
    "select": "use numpy.where(condition, x, y) for each condition",
    "fill": "encrypted arrays do not change: make a new one",
    "put": "encrypted arrays do not change: make a new one with a mask, np.where(mask, x, y)",
}


def instead_of(name: str) -> str | None:
    """Returns advice for the name of a function. nanmax and similar functions get the advice for max."""
    return _INSTEAD.get(name) or _INSTEAD.get(name.removeprefix("nan"))
