// SPDX-License-Identifier: Apache-2.0
// Transforms modulo x^n + 1, for vectors. The forward transform has Cooley-Tukey butterflies, and the inverse transform
// has Gentleman-Sande butterflies. A transform has log2(n) stages of n / 2 butterflies. A butterfly combines two
// elements with a constant, its twiddle. The powers of psi (backend/plan.h) are merged into the twiddles [Shivdikar22,
// Alg. 5 and 6]. A pass over memory runs up to three stages. The last forward pass and the first inverse pass also run
// the stages inside registers. Blocks above 16 KiB run one by one: each runs all its stages before the next block
// begins.
//
// L is the number of lanes. In the vertical stages, a butterfly is between equal lanes of two vectors in memory order.
// The last log2(L) stages run inside registers. The engine E defines the lanes, the butterflies ct() and gs(), range
// corrections, loads and stores. The head of each engine states its ranges of values.
//
// Stages inside registers. Two vectors contain 2L consecutive elements. They have log2(L) + 1 arrangements. In
// arrangement j, bit j of the index of an element selects the vector. The bits above bit j (the block number) are the
// low bits of its lane, and the bits below bit j are the high bits of its lane. Then a butterfly of distance 2^j is
// between equal lanes of the two vectors. The twiddles of these butterflies are 2L / 2^(j+1) consecutive entries of the
// table, each repeated. One broadcast loads them. Arrangement log2(L) is the natural order. SplitHalves states how the
// arrangements of 256-bit vectors differ.
//
// The transforms need n >= 16 L; radix2.h is for smaller n.
#pragma once

#include <type_traits>
#include <utility>

#include "backend/cpu/kernels/digits.h"

namespace ringfort::cpu::kernels {

template <unsigned N, class F>
[[gnu::always_inline]] inline void unroll(F f) {  // f<0>(), f<1>(), ... f<N - 1>()
  [&]<unsigned... I>(std::integer_sequence<unsigned, I...>)
      __attribute__((always_inline)) { (f.template operator()<I>(), ...); }(std::make_integer_sequence<unsigned, N>{});
}

// Looks for the element that is in lane l of vector v in arrangement `to`. Returns its position in arrangement `from`,
// as vector * L + lane.
template <unsigned kLogLanes>
static inline constexpr unsigned source_of(unsigned from, unsigned to, unsigned v, unsigned l) {
  const unsigned blocks = kLogLanes - to;  // bits of the block number
  const unsigned block = l & ((1u << blocks) - 1), inside = l >> blocks;
  const unsigned index = block << (to + 1) | v << to | inside;
  const unsigned lane = index >> (from + 1) | (index & ((1u << from) - 1)) << (kLogLanes - from);
  return (index >> from & 1) << kLogLanes | lane;
}

// Vectors of 256 bits (AVX2), whose halves exchange words slowly. Only swap_halves() moves words from one half to the
// other. It changes the natural order into arrangement log2(L) - 1, and back. In all arrangements but the natural one,
// the highest bit of the index of an element selects the half, and each half has the arrangements of L/2 lanes.
// interleave() changes arrangement j into j - 1, and 0 into log2(L) - 1. deinterleave() reverses these changes.
template <class E>
concept SplitHalves = requires(typename E::V x) { E::Lanes::swap_halves(x, x); };

template <unsigned kFrom, unsigned kTo, class E>
[[gnu::always_inline]] inline void rearrange(typename E::V& x, typename E::V& y) {
  constexpr unsigned s = E::kLogLanes;
  if constexpr (kFrom != kTo && SplitHalves<E>) {
    constexpr unsigned down = ((kFrom == s ? s - 1 : kFrom) + s - (kTo == s ? s - 1 : kTo)) % s;
    if constexpr (kFrom == s) E::Lanes::swap_halves(x, y);
    if constexpr (down <= s / 2)
      unroll<down>([&]<unsigned>() __attribute__((always_inline)) { E::Lanes::interleave(x, y); });
    else unroll<s - down>([&]<unsigned>() __attribute__((always_inline)) { E::Lanes::deinterleave(x, y); });
    if constexpr (kTo == s) E::Lanes::swap_halves(x, y);
  } else if constexpr (kFrom != kTo) {
    [&]<unsigned... L>(std::integer_sequence<unsigned, L...>) __attribute__((always_inline)) {
      const typename E::V first = __builtin_shufflevector(x, y, source_of<s>(kFrom, kTo, 0, L)...);
      y = __builtin_shufflevector(x, y, source_of<s>(kFrom, kTo, 1, L)...);
      x = first;
    }(std::make_integer_sequence<unsigned, E::kLanes>{});
  }
}

static inline constexpr unsigned log2_of(std::size_t power_of_two) {
  return static_cast<unsigned>(__builtin_ctzll(power_of_two));
}

inline constexpr unsigned kBlockStages = 3;  // vertical stages that run together with the stages inside registers
inline constexpr std::size_t kCacheBytes = 32 * 1024;

// Number of blocks whose butterflies alternate. The stages of one block depend on each other, and a core looks only a
// limited number of operations ahead. Therefore one block alone leaves a part of a wide core idle. With only 16
// registers, the values of a second block do not stay in registers. This costs less than it gains only for doubles,
// whose operations take three or four cycles each. A column is the 2^R vectors that a pass of R stages combines.
// kColumnsSideBySide is the number of columns that alternate in such a pass. It is smaller if R is 3, or if a twiddle
// needs three registers.
template <class E>
inline constexpr bool kFewDoubles = sizeof(typename E::V) < 64 && std::is_same_v<typename E::Cell, double>;
template <class E>
inline constexpr unsigned kBlocksSideBySide = sizeof(typename E::V) == 64 || kFewDoubles<E> ? 2 : 1;
template <class E, unsigned R>
inline constexpr unsigned kColumnsSideBySide =
    kFewDoubles<E> ? 2
                   : kBlocksSideBySide<E> * (R == 3 || sizeof(typename E::Twiddle) > 2 * sizeof(typename E::V) ? 1 : 2);

// Runs R forward stages on kGroup columns side by side. v[g << R | u] has the elements of column g at distance u *
// stride. All columns have the twiddles tw or, if kOwnTwiddles is true, column g has the twiddles tw + (g << R). If
// `clean` is true, the results must not be dirty (ifma/engine.h).
template <unsigned R, unsigned kGroup, bool kFirst = false, bool kOwnTwiddles = false, class E>
[[gnu::always_inline]] inline void ct_stages(const E& e, typename E::V* v, const typename E::Twiddle* tw, bool clean) {
  unroll<R>([&]<unsigned T>() __attribute__((always_inline)) {
    unroll<(1u << R) / 2>([&]<unsigned I>() __attribute__((always_inline)) {
      constexpr unsigned half = 1u << (R - 1 - T);
      constexpr unsigned u = (I / half) * 2 * half + I % half;
      constexpr bool first_operand_next = (u & (half >> 1)) == 0;
      unroll<kGroup>([&]<unsigned G>() __attribute__((always_inline)) {
        constexpr unsigned twiddle = (kOwnTwiddles ? G << R : 0) + (1u << T) - 1 + (u >> (R - T));
        e.template ct<kFirst && T == 0, T>(v[G << R | u], v[G << R | (u + half)], tw[twiddle],
                                           T + 1 < R ? first_operand_next : clean);
      });
    });
  });
}

template <unsigned R, unsigned kGroup, class E, bool kButLast = false>
[[gnu::always_inline]] inline void gs_stages(const E& e, typename E::V* v, const typename E::Twiddle* tw,
                                             unsigned stage, bool dirty) {
  unroll<(kButLast ? R - 1 : R)>([&]<unsigned T>() __attribute__((always_inline)) {
    const typename E::V bound = e.bound(stage + T);
    unroll<(1u << R) / 2>([&]<unsigned I>() __attribute__((always_inline)) {
      constexpr unsigned half = 1u << T;
      constexpr unsigned u = (I / half) * 2 * half + I % half;
      constexpr bool product_before = (u & (half >> 1)) != 0;
      unroll<kGroup>([&]<unsigned G>() __attribute__((always_inline)) {
        e.template gs<false, T, R>(v[G << R | u], v[G << R | (u + half)], tw[(1u << (R - 1 - T)) - 1 + (u >> (T + 1))],
                                   bound, T == 0 ? dirty : product_before);
      });
    });
  });
}

// Loads the 2^R - 1 twiddles of one of m blocks. Stage t, counted as in the forward transform, uses the 2^t entries
// from (m + block) 2^t on.
template <unsigned R, bool kInverse, class E>
[[gnu::always_inline]] inline void load_twiddles(const E& e, typename E::Twiddle* tw, std::size_t m_plus_block) {
  unroll<R>([&]<unsigned T>() __attribute__((always_inline)) {
    unroll<(1u << T)>([&]<unsigned U>() __attribute__((always_inline)) {
      tw[(1u << T) - 1 + U] = e.tables.template single<kInverse>((m_plus_block << T) + U);
    });
  });
}

// Blocks [first, first + count) of the polynomial's m blocks.
struct Blocks {
  std::size_t m, first, count;
};
static inline constexpr Blocks one_of(Blocks b, std::size_t c) { return {b.m, b.first + c, 1}; }
static inline constexpr Blocks split(Blocks b, unsigned stages) {
  return {b.m << stages, b.first << stages, b.count << stages};
}

// If the engine prefetches, requests the data that is due after kStages stages on kVectors vectors.
template <unsigned kStages, unsigned kVectors, class E>
[[gnu::always_inline]] inline void prefetch_share(const E& e) {
  if constexpr (requires { e.template prefetch_share<kStages, kVectors>(); })
    e.template prefetch_share<kStages, kVectors>();
}

// Returns an element of the input of the first pass. This input consists of words, of digits of words, or of converted
// words (ifma/conversion.h, doubles_fused.h).
template <class E, class In>
[[gnu::always_inline]] inline typename E::V element(const E& e, const In* const& in, std::size_t at) {
  return e.load(in + at);
}

template <class E, bool kCentred>
struct DigitWords {
  const typename E::Word* words;
  DigitOf<typename E::Lanes> digit;
};
template <class E, bool kCentred>
[[gnu::always_inline]] inline typename E::V element(const E& e, const DigitWords<E, kCentred>& in, std::size_t at) {
  const typename E::V word = e.load(in.words + at);
  return kCentred ? e.below_2q(in.digit.centred(word)) : in.digit.plain(word);
}

// Words whose digits have one bit: bit `digit.down`.
template <class E>
struct BitWords : DigitWords<E, false> {};

// Engines whose lanes have lookup(table, index), and whose values are never negative. Fermat, the engine whose twiddles
// have no companions, has negative values. In each 128 bits of a vector, lookup() takes the number of a lane of the
// table from the two lowest bits of each index.
template <class E>
concept LooksUpBits = requires(typename E::V x, typename E::Twiddle w) { E::Lanes::lookup(x, x), w.companion; };

// Loads two vectors of words in the natural order, and brings them into arrangement 0.
template <class E>
[[gnu::always_inline]] inline void load_pair(const E& e, const typename E::Word* in, typename E::V& x,
                                             typename E::V& y) {
  if constexpr (requires { e.load_pair(in, x, y); }) {
    e.load_pair(in, x, y);
  } else {
    x = e.load(in);
    y = e.load(in + E::kLanes);
    rearrange<E::kLogLanes, 0, E>(x, y);
  }
}

// Writes two vectors of the last pass, which are in arrangement 0, as words in the natural order. ifma/conversion.h and
// doubles_fused.h overload this function for quotients.
template <class E>
[[gnu::always_inline]] inline void finish_pair(const E& e, typename E::Word* out, typename E::V x, typename E::V y) {
  if constexpr (requires { e.finish_pair(out, x, y); }) {
    e.finish_pair(out, x, y);
  } else {
    x = e.finish(x);
    y = e.finish(y);
    rearrange<0, E::kLogLanes, E>(x, y);
    e.store(out, x);
    e.store(out + E::kLanes, y);
  }
}

// Runs R forward stages on `blocks`. The lower half of the columns of a block are the first operands of the next stage.
template <unsigned R, bool kFirst, class E, class In>
void forward_pass(const E& e, const In& in, typename E::Cell* out, Blocks blocks) {
  // An input that is computed from words needs the registers of a second column. kFewDoubles has no such registers
  // anyway.
  constexpr unsigned kGroup = std::is_pointer_v<In> || kFewDoubles<E> ? kColumnsSideBySide<E, R> : 1;
  const std::size_t stride = (e.tables.n / blocks.m) >> R;
  typename E::Twiddle tw[1u << R];
  for (std::size_t block = blocks.first; block < blocks.first + blocks.count; ++block) {
    const std::size_t base = block * (stride << R);
    load_twiddles<R, false>(e, tw, blocks.m + block);
    const auto columns = [&](std::size_t begin, std::size_t end, bool clean) __attribute__((always_inline)) {
      for (std::size_t j = base + begin; j < base + end; j += kGroup * E::kLanes) {
        prefetch_share<R, kGroup << R>(e);
        typename E::V v[kGroup << R];
        unroll<(kGroup << R)>([&]<unsigned I>() __attribute__((always_inline)) {
          constexpr unsigned U = I % (1u << R), G = I >> R;
          v[I] = element(e, in, U * stride + j + G * E::kLanes);
          if constexpr (kFirst && U < (1u << R) / 2) v[I] = e.enter(v[I]);
        });
        ct_stages<R, kGroup, kFirst>(e, v, tw, clean);
        unroll<(kGroup << R)>([&]<unsigned I>() __attribute__((always_inline)) {
          e.store(out + I % (1u << R) * stride + j + (I >> R) * E::kLanes, v[I]);
        });
      }
    };
    columns(0, stride / 2, true);
    columns(stride / 2, stride, false);
  }
}

// Runs the first two forward stages on digits of one bit. The elements x0 .. x3 of a column become
// A(x0, x2) + B(x1, x3), A - B, A' + B' and A' - B'. With the twiddles w, w1, w2 these are A = x0 + w x2,
// A' = x0 - w x2, B = w1 (x1 + w x3) and B' = w2 (x1 - w x3). Each of A, A', B and B' has only four possible values,
// which a table contains as residues. Results are below 2q.
template <class E>
void bits_pass(const E& e, const BitWords<E>& in, typename E::Cell* out) {
  using V = typename E::V;
  const std::size_t stride = e.tables.n / 4;
  typename E::Twiddle tw[4];
  load_twiddles<2, false>(e, tw, 1);
  V low{}, high{};  // the two bits of the number of a lane
  for (unsigned i = 0; i < E::kLanes; ++i) low[i] = i & 1, high[i] = i >> 1 & 1;
  const V w = e.product(high, tw[0]), minus_w = E::Lanes::reduce(e.q - w, e.q);
  const V sum = E::Lanes::reduce(low + w, e.q), difference = E::Lanes::reduce(low + minus_w, e.q);
  const V first[] = {sum, difference}, second[] = {e.product(sum, tw[1]), e.product(difference, tw[2])};
  const V mask = in.digit.mask << in.digit.down;
  for (std::size_t j = 0; j < stride; j += E::kLanes) {
    const auto bits = [&](unsigned u) __attribute__((always_inline)) {
      const V x = e.load(in.words + u * stride + j) & mask, y = e.load(in.words + (u + 2) * stride + j) & mask;
      return (x + (y + y)) >> in.digit.down;  // no carry is lost: residues are below 2^31
    };
    const V even = bits(0), odd = bits(1);
    unroll<2>([&]<unsigned I>() __attribute__((always_inline)) {
      const V a = E::Lanes::lookup(first[I], even), b = E::Lanes::lookup(second[I], odd);
      e.store(out + 2 * I * stride + j, a + b);
      e.store(out + (2 * I + 1) * stride + j, a + (e.q - b));
    });
  }
}

// The default for the argument `ahead` of forward_blocks(). It requests no memory. A step of forward_blocks() is its
// work on kBlocksSideBySide blocks. A step has kRequests parts. In each part, forward_blocks() calls
// ahead.request(part), which may prefetch memory that the caller reads next.
struct NoRequests {
  [[gnu::always_inline]] void request(unsigned) const {}
  [[gnu::always_inline]] void end_step() const {}
};
template <class E>
inline constexpr unsigned kRequests = kBlocksSideBySide<E> * (1u << kBlockStages) / 2 * (1 + E::kLogLanes);

// Runs the last kBlockStages vertical stages and the stages inside registers, on blocks of 8 L elements. Writes
// canonical values to `out`. If kFinish is false, it writes the unreduced values of the last stage.
template <bool kFinish = true, class E, class Out, class Next = NoRequests>
void forward_blocks(const E& e, const typename E::Cell* in, const Out& out, Blocks blocks, const Next& ahead = {}) {
  constexpr unsigned R = kBlockStages, L = E::kLanes, S = E::kLogLanes, kGroup = kBlocksSideBySide<E>;
  constexpr unsigned pairs = kGroup * (1u << R) / 2;  // their stages are interleaved, so that their latencies overlap
  typename E::Twiddle tw[kGroup << R];
  typename E::V v[kGroup << R];
  for (std::size_t block = blocks.first; block < blocks.first + blocks.count; block += kGroup) {
    prefetch_share<R + S, kGroup << R>(e);
    unroll<kGroup>([&]<unsigned G>() __attribute__((always_inline)) {
      load_twiddles<R, false>(e, tw + (G << R), blocks.m + block + G);
      unroll<(1u << R)>([&]<unsigned U>() __attribute__((always_inline)) {
        v[G << R | U] = e.load(in + (block + G) * (L << R) + U * L);
        if constexpr (U % 2 == 0) ahead.request((G << R | U) / 2);
      });
    });
    ct_stages<R, kGroup, false, true>(e, v, tw, true);
    const std::size_t first = block * (1u << R) / 2;
    unroll<S>([&]<unsigned T>() __attribute__((always_inline)) {
      constexpr unsigned twiddles = 2u << T;
      unroll<pairs>([&]<unsigned P>() __attribute__((always_inline)) {
        rearrange<S - T, S - T - 1, E>(v[2 * P], v[2 * P + 1]);
        ahead.request(pairs * (T + 1) + P);
        e.template ct<false, R + T>(
            v[2 * P], v[2 * P + 1],
            e.tables.template several<false, twiddles>((e.tables.n / (2 * L) + first + P) * twiddles),
            kFinish || T + 1 < S);
      });
    });
    unroll<pairs>([&]<unsigned P>() __attribute__((always_inline)) {
      const auto to = out + (first + P) * 2 * L;
      if constexpr (kFinish) {
        finish_pair(e, to, v[2 * P], v[2 * P + 1]);
      } else {
        rearrange<0, S, E>(v[2 * P], v[2 * P + 1]);
        e.store(to, v[2 * P]);
        e.store(to + L, v[2 * P + 1]);
      }
    });
    ahead.end_step();
  }
}

template <class E>
void inverse_blocks(const E& e, const typename E::Word* in, typename E::Cell* out, Blocks blocks) {
  constexpr unsigned R = kBlockStages, L = E::kLanes, S = E::kLogLanes, kGroup = kBlocksSideBySide<E>;
  constexpr unsigned pairs = kGroup * (1u << R) / 2;
  typename E::Twiddle tw[1u << R];
  typename E::V v[kGroup << R];
  for (std::size_t block = blocks.first; block < blocks.first + blocks.count; block += kGroup) {
    const std::size_t first = block * (1u << R) / 2;
    unroll<pairs>([&]<unsigned P>() __attribute__((always_inline)) {
      load_pair(e, in + (first + P) * 2 * L, v[2 * P], v[2 * P + 1]);
    });
    unroll<S>([&]<unsigned T>() __attribute__((always_inline)) {
      constexpr unsigned twiddles = 2u << (S - 1 - T);
      unroll<pairs>([&]<unsigned P>() __attribute__((always_inline)) {
        e.template gs<T == 0, T, S>(
            v[2 * P], v[2 * P + 1],
            e.tables.template several<true, twiddles>((e.tables.n / (2 * L) + first + P) * twiddles), e.bound(T),
            T != 0);
        rearrange<T, T + 1, E>(v[2 * P], v[2 * P + 1]);
      });
    });
    unroll<kGroup>([&]<unsigned G>() __attribute__((always_inline)) {
      load_twiddles<R, true>(e, tw, blocks.m + block + G);
      gs_stages<R, 1>(e, v + (G << R), tw, S, true);
      unroll<(1u << R)>([&]<unsigned U>() __attribute__((always_inline)) {
        e.store(out + (block + G) * (L << R) + U * L, v[G << R | U]);
      });
    });
  }
}

// Runs the R inverse stages that complete `blocks`.
template <unsigned R, class E>
void inverse_pass(const E& e, typename E::Cell* inout, Blocks blocks) {
  constexpr unsigned kGroup = kColumnsSideBySide<E, R>;
  const std::size_t stride = (e.tables.n / blocks.m) >> R;
  typename E::Twiddle tw[1u << R];
  typename E::V v[kGroup << R];
  for (std::size_t block = blocks.first; block < blocks.first + blocks.count; ++block) {
    load_twiddles<R, true>(e, tw, blocks.m + block);
    typename E::Cell* base = inout + block * (stride << R);
    const auto columns = [&](std::size_t begin, std::size_t end, bool dirty) __attribute__((always_inline)) {
      for (std::size_t j = begin; j < end; j += kGroup * E::kLanes) {
        const auto cell = [&](unsigned i) __attribute__((always_inline)) {
          return base + i % (1u << R) * stride + j + (i >> R) * E::kLanes;
        };
        unroll<(kGroup << R)>([&]<unsigned I>() __attribute__((always_inline)) { v[I] = e.load(cell(I)); });
        gs_stages<R, kGroup>(e, v, tw, log2_of(stride), dirty);
        unroll<(kGroup << R)>([&]<unsigned I>() __attribute__((always_inline)) { e.store(cell(I), v[I]); });
      }
    };
    columns(0, stride / 2, false);  // the first half has sums of the previous stage, the second half has products
    columns(stride / 2, stride, true);
  }
}

// Runs the last R inverse stages and writes canonical values to `out`. The factors of the last stage include 1/n.
template <unsigned R, class E, class Out>
void inverse_last_pass(const E& e, const typename E::Cell* in, Out* out) {
  constexpr unsigned kGroup = kColumnsSideBySide<E, R>;
  const std::size_t stride = e.tables.n >> R;
  typename E::Twiddle tw[1u << R];
  load_twiddles<R, true>(e, tw, 1);
  const typename E::Twiddle scale = e.tables.scale(), last = e.tables.last();
  for (std::size_t j = 0; j < stride; j += kGroup * E::kLanes) {
    const auto at = [&](unsigned i)
                        __attribute__((always_inline)) { return i % (1u << R) * stride + j + (i >> R) * E::kLanes; };
    typename E::V v[kGroup << R];
    unroll<(kGroup << R)>([&]<unsigned I>() __attribute__((always_inline)) { v[I] = e.load(in + at(I)); });
    gs_stages<R, kGroup, E, true>(e, v, tw, log2_of(stride), true);
    const typename E::V bound = e.bound(log2_of(stride) + R - 1);
    unroll<(kGroup << R) / 2>([&]<unsigned I>() __attribute__((always_inline)) {
      constexpr unsigned half = (1u << R) / 2, x = I / half << R | I % half, y = x + half;
      const typename E::V difference = v[x] - v[y] + bound;
      e.store(out + at(x), e.product(v[x] + v[y], scale));
      e.store(out + at(y), e.product(difference, last));
    });
  }
}

static inline constexpr unsigned stages_of_pass(unsigned remaining) {  // 3 stages; 2 if threes would leave one stage
  return remaining <= 3 ? remaining : remaining % 3 == 1 ? 2 : 3;
}

// Calls f<R>() for R = 1, 2 or 3.
template <class F>
[[gnu::always_inline]] inline void with_stages(unsigned r, F f) {
  if (r == 3) f.template operator()<3>();
  else if (r == 2) f.template operator()<2>();
  else f.template operator()<1>();
}

// Tells whether there are several blocks that are each larger than half of L1. Then a block runs all its stages before
// the next block begins.
template <class E>
[[gnu::always_inline]] inline bool one_by_one(const E& e, Blocks blocks) {
  return blocks.count > 1 && e.tables.n / blocks.m * sizeof(typename E::Cell) * 2 > kCacheBytes;
}

// Divides `blocks` into blocks of 8 L elements.
template <class E>
[[gnu::always_inline]] inline Blocks smallest(const E& e, Blocks blocks) {
  return split(blocks, log2_of(e.tables.n / blocks.m) - E::kLogLanes - kBlockStages);
}

// Returns the number of vertical stages that run before forward_blocks().
template <class E>
[[gnu::always_inline]] inline unsigned upper_stages(const E& e) {
  return e.tables.log_n - E::kLogLanes - kBlockStages;
}

// Runs the first r forward stages.
template <class E, class In>
void first_pass(const E& e, const In& in, typename E::Cell* work, unsigned r) {
  with_stages(r, [&]<unsigned R>() { forward_pass<R, true>(e, in, work, {1, 0, 1}); });
}
template <class E>
void first_pass(const E& e, typename E::Word* const& in, typename E::Cell* work, unsigned r) {
  first_pass<E, const typename E::Word*>(e, in, work, r);
}

template <class E>
void first_pass(const E& e, const BitWords<E>& in, typename E::Cell* work, unsigned r) {
  if (r == 2) bits_pass(e, in, work);
  else first_pass<E, DigitWords<E, false>>(e, in, work, r);
}

// Runs the next r forward stages of `blocks`.
template <class E>
void next_pass(const E& e, typename E::Cell* work, Blocks blocks, unsigned r) {
  with_stages(r, [&]<unsigned R>() { forward_pass<R, false>(e, work, work, blocks); });
}

// Runs the `remaining` vertical stages of `blocks`, then all stages of forward_blocks(). Writes canonical values to
// `out`.
template <class E, class Out>
[[gnu::noinline]] void forward_below(const E& e, typename E::Cell* work, const Out& out, Blocks blocks,
                                     unsigned remaining) {
  if (one_by_one(e, blocks)) {
    for (std::size_t c = 0; c < blocks.count; ++c) forward_below(e, work, out, one_of(blocks, c), remaining);
    return;
  }
  if (remaining == 0) {
    forward_blocks(e, work, out, smallest(e, blocks));
    return;
  }
  const unsigned r = stages_of_pass(remaining);
  next_pass(e, work, blocks, r);
  forward_below(e, work, out, split(blocks, r), remaining - r);
}

// Runs all stages except those of forward_blocks(). Each pass runs over the whole polynomial before the next pass
// begins.
template <class E, class In>
void forward_upper(const E& e, const In& in, typename E::Cell* work) {
  unsigned remaining = upper_stages(e), r = stages_of_pass(remaining);
  first_pass(e, in, work, r);
  for (Blocks blocks = {1, 0, 1}; (remaining -= r) != 0;) {
    blocks = split(blocks, r);
    r = stages_of_pass(remaining);
    next_pass(e, work, blocks, r);
  }
}

template <class E, class In, class Out>
void forward(const E& e, const In& in, typename E::Cell* work, const Out& out) {
  const unsigned vertical = upper_stages(e), r = stages_of_pass(vertical);
  first_pass(e, in, work, r);
  forward_below(e, work, out, split({1, 0, 1}, r), vertical - r);
}

// Runs the inverse stages of `blocks` on canonical values: first inverse_blocks(), then the `remaining` vertical
// stages.
template <class E>
[[gnu::noinline]] void inverse_below(const E& e, const typename E::Word* in, typename E::Cell* work, Blocks blocks,
                                     unsigned remaining) {
  if (one_by_one(e, blocks)) {
    for (std::size_t c = 0; c < blocks.count; ++c) inverse_below(e, in, work, one_of(blocks, c), remaining);
    return;
  }
  if (remaining == 0) {
    inverse_blocks(e, in, work, smallest(e, blocks));
    return;
  }
  const unsigned r = stages_of_pass(remaining);
  inverse_below(e, in, work, split(blocks, r), remaining - r);
  with_stages(r, [&]<unsigned R>() { inverse_pass<R>(e, work, blocks); });
}

template <class E>
void inverse(const E& e, const typename E::Word* in, typename E::Cell* work, typename E::Word* out) {
  const unsigned vertical = upper_stages(e), r = stages_of_pass(vertical);
  inverse_below(e, in, work, split({1, 0, 1}, r), vertical - r);
  with_stages(r, [&]<unsigned R>() { inverse_last_pass<R>(e, work, out); });
}

// Calls f with digit k of the row. The digit is the input of a first pass.
template <class E, class F>
[[gnu::always_inline]] inline void with_digit(const E&, const Limb<typename E::Word>& limb,
                                              const DigitRow<typename E::Word>& row, u32 k, F f) {
  const DigitOf<typename E::Lanes> digit(limb, row.gadget, k % row.gadget.digits);
  const typename E::Word* const words = row.words + k / row.gadget.digits * row.words_stride;
  if constexpr (LooksUpBits<E>) {
    if (row.gadget.base_bits == 1 && !row.gadget.centred) return f(BitWords<E>{{words, digit}});
  }
  if (row.gadget.centred) f(DigitWords<E, true>{words, digit});
  else f(DigitWords<E, false>{words, digit});
}

template <class E>
void forward_digit(const E& e, const Limb<typename E::Word>& limb, const DigitRow<typename E::Word>& row, u32 k,
                   typename E::Cell* work) {
  with_digit(e, limb, row, k, [&](const auto& in) { forward(e, in, work, row.digits + k * e.tables.n); });
}

}  // namespace ringfort::cpu::kernels
