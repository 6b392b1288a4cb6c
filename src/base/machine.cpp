// SPDX-License-Identifier: Apache-2.0
// Detects the instruction sets of the CPU (cpu.h). It reads CPUID, and XCR0, which states the registers that the
// operating system saves. The compiler's function __builtin_cpu_supports cannot replace this code: it needs a run-time
// library that some compilers lack, and with zig it always returns false.
#include "base/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ringfort {

namespace {

#if defined(__x86_64__)
struct Cpuid {
  unsigned basic = 0;                       // leaf 1, ECX
  unsigned extended = 0, extended_ecx = 0;  // leaf 7, EBX and ECX
  unsigned saved = 0;                       // XCR0
};

Cpuid read_cpuid() noexcept {
  Cpuid found;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) found.basic = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) found.extended = b, found.extended_ecx = c;
  if ((found.basic & bit_OSXSAVE) != 0) __asm__("xgetbv" : "=a"(found.saved), "=d"(d) : "c"(0));
  return found;
}

bool has_all(unsigned word, unsigned bits) noexcept { return (word & bits) == bits; }
#endif

}  // namespace

bool has_crc32_instruction() noexcept {
#if defined(__x86_64__)
  return has_all(read_cpuid().basic, bit_SSE4_2);
#else
  return false;
#endif
}

Isa machine_isa() noexcept {
#if defined(__x86_64__)
  constexpr unsigned kVectors = 0x06, kMasked = 0xE6;  // in XCR0: SSE and AVX; masks and registers of AVX-512, too
  const Cpuid cpu = read_cpuid();
  const bool avx2 = has_all(cpu.saved, kVectors) && has_all(cpu.basic, bit_AVX | bit_POPCNT) &&
                    has_all(cpu.extended, bit_AVX2 | bit_BMI2);
  const bool fma = avx2 && has_all(cpu.basic, bit_FMA);
  const bool avx512 = fma && has_all(cpu.saved, kMasked) &&
                      has_all(cpu.extended, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL);
  const bool ifma =
      avx512 && has_all(cpu.extended, bit_AVX512IFMA) &&
      has_all(cpu.extended_ecx, bit_AVX512VBMI | bit_AVX512VBMI2 | bit_AVX512VPOPCNTDQ | bit_AVX512BITALG);
  if (ifma) return Isa::ifma;
  if (avx512) return Isa::avx512;
  if (fma) return Isa::fma;
  if (avx2) return Isa::avx2;
#endif
  return Isa::generic;
}

}  // namespace ringfort
