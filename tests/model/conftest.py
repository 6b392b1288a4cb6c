# SPDX-License-Identifier: Apache-2.0
"""Makes the modules of tools/ importable, because the models use their definitions."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
