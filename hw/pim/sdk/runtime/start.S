# SPDX-License-Identifier: Apache-2.0
# Entry: the boot sets every tasklet's stack pointer; the tasklet runs main() and halts. Below: the routines that the
# compiler calls for multiplication and division. Each is one instruction with the cost of the vendor's routine.
# Opcode numbers: dpu_isa.h.
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
