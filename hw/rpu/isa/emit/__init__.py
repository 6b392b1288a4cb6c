# SPDX-License-Identifier: Apache-2.0
"""What tools/gen_isa writes: one module per product, each a pure function from the checked model to a text."""
