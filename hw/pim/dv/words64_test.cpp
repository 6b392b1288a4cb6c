// SPDX-License-Identifier: Apache-2.0
// Tests four kernels on words of 64 bits: elementwise64, inner_product64, tensor64 and ntt64. The tests compare their
// results with 128-bit remainders, and with the definition of the transform. The radix of products is 2^56 for primes
// below 2^54, and 2^64 for longer primes. Therefore the tests have primes at both sides of 2^54, and at the limit of 62
// bits. hw/pim/README.md explains the terms.
#include "barrett_run.h"
#include "kernels/elementwise64.h"
#include "kernels/inner_product.h"
#include "kernels/ntt.h"
#include "kernels/tensor.h"
#include "support.h"

namespace ringfort::pim::testing {
namespace {

// Primes that are 1 mod 2^14: the largest below 2^33, 2^50, 2^54, 2^60 and 2^62, and the smallest above 2^54.
constexpr u64 kPrimes[] = {
    8589852673,           // check-magic: 8589852673 == ntt_prime(33, 2**13)
    1125899906826241,     // check-magic: 1125899906826241 == ntt_prime(50, 2**13)
    18014398508400641,    // check-magic: 18014398508400641 == ntt_prime(54, 2**13)
    18014398510645249,    // check-magic: 18014398510645249 == 2**54 + 1163265
    1152921504606830593,  // check-magic: 1152921504606830593 == ntt_prime(60, 2**13)
    4611686018427322369,  // check-magic: 4611686018427322369 == ntt_prime(62, 2**13)
};

bool is_narrow(u64 q) { return q >> 54 == 0; }
u64 radix(u64 q) { return power_mod(2, is_narrow(q) ? 56 : 64, q); }
// The constants of struct Divisor in modular64.h, for products of two variables.
struct Divisor {
  u64 shifted, quotient;
  u32 shift;
  explicit Divisor(u64 q) {
    const u32 bits = is_narrow(q) ? 54 : 62;
    shift = bits - static_cast<u32>(std::bit_width(q));
    shifted = q << shift;
    quotient = static_cast<u64>((static_cast<unsigned __int128>(1) << (2 * bits)) / shifted);
  }
};
u64 square(u64 q) { return power_mod(2, 128, q); }

// All pairs of edge values, then random words.
struct Inputs {
  std::vector<u64> a, b;
  explicit Inputs(u64 q) {
    const u64 edges[] = {0, 1, 2, 0xffffffff, (u64{1} << 32) % q, q / 2, q / 2 + 1, q - 2, q - 1};
    for (u64 x : edges) {
      for (u64 y : edges) a.push_back(x % q), b.push_back(y % q);
    }
    Words random(q);
    while (a.size() < 3000) a.push_back(random.next() % q), b.push_back(random.next() % q);
  }
};

class Words64 : public DpuTest {};

TEST_F(Words64, VerbsAreRemainders) {
  KernelRun run(kernel_path("elementwise64"), {});
  for (u64 q : kPrimes) {
    const Inputs x(q);
    const u32 count = static_cast<u32>(x.a.size()), bytes = 8 * count;
    const auto results = [&](u32 verb, u64 scalar) {
      run.put(0, as_pairs(x.a));
      run.put(bytes, as_pairs(x.b));
      const Divisor d(q);
      run.set_arguments(Elementwise64Arguments{q, scalar, d.shifted, d.quotient, d.shift, verb, is_narrow(q), count, 0,
                                               bytes, bytes, 2 * bytes});
      run.launch();
      return as_words(run.get(2 * bytes, 2 * count));
    };
    const u64 factor = q / 3;
    const auto sum = results(kAdd64, 0), difference = results(kSub64, 0), negative = results(kNegate64, 0),
               copy = results(kCopy64, 0), product = results(kMultiply64, 0), both = results(kMultiplyAdd64, 0),
               scaled = results(kMultiplyScalar64, product_mod(factor, radix(q), q));
    for (std::size_t i = 0; i < count; ++i) {
      const u64 a = x.a[i], b = x.b[i], ab = product_mod(a, b, q);
      ASSERT_EQ(sum[i], (a + b) % q) << "q=" << q << " a=" << a << " b=" << b;
      ASSERT_EQ(difference[i], (a + q - b) % q) << "q=" << q << " a=" << a << " b=" << b;
      ASSERT_EQ(negative[i], (q - a) % q) << "q=" << q << " a=" << a;
      ASSERT_EQ(copy[i], a);
      ASSERT_EQ(product[i], ab) << "q=" << q << " a=" << a << " b=" << b;
      ASSERT_EQ(both[i], (ab + b) % q) << "q=" << q << " a=" << a << " b=" << b;
      ASSERT_EQ(scaled[i], product_mod(a, factor, q)) << "q=" << q << " a=" << a;
    }
  }
}

// Nine products need two reductions. The largest words give the largest sums.
TEST_F(Words64, InnerProductsAreRemainders) {
  KernelRun run(kernel_path("inner_product64"), {});
  constexpr u32 kWords = 40, kRows = 2, kInner = 9, kColumns = 2;
  for (u64 q : kPrimes) {
    for (const bool edge : {false, true}) {
      const auto operand = [&](u32 vectors, u64 seed) {
        return edge ? std::vector<u64>(vectors * kWords, q - 1) : random_words(vectors * kWords, q, seed);
      };
      const auto a = operand(kRows * kInner, 1), b = operand(kInner * kColumns, 2),
                 before = operand(kRows * kColumns, 3);
      run.put(0, as_pairs(a));
      run.put(1 << 16, as_pairs(b));
      run.put(2 << 16, as_pairs(before));
      run.set_arguments(InnerProduct64Arguments{q, square(q), kWords, kRows, kInner, kColumns, 1, 0, 1 << 16, 2 << 16});
      run.launch();
      const auto out = as_words(run.get(2 << 16, 2 * before.size()));
      for (u32 at = 0; at < out.size(); ++at) {
        const u32 i = at % kWords, r = at / kWords / kColumns, c = at / kWords % kColumns;
        u64 sum = before[at];
        for (u32 k = 0; k < kInner; ++k)
          sum = (sum + product_mod(a[(r * kInner + k) * kWords + i], b[(k * kColumns + c) * kWords + i], q)) % q;
        ASSERT_EQ(out[at], sum) << "q=" << q << " index " << at;
      }
    }
  }
}

TEST_F(Words64, TensorsAreProductsOfSums) {
  KernelRun run(kernel_path("tensor64"), {});
  for (u64 q : kPrimes) {
    const Inputs x(q), y(q - 2);  // y has other edge values and other random words
    const u32 count = static_cast<u32>(x.a.size()), bytes = 8 * count;
    const std::vector<u64> components[] = {x.a, y.b, x.b, y.a};
    for (u32 i = 0; i < 4; ++i) run.put(i * bytes, as_pairs(components[i]));
    const Divisor d(q);
    run.set_arguments(Tensor64Arguments{q, d.shifted, d.quotient, d.shift, is_narrow(q), count, 0, bytes, 2 * bytes,
                                        3 * bytes, 4 * bytes, 5 * bytes, 6 * bytes});
    run.launch();
    const auto out = as_words(run.get(4 * bytes, 6 * std::size_t{count}));
    for (u32 i = 0; i < count; ++i) {
      const auto product = [&](u32 m, u32 n) { return product_mod(components[m][i], components[n][i], q); };
      ASSERT_EQ(out[i], product(0, 2)) << "q=" << q << " index " << i;
      ASSERT_EQ(out[count + i], (product(0, 3) + product(1, 2)) % q) << "q=" << q << " index " << i;
      ASSERT_EQ(out[2 * count + i], product(1, 3)) << "q=" << q << " index " << i;
    }
  }
}

// A polynomial of n words with the tables of the kernel ntt64.
class Transform64 {
 public:
  Transform64(u64 q, u32 log_n) : q_(q), n_(1u << log_n), log_rows_(log_n > kMostLog64 ? log_n - kMostLog64 : 0) {
    for (u64 base = 2; root_ == 0; ++base) {
      const u64 power = power_mod(base, (q - 1) / (2 * n_), q);
      if (power_mod(power, n_, q) == q - 1) root_ = power;
    }
  }
  void transform(KernelRun& on, NttVerb verb, std::vector<u64>& data) const {
    const u64 base = verb == kForward ? root_ : power_mod(root_, q_ - 2, q_);
    std::vector<u64> table(n_), rows(n_);
    u64 power = radix(q_);
    for (u32 i = 0; i < n_; ++i, power = product_mod(power, base, q_)) table[reversed_bits(i, n_)] = power;
    const u32 count = 1u << log_rows_, length = n_ >> log_rows_;
    for (u32 g = 0; g < count; ++g) {
      for (u32 half = 1; half < length; half *= 2)
        std::copy_n(table.begin() + (count + g) * half, half, rows.begin() + g * length + half);
    }
    Ntt64Arguments arguments{};
    arguments.q = q_, arguments.scale = product_mod(power_mod(n_, q_ - 2, q_), radix(q_), q_);
    arguments.verb = verb, arguments.narrow = is_narrow(q_);
    arguments.log_n = static_cast<u32>(std::bit_width(length)) - 1, arguments.log_rows = log_rows_;
    arguments.polynomials = 1, arguments.twiddles = 8 * n_;
    std::copy_n(table.begin(), count, arguments.columns);
    on.put(0, as_pairs(data));
    on.put(8 * n_, as_pairs(log_rows_ == 0 ? table : rows));
    on.set_arguments(arguments);
    on.launch();
    data = as_words(on.get(0, 2 * n_));
  }
  // Returns the value at index `index` of the transform, computed by the definition.
  u64 value(const std::vector<u64>& a, u32 index) const {
    const u64 point = power_mod(root_, 2 * reversed_bits(index, n_) + 1, q_);
    u64 sum = 0;
    for (u32 j = n_; j-- > 0;) sum = (product_mod(sum, point, q_) + a[j]) % q_;
    return sum;
  }

 private:
  u64 q_, root_ = 0;
  u32 n_, log_rows_;
};

TEST_F(Words64, ForwardIsTheTransformAndInverseUndoesIt) {
  KernelRun run(kernel_path("ntt64"), {});
  for (u64 q : kPrimes) {
    for (u32 log_n : {6u, 7u, 12u, 13u}) {
      if (log_n > 7 && q != kPrimes[1] && q != kPrimes[5] && !all_counts()) continue;
      const Transform64 t(q, log_n);
      const u32 n = 1u << log_n;
      auto a = random_words(n, q, log_n);
      a[0] = a[n - 1] = q - 1;
      auto words = a;
      t.transform(run, kForward, words);
      for (u32 index = 0; index < n; index += 1 + 2 * index)
        ASSERT_EQ(words[index], t.value(a, index)) << "q=" << q << " n=" << n << " index " << index;
      ASSERT_EQ(words[n - 1], t.value(a, n - 1)) << "q=" << q << " n=" << n;
      t.transform(run, kInverse, words);
      ASSERT_EQ(words, a) << "q=" << q << " n=" << n;
    }
  }
}

}  // namespace
}  // namespace ringfort::pim::testing
