// SPDX-License-Identifier: Apache-2.0
// Gives hostile bytes to the decoder of every file type of the word search. leveled_test.cpp does the same for the
// other schemes. The decoder must return an error code, or accept an object whose use does no harm. No single
// allocation may reach 16 MiB. The message of a failing test names the type and the step, which reproduce the bytes.
#include <gtest/gtest.h>

#include <cstdlib>

#include "../../../fuzz/mend.h"
#include "mutate.h"
#include "support/allocation.h"
#include "support/search_files.h"

namespace ringfort::testing {
namespace {

// Samples have at most 32 KiB. A context of 2^17 words allocates less than this limit.
constexpr std::size_t kAllocationLimit = std::size_t{1} << 24;
const int kMutations = std::getenv("RINGFORT_COUNTS") != nullptr ? 10000 : 2000;
constexpr int kSealedRepairs = 10;  // each repair derives a key from the passphrase with 64 MiB

using fuzz::put_crc;

// Corrects the checksums, so that the decoder reaches the fields after them.
void repair(const std::string& name, std::vector<u8>& bytes) {
  put_crc(bytes, 0, 60);
  put_crc(bytes, io::kHeaderBytes, io::kHeaderBytes + io::kProfileBytes - 4);
  if (name.starts_with("segment")) {
    const io::SegmentShape shape(search::testing::make_keys(search::testing::tiny(), 8).profile(),
                                 name.ends_with("open") ? rgsw::Mode::public_key : rgsw::Mode::secret_key);
    for (std::size_t at = io::kRecordsAt; at + shape.record_bytes <= bytes.size(); at += shape.record_bytes) {
      put_crc(bytes, at, at + io::kRecordHeadBytes - 4);
      for (u32 p = 0; p < shape.planes; ++p) {
        const std::size_t plane = at + io::kRecordHeadBytes + p * shape.plane_bytes;
        put_crc(bytes, plane, plane + shape.plane_bytes - 4);
      }
    }
    if (bytes.size() > io::kFooterBytes && name.ends_with("rfs"))
      put_crc(bytes, bytes.size() - io::kFooterBytes, bytes.size() - 4);
  } else if (name == "documents.rfd") {
    for (std::size_t at = io::kLogStart; at + io::kDocumentRecordBytes <= bytes.size();
         at += io::kDocumentRecordBytes) {
      put_crc(bytes, at, at + io::kDocumentRecordBytes - 4);
    }
  } else if (name != "bodies.rfb" && bytes.size() > io::kTrailerBytes) {
    const auto trailer = io::blake2b_256(std::span(bytes).first(bytes.size() - io::kTrailerBytes));
    std::copy(trailer.begin(), trailer.end(), bytes.end() - io::kTrailerBytes);
  }
}

// Decodes the bytes and uses the result. Returns the failure of the decoder, or nothing if it accepts the bytes. Any
// other outcome ends the program or throws.
std::optional<Failure> survive(const std::string& name, const std::vector<u8>& bytes, const std::string& reproduce) {
  watch_allocations();
  std::optional<Failure> refused;
  try {
    refused = decode_sample(name, bytes);
    require_inspectable(bytes);
  } catch (const std::exception& thrown) { ADD_FAILURE() << reproduce << ": a decoder threw " << thrown.what(); }
  EXPECT_LT(largest_allocation(), kAllocationLimit) << reproduce;
  const Code code = refused ? refused->code : Code::io_magic;
  EXPECT_NE(code, Code::internal) << reproduce << ": " << refused->problem;
  return refused;
}

class HostileBytes : public ::testing::TestWithParam<std::string> {
 protected:
  static const std::vector<u8>& sample(const std::string& name) {
    static const auto samples = make_samples();
    for (const auto& known : samples) {
      if (known.name == name) return known.bytes;
    }
    throw std::runtime_error("no sample " + name);
  }
};

TEST_P(HostileBytes, RandomMutationsAreRefusedWithACodeOrHarmless) {
  const std::string name = GetParam();
  int repaired = 0, accepted = 0;
  for (int step = 0; step < kMutations; ++step) {
    Generator generator(static_cast<u64>(step));
    auto bytes = sample(name);
    const u64 changes = 1 + below(generator, 3);
    for (u64 i = 0; i < changes; ++i) mutate(bytes, generator);
    const bool mend = step % 2 == 0 && (name != "sealed.key" || repaired < kSealedRepairs);
    if (mend) repair(name, bytes), ++repaired;
    accepted += survive(name, bytes, name + " mutation " + std::to_string(step)) ? 0 : 1;
  }
  EXPECT_LT(accepted, kMutations / 2) << "mutations that change nothing test nothing";
}

TEST_P(HostileBytes, EveryTruncationIsRefused) {
  const std::string name = GetParam();
  const auto& whole = sample(name);
  for (std::size_t size = 0; size < std::min<std::size_t>(whole.size(), 4096); ++size) {
    const std::vector<u8> bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto refused = survive(name, bytes, name + " cut to " + std::to_string(size));
    // A file that grows may end at a record. An open segment may end anywhere after its parameters.
    const bool may_end_here =
        size >= io::kLogStart && (name.ends_with(".open") || name == "bodies.rfb" ||
                                  (name == "documents.rfd" && (size - io::kLogStart) % io::kDocumentRecordBytes == 0));
    EXPECT_TRUE(refused || may_end_here) << name << " cut to " << size << " was accepted";
  }
}

TEST_P(HostileBytes, EveryHeaderBitMatters) {
  const std::string name = GetParam();
  for (std::size_t bit = 0; bit < 8 * io::kHeaderBytes; ++bit) {
    auto bytes = sample(name);
    bytes[bit / 8] = static_cast<u8>(bytes[bit / 8] ^ (1U << (bit % 8)));
    EXPECT_TRUE(survive(name, bytes, name + " header bit " + std::to_string(bit)))
        << name << ": header bit " << bit << " is not checked";
    // here, each flipped bit with a valid checksum would derive a key from the passphrase
    if (name == "sealed.key") continue;
    put_crc(bytes, 0, 60);
    if (name != "bodies.rfb" && name != "documents.rfd" && !name.starts_with("segment")) repair(name, bytes);
    // This change turns version 3 into version 2. Both versions have the same records, but the tags of the records are
    // then invalid.
    const bool is_older_map = name == "documents.rfd" && bit == 64;
    if (bit < 8 * 60 && !is_older_map) {
      EXPECT_TRUE(survive(name, bytes, name + " mended header bit " + std::to_string(bit)))
          << name << ": header bit " << bit << " has no meaning";
    }
  }
}

// If the decoder accepted these bytes, Python would raise an error without a code when it converts them to text.
TEST_P(HostileBytes, ANameOrAReasonThatIsNotTextIsRefused) {
  const std::string name = GetParam();
  constexpr std::size_t kName = io::kHeaderBytes, kReason = io::kHeaderBytes + 76;
  for (const std::size_t field : {kName, kReason}) {
    for (const auto& text : {std::vector<u8>{0xFF, 0xFE}, {0xC0, 0x80}, {0xED, 0xA0, 0x80}, {'a', 0x1B}, {0xC3}}) {
      auto bytes = sample(name);
      std::fill_n(bytes.begin() + field, field == kName ? 24 : 48, u8{0});
      std::copy(text.begin(), text.end(), bytes.begin() + field);
      repair(name, bytes);
      const auto refused = survive(name, bytes, name + " text at " + std::to_string(field));
      ASSERT_TRUE(refused) << name << ": text at " << field << " is not checked";
      EXPECT_EQ(refused->code, Code::io_range) << refused->problem;
    }
  }
}

TEST_P(HostileBytes, EveryFlippedBodyBitIsNoticed) {
  const std::string name = GetParam();
  const auto& whole = sample(name);
  const std::size_t step = name == "sealed.key" ? 1 : std::max<std::size_t>(1, whole.size() * 8 / 10000);
  for (std::size_t bit = 8 * io::kHeaderBytes; bit < whole.size() * 8; bit += step) {
    auto bytes = whole;
    bytes[bit / 8] = static_cast<u8>(bytes[bit / 8] ^ (1U << (bit % 8)));
    const auto refused = survive(name, bytes, name + " body bit " + std::to_string(bit));
    // a body's own file has no checksum; the records that name the body have it
    const bool body = name == "bodies.rfb" && bit / 8 >= io::kLogStart;
    EXPECT_TRUE(refused || body) << name << ": body bit " << bit << " was not noticed";
  }
}

// An answer without blocks is the shortest file with consistent lengths. If a receiver accepted such an answer, it
// would read a first block that does not exist.
TEST(HostileAnswer, AnAnswerOfNoDocumentsAndNoBlocksIsRefused) {
  for (const auto& sample : make_samples()) {
    if (sample.name != "counts.rfa") continue;
    auto bytes = sample.bytes;
    const std::size_t fields = io::kHeaderBytes + io::kProfileBytes, field_bytes = 56;
    bytes.resize(fields + field_bytes + io::kTrailerBytes);
    put_field(bytes, fields + 16, 0, 8);
    put_field(bytes, fields + 24, 0, 4);
    put_field(bytes, 48, io::kProfileBytes + field_bytes, 8);
    fuzz::mend_object(bytes);
    ASSERT_EQ(bytes.size(), 280U);
    const auto answer = io::decode_answer(bytes);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.failure().code, Code::io_range) << answer.failure().problem;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryFileType, HostileBytes,
                         ::testing::Values("secret.key", "sealed.key", "public.key", "word.rfq", "counts.rfa",
                                           "total.rfa", "parameters.rfp", "segment-000001.rfs", "segment-000002.open",
                                           "documents.rfd", "bodies.rfb"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace ringfort::testing
