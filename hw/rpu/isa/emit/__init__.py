# SPDX-License-Identifier: Apache-2.0
"""Generators for tools/gen_isa. Each module makes one product: its functions compute a text from the checked model."""
