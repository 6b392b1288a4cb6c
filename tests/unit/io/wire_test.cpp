// SPDX-License-Identifier: Apache-2.0
// Files of a released version are read for ever; the bytes of the current version do not change unnoticed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "../../../fuzz/mend.h"
#include "io/checksum.h"
#include "io/keys.h"
#include "support/samples.h"

namespace ringfort::testing {
namespace {

std::string stored(const std::string& name) { return std::string(RINGFORT_VECTORS) + "/wire/2/" + name; }

// To add a version: RINGFORT_WRITE_WIRE=1 ./test_unit_io writes the files of this build; folders of released versions stay.
TEST(Wire, StoredFilesOfEveryTypeAreReadAndTheirBytesAreStillTheSame) {
  for (const auto& sample : make_samples()) {
    if (std::getenv("RINGFORT_WRITE_WIRE") != nullptr) write_all(stored(sample.name), sample.bytes);
    const auto bytes = read_all(stored(sample.name));
    ASSERT_FALSE(bytes.empty()) << sample.name;
    const auto refused = decode_sample(sample.name, bytes);
    EXPECT_FALSE(refused.has_value()) << sample.name << ": " << (refused ? refused->problem : "");
    EXPECT_EQ(io::blake2b_256(bytes), io::blake2b_256(sample.bytes)) << sample.name << ": this build writes other bytes than version 2 has";
  }
}

TEST(Wire, AFileOfAnotherVersionSaysWhatToDo) {
  for (const auto& sample : make_samples()) {
    for (const u8 version : {u8{1}, u8{3}}) {
      auto bytes = sample.bytes;
      bytes[8] = version;
      fuzz::put_crc(bytes, 0, io::kHeaderBytes - 4);
      const auto refused = decode_sample(sample.name, bytes);
      ASSERT_TRUE(refused.has_value()) << sample.name;
      EXPECT_EQ(refused->code, Code::io_version) << sample.name;
      EXPECT_NE(refused->fix.find(version == 1 ? "again" : "update"), std::string::npos) << sample.name << ": " << refused->fix;
    }
  }
}

TEST(Wire, InspectShowsTheSameIdForAnIndexAndItsAnswers) {
  const Folder folder;
  std::vector<std::string> ids;
  for (const auto& sample : make_samples()) {
    write_all(folder / sample.name, sample.bytes);
    for (const auto& [name, value] : io::inspect(folder / sample.name)) {
      if (name == "index_id") ids.push_back(value);
      EXPECT_TRUE(name != "format_version" || value == "2") << sample.name;
    }
  }
  ASSERT_EQ(ids.size(), 3U);                                         // parameters.rfp, counts.rfa, total.rfa
  EXPECT_EQ(ids[0].size(), 32U);
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(ids[0], ids[2]);
}

TEST(Wire, ASampleIsRefusedAsEveryOtherType) {
  const auto samples = make_samples();
  for (const auto& sample : samples) {
    for (const auto& other : samples) {
      const bool same_type = sample.bytes[10] == other.bytes[10];
      if (same_type) continue;
      const auto refused = decode_sample(other.name, sample.bytes);
      ASSERT_TRUE(refused.has_value()) << sample.name << " as " << other.name;
      const bool coded = refused->code == Code::io_type || (sample.name.ends_with(".key") && refused->code == Code::secret_refused);
      EXPECT_TRUE(coded) << sample.name << " as " << other.name << ": " << refused->problem;
    }
  }
}

TEST(Wire, APassphraseIsNeededAndMustBeRight) {
  for (const auto& sample : make_samples()) {
    if (sample.name != "sealed.key") continue;
    EXPECT_EQ(io::decode_secret_keys(sample.bytes, "").failure().code, Code::passphrase);
    EXPECT_EQ(io::decode_secret_keys(sample.bytes, "open barley").failure().code, Code::passphrase);
    EXPECT_TRUE(io::decode_secret_keys(sample.bytes, kSamplePassphrase).ok());
  }
}

// Without a passphrase strength, salt, nonce and tag say nothing, so nothing may be said there.
TEST(Wire, AnEnvelopeWithoutAPassphraseIsZero) {
  const std::size_t lock = io::kHeaderBytes + io::kProfileBytes;
  for (const auto& sample : make_samples()) {
    if (sample.name != "secret.key") continue;
    const std::size_t tag = sample.bytes.size() - io::kTrailerBytes - 16;
    for (const std::size_t at : {lock, lock + 4, lock + 19, lock + 20, lock + 43, tag, tag + 15}) {
      auto bytes = sample.bytes;
      bytes[at] = 1;
      fuzz::mend_object(bytes);
      const auto keys = io::decode_secret_keys(bytes, "");
      ASSERT_FALSE(keys.ok()) << "byte " << at;
      EXPECT_EQ(keys.failure().code, Code::io_range) << "byte " << at;
    }
  }
}

TEST(Wire, KeysAreLimitedBeforeTheyAreReadAndAfterTheirHeader) {
  const Folder folder;
  const auto code_of = [&](bool secret) {
    try {
      if (secret) static_cast<void>(io::Keys::load_secret(folder / "keys", "", true));
      if (!secret) static_cast<void>(io::Keys::load_public(folder / "keys", true));
    } catch (const Error& error) {
      return error.code();
    }
    return Code::internal;
  };
  for (const auto& sample : make_samples()) {
    if (sample.name != "secret.key" && sample.name != "public.key") continue;
    write_all(folder / "keys", sample.bytes);
    std::filesystem::resize_file(folder / "keys", io::kKeyLimit + 1);
    EXPECT_EQ(code_of(sample.name == "secret.key"), Code::io_limit) << sample.name;
  }
  write_all(folder / "keys", {'n', 'o', ' ', 'k', 'e', 'y'});
  EXPECT_EQ(code_of(true), Code::io_truncated);
  std::filesystem::resize_file(folder / "keys", std::uint64_t{3} << 30);            // sparse
  EXPECT_EQ(code_of(true), Code::io_magic);
  EXPECT_EQ(code_of(false), Code::io_magic);
}

}  // namespace
}  // namespace ringfort::testing
