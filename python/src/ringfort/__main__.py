# SPDX-License-Identifier: Apache-2.0
"""``python -m ringfort`` is the command ``ringfort``."""

import sys

from .cli import main

sys.exit(main())
