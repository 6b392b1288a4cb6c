// SPDX-License-Identifier: Apache-2.0
// The transform of 2^12 points with a fixed shape: its instructions, without loops, are those that a lane executes.
#pragma clang force_cuda_host_device begin
#include "backend/device/kernels/ntt.h"
#include "backend/device/gpu/ptx.h"
namespace ringfort::gpu {

constexpr NttPart kShape{12, 0, 12, 0};

class WholeTeam : public Team<Ptx> {
 public:
  [[nodiscard]] u32 lanes() const { return kShape.lanes(); }
};

template <class Kernel>
void run_whole(const ArgsOf<Kernel>& args) {
  WholeTeam team;
  ArgsOf<Kernel> fixed = args;
  fixed.part = kShape;
  Kernel::run(team, fixed);
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

}  // namespace ringfort::gpu
#pragma clang force_cuda_host_device end
