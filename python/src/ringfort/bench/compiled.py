# SPDX-License-Identifier: Apache-2.0
"""Numbers of instructions in compiled kernels. tests/gpu/test_compiled_kernels.py counts them again, without a GPU."""

__all__ = ["OPERATIONS"]

# Number of integer operations in the PTX (NVIDIA's assembly language) of one lane, for one round of a forward transform
# with 64-bit primes. The key is the radix: the number of values that a lane combines in a round.
OPERATIONS = {2: 56, 4: 103, 8: 210, 16: 453}
