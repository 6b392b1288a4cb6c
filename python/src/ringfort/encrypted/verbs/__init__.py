# SPDX-License-Identifier: Apache-2.0
"""What arrays compute, and the table of NumPy's functions that they serve. Knows no keys and no context."""
