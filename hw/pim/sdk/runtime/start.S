# SPDX-License-Identifier: Apache-2.0
# The entry of a program. The simulator's boot sets every tasklet's stack pointer. Then every tasklet runs main() and
# halts. The routines below are those that the compiler calls for multiplication, division and floating point. Each
# routine is one instruction that costs as much as the vendor's routine. dpu_isa.h lists the opcodes. hw/pim/README.md
# explains the terms.
  .section .text.start, "ax", @progbits
  .globl __bootstrap
  .type __bootstrap, @function
__bootstrap:
  call main
  .insn r 0x2b, 0, 6, x0, x0, x0
  .size __bootstrap, . - __bootstrap

  .macro routine name, code
  .section .text.\name, "ax", @progbits
  .globl \name
  .type \name, @function
\name:
  .insn r 0x2b, 2, \code, x0, x0, x0
  ret
  .size \name, . - \name
  .endm

  routine __mulsi3, 0
  routine __udivsi3, 1
  routine __umodsi3, 2
  routine __divsi3, 3
  routine __modsi3, 4
  routine __muldi3, 5
  routine __udivdi3, 6
  routine __umoddi3, 7
  routine __divdi3, 8
  routine __moddi3, 9

# Floating point. A comparison of one kind serves several operators.
  .macro alias name, of
  .globl \name
  .set \name, \of
  .endm
  .macro floats size, from
  routine __add\size, \from
  routine __sub\size, \from + 1
  routine __mul\size, \from + 2
  routine __div\size, \from + 3
  .endm
  floats sf3, 16
  floats df3, 32
  routine __eqsf2, 20
  routine __lesf2, 21
  routine __gesf2, 22
  routine __unordsf2, 23
  routine __fixsfsi, 24
  routine __fixunssfsi, 25
  routine __fixsfdi, 26
  routine __fixunssfdi, 27
  routine __floatsisf, 28
  routine __floatunsisf, 29
  routine __floatdisf, 30
  routine __floatundisf, 31
  routine __eqdf2, 36
  routine __ledf2, 37
  routine __gedf2, 38
  routine __unorddf2, 39
  routine __fixdfsi, 40
  routine __fixunsdfsi, 41
  routine __fixdfdi, 42
  routine __fixunsdfdi, 43
  routine __floatsidf, 44
  routine __floatunsidf, 45
  routine __floatdidf, 46
  routine __floatundidf, 47
  routine __extendsfdf2, 48
  routine __truncdfsf2, 49
  alias __nesf2, __eqsf2
  alias __ltsf2, __lesf2
  alias __gtsf2, __gesf2
  alias __nedf2, __eqdf2
  alias __ltdf2, __ledf2
  alias __gtdf2, __gedf2
