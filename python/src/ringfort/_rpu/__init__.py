# SPDX-License-Identifier: Apache-2.0
"""Parts of hw/rpu that the build installs: rpusim, rpugen, the assembler (asm), the models (model), machine files."""
