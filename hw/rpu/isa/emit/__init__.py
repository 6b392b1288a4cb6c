# SPDX-License-Identifier: Apache-2.0
"""Generators for tools/gen_isa: one module per product, each a pure function from the checked model to a text."""
