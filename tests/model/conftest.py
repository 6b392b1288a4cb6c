# SPDX-License-Identifier: Apache-2.0
"""Definitions that scripts and models share lie in tools/."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
