// SPDX-License-Identifier: Apache-2.0
// Tests random programs on three devices. The results equal those of one device. A model keeps track of the devices
// that have the residues. The programs move exactly the residues that the model predicts. If sixteen threads use a key
// for the first time together, it is uploaded once.
#include <thread>

#include "ringfort/device.h"
#include "support/ckks.h"
#include "support/moving_program.h"

namespace ringfort::ckks::placement_test {
namespace {

using testing::Client;

testing::Shape shape() {
  testing::Shape shape;
  shape.n = 32;
  return shape;
}

TEST(CkksPlacement, RandomProgramsOnThreeDevicesGiveTheBitsOfOneAndMoveNoWordTwice) {
  std::size_t uploads = 0;
  for (u64 seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::choose_seed(seed);
    const Client client(testing::parameters_of(shape()), "cpu", {1});
    ringfort::testing::MovingProgram program(
        client, seed, [](const Client& at, u64 value) { return at.encrypt(testing::random_values(16, value)); },
        [](const Ciphertext& c) { return testing::residues(c); });
    program.run_steps(40);
    uploads += program.uploads();
    if (HasFailure()) break;
  }
  EXPECT_GT(uploads, 300u);
}

TEST(CkksPlacement, SixteenThreadsThatAreFirstToUseAKeyBringItOnce) {
  testing::choose_seed(8);
  const Client client(testing::parameters_of(shape()), "cpu", {1});
  const Context there(client.context.parameters(), "ref");
  const Ciphertext a = client.encrypt(testing::random_values(16, 3)), square = client.evaluator.square(a);
  const std::vector<u64> expected = testing::residues(client.evaluator.relinearize(square, client.relinearization));
  const RelinearizationKey key = client.relinearization.to(there);
  const Ciphertext moved = square.to(there);
  Profile profile;
  there.keys().profile(&profile);
  std::array<Ciphertext, 16> found;
  std::vector<std::thread> team;
  for (Ciphertext& out : found)
    team.emplace_back([&] { out = Evaluator(there).relinearize(moved, key).to(client.context); });
  for (std::thread& thread : team) thread.join();
  there.keys().profile(nullptr);
  std::size_t uploads = 0;
  for (const VerbRecord& record : profile.records()) uploads += record.verb == "upload";
  EXPECT_EQ(uploads, 2u);
  for (const Ciphertext& out : found) EXPECT_EQ(testing::residues(out), expected);
}

}  // namespace
}  // namespace ringfort::ckks::placement_test
