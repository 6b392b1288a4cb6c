# SPDX-License-Identifier: Apache-2.0
"""B512 programs for tests (random, with corner values, illegal), and an oracle, which executes the semantics of
isa/b512.yml. Also runs programs on the hardware, and lists faults to inject into the hardware. hw/rpu/README.md
explains the terms."""
