// SPDX-License-Identifier: Apache-2.0
// Tests how many launches (kernels and copies that the GPU runs) an operation of CKKS needs on a GPU. The numbers come
// from the profile. At n = 2^15, a transform takes two launches. Copies, uploads and zeroing count too.
#include <set>

#include "support/ckks.h"
#include "support/devices.h"

namespace ringfort::ckks {
namespace {

using namespace ckks::testing;

class Launches : public ::testing::TestWithParam<std::string_view> {
 protected:
  static Shape shape(Shape of) {
    of.n = 1u << 15;
    of.digit_limbs = of.special = 2;
    return of;
  }

  // Calls operation() twice, and returns the launches of the second call. Tables and memory are then on the device.
  template <class F>
  std::vector<LaunchRecord> launches(const KeyContext& context, F operation) {
    (void)operation();
    const Profile profile;
    context.profile(&profile);
    const Profile::Section section = Profile(profile).section("counted");
    (void)operation();
    context.profile(nullptr);
    check_records(profile);
    return profile.launches();
  }

 private:
  // Each launch must belong to a verb and to the section, and must have its work and its time. The time of a verb must
  // contain the times of its launches.
  static void check_records(const Profile& profile) {
    double verbs_us = 0, launches_us = 0;
    std::set<std::string> verbs;
    for (const VerbRecord& verb : profile.records()) {
      verbs.insert(verb.verb);
      verbs_us += verb.end_us - verb.start_us;
    }
    for (const LaunchRecord& launch : profile.launches()) {
      EXPECT_TRUE(verbs.contains(launch.verb)) << launch.verb;
      EXPECT_EQ(launch.section, "counted") << launch.name;
      EXPECT_LE(launch.start_us, launch.end_us) << launch.name;
      EXPECT_GT(launch.bytes, 0u) << launch.name;
      EXPECT_EQ(launch.multiplications > 0, launch.name != "automorphism_evaluations") << launch.name;
      launches_us += launch.end_us - launch.start_us;
    }
    EXPECT_LE(launches_us, verbs_us);
  }
};

std::string names_of(const std::vector<LaunchRecord>& launches) {
  std::string names;
  for (const LaunchRecord& launch : launches) names += (names.empty() ? "" : " ") + launch.name;
  return names;
}

TEST_P(Launches, AreFewForLongPolynomials) {
  for (const Shape& of : {shape({}), shape(words_of_short_form())}) {
    const Client client(parameters_of(of), GetParam(), {1});
    const Ciphertext a = client.encrypt(random_values(32, 1)), b = client.encrypt(random_values(32, 2));
    const Evaluator& evaluator = client.evaluator;
    EXPECT_EQ(names_of(launches(client.context,
                                [&] { return evaluator.multiply_relinearize_rescale(a, b, client.relinearization); })),
              "tensor intt_from intt_from convert_mod_up ntt_digits key_product "
              "intt_from intt_from base_convert divide base_convert ntt_quotient ntt_quotient");
    EXPECT_EQ(names_of(launches(client.context, [&] { return evaluator.rotate(a, 1, client.galois); })),
              "intt_from intt_from convert_mod_up ntt_digits key_product "
              "intt_from intt_from base_convert ntt_quotient ntt_quotient automorphism_evaluations");
    const Ciphertext product = evaluator.multiply(a, b);
    EXPECT_EQ(names_of(launches(client.context, [&] { return evaluator.rescale(product); })),
              "intt_from intt_from base_convert ntt_quotient ntt_quotient");
  }
}

INSTANTIATE_TEST_SUITE_P(AllDevices, Launches, ::testing::ValuesIn(ringfort::testing::tested_gpus()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Launches);  // a build without simulated devices has no instances

}  // namespace
}  // namespace ringfort::ckks
