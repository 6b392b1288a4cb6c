# SPDX-License-Identifier: Apache-2.0
# One radix-2 stage on 1024 elements: a butterfly, then shuffles that interleave the halves and separate them again.
.vdm
even: .word 1, 2, 3, 4
      .zero 508
odd:  .word 5, 6, 7, 8
      .zero 508
root: .word 3
.sdm
q:    .modulus 97
zero: .addr even
.text
    mload  m1, q
    aload  a0, zero
    vload  v0, even(a0)
    vload  v4, odd(a0)
    vbcast v8, root(a0)
    bfly   v12, v16, v0, v4, v8, m1
    unpklo v20, v12, v16
    unpkhi v24, v12, v16
    pklo   v28, v20, v24
    pkhi   v32, v20, v24
