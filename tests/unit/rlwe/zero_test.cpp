// SPDX-License-Identifier: Apache-2.0
// Tests the device memory of an encryption between any two of its verbs. An encryption adds an error to the product of
// a public factor and a secret. The memory must never contain this product without the error. This memory is not
// protected. An attacker may read it in a core dump, in the swap, or after a failure. If it contained such a product,
// the attacker could divide the product by the public factor, and would have the secret.
#include "rlwe/zero.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backend/devices.h"
#include "math/prime.h"
#include "ringfort/error.h"
#include "rlwe/sample.h"
#include "support/counting.h"

namespace ringfort {
namespace {

constexpr u32 kDegree = 32;

struct Halves {
  std::vector<u64> c0, c1;
};

// A device that is lost at a chosen verb. After that, the test reads the contents of the device's memory.
struct Stopped {
  explicit Stopped(u64 lost_at, u32 primes = 1)
      : inner(open_backend("ref")),
        counting(std::make_shared<testing::Counting>(inner, lost_at)),
        ring(std::make_shared<const Device>(counting), {kDegree, Word::u64, ntt_primes(40, kDegree, primes).take()}) {}

  [[nodiscard]] Limbs last() const { return {ring.limbs().count - 1, 1}; }
  [[nodiscard]] u64 q() const { return ring.basis()[last().first].value(); }  // the prime of the row

  [[nodiscard]] Halves left(Slice<Eval> row) const {
    Halves found{std::vector<u64>(kDegree), std::vector<u64>(kDegree)};
    for (const auto& [words, half] : {std::pair{&found.c0, 0U}, {&found.c1, 1U}}) {
      const Verb verb = verb::Download{row.polynomials(half, 1).view(), Domain::evaluation, words->data()};
      EXPECT_EQ(inner->run({}, std::span(&verb, 1), {}), Status::ok);
    }
    return found;
  }
  [[nodiscard]] std::vector<u64> product(const std::vector<u64>& x, const std::vector<u64>& y) const {
    const u128 prime = q();
    std::vector<u64> xy(kDegree);
    std::transform(x.begin(), x.end(), y.begin(), xy.begin(),
                   [&](u64 a, u64 b) { return static_cast<u64>(u128{a} * b % prime); });
    return xy;
  }

  std::shared_ptr<Backend> inner;
  std::shared_ptr<testing::Counting> counting;
  Ring ring;
};

bool is_zero(const std::vector<u64>& words) {
  return std::all_of(words.begin(), words.end(), [](u64 word) { return word == 0; });
}

const SecretSeed kSecret;  // equal on all devices

// Returns the evaluations of the secret key, which is the same in all tests.
std::vector<u64> secret_words() {
  const Stopped never(0);
  Workspace work(never.ring, 0);
  const RlweSecret secret = Sampler(never.ring, work).load(sample_secret(kDegree, kSecret));
  std::vector<u64> words(kDegree);
  never.ring.download(Stream{}, secret.ntt_form.all(), words, work.staging);
  return words;
}

// Runs the encryption work(device, row) once for each of its verbs, and stops it at this verb. Each time, passes the
// memory of the device to seen(device, halves, lost_at).
template <class Work, class Seen>
void stop_everywhere(Work work, Seen seen, u32 primes = 1) {
  for (u64 lost_at = 1;; ++lost_at) {
    const Stopped device(lost_at, primes);
    const Poly<Eval> row = device.ring.make<Eval>(2, device.last());
    try {
      work(device, row.all());
      EXPECT_GT(lost_at, 5U) << "an encryption has more verbs";
      EXPECT_FALSE(is_zero(device.left(row.all()).c0));
      return;
    } catch (const Error& error) { ASSERT_EQ(error.code(), Code::device_lost); }
    seen(device, device.left(row.all()), lost_at);
  }
}

template <class Work>
void expect_no_bare_secret(Work work) {
  const std::vector<u64> secret = secret_words();
  stop_everywhere(work, [&](const Stopped& device, const Halves& left, u64 lost_at) {
    std::vector<u64> product = device.product(left.c1, secret), negative(kDegree);
    const u64 q = device.q();
    std::transform(product.begin(), product.end(), negative.begin(), [&](u64 x) { return x == 0 ? 0 : q - x; });
    EXPECT_FALSE(!is_zero(left.c0) && (left.c0 == product || left.c0 == negative)) << "verb " << lost_at;
  });
}

TEST(EncryptionsOfZero, UnderASecretLeaveNoProductWithoutItsError) {
  expect_no_bare_secret([](const Stopped& device, Slice<Eval> row) {
    Workspace work(device.ring, 0);
    const Sampler sampler(device.ring, work);
    sampler.under_secret(row, sampler.load(sample_secret(kDegree, kSecret)), {fresh_public_seed(), fresh_secret_seed()},
                         {}, {});
  });
  expect_no_bare_secret([](const Stopped& device, Slice<Eval> row) {
    Workspace work(device.ring, 0);
    const Poly<Eval> secret =
        load_small(device.ring, device.ring.limbs(), sample_secret(kDegree, kSecret).span(), work);
    ZeroSampler(device.ring, 1, work).under_secret(row, secret.all(), {fresh_public_seed(), fresh_secret_seed()}, 0);
  });
}

// Let r be the random polynomial of an encryption, and (b, a) the public key. Expects that memory never contains r b
// and r a. For any r, the quotient of these two products is b / a. The test recognizes the products by this quotient.
template <class Work>
void expect_no_bare_randomness(Work work, u32 primes = 1) {
  // The test works with any key. The last prime is the smallest: its residues are residues modulo the others, too.
  const Stopped never(0, primes);
  const std::vector<u64> any = secret_words(), b = never.product(any, any), a = never.product(b, b);
  stop_everywhere(
      [&](const Stopped& device, Slice<Eval> row) {
        Staging staging(kDegree);
        const Poly<Eval> key = device.ring.make<Eval>(2);
        for (const Limbs limbs : {Limbs{0, 1}, device.last()}) {
          device.ring.upload(Stream{}, key.limbs(limbs).polynomials(0, 1), std::span<const u64>(b), staging);
          device.ring.upload(Stream{}, key.limbs(limbs).polynomials(1, 1), std::span<const u64>(a), staging);
        }
        work(device, row, key.all());
      },
      [&](const Stopped& device, const Halves& left, u64 lost_at) {
        EXPECT_FALSE(!is_zero(left.c0) && device.product(left.c0, a) == device.product(left.c1, b))
            << "verb " << lost_at;
      },
      primes);
}

TEST(EncryptionsOfZero, UnderAPublicKeyLeaveNoProductWithoutItsError) {
  expect_no_bare_randomness([](const Stopped& device, Slice<Eval> row, Slice<Eval> key) {
    Workspace work(device.ring, 0);
    RlwePublic open{{}, device.ring.make<Eval>(2)};
    device.ring.copy(Stream{}, open.polynomials.all(), key);
    Sampler(device.ring, work).under_public(row, open, {fresh_public_seed(), fresh_secret_seed()}, {}, {});
  });
  expect_no_bare_randomness([](const Stopped& device, Slice<Eval> row, Slice<Eval> key) {
    Workspace work(device.ring, 0);
    ZeroSampler(device.ring, 1, work).under_public(row, key, fresh_secret_seed());
  });
  expect_no_bare_randomness(
      [](const Stopped& device, Slice<Eval> row, Slice<Eval> key) {
        Workspace work(device.ring, 0);
        ZeroSampler(device.ring, 1, work).under_public_divided(row, key, fresh_secret_seed());
      },
      2);
}

}  // namespace
}  // namespace ringfort
