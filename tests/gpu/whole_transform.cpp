// SPDX-License-Identifier: Apache-2.0
// The transform of 2^12 points with a fixed shape, for test_compiled_kernels.py. The code has no loops, so a lane
// executes each of its instructions once. Two kernels differ only in that one has 32 more butterflies. The difference
// of their counts gives the instructions of these butterflies alone.
#pragma clang force_cuda_host_device begin
#include "backend/device/kernels/ntt.h"
#include "backend/device/gpu/ptx.h"
namespace ringfort::gpu {

constexpr NttPart kShape{12, 0, 12, 0};

class WholeTeam : public Team<Ptx> {
 public:
  [[nodiscard]] constexpr u32 lanes() const { return kShape.lanes(); }
};

template <class Kernel>
constexpr void run_whole(const ArgsOf<Kernel>& args) {
  WholeTeam team;
  ArgsOf<Kernel> fixed = args;
  fixed.part = kShape;
  Kernel::run_team(team, fixed);
}

extern "C" __attribute__((global)) __attribute__((launch_bounds(256))) void whole_ntt_u32(
    const ArgsOf<ForwardNtt<u32, Lazy<u32>>> args) {
  run_whole<ForwardNtt<u32, Lazy<u32>>>(args);
}
extern "C" __attribute__((global)) __attribute__((launch_bounds(256))) void whole_ntt_u64(
    const ArgsOf<ForwardNtt<u64, Lazy<u64>>> args) {
  run_whole<ForwardNtt<u64, Lazy<u64>>>(args);
}
extern "C" __attribute__((global)) __attribute__((launch_bounds(256))) void whole_intt_u32(
    const ArgsOf<InverseNtt<u32, Lazy<u32>>> args) {
  run_whole<InverseNtt<u32, Lazy<u32>>>(args);
}
extern "C" __attribute__((global)) __attribute__((launch_bounds(256))) void whole_intt_u64(
    const ArgsOf<InverseNtt<u64, Lazy<u64>>> args) {
  run_whole<InverseNtt<u64, Lazy<u64>>>(args);
}

// The 16 points of a lane, the twiddle factors of four stages, and constants. All of them stay in registers. Therefore
// no butterfly loads anything.
template <class Word>
struct PointsArgs {
  Word* words;
  const Limb<Word>* limbs;
  const Factor<Word>* twiddles;
};

template <class Word, u32 kTimes>
constexpr void run_butterflies(const PointsArgs<Word>& args) {
  const u32 lane = Ptx().lane();
  Word* const words = args.words + lane;
  const Limb<Word> limb = args.limbs[lane];
  Word x[kRadix];
#pragma unroll
  for (u32 e = 0; e < kRadix; ++e) x[e] = words[256 * e];
  Factor<Word> w[kRadix];  // read word by word, because clang multiplies the halves of a longer word in another way
#pragma unroll
  for (u32 i = 1; i < kRadix; ++i) {
    const Factor<Word>& factor = args.twiddles[256 * i + lane];
    w[i] = {factor.value, factor.quotient};
  }
#pragma unroll
  for (u32 stage = 0; stage < 4 * kTimes; ++stage) {
    const u32 log = stage % 4, half = 8u >> log;
#pragma unroll
    for (u32 i = 0; i < kRadix / 2; ++i) {
      const u32 group = i / half, first = 2 * half * group + i % half;
      Lazy<Word>::forward(x[first], x[first + half], w[(1u << log) + group], limb);
    }
  }
#pragma unroll
  for (u32 e = 0; e < kRadix; ++e) words[256 * e] = x[e];
}

extern "C" __attribute__((global)) __attribute__((launch_bounds(256))) void butterflies_32_u32(
    const PointsArgs<u32> args) {
  run_butterflies<u32, 1>(args);
}
extern "C" __attribute__((global)) __attribute__((launch_bounds(256))) void butterflies_64_u32(
    const PointsArgs<u32> args) {
  run_butterflies<u32, 2>(args);
}
extern "C" __attribute__((global)) __attribute__((launch_bounds(256))) void butterflies_32_u64(
    const PointsArgs<u64> args) {
  run_butterflies<u64, 1>(args);
}
extern "C" __attribute__((global)) __attribute__((launch_bounds(256))) void butterflies_64_u64(
    const PointsArgs<u64> args) {
  run_butterflies<u64, 2>(args);
}

}  // namespace ringfort::gpu
#pragma clang force_cuda_host_device end
