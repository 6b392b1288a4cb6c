// SPDX-License-Identifier: Apache-2.0
// Tests the lazy butterflies on model words of 8 or 10 bits (support/model_word.h). A butterfly is one step of a
// transform: it computes x + w y and x - w y, or its inverse. A lazy butterfly leaves its results unreduced, below 2q
// or 4q. With 8 bits, the test tries every modulus up to the limit, every factor, and every pair of lazy inputs. Under
// sanitizers, it tries only a sample of the moduli. With 10 bits, it tries a grid of operands. Results must have the
// right residues and ranges.
#include "math/butterfly.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/model_word.h"

namespace ringfort {
namespace {

using testing::ModelWord;

struct Pair {
  u32 x = 0;
  u32 y = 0;
};

enum class Direction { forward, inverse };

// A table of x mod q for all x below `limit`. It is built by counting.
class Residues {
 public:
  Residues(u32 q, u32 limit) : table_(limit) {
    for (u32 x = 0; x < limit; ++x) table_[x] = static_cast<u16>(x < q ? x : table_[x - q]);
  }
  u32 operator()(u32 x) const { return table_[x]; }

 private:
  std::vector<u16> table_;
};

// Returns the result of the butterfly, computed with integers modulo q.
Pair expected(Direction direction, Pair in, u32 w, u32 q, const Residues& mod) {
  if (direction == Direction::forward) return {mod(in.x + w * in.y), mod(in.x + (q - w) * in.y)};
  return {mod(in.x + in.y), mod(mod(in.x + 4 * q - in.y) * w)};
}

// One modulus and one factor. Inputs are below range * q.
struct Case {
  Direction direction;
  u32 q, w, range, factor_step;
};

template <class W, class Butterfly, class Factor>
bool agrees(const Case& c, Butterfly butterfly, const Factor& factor, Pair in, const Residues& mod) {
  W a(in.x), b(in.y);
  butterfly(a, b, factor, W(c.q));
  const Pair right = expected(c.direction, in, c.w, c.q, mod);
  const bool below = a.value() < c.range * c.q && b.value() < c.range * c.q;
  if (below && mod(a.value()) == right.x && mod(b.value()) == right.y) return true;
  ADD_FAILURE() << "q=" << c.q << " w=" << c.w << " x=" << in.x << " y=" << in.y << " gave " << a.value() << ", "
                << b.value();
  return false;
}

template <class W, class Butterfly>
u64 try_inputs(const Case& c, Butterfly butterfly, const Residues& mod) {
  const auto factor = shoup_factor(W(c.w), W(c.q));
  u64 tried = 0;
  for (u32 x = 0; x < c.range * c.q; ++x) {
    for (u32 y = x % c.factor_step; y < c.range * c.q; y += c.factor_step, ++tried) {
      if (!agrees<W>(c, butterfly, factor, {x, y}, mod)) return tried;
    }
  }
  return tried;
}

// Tries every modulus of at most max_bits bits, with inputs below range * q. Returns how many butterflies it tried.
template <class W, class Butterfly>
u64 try_all(Direction direction, Butterfly butterfly, u32 max_bits, u32 range, u32 modulus_step, u32 factor_step) {
  u64 tried = 0;
  for (u32 q = 2; bit_length(q) <= max_bits && !::testing::Test::HasFailure(); q += modulus_step) {
    const Residues mod(q, 4 * q * q + 8 * q);
    for (u32 w = 0; w < q; w += factor_step)
      tried += try_inputs<W>({direction, q, w, range, factor_step}, butterfly, mod);
  }
  return tried;
}

#if RINGFORT_ASSERTS
constexpr u32 kThinning = 5;  // sanitizer builds look for other faults, so they try only a sample
#else
constexpr u32 kThinning = 1;
#endif

template <class W>
constexpr u32 kModulusStep = kThinning * (kWordBits<W> == 8 ? 1 : 5);
template <class W>
constexpr u32 kFactorStep = kWordBits<W> == 8 ? 1 : 29;

template <class W>
class Butterflies : public ::testing::Test {};
using Models = ::testing::Types<ModelWord<8>, ModelWord<10>>;
TYPED_TEST_SUITE(Butterflies, Models);

TYPED_TEST(Butterflies, ForwardLazy4StaysBelow4q) {
  using W = TypeParam;
  EXPECT_GT(
      try_all<W>(Direction::forward, forward_butterfly_lazy4<W>, kLazy4MaxBits<W>, 4, kModulusStep<W>, kFactorStep<W>),
      100000u);
}

TYPED_TEST(Butterflies, InverseLazy2StaysBelow2q) {
  using W = TypeParam;
  EXPECT_GT(
      try_all<W>(Direction::inverse, inverse_butterfly_lazy2<W>, kLazy4MaxBits<W>, 2, kModulusStep<W>, kFactorStep<W>),
      100000u);
}

TYPED_TEST(Butterflies, ForwardFull2StaysBelow2qUpToOneBitShortOfTheWord) {
  using W = TypeParam;
  EXPECT_GT(
      try_all<W>(Direction::forward, forward_butterfly_full2<W>, kFull2MaxBits<W>, 2, kModulusStep<W>, kFactorStep<W>),
      100000u);
}

TYPED_TEST(Butterflies, InverseFull2StaysBelow2qUpToOneBitShortOfTheWord) {
  using W = TypeParam;
  EXPECT_GT(
      try_all<W>(Direction::inverse, inverse_butterfly_full2<W>, kFull2MaxBits<W>, 2, kModulusStep<W>, kFactorStep<W>),
      100000u);
}

TYPED_TEST(Butterflies, CanonicalFormsAreResidues) {
  using W = TypeParam;
  for (u32 q = 2; bit_length(q) <= kLazy4MaxBits<W>; ++q) {
    for (u32 x = 0; x < 4 * q; ++x) {
      ASSERT_EQ(canonical_from_lazy4(W(x), W(q)).value(), x % q) << "q=" << q << " x=" << x;
    }
    for (u32 x = 0; x < 2 * q; ++x) {
      ASSERT_EQ(canonical_from_lazy2(W(x), W(q)).value(), x % q) << "q=" << q << " x=" << x;
    }
  }
}

// With a modulus one bit longer than the limit, 4q exceeds the word, and some results are wrong.
TEST(Butterfly, TheLimitOfLazy4IsTight) {
  using W = ModelWord<8>;
  const u32 q = 127;
  ASSERT_EQ(bit_length(q), kLazy4MaxBits<W> + 1);
  u32 wrong = 0;
  for (u32 w = 0; w < q; ++w) {
    for (u32 x = 0; x < 2 * q; ++x) {
      W a(x), b(x);
      forward_butterfly_lazy4(a, b, shoup_factor(W(w), W(q)), W(q));
      wrong += a.value() % q != (x + w * x) % q;
    }
  }
  EXPECT_GT(wrong, 0u);
}

}  // namespace
}  // namespace ringfort
