// SPDX-License-Identifier: Apache-2.0
// Tests the largest amount of scratch memory that verbs (operations) need, in bytes. A fused key switch needs all
// digits modulo one prime, the sum of the products of digits and key (two polynomials modulo all primes), and one
// polynomial modulo the data primes. A product of BFV needs three polynomials modulo all primes (those of the
// ciphertext and BFV's additional ones), and four polynomials modulo the additional primes. Scratch buffers must never
// overlap. Secret buffers must be zeroed. All callers must share the memory.
#include "backend/host.h"
#include "support/integers.h"
#include "support/mappings.h"

namespace ringfort {
namespace {

using integers::testing::Client;

struct PeakOfScratch {
  const KeyContext::State& c;
  // Returns the peak of scratch memory. There is only one thread, and therefore only one workspace.
  [[nodiscard]] std::size_t bytes() const { return c.workspace()->most_bytes(); }
  [[nodiscard]] std::size_t polynomials(u32 limbs) const {
    return std::size_t{limbs} * c.p.n * word_bytes(c.ring.word());
  }
  [[nodiscard]] std::size_t of_a_key_switch() const {
    const u32 top = c.chain.top_level();
    return polynomials(c.chain.digits(top) + 2 * c.chain.extended().count + c.chain.data().count);
  }
};

TEST(WorkspaceBytes, OfCkksAreOneKeySwitchAfterAllVerbs) {
  for (const ckks::testing::Shape& shape : {ckks::testing::Shape{}, ckks::testing::short_words()}) {
    ckks::testing::choose_seed(95);
    const ckks::testing::Client client(ckks::testing::parameters_of(shape), "cpu");  // this device fuses key switches
    const PeakOfScratch peak{*client.context.keys().state()};
    const auto a = client.encrypt(ckks::testing::random_values(32, 1));
    EXPECT_LE(peak.bytes(), peak.polynomials(peak.c.chain.extended().count))
        << "keys and encryption use one sample at a time";
    (void)ckks::Encryptor(client.context, client.open).encrypt(client.encoder.encode(ckks::testing::Values{1}));
    EXPECT_EQ(peak.bytes(), peak.polynomials(3 * peak.c.chain.data().count + 3))
        << "an encryption under a public key has randomness, an error, its quotient and a limb";
    auto out = client.evaluator.multiply(a, a);
    EXPECT_EQ(peak.bytes(), peak.polynomials(3 * peak.c.chain.data().count + 3))
        << "a product of CKKS needs no scratch memory";
    out = client.evaluator.relinearize(out, client.relinearization);
    EXPECT_EQ(peak.bytes(), peak.of_a_key_switch());
    out = client.evaluator.rescale(out);
    out = client.evaluator.rotate(out, 1, client.galois);
    auto sum = client.evaluator.multiply(a, a);
    client.evaluator.multiply_add_into(sum, a, a);
    (void)client.decrypt(a);
    EXPECT_EQ(peak.bytes(), peak.of_a_key_switch());
  }
}

TEST(WorkspaceBytes, OfBgvAreOneKeySwitchAfterAllVerbs) {
  ckks::testing::choose_seed(96);
  const Client<bgv::Scheme> client(integers::testing::parameters_of<bgv::Scheme>(integers::testing::bgv_shape()),
                                   "cpu");
  const PeakOfScratch peak{*client.context.keys().state()};
  const auto a = client.encrypt({5, 7});
  auto out = client.evaluator.relinearize(client.evaluator.multiply(a, a), client.relinearization);
  out = client.evaluator.rotate(client.evaluator.mod_switch(out, 1), 1, client.galois);
  EXPECT_EQ(client.decrypt(out)[0], 49);
  EXPECT_EQ(peak.bytes(), peak.of_a_key_switch());
}

TEST(WorkspaceBytes, OfBfvAreOneProductAndAPolynomialAfterAllVerbs) {
  ckks::testing::choose_seed(97);
  const Client<bfv::Scheme> client(integers::testing::parameters_of<bfv::Scheme>(integers::testing::bfv_shape()),
                                   "cpu");
  const PeakOfScratch peak{*client.context.keys().state()};
  const u32 data = peak.c.chain.data().count, added = client.context.state()->ring.extensions.back().count;
  const auto a = client.encrypt({5, 7}), b = client.encrypt({3, 1});
  auto out = client.evaluator.multiply(a, b);
  const u32 product = 3 * (added + data) + 4 * added;
  EXPECT_EQ(peak.bytes(), peak.polynomials(product));
  out = client.evaluator.relinearize(out, client.relinearization);
  out = client.evaluator.rotate(client.evaluator.mod_switch(out, 1), 1, client.galois);
  out = client.evaluator.multiply(out, out);
  EXPECT_EQ(client.decrypt(out)[0], 49);
  EXPECT_EQ(peak.bytes(), peak.polynomials(product));
}

TEST(WorkspaceBytes, OfSharedDigitsAreTheSumOfAllLiveBuffers) {
  ckks::testing::choose_seed(98);
  const ckks::testing::Client client(ckks::testing::parameters_of({}), "cpu");
  const PeakOfScratch peak{*client.context.keys().state()};
  const auto a = client.encrypt(ckks::testing::random_values(32, 1));
  const std::vector<std::int64_t> steps = {1, 2, 4};
  for (int times = 0; times < 3; ++times) (void)client.evaluator.rotate_many(a, steps, client.galois);
  const Chain& chain = peak.c.chain;
  EXPECT_EQ(peak.bytes(), peak.polynomials((chain.digits(chain.top_level()) + 2 * static_cast<u32>(steps.size())) *
                                               chain.extended().count +
                                           2 * chain.special_limbs));
}

struct Memory {
  // other devices may overwrite the memory
  const ckks::testing::Client client{ckks::testing::parameters_of({}), "cpu"};
  const KeyContext::State& c = *client.context.keys().state();
};

TEST(ScratchMemory, HasOneOwnerAtATime) {
  const Memory memory;
  const auto work = memory.c.workspace();
  const Limbs data = memory.c.chain.data();
  const auto first = work->allocate<Eval>(2, data);
  const auto second = work->allocate<Eval>(1, data);
  EXPECT_NE(first.all().view().buffer, second.all().view().buffer);
  {
    const auto third = work->allocate<Coeff>(3, data);
    EXPECT_NE(third.all().view().buffer, first.all().view().buffer);
    EXPECT_NE(third.all().view().buffer, second.all().view().buffer);
  }
  const MemoryCache& cache = memory.c.ring.device().memory();
  const u64 misses = cache.use().misses;
  const auto again = work->allocate<Coeff>(3, data);
  EXPECT_EQ(cache.use().misses, misses) << "a released block is reused";
}

TEST(ScratchMemory, OfSecretsIsNotReusedForOtherWords) {
  const Memory memory;
  const auto work = memory.c.workspace();
  const Limbs data = memory.c.chain.data();
  (void)work->allocate<Coeff>(5, data);  // raises the peak of used memory, so that both blocks stay in the cache
  memory.c.ring.device().memory().trim();
  std::optional<Scratch<Coeff>> secret = work->allocate_secret<Coeff>(2, data);
  const DeviceBuffer* const address = secret->all().view().buffer;
  EXPECT_NE(testing::flags_of_mapping(host::words<u8>(secret->all().view())).find(" dd "), std::string::npos);
  secret.reset();
  EXPECT_NE(work->allocate<Coeff>(2, data).all().view().buffer, address);
  EXPECT_EQ(work->allocate_secret<Coeff>(2, data).all().view().buffer, address);
}

TEST(ScratchMemory, OfSecretsIsZeroAtItsEndAlsoAfterAnError) {
  const Memory memory;
  const auto work = memory.c.workspace();
  const Limbs data = memory.c.chain.data();
  Secret<u64> words(std::size_t{2} * data.count * memory.c.p.n), found(words.size());
  std::fill_n(words.data(), words.size(), 7);
  std::optional<Scratch<Coeff>> rest = work->allocate_secret<Coeff>(2, data);
  const DeviceBuffer* const address = rest->all().view().buffer;
  rest.reset();
  EXPECT_THROW(
      {
        const auto secret = work->allocate_secret<Coeff>(2, data);
        EXPECT_EQ(secret.all().view().buffer, address);
        memory.c.ring.upload(work->stream, secret.all(), words.span(), work->staging);
        throw std::bad_alloc();
      },
      std::bad_alloc);
  const auto after = work->allocate_secret<Coeff>(2, data);
  ASSERT_EQ(after.all().view().buffer, address);
  memory.c.ring.download(work->stream, after.all(), found.span(), work->staging);
  EXPECT_TRUE(std::all_of(found.data(), found.data() + found.size(), [](u64 word) { return word == 0; }));
}

}  // namespace
}  // namespace ringfort
