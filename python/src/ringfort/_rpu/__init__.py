# SPDX-License-Identifier: Apache-2.0
"""The parts of hw/rpu that a build installs: rpusim, rpugen, the assembler (asm), the models (model), machine files."""
