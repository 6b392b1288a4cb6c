# SPDX-License-Identifier: Apache-2.0
"""Makes tools/ importable: scripts and models share its definitions."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
