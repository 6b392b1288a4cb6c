// SPDX-License-Identifier: Apache-2.0
// Gives hostile bytes to the function inspect(), and to the decoder of every file type of CKKS, BFV and BGV. The
// decoder must return an error code, or accept an object whose use does no harm. Neither may ever allocate more memory
// than the size of the file and the context of the receiver justify. The message of a failing test names the type and
// the step, which reproduce the bytes.
#include <gtest/gtest.h>

#include <cstdlib>

#include "../../../fuzz/mend.h"
#include "mutate.h"
#include "support/allocation.h"
#include "support/leveled_files.h"

namespace ringfort::testing::leveled_test {
namespace {

// Samples have at most 16 KiB, and the objects in them have twice as much.
constexpr std::size_t kAllocationLimit = std::size_t{1} << 17;
const int kMutations = std::getenv("RINGFORT_COUNTS") != nullptr ? 10000 : 2000;
constexpr int kSealedRepairs = 10;  // each repair derives a key from the passphrase with 64 MiB

// Returns all samples, a ciphertext of many components, and a public key and a ciphertext of version 2.
const std::vector<Sample>& samples() {
  static const auto all = [] {
    std::vector<Sample> known = make_leveled_samples();
    choose_seed(2028);
    const auto p = small_integers<bgv::Scheme>(integers::testing::bgv_shape());
    const integers::testing::Client<bgv::Scheme> client(p, "ref", {1});
    auto wide = client.encrypt({1, -2, 3});
    for (int i = 0; i < 3; ++i) wide = client.evaluator.multiply(wide, client.encrypt({3}));
    known.push_back({"bgv-widest.rfc", io::encode_ciphertext(client.context, wide)});
    for (const std::string name : {"public.key", "public.rfc"})
      known.push_back({"ckks-older-" + name, read_all(stored_path("2", "ckks-" + name))});
    return known;
  }();
  (void)receiver();
  return all;
}

std::optional<Failure> survive(const std::string& name, const std::vector<u8>& bytes, const std::string& reproduce) {
  watch_allocations();
  std::optional<Failure> refused;
  try {
    refused = decode_leveled(name, bytes);
    require_inspectable(bytes);
  } catch (const std::exception& thrown) { ADD_FAILURE() << reproduce << ": a decoder threw " << thrown.what(); }
  EXPECT_LT(largest_allocation(), kAllocationLimit) << reproduce;
  if (refused) { EXPECT_NE(refused->code, Code::internal) << reproduce << ": " << refused->problem; }
  return refused;
}

class HostileLeveled : public ::testing::TestWithParam<std::string> {
 protected:
  const std::vector<u8>& sample() const {
    for (const auto& known : samples()) {
      if (known.name == GetParam()) return known.bytes;
    }
    throw std::runtime_error("no sample " + GetParam());
  }
};

TEST_P(HostileLeveled, RandomMutationsAreRefusedWithACodeOrHarmless) {
  const std::string name = GetParam();
  int repaired = 0, accepted = 0;
  for (int step = 0; step < kMutations; ++step) {
    Generator generator(static_cast<u64>(step));
    auto bytes = sample();
    const u64 changes = 1 + below(generator, 3);
    for (u64 i = 0; i < changes; ++i) mutate(bytes, generator);
    const bool mend = step % 2 == 0 && (name != "ckks-sealed.key" || repaired < kSealedRepairs);
    if (mend) fuzz::mend_leveled(bytes), ++repaired;
    accepted += survive(name, bytes, name + " mutation " + std::to_string(step)) ? 0 : 1;
  }
  EXPECT_LT(accepted, kMutations / 2) << "mutations that change nothing test nothing";
}

TEST_P(HostileLeveled, EveryTruncationIsRefused) {
  const auto& whole = sample();
  for (std::size_t size = 0; size < std::min<std::size_t>(whole.size(), 2048); ++size) {
    std::vector<u8> bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(survive(GetParam(), bytes, GetParam() + " cut to " + std::to_string(size))) << size;
    fuzz::mend_leveled(bytes);
    EXPECT_TRUE(survive(GetParam(), bytes, GetParam() + " cut and mended to " + std::to_string(size))) << size;
  }
}

TEST_P(HostileLeveled, EveryHeaderBitMatters) {
  for (std::size_t bit = 0; bit < 8 * io::kHeaderBytes; ++bit) {
    auto bytes = sample();
    bytes[bit / 8] = static_cast<u8>(bytes[bit / 8] ^ (1U << (bit % 8)));
    EXPECT_TRUE(survive(GetParam(), bytes, GetParam() + " header bit " + std::to_string(bit)))
        << "header bit " << bit << " is not checked";
    if (bit >= 8 * 60 || GetParam() == "ckks-sealed.key") continue;
    fuzz::mend_frame(bytes);
    EXPECT_TRUE(survive(GetParam(), bytes, GetParam() + " mended header bit " + std::to_string(bit)))
        << "header bit " << bit << " has no meaning";
  }
}

// Writes extreme numbers at every multiple of four bytes from the length in the header to byte 255. These fields are
// counts, levels, sizes and numbers of the scheme.
TEST_P(HostileLeveled, ExtremeNumbersAtEveryPlaceAllocateNothing) {
  constexpr std::array<u64, 8> kExtremes = {
      0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FF0000000000000, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF};
  if (GetParam() == "ckks-sealed.key") return;  // the tests above change its authenticated bytes
  for (std::size_t at = 48; at < 256; at += 4) {
    for (const u64 extreme : kExtremes) {
      for (const unsigned width : {4U, 8U}) {
        auto bytes = sample();
        if (at + width > bytes.size() - io::kTrailerBytes) continue;
        put_field(bytes, at, extreme, width);
        fuzz::mend_leveled(bytes);
        const auto refused = survive(GetParam(), bytes, GetParam() + " number at " + std::to_string(at));
        const bool same = std::equal(bytes.begin() + 48, bytes.begin() + 56, sample().begin() + 48);
        EXPECT_TRUE(refused || same) << "a length of " << extreme << " was accepted";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryFileType, HostileLeveled, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto& known : samples()) names.push_back(known.name);
                           return names;
                         }()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace ringfort::testing::leveled_test
