# SPDX-License-Identifier: Apache-2.0
"""What the build brings along from hw/rpu: rpusim, rpugen, the assembler (asm), the models (model), machine files."""
