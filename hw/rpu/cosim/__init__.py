# SPDX-License-Identifier: Apache-2.0
"""Runs programs on the hardware (rtl/) and compares every value and every cycle with the simulator, rpusim. Verilator
translates the hardware from SystemVerilog to C++. hw/rpu/README.md explains the terms.

Plain Python without dependencies. The tests and the command `ringfort rpu run --rtl` use this package.
"""

from .design import (
    RPU,
    SOURCES,
    WIDTHS,
    Agreement,
    Design,
    NotBuilt,
    agreement,
    build,
    compare,
    outputs,
    record,
    sources_digest,
)
from .verilate import VERSION, RefusedDesign, find_verilator

__all__ = [
    "RPU",
    "SOURCES",
    "VERSION",
    "WIDTHS",
    "Agreement",
    "Design",
    "NotBuilt",
    "RefusedDesign",
    "agreement",
    "build",
    "compare",
    "find_verilator",
    "outputs",
    "record",
    "sources_digest",
]
