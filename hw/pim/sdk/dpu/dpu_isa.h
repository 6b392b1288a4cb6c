// SPDX-License-Identifier: Apache-2.0
// DPU instructions that RV32 does not have, as codes of the custom opcode space. The device headers (C) and the
// simulator (C++) share this table. An arithmetic or thread instruction is one DPU instruction; a run-time call
// replaces a routine of the vendor (multiplication, division, floating point) and takes as many issue slots as the
// routine. The vendor's API has no such table.
#pragma once

enum DpuOpcode { kDpuArithmetic = 0x0b, kDpuSystem = 0x2b, kDpuDma = 0x5b };

// funct3 of kDpuArithmetic; funct7 is the shift amount, the multiply variant or the unary operation.
enum DpuArithmetic {
  kDpuMultiply = 0,  // rd = byte of rs1 * byte of rs2
  kDpuLslAdd = 1,    // rd = rs1 + (rs2 << n)
  kDpuLsrAdd = 2,    // rd = rs1 + (rs2 >> n)
  kDpuRolAdd = 3,    // rd = rs1 + rotl(rs2, n)
  kDpuLslSub = 4,    // rd = rs1 - (rs2 << n)
  kDpuUnary = 5
};

// funct7 of kDpuMultiply: a sum of these constants; 0 means unsigned low byte times unsigned low byte.
enum DpuMultiplyVariant { kDpuFirstHigh = 1, kDpuFirstSigned = 2, kDpuSecondHigh = 4, kDpuSecondSigned = 8 };

// funct7 of kDpuUnary, on rs1 (cmpb4: rs1 and rs2).
enum DpuUnary { kDpuCountOnes = 0, kDpuCountLeadingOnes = 1, kDpuCountLeadingSigns = 2, kDpuCompareBytes = 3 };

// funct3 of kDpuSystem.
enum DpuSystem { kDpuThread = 0, kDpuCounter = 1, kDpuCall = 2, kDpuHost = 3 };

// funct7 of kDpuThread. Acquire and resume issue repeatedly until they succeed, as the hardware's busy loops do.
enum DpuThread {
  kDpuMe = 0,
  kDpuAcquire = 1,
  kDpuTryAcquire = 2,
  kDpuRelease = 3,
  kDpuStop = 4,
  kDpuResume = 5,
  kDpuHalt = 6
};

// funct7 of kDpuCounter. kDpuCounterLow returns the low word of the configured count, and latches the count;
// kDpuCounterCycles and kDpuCounterInstructions do the same with the count in their name. kDpuCounterHigh returns the
// upper word of the latched count.
enum DpuCounter {
  kDpuCounterConfigure = 0,
  kDpuCounterLow = 1,
  kDpuCounterHigh = 2,
  kDpuCounterCycles = 3,
  kDpuCounterInstructions = 4
};

// funct7 of kDpuCall: operands and result are in the registers of the RV32 calling convention (a0, a1 and pairs).
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
  // Floating-point calls, in the order of start.S: arithmetic, comparisons and conversions of float, then of double.
  kDpuAddF32 = 16,
  kDpuSubF32 = 17,
  kDpuMulF32 = 18,
  kDpuDivF32 = 19,
  kDpuEqualF32 = 20,    // 0 if equal, else 1
  kDpuLessF32 = 21,     // -1, 0, 1; unordered: 1
  kDpuGreaterF32 = 22,  // -1, 0, 1; unordered: -1
  kDpuUnorderedF32 = 23,
  kDpuF32ToI32 = 24,
  kDpuF32ToU32 = 25,
  kDpuF32ToI64 = 26,
  kDpuF32ToU64 = 27,
  kDpuI32ToF32 = 28,
  kDpuU32ToF32 = 29,
  kDpuI64ToF32 = 30,
  kDpuU64ToF32 = 31,
  kDpuF64Base = 32,  // the calls for double: the number for float plus 16
  kDpuF32ToF64 = 48,
  kDpuF64ToF32 = 49
};

// funct7 of kDpuHost: requests to the host side.
enum DpuHost { kDpuPrint = 0, kDpuFault = 1 };

// Reasons of kDpuFault, in a0.
enum DpuSoftFault { kDpuFaultHeap = 1, kDpuFaultAssert = 2, kDpuFaultBarrier = 3, kDpuFaultAlignment = 4 };

// funct2 of kDpuDma: direction, and whether the size is a compile-time constant (otherwise the vendor's code needs
// three more instructions to encode it). rs1 is the WRAM address, rs2 the MRAM address, rs3 the number of bytes.
enum DpuDma { kDpuReadConstant = 0, kDpuWriteConstant = 1, kDpuReadVariable = 2, kDpuWriteVariable = 3 };

// Attributes of a function in a device header: line tables assign its instructions to the calling line.
#define __rf_inline __attribute__((always_inline, nodebug)) static inline
