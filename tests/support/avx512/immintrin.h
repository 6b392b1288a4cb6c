// SPDX-License-Identifier: Apache-2.0
// Emulates the AVX-512 intrinsics that this library uses, on processors with AVX2 and FMA. A target that has this
// folder on its include path includes this file instead of the compiler's. Then its kernels for AVX-512 run on such a
// processor, and tests can compare their words with those of other kernels.
//
// Each function computes what Intel's guide to the intrinsics defines, and has the name of its intrinsic without the
// prefix `_mm512_`. The compiler's file already declares the intrinsics themselves, for AVX-512. Therefore macros
// replace them. No function is inlined, because the tests then compile in 0.6 of the time that inlining takes.
#pragma once

#include_next <immintrin.h>

#include <bit>
#include <cstdint>
#include <cstring>

namespace ringfort::testing::avx512 {

using U8 = std::uint8_t;
using S16 = std::int16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
inline constexpr U64 kMask52 = (U64{1} << 52) - 1;

template <class Word>
struct Vector;
template <>
struct Vector<U8> {
  using V = U8 __attribute__((vector_size(64)));
};
template <>
struct Vector<S16> {
  using V = S16 __attribute__((vector_size(64)));
};
template <>
struct Vector<U32> {
  using V = U32 __attribute__((vector_size(64)));
};
template <>
struct Vector<U64> {
  using V = U64 __attribute__((vector_size(64)));
};
template <>
struct Vector<double> {
  using V = double __attribute__((vector_size(64)));
};
template <class Word>
using V = typename Vector<Word>::V;
template <class Word>
inline constexpr int kLanes = 64 / sizeof(Word);

// Returns f of whole vectors, for operators that work lane by lane.
template <class Word, class Function, class... Operands>
[[gnu::noinline]] inline __m512i whole(Function f, Operands... v) {
  return (__m512i)f((V<Word>)v...);
}

// Returns the vector with f(lane i of each v) in lane i.
template <class Word, class Function, class... Operands>
[[gnu::noinline]] inline __m512i each(Function f, Operands... v) {
  V<Word> out;
  for (int i = 0; i < kLanes<Word>; ++i) out[i] = f(((V<Word>)v)[i]...);
  return (__m512i)out;
}

// Returns the vector with f(i) in lane i.
template <class Word, class Function>
[[gnu::noinline]] inline __m512i make(Function f) {
  V<Word> out;
  for (int i = 0; i < kLanes<Word>; ++i) out[i] = f(i);
  return (__m512i)out;
}

template <class Word>
[[gnu::noinline]] inline Word lane(__m512i v, unsigned i) {
  return ((V<Word>)v)[i];
}

// Memory.
[[gnu::noinline]] inline __m512i loadu_si512(const void* p) {
  __m512i v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
[[gnu::noinline]] inline __m512d loadu_pd(const void* p) { return (__m512d)loadu_si512(p); }
[[gnu::noinline]] inline void storeu_si512(void* p, __m512i v) { std::memcpy(p, &v, sizeof v); }
[[gnu::noinline]] inline void storeu_pd(void* p, __m512d v) { std::memcpy(p, &v, sizeof v); }

// Constants and broadcasts.
[[gnu::noinline]] inline __m512i setzero_si512() { return (__m512i)V<U64>{}; }
[[gnu::noinline]] inline __m512i set1_epi64(long long x) { return (__m512i)(V<U64>{} + U64(x)); }
[[gnu::noinline]] inline __m512i set1_epi32(int x) { return (__m512i)(V<U32>{} + U32(x)); }
[[gnu::noinline]] inline __m512i set1_epi8(char x) { return (__m512i)(V<U8>{} + U8(x)); }
[[gnu::noinline]] inline __m512d set1_pd(double x) {  // 0.0 + x would lose the sign of -0.0
  return (__m512d)make<double>([=](int) { return x; });
}
template <class... Words>
[[gnu::noinline]] inline __m512i setr_epi32(Words... w) {
  const V<U32> v = {U32(w)...};
  return (__m512i)v;
}
[[gnu::noinline]] inline __m512i broadcastq_epi64(__m128i v) { return set1_epi64(_mm_cvtsi128_si64(v)); }
[[gnu::noinline]] inline __m512i broadcast_i64x2(__m128i v) {
  const U64 low = U64(_mm_cvtsi128_si64(v)), high = U64(_mm_extract_epi64(v, 1));
  return make<U64>([=](int i) { return i % 2 == 0 ? low : high; });
}
[[gnu::noinline]] inline __m512i broadcast_i64x4(__m256i v) {
  __m512i out;
  std::memcpy(&out, &v, sizeof v);
  std::memcpy(reinterpret_cast<char*>(&out) + sizeof v, &v, sizeof v);
  return out;
}

// Conversions.
[[gnu::noinline]] inline __m512i cvtepu32_epi64(__m256i v) {
  U32 words[8];
  std::memcpy(words, &v, sizeof v);
  return make<U64>([&](int i) { return words[i]; });
}
[[gnu::noinline]] inline __m256i cvtepi64_epi32(__m512i v) {
  U32 words[8];
  for (unsigned i = 0; i < 8; ++i) words[i] = U32(lane<U64>(v, i));
  __m256i out;
  std::memcpy(&out, words, sizeof out);
  return out;
}
template <class Word>
[[gnu::noinline]] inline __m512i widen_bytes(__m128i v) {
  U8 bytes[16];
  std::memcpy(bytes, &v, sizeof v);
  return make<Word>([&](int i) { return bytes[i]; });
}
[[gnu::noinline]] inline __m512i cvtepu8_epi32(__m128i v) { return widen_bytes<U32>(v); }

// Arithmetic.
[[gnu::noinline]] inline __m512i add_epi32(__m512i a, __m512i b) {
  return whole<U32>([](auto x, auto y) { return x + y; }, a, b);
}
[[gnu::noinline]] inline __m512i sub_epi64(__m512i a, __m512i b) {
  return whole<U64>([](auto x, auto y) { return x - y; }, a, b);
}
[[gnu::noinline]] inline __m512i sub_epi8(__m512i a, __m512i b) {
  return whole<U8>([](auto x, auto y) { return x - y; }, a, b);
}
[[gnu::noinline]] inline __m512i mul_epu32(__m512i a, __m512i b) {
  return whole<U64>([](auto x, auto y) { return (x & 0xFFFFFFFF) * (y & 0xFFFFFFFF); }, a, b);
}
[[gnu::noinline]] inline __m512i mullo_epi64(__m512i a, __m512i b) {
  return whole<U64>([](auto x, auto y) { return x * y; }, a, b);
}
[[gnu::noinline]] inline __m512i madd_epi16(__m512i a, __m512i b) {
  const auto product = [=](unsigned i) { return U32(int{lane<S16>(a, i)} * lane<S16>(b, i)); };
  return make<U32>([=](int i) { return product(2 * unsigned(i)) + product(2 * unsigned(i) + 1); });
}
[[gnu::noinline]] inline __m512i madd52lo_epu64(__m512i sum, __m512i a, __m512i b) {
  return whole<U64>([](auto s, auto x, auto y) { return s + (((x & kMask52) * (y & kMask52)) & kMask52); }, sum, a, b);
}
[[gnu::noinline]] inline __m512i madd52hi_epu64(__m512i sum, __m512i a, __m512i b) {
  const auto high = [](U64 x, U64 y) {
    return U64((static_cast<unsigned __int128>(x & kMask52) * (y & kMask52)) >> 52);
  };
  return each<U64>([=](U64 s, U64 x, U64 y) { return s + high(x, y); }, sum, a, b);
}
[[gnu::noinline]] inline __m512i min_epu32(__m512i a, __m512i b) {
  return whole<U32>([](auto x, auto y) { return x < y ? x : y; }, a, b);
}
[[gnu::noinline]] inline __m512i min_epu64(__m512i a, __m512i b) {
  return whole<U64>([](auto x, auto y) { return x < y ? x : y; }, a, b);
}
// Returns the second operand if one of the two is not a number.
[[gnu::noinline]] inline __m512d min_pd(__m512d a, __m512d b) {
  return (__m512d)whole<double>([](auto x, auto y) { return x < y ? x : y; }, a, b);
}
[[gnu::noinline]] inline __m512d fmadd_pd(__m512d a, __m512d b, __m512d c) {
  __m256d x[2], y[2], z[2];
  std::memcpy(x, &a, sizeof a);
  std::memcpy(y, &b, sizeof b);
  std::memcpy(z, &c, sizeof c);
  for (int i = 0; i < 2; ++i) x[i] = _mm256_fmadd_pd(x[i], y[i], z[i]);
  return loadu_pd(x);
}
[[gnu::noinline]] inline __m512d fmsub_pd(__m512d a, __m512d b, __m512d c) { return fmadd_pd(a, b, -c); }
[[gnu::noinline]] inline __m512d fnmadd_pd(__m512d a, __m512d b, __m512d c) { return fmadd_pd(-a, b, c); }

// Bits. Shift counts that are arguments are below the size of a lane.
[[gnu::noinline]] inline __m512i and_si512(__m512i a, __m512i b) { return a & b; }
[[gnu::noinline]] inline __m512i andnot_si512(__m512i a, __m512i b) { return ~a & b; }
[[gnu::noinline]] inline __m512i or_si512(__m512i a, __m512i b) { return a | b; }
[[gnu::noinline]] inline __m512i xor_si512(__m512i a, __m512i b) { return a ^ b; }
[[gnu::noinline]] inline __m512i slli_epi32(__m512i v, unsigned n) {
  return whole<U32>([=](auto x) { return x << n; }, v);
}
[[gnu::noinline]] inline __m512i srli_epi64(__m512i v, unsigned n) {
  return whole<U64>([=](auto x) { return x >> n; }, v);
}
[[gnu::noinline]] inline __m512i srlv_epi64(__m512i v, __m512i n) {
  return each<U64>([](U64 x, U64 k) { return k < 64 ? x >> k : 0; }, v, n);
}
// Returns the lower half of the 128-bit word high:low >> n.
[[gnu::noinline]] inline __m512i shrdv_epi64(__m512i low, __m512i high, __m512i n) {
  return each<U64>([](U64 x, U64 y, U64 k) { return U64(((static_cast<unsigned __int128>(y) << 64) | x) >> (k % 64)); },
                   low, high, n);
}
[[gnu::noinline]] inline __m512i rol_epi32(__m512i v, int n) {
  return whole<U32>([=](auto x) { return x << n | x >> (32 - n); }, v);
}
[[gnu::noinline]] inline __m512i popcnt_epi32(__m512i v) {
  return each<U32>([](U32 x) { return U32(std::popcount(x)); }, v);
}

// Masks: bit i of a mask belongs to lane i.
[[gnu::noinline]] inline unsigned cmpgt_epu64_mask(__m512i a, __m512i b) {
  unsigned mask = 0;
  for (unsigned i = 0; i < 8; ++i) mask |= unsigned{lane<U64>(a, i) > lane<U64>(b, i)} << i;
  return mask;
}
// Returns the lanes of v in the mask, and the other lanes of `others`.
template <class Word>
[[gnu::noinline]] inline __m512i select(unsigned mask, __m512i v, __m512i others) {
  return make<Word>([=](int i) { return lane<Word>((mask >> i & 1) != 0 ? v : others, unsigned(i)); });
}
[[gnu::noinline]] inline __m512i mask_add_epi64(__m512i others, unsigned mask, __m512i a, __m512i b) {
  return select<U64>(mask, whole<U64>([](auto x, auto y) { return x + y; }, a, b), others);
}
[[gnu::noinline]] inline __m512i maskz_cvtepu8_epi32(unsigned mask, __m128i v) {
  return select<U32>(mask, widen_bytes<U32>(v), setzero_si512());
}
[[gnu::noinline]] inline __m512i maskz_cvtepu8_epi64(unsigned mask, __m128i v) {
  return select<U64>(mask, widen_bytes<U64>(v), setzero_si512());
}

// Permutations.
[[gnu::noinline]] inline __m512i permutexvar_epi32(__m512i index, __m512i v) {
  return each<U32>([=](U32 i) { return lane<U32>(v, i % 16); }, index);
}
[[gnu::noinline]] inline __m512i maskz_permutexvar_epi32(unsigned mask, __m512i index, __m512i v) {
  return select<U32>(mask, permutexvar_epi32(index, v), setzero_si512());
}
[[gnu::noinline]] inline __m512i maskz_permutexvar_epi64(unsigned mask, __m512i index, __m512i v) {
  return select<U64>(mask, each<U64>([=](U64 i) { return lane<U64>(v, unsigned(i % 8)); }, index), setzero_si512());
}
[[gnu::noinline]] inline __m512i permutex2var_epi32(__m512i a, __m512i index, __m512i b) {
  return each<U32>([=](U32 i) { return lane<U32>((i & 16) == 0 ? a : b, i % 16); }, index);
}
// In each group of four lanes, lane i gets lane index[i] % 4 of the group.
[[gnu::noinline]] inline __m512 permutevar_ps(__m512 v, __m512i index) {
  const auto from = [=](unsigned i) { return (i & ~3u) + (lane<U32>(index, i) & 3); };
  return (__m512)make<U32>([=](int i) { return lane<U32>((__m512i)v, from(unsigned(i))); });
}
// In each group of four lanes, lane i gets lane (choice >> 2 i) % 4 of the group.
[[gnu::noinline]] inline __m512i mask_shuffle_epi32(__m512i others, unsigned mask, __m512i v, int choice) {
  const auto from = [=](unsigned i) { return (i & ~3u) + (unsigned(choice) >> 2 * (i & 3) & 3); };
  return select<U32>(mask, make<U32>([=](int i) { return lane<U32>(v, from(unsigned(i))); }), others);
}
// Each quarter (128 bits) of the result is a quarter of a or b. Two bits of `choice` are the number of this quarter.
// The first two quarters of the result come from a, and the last two from b.
[[gnu::noinline]] inline __m512i shuffle_i64x2(__m512i a, __m512i b, int choice) {
  return make<U64>([=](int i) {
    const unsigned quarter = unsigned(i) / 2, from = unsigned(choice) >> 2 * quarter & 3;
    return lane<U64>(quarter < 2 ? a : b, 2 * from + unsigned(i) % 2);
  });
}
[[gnu::noinline]] inline __m512i shuffle_i32x4(__m512i a, __m512i b, int choice) { return shuffle_i64x2(a, b, choice); }
// Interleaves the lanes of a and b. Of each quarter of n lanes, takes the first n / 2 lanes if half = 0, and otherwise
// the last n / 2.
template <class Word>
[[gnu::noinline]] inline __m512i unpack(__m512i a, __m512i b, unsigned half) {
  constexpr unsigned n = 16 / sizeof(Word);
  return make<Word>([=](int i) {
    const unsigned in_quarter = unsigned(i) % n, from = unsigned(i) - in_quarter + half * (n / 2) + in_quarter / 2;
    return lane<Word>(in_quarter % 2 == 0 ? a : b, from);
  });
}
[[gnu::noinline]] inline __m512i unpacklo_epi32(__m512i a, __m512i b) { return unpack<U32>(a, b, 0); }
[[gnu::noinline]] inline __m512i unpackhi_epi32(__m512i a, __m512i b) { return unpack<U32>(a, b, 1); }
[[gnu::noinline]] inline __m512i unpacklo_epi64(__m512i a, __m512i b) { return unpack<U64>(a, b, 0); }
[[gnu::noinline]] inline __m512i unpackhi_epi64(__m512i a, __m512i b) { return unpack<U64>(a, b, 1); }

}  // namespace ringfort::testing::avx512

// In some compilers, some of the intrinsics are macros.
#undef _mm512_add_epi32
#undef _mm512_and_si512
#undef _mm512_andnot_si512
#undef _mm512_broadcast_i64x2
#undef _mm512_broadcast_i64x4
#undef _mm512_broadcastq_epi64
#undef _mm512_cmpgt_epu64_mask
#undef _mm512_cvtepi64_epi32
#undef _mm512_cvtepu32_epi64
#undef _mm512_cvtepu8_epi32
#undef _mm512_fmadd_pd
#undef _mm512_fmsub_pd
#undef _mm512_fnmadd_pd
#undef _mm512_loadu_pd
#undef _mm512_loadu_si512
#undef _mm512_madd52hi_epu64
#undef _mm512_madd52lo_epu64
#undef _mm512_madd_epi16
#undef _mm512_mask_add_epi64
#undef _mm512_mask_shuffle_epi32
#undef _mm512_maskz_cvtepu8_epi32
#undef _mm512_maskz_cvtepu8_epi64
#undef _mm512_maskz_permutexvar_epi32
#undef _mm512_maskz_permutexvar_epi64
#undef _mm512_min_epu32
#undef _mm512_min_epu64
#undef _mm512_min_pd
#undef _mm512_mul_epu32
#undef _mm512_mullo_epi64
#undef _mm512_or_si512
#undef _mm512_permutex2var_epi32
#undef _mm512_permutevar_ps
#undef _mm512_permutexvar_epi32
#undef _mm512_popcnt_epi32
#undef _mm512_rol_epi32
#undef _mm512_set1_epi32
#undef _mm512_set1_epi64
#undef _mm512_set1_epi8
#undef _mm512_set1_pd
#undef _mm512_setr_epi32
#undef _mm512_setzero_si512
#undef _mm512_shrdv_epi64
#undef _mm512_shuffle_i32x4
#undef _mm512_shuffle_i64x2
#undef _mm512_slli_epi32
#undef _mm512_srli_epi64
#undef _mm512_srlv_epi64
#undef _mm512_storeu_pd
#undef _mm512_storeu_si512
#undef _mm512_sub_epi64
#undef _mm512_sub_epi8
#undef _mm512_unpackhi_epi32
#undef _mm512_unpackhi_epi64
#undef _mm512_unpacklo_epi32
#undef _mm512_unpacklo_epi64
#undef _mm512_xor_si512

#define _mm512_add_epi32 ringfort::testing::avx512::add_epi32
#define _mm512_and_si512 ringfort::testing::avx512::and_si512
#define _mm512_andnot_si512 ringfort::testing::avx512::andnot_si512
#define _mm512_broadcast_i64x2 ringfort::testing::avx512::broadcast_i64x2
#define _mm512_broadcast_i64x4 ringfort::testing::avx512::broadcast_i64x4
#define _mm512_broadcastq_epi64 ringfort::testing::avx512::broadcastq_epi64
#define _mm512_cmpgt_epu64_mask ringfort::testing::avx512::cmpgt_epu64_mask
#define _mm512_cvtepi64_epi32 ringfort::testing::avx512::cvtepi64_epi32
#define _mm512_cvtepu32_epi64 ringfort::testing::avx512::cvtepu32_epi64
#define _mm512_cvtepu8_epi32 ringfort::testing::avx512::cvtepu8_epi32
#define _mm512_fmadd_pd ringfort::testing::avx512::fmadd_pd
#define _mm512_fmsub_pd ringfort::testing::avx512::fmsub_pd
#define _mm512_fnmadd_pd ringfort::testing::avx512::fnmadd_pd
#define _mm512_loadu_pd ringfort::testing::avx512::loadu_pd
#define _mm512_loadu_si512 ringfort::testing::avx512::loadu_si512
#define _mm512_madd52hi_epu64 ringfort::testing::avx512::madd52hi_epu64
#define _mm512_madd52lo_epu64 ringfort::testing::avx512::madd52lo_epu64
#define _mm512_madd_epi16 ringfort::testing::avx512::madd_epi16
#define _mm512_mask_add_epi64 ringfort::testing::avx512::mask_add_epi64
#define _mm512_mask_shuffle_epi32 ringfort::testing::avx512::mask_shuffle_epi32
#define _mm512_maskz_cvtepu8_epi32 ringfort::testing::avx512::maskz_cvtepu8_epi32
#define _mm512_maskz_cvtepu8_epi64 ringfort::testing::avx512::maskz_cvtepu8_epi64
#define _mm512_maskz_permutexvar_epi32 ringfort::testing::avx512::maskz_permutexvar_epi32
#define _mm512_maskz_permutexvar_epi64 ringfort::testing::avx512::maskz_permutexvar_epi64
#define _mm512_min_epu32 ringfort::testing::avx512::min_epu32
#define _mm512_min_epu64 ringfort::testing::avx512::min_epu64
#define _mm512_min_pd ringfort::testing::avx512::min_pd
#define _mm512_mul_epu32 ringfort::testing::avx512::mul_epu32
#define _mm512_mullo_epi64 ringfort::testing::avx512::mullo_epi64
#define _mm512_or_si512 ringfort::testing::avx512::or_si512
#define _mm512_permutex2var_epi32 ringfort::testing::avx512::permutex2var_epi32
#define _mm512_permutevar_ps ringfort::testing::avx512::permutevar_ps
#define _mm512_permutexvar_epi32 ringfort::testing::avx512::permutexvar_epi32
#define _mm512_popcnt_epi32 ringfort::testing::avx512::popcnt_epi32
#define _mm512_rol_epi32 ringfort::testing::avx512::rol_epi32
#define _mm512_set1_epi32 ringfort::testing::avx512::set1_epi32
#define _mm512_set1_epi64 ringfort::testing::avx512::set1_epi64
#define _mm512_set1_epi8 ringfort::testing::avx512::set1_epi8
#define _mm512_set1_pd ringfort::testing::avx512::set1_pd
#define _mm512_setr_epi32 ringfort::testing::avx512::setr_epi32
#define _mm512_setzero_si512 ringfort::testing::avx512::setzero_si512
#define _mm512_shrdv_epi64 ringfort::testing::avx512::shrdv_epi64
#define _mm512_shuffle_i32x4 ringfort::testing::avx512::shuffle_i32x4
#define _mm512_shuffle_i64x2 ringfort::testing::avx512::shuffle_i64x2
#define _mm512_slli_epi32 ringfort::testing::avx512::slli_epi32
#define _mm512_srli_epi64 ringfort::testing::avx512::srli_epi64
#define _mm512_srlv_epi64 ringfort::testing::avx512::srlv_epi64
#define _mm512_storeu_pd ringfort::testing::avx512::storeu_pd
#define _mm512_storeu_si512 ringfort::testing::avx512::storeu_si512
#define _mm512_sub_epi64 ringfort::testing::avx512::sub_epi64
#define _mm512_sub_epi8 ringfort::testing::avx512::sub_epi8
#define _mm512_unpackhi_epi32 ringfort::testing::avx512::unpackhi_epi32
#define _mm512_unpackhi_epi64 ringfort::testing::avx512::unpackhi_epi64
#define _mm512_unpacklo_epi32 ringfort::testing::avx512::unpacklo_epi32
#define _mm512_unpacklo_epi64 ringfort::testing::avx512::unpacklo_epi64
#define _mm512_xor_si512 ringfort::testing::avx512::xor_si512
