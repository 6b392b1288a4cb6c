# SPDX-License-Identifier: Apache-2.0
"""``python -m ringfort`` is the command ``ringfort``."""

from .cli import main

main()
