// SPDX-License-Identifier: Apache-2.0
// Tests random programs of BFV and BGV on three devices. The results equal those of one device. A model keeps track of
// the devices that have the residues. The programs move exactly the residues that the model predicts.
#include "support/integers.h"
#include "support/moving_program.h"

namespace ringfort::integers {
namespace {

using testing::Client;

template <class S>
void expect_programs_to_agree() {
  testing::Shape shape = testing::bgv_shape();
  shape.n = 32;
  std::size_t uploads = 0;
  for (u64 seed = 1; seed <= 40 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::choose_seed(seed);
    const Client<S> client(testing::parameters_of<S>(shape), "cpu", {1});
    ringfort::testing::MovingProgram program(
        client, seed, [](const Client<S>& at, u64 value) { return at.encrypt(testing::random_values(32, 257, value)); },
        [](const Ciphertext<S>& c) { return testing::residues(c); });
    program.run_steps(40);
    uploads += program.uploads();
  }
  EXPECT_GT(uploads, 200u);
}

TEST(IntegerPlacement, RandomProgramsOfBfvOnThreeDevicesGiveTheBitsOfOneAndMoveNoWordTwice) {
  expect_programs_to_agree<bfv::Scheme>();
}
TEST(IntegerPlacement, RandomProgramsOfBgvOnThreeDevicesGiveTheBitsOfOneAndMoveNoWordTwice) {
  expect_programs_to_agree<bgv::Scheme>();
}

}  // namespace
}  // namespace ringfort::integers
