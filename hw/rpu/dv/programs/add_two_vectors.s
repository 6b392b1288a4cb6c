# SPDX-License-Identifier: Apache-2.0
# The first program: loads two vectors, adds them modulo 97 and stores the sum.
.vdm
x: .word 1, 2, 96
   .zero 509
y: .word 10, 20, 30
   .zero 509
z: .space 512
.sdm
q:    .modulus 97
zero: .addr x
.text
    mload   m1, q
    aload   a0, zero
    vload   v0, x(a0)
    vload   v4, y(a0)
    vaddmod v8, v0, v4, m1
    vstore  v8, z(a0)
