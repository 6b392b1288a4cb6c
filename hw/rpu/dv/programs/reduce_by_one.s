# SPDX-License-Identifier: Apache-2.0
# A multiplication by 1 reduces any 128-bit value; then additions accept it.
.vdm
x: .word 0xffffffffffffffffffffffffffffffff, 97, 96
   .zero 509
.sdm
q:    .modulus 97
zero: .addr x
one:  .word 1
.text
    mload    m1, q
    aload    a0, zero
    sload    s1, one
    vload    v0, x(a0)
    vsmulmod v4, v0, s1, m1
    vsaddmod v8, v4, s1, m1
