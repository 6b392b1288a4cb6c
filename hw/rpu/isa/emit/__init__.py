# SPDX-License-Identifier: Apache-2.0
"""Generators for tools/gen_isa. The module `model` reads and checks isa/*.yml. Each other module computes the texts of
generated files from this model. tools/gen_isa writes the files."""
