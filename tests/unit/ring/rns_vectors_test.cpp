// SPDX-License-Identifier: Apache-2.0
// Compares base conversion (residues modulo other primes), division by dropped primes and automorphisms (x -> x^g) with
// Python's big integers (tools/gen_rns_vectors), on every device. The values are at or near the ends of the intervals
// of representatives.
#include <gtest/gtest.h>

#include "ring/ring.h"
#include "support/devices.h"
#include "support/vectors.h"

namespace ringfort {
namespace {

using nlohmann::json;
using testing::read_vectors;

struct RnsVectors : ::testing::TestWithParam<std::tuple<std::string_view, u32>> {
  json vectors = read_vectors("rns.json");
  u32 n =
      vectors[std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()).starts_with("Automorphisms")
                  ? "small"
                  : "degree"];

  [[nodiscard]] const json& cases(const std::string& what) const { return vectors[what][std::to_string(bits())]; }
  [[nodiscard]] static u32 bits() { return std::get<1>(GetParam()); }
  [[nodiscard]] Ring ring(const std::vector<u64>& moduli) const {
    return {Device::open(std::get<0>(GetParam())),
            Plan{n, bits() == 32 ? Word::u32 : Word::u64, {moduli.begin(), moduli.end()}}};
  }

  // Converts rows[limb][polynomial n + coefficient] to the layout of the ring.
  [[nodiscard]] std::vector<u64> words_of(const std::vector<std::vector<u64>>& rows) const {
    std::vector<u64> words;
    for (std::size_t p = 0; p < rows[0].size() / n; ++p) {
      for (const auto& row : rows)
        words.insert(words.end(), row.begin() + static_cast<std::ptrdiff_t>(p * n),
                     row.begin() + static_cast<std::ptrdiff_t>((p + 1) * n));
    }
    return words;
  }

  template <class D>
  [[nodiscard]] Poly<D> upload(const Ring& ring, const std::vector<std::vector<u64>>& rows, Limbs limbs) const {
    Staging staging(n);
    auto poly = ring.make<D>(static_cast<u32>(rows[0].size() / n), limbs);
    ring.upload(Stream{}, poly.all(), std::span<const u64>(words_of(rows)), staging);
    return poly;
  }

  template <class D>
  [[nodiscard]] std::vector<u64> download(const Ring& ring, Slice<D> slice) const {
    Staging staging(n);
    std::vector<u64> words(std::size_t{slice.batch()} * slice.limbs().count * n);
    ring.download(Stream{}, slice, std::span<u64>(words), staging);
    return words;
  }
};

using Rows = std::vector<std::vector<u64>>;

TEST_P(RnsVectors, ConversionsGivePythonsRepresentatives) {
  for (const json& row : cases("conversions")) {
    const Ring r = ring(row["moduli"]);
    const Limbs from{row["from"][0], row["from"][1]};
    const Poly<Coeff> a = upload<Coeff>(r, row["residues"].get<Rows>(), from), out = r.make<Coeff>(a.batch());
    for (const auto& [name, kind] : {std::pair{"approximate", Conversion::approximate},
                                     {"floor", Conversion::floor},
                                     {"centred", Conversion::centred}}) {
      r.base_convert(Stream{}, out.all(), a.all(), kind);
      EXPECT_EQ(download(r, out.all()), words_of(row[name].get<Rows>())) << name << " from " << row["from"];
    }
  }
}

TEST_P(RnsVectors, ModDownGivesPythonsQuotientsInBothDomains) {
  for (const json& row : cases("divisions")) {
    const Ring r = ring(row["moduli"]);
    const Limbs dropped{row["dropped"][0], row["dropped"][1]};
    const Limbs kept{dropped.first == 0 ? dropped.count : 0, r.limbs().count - dropped.count};
    Poly<Coeff> a = upload<Coeff>(r, row["residues"].get<Rows>(), r.limbs());
    const auto out = r.make<Coeff>(a.batch(), kept), scratch = r.make<Coeff>(a.batch(), dropped);
    const auto transformed_out = r.make<Eval>(a.batch(), kept);
    const std::vector<u64> expected = words_of(row["quotients"].get<Rows>());
    r.mod_down(Stream{}, out.all(), a.all(), scratch.all(), row["plain"].get<u64>());
    EXPECT_EQ(download(r, out.all()), expected) << row["dropped"] << " t = " << row["plain"];
    const Poly<Eval> transformed = r.forward(Stream{}, std::move(a));
    r.mod_down(Stream{}, transformed_out.all(), transformed.all(), scratch.all(), row["plain"].get<u64>());
    EXPECT_EQ(download(r, r.inverse(Stream{}, transformed_out.all())), expected)
        << row["dropped"] << " t = " << row["plain"] << ", evaluation domain";
  }
}

TEST_P(RnsVectors, AutomorphismsMovePythonsCoefficientsAndEvaluations) {
  for (const json& row : cases("automorphisms")) {
    const Ring r = ring({row["modulus"].get<u64>()});
    const Poly<Coeff> a = upload<Coeff>(r, {row["a"]}, r.limbs()), moved = r.make<Coeff>(1);
    const Poly<Eval> transformed = upload<Eval>(r, {row["evaluations"]}, r.limbs()),
                     moved_transformed = r.make<Eval>(1);
    for (const json& move : row["cases"]) {
      r.automorphism(Stream{}, moved.all(), a.all(), move["galois"]);
      r.automorphism(Stream{}, moved_transformed.all(), transformed.all(), move["galois"]);
      EXPECT_EQ(download(r, moved.all()), move["moved"].get<std::vector<u64>>()) << move["galois"];
      EXPECT_EQ(download(r, moved_transformed.all()), move["moved_evaluations"].get<std::vector<u64>>())
          << move["galois"];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllDevices, RnsVectors,
                         ::testing::Combine(::testing::ValuesIn(ringfort::testing::general_devices()),
                                            ::testing::Values(32u, 64u)));

}  // namespace
}  // namespace ringfort
