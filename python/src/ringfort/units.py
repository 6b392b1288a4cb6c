# SPDX-License-Identifier: Apache-2.0
"""Formats sizes, times and rates for readers."""

from __future__ import annotations

from math import floor, log10

__all__ = ["duration", "number", "power", "quantity", "rate", "size", "symbol"]

_SIZES = ("B", "KB", "MB", "GB", "TB")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SYMBOLS = {"us": "µs", "uJ": "µJ", "mm2": "mm²"}
_SPANS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"))


def size(count: float) -> str:
    """Formats a number of bytes with at most three digits, for example 9.2 KB. 1 KB is 1000 bytes."""
    for unit in _SIZES[:-1]:
        if count < 999.5:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:,.3g} {_SIZES[-1]}"


def duration(seconds: float) -> str:
    """Formats seconds. Examples: 0.79 ms, 12.4 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 0:
        return "-" + duration(-seconds)
    for scale, unit in ((1e-6, "ns"), (1e-3, "µs"), (1.0, "ms")):
        if seconds < scale:
            return f"{seconds / scale * 1000:.3g} {unit}"
    if seconds < 99.95:
        return f"{seconds:.3g} s"
    for index, (span, unit) in enumerate(_SPANS):
        if seconds >= span:
            inner, inner_unit = _SPANS[index + 1] if index + 1 < len(_SPANS) else (1.0, "s")
            whole, rest = divmod(round(seconds / inner), round(span / inner))
            return f"{whole} {unit} {rest} {inner_unit}"
    return f"{seconds:.0f} s"


def quantity(count: int, name: str) -> str:
    """Formats a number with its noun. Examples: 1 word, 2,000 words."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def rate(per_second: float, name: str) -> str:
    """Formats a rate. Example: 342 words/s."""
    return f"{per_second:,.{0 if per_second >= 10 else 1}f} {name}s/s"


def number(value: float, digits: int = 4) -> str:
    """Formats a number with ``digits`` significant digits. Below 10⁹, a whole part with more digits keeps all of them.
    Examples: 0.0003909, 208,512, 1.2 · 10⁻⁷, 10⁹."""
    rounded = float(f"{value:.{digits}g}")
    exponent = floor(log10(abs(rounded))) if rounded else 0
    if -5 < exponent < 9:
        text = f"{value:,.{max(digits - 1 - exponent, 0)}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    factor = f"{rounded / 10.0**exponent:.{digits}g}"
    return power(10, exponent) if factor == "1" else f"{factor} · {power(10, exponent)}"


def power(base: int, exponent: int) -> str:
    """Formats a power. Example: 2⁻¹²⁸."""
    return f"{base}{str(exponent).translate(_RAISED)}"


def symbol(unit: str) -> str:
    """Returns the symbol of a unit. Examples: µs for us, µJ for uJ, mm² for mm2."""
    return "/".join(" ".join(_SYMBOLS.get(word, word) for word in term.split(" ")) for term in unit.split("/"))
