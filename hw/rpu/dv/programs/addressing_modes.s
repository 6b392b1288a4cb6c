# SPDX-License-Identifier: Apache-2.0
# Loads in each of the four modes from the words 0, 1, 2 ..., and a strided store.
.vdm
x:   .word 0, 1, 2, 3, 4, 5, 6, 7
     .zero 1016
out: .space 1024
.sdm
zero: .addr x
.text
    aload  a0, zero
    vload  v0, x(a0)
    vload  v1, x(a0), stride 2
    vload  v2, x(a0), skip 2
    vload  v3, x+16(a0), repeat 4
    vbcast v4, x+80(a0)
    vstore v0, out+16(a0), stride 2
