// SPDX-License-Identifier: Apache-2.0
// Codes of DPU instructions that RV32 does not have. The codes are in the custom opcode space of RISC-V. The fields
// funct3 and funct7 of an instruction word distinguish instructions with the same opcode. The headers of DPU programs
// (C) and the simulator (C++) share these codes; the vendor's API has no such table. An arithmetic or thread
// instruction is one DPU instruction. A run-time call replaces a routine of the vendor for multiplication, division or
// floating point, and takes as many issue slots as this routine. hw/pim/README.md explains the terms.
#pragma once

enum DpuOpcode { kDpuArithmetic = 0x0b, kDpuSystem = 0x2b, kDpuDma = 0x5b };

// funct3 of kDpuArithmetic. funct7 is the shift amount n, the multiply variant or the unary operation.
enum DpuArithmetic {
  kDpuMultiply = 0,  // rd = byte of rs1 * byte of rs2
  kDpuLslAdd = 1,    // rd = rs1 + (rs2 << n)
  kDpuLsrAdd = 2,    // rd = rs1 + (rs2 >> n)
  kDpuRolAdd = 3,    // rd = rs1 + rotl(rs2, n)
  kDpuLslSub = 4,    // rd = rs1 - (rs2 << n)
  kDpuUnary = 5
};

// funct7 of kDpuMultiply: a sum of these constants. The sum 0 means unsigned low byte times unsigned low byte.
enum DpuMultiplyVariant { kDpuFirstHigh = 1, kDpuFirstSigned = 2, kDpuSecondHigh = 4, kDpuSecondSigned = 8 };

// funct7 of kDpuUnary. The operand is rs1; kDpuCompareBytes also has the operand rs2.
enum DpuUnary { kDpuCountOnes = 0, kDpuCountLeadingOnes = 1, kDpuCountLeadingSigns = 2, kDpuCompareBytes = 3 };

// funct3 of kDpuSystem.
enum DpuSystem { kDpuThread = 0, kDpuCounter = 1, kDpuCall = 2, kDpuHost = 3 };

// funct7 of kDpuThread. An acquire or a resume is issued repeatedly until it succeeds, like the busy loops in programs
// for the hardware.
enum DpuThread {
  kDpuMe = 0,
  kDpuAcquire = 1,
  kDpuTryAcquire = 2,
  kDpuRelease = 3,
  kDpuStop = 4,
  kDpuResume = 5,
  kDpuHalt = 6
};

// funct7 of kDpuCounter. kDpuCounterLow latches the configured count and returns its low word. kDpuCounterCycles does
// the same with the count of cycles, and kDpuCounterInstructions with the count of instructions. kDpuCounterHigh
// returns the upper word of the latched count.
enum DpuCounter {
  kDpuCounterConfigure = 0,
  kDpuCounterLow = 1,
  kDpuCounterHigh = 2,
  kDpuCounterCycles = 3,
  kDpuCounterInstructions = 4
};

// funct7 of kDpuCall. Operands and results are in the registers of the RV32 calling convention: a0, a1, and pairs of
// registers for 64-bit values.
enum DpuCall {
  kDpuMul32 = 0,
  kDpuDivU32 = 1,
  kDpuRemU32 = 2,
  kDpuDivS32 = 3,
  kDpuRemS32 = 4,
  kDpuMul64 = 5,
  kDpuDivU64 = 6,
  kDpuRemU64 = 7,
  kDpuDivS64 = 8,
  kDpuRemS64 = 9,
  // Floating-point calls, in the order of start.S. Arithmetic, comparisons and conversions of float come first, and
  // those of double follow.
  kDpuAddF32 = 16,
  kDpuSubF32 = 17,
  kDpuMulF32 = 18,
  kDpuDivF32 = 19,
  kDpuEqualF32 = 20,    // 0 if equal; 1 if an operand is a NaN; else -1 or 1
  kDpuLessF32 = 21,     // -1, 0 or 1; 1 if an operand is a NaN
  kDpuGreaterF32 = 22,  // -1, 0 or 1; -1 if an operand is a NaN
  kDpuUnorderedF32 = 23,
  kDpuF32ToI32 = 24,
  kDpuF32ToU32 = 25,
  kDpuF32ToI64 = 26,
  kDpuF32ToU64 = 27,
  kDpuI32ToF32 = 28,
  kDpuU32ToF32 = 29,
  kDpuI64ToF32 = 30,
  kDpuU64ToF32 = 31,
  kDpuF64Base = 32,  // first call for double; the number of a call for double is that of the call for float, plus 16
  kDpuF32ToF64 = 48,
  kDpuF64ToF32 = 49
};

// funct7 of kDpuHost: requests to the host.
enum DpuHost { kDpuPrint = 0, kDpuFault = 1 };

// Reasons of a kDpuFault. Register a0 has the reason.
enum DpuSoftFault { kDpuFaultHeap = 1, kDpuFaultAssert = 2, kDpuFaultBarrier = 3, kDpuFaultAlignment = 4 };

// funct2 of kDpuDma: the direction of the transfer, and whether its size is a compile-time constant. If the size is
// known only at run time, the vendor's code needs three more instructions to encode it. rs1 is the WRAM address, rs2
// the MRAM address, rs3 the number of bytes.
enum DpuDma { kDpuReadConstant = 0, kDpuWriteConstant = 1, kDpuReadVariable = 2, kDpuWriteVariable = 3 };

// Attributes of an inline function in a header of DPU programs. Line tables assign the instructions of such a function
// to the line that calls it.
#define __rf_inline __attribute__((always_inline, nodebug)) static inline
