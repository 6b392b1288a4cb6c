// SPDX-License-Identifier: Apache-2.0
// The first and the last DPU are checked; the others are read for the time that it takes, not for what they hold.
#include "vector_run.h"
#include "sim/words.h"

namespace ringfort::pim::bench {
namespace {

// Where the operands of push p begin, in words, and a seed for each.
std::function<u32(u32)> words_of(const Piece& piece, u32 dpu) {
  return [&piece, dpu](u32 index) {
    u32 push = 0;
    while (index >= piece.pushes[push]) index -= piece.pushes[push++];
    return ringfort_pim_word(push + 1, dpu, index, piece.bound);
  };
}

}  // namespace

Times run_piece(const std::string& folder, const std::string& profile, u32 dpus, const Piece& piece) {
  testing::HostSystem system(dpus, "fidelity=shapes,timing=" + profile);
  system.load(folder + "/" + piece.kernel + ".dpu");
  auto arguments = piece.arguments;
  testing::require(
      dpu_broadcast_to(system.set(), "arguments", 0, arguments.data(), arguments.size(), DPU_XFER_DEFAULT));
  const std::vector<u32> bounds(dpus, piece.bound);
  Times times;
  const double start = system.clock_ms();
  u32 offset = 0, seed = 1;
  for (u32 words : piece.pushes) {
    testing::require(ringfort_pim_generate(system.set(), offset, words * 4, seed++, bounds.data()));
    offset += words * 4;
  }
  const double pushed = system.clock_ms();
  system.launch();
  const double launched = system.clock_ms();
  times.estimated = system.last_event().estimated;
  times.simulated = system.last_event().simulated;
  const auto result = system.get(piece.out, piece.pulled);
  times.to_ms = pushed - start;
  times.dpu_ms = launched - pushed;
  times.from_ms = system.clock_ms() - launched;
  for (u32 dpu : {0u, dpus - 1}) piece.check(words_of(piece, dpu), result[dpu]);
  return times;
}

}  // namespace ringfort::pim::bench
