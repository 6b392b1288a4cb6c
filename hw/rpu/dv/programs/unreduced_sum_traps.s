# SPDX-License-Identifier: Apache-2.0
# An addition whose operand is not below the modulus is undefined; the simulator stops before it.
.vdm
x: .word 97
   .zero 511
.sdm
q:    .modulus 97
zero: .addr x
.text
    mload   m1, q
    aload   a0, zero
    vload   v0, x(a0)
    vaddmod v4, v0, v0, m1
