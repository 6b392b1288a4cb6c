// SPDX-License-Identifier: Apache-2.0
// Tests that the emulator finds mistakes that a GPU hides. Each test adds one mistake to a small kernel. Without the
// mistake, the kernel has no fault.
#include <numeric>

#include "backend/device/emu/team.h"
#include "unit/backend_device/emulated.h"

namespace ringfort::testing {
namespace {

using emu::Fault;

enum class Mistake : u8 {
  none,
  dropped_barrier,
  shared_index,
  shared_unset,
  global_index,
  global_unset,
  common_word,
  other_block,
};

// Reverses the words of each block through shared memory.
template <Mistake kMistake>
struct Reverse {
  struct Args {
    u32* out;
    const u32* in;
  };
  template <class Team>
  static void run_team(Team& team, const Args& args) {
    const u32 n = team.lanes(), first = team.block() * n;
    const auto tile = team.template shared<u32>(n);
    const auto fill = [&](u32 lane) {
      if (kMistake == Mistake::shared_unset && lane == 3) return;
      tile.store(lane, team.load(args.in + first + lane + (kMistake == Mistake::global_index ? 1 : 0)));
    };
    if (kMistake == Mistake::dropped_barrier) team.last_phase(fill);
    else team.phase(fill);
    team.last_phase([&](u32 lane) {
      const u32 x = tile.load(n - 1 - lane + (kMistake == Mistake::shared_index ? 1 : 0));
      if (kMistake == Mistake::common_word) team.store(args.out + first + lane / 2, x);
      else if (kMistake == Mistake::other_block) team.store(args.out + lane, x);
      else team.store(args.out + first + lane, x);
    });
  }
};

constexpr u32 kLanes = 64, kBlocks = 2;

// Returns how many faults of each kind a launch finds.
template <Mistake kMistake>
std::array<u64, emu::kFaults> faults(u64 order = 0) {
  using Kernel = Reverse<kMistake>;
  emu::Regions regions;
  std::vector<u32> words(kLanes * kBlocks);
  std::iota(words.begin(), words.end(), 0);
  DeviceWords<u32> in(regions, words), unset(regions, words.size()), out(regions, words.size());
  const typename Kernel::Args args{out.data(), kMistake == Mistake::global_unset ? unset.data() : in.data()};
  emu::Launch launch("reverse", regions, {.checked = true, .order = order});
  emu::run_kernel<Kernel>(launch, {kBlocks, kLanes, kLanes * 4}, &args);
  EXPECT_EQ(launch.is_clean(), launch.reports().empty());
  if (kMistake == Mistake::none) {
    for (u32 i = 0; i < words.size(); ++i) EXPECT_EQ(out.words()[i], i / kLanes * kLanes + kLanes - 1 - i % kLanes);
  }
  return {launch.faults(Fault::race), launch.faults(Fault::bounds), launch.faults(Fault::uninitialised)};
}

using Faults = std::array<u64, emu::kFaults>;

TEST(Emulator, CleanKernelHasNoFault) {
  EXPECT_EQ(faults<Mistake::none>(), Faults{});
  EXPECT_EQ(faults<Mistake::none>(5), Faults{});
}

// If lanes run in ascending order, the upper lanes read words that the lower lanes have already stored. The emulator
// must report a race on every word, in every order of lanes.
TEST(Emulator, FindsDroppedBarriers) {
  EXPECT_EQ(faults<Mistake::dropped_barrier>()[0], kBlocks * kLanes);
  EXPECT_EQ(faults<Mistake::dropped_barrier>(9)[0], kBlocks * kLanes);
}

TEST(Emulator, FindsAnIndexThatIsOneTooLarge) {
  EXPECT_EQ(faults<Mistake::shared_index>(), (Faults{0, kBlocks, 0}));
  EXPECT_EQ(faults<Mistake::global_index>(), (Faults{0, 1, 0}));
}

TEST(Emulator, FindsReadsOfWordsThatNothingWrote) {
  EXPECT_EQ(faults<Mistake::shared_unset>(), (Faults{0, 0, kBlocks}));
  EXPECT_EQ(faults<Mistake::global_unset>(), (Faults{0, 0, kBlocks * kLanes}));
}

TEST(Emulator, FindsStoresOfTwoLanesOrBlocksToOneWord) {
  EXPECT_EQ(faults<Mistake::common_word>()[0], kBlocks * kLanes / 2);
  EXPECT_EQ(faults<Mistake::other_block>()[0], kLanes);
}

TEST(Emulator, AReportNamesKernelBlockAndLane) {
  using Kernel = Reverse<Mistake::global_index>;
  emu::Regions regions;
  DeviceWords<u32> in(regions, std::vector<u32>(kLanes)), out(regions, kLanes);
  const Kernel::Args args{out.data(), in.data()};
  emu::Launch launch("reverse", regions, {});
  emu::run_kernel<Kernel>(launch, {1, kLanes, kLanes * 4}, &args);
  ASSERT_EQ(launch.reports().size(), 1u);
  EXPECT_EQ(launch.reports()[0].substr(0, 24), "reverse, block 0, lane 6");
}

enum class ClusterMistake : u8 {
  none,
  dropped_barrier,
  unannounced,
  ended_block,
  rank,
  shared_index,
  shared_unset,
  common_word,
  global_word,
};

// Reverses the words of each cluster of two blocks. Every lane stores its word in the other block of the cluster.
template <ClusterMistake kMistake>
struct ReverseCluster {
  using Mistake = ClusterMistake;
  struct Args {
    u32 *out, *in;
  };
  template <class Team>
  static void run_team(Team& team, const Args& args) {
    const u32 n = team.lanes();
    const auto tile = team.template shared<u32>(n);
    const auto exchange = [&] {
      if (kMistake != Mistake::unannounced) team.await_cluster();
      team.last_phase([&](u32 lane) {
        if (kMistake == Mistake::shared_unset && lane == 3) return;
        const u32 other = 1 - team.rank() + (kMistake == Mistake::rank && lane == 5 ? 2 : 0);
        const u32 index = kMistake == Mistake::common_word ? lane / 2 * 2 : n - 1 - lane;
        tile.store_of(other, index + (kMistake == Mistake::shared_index ? 1 : 0),
                      team.load(args.in + team.block() * n + lane));
      });
    };
    const auto finish = [&] {
      team.last_phase([&](u32 lane) {
        if (kMistake == Mistake::common_word && lane % 2 == 1) return;
        const u32 x = kMistake == Mistake::ended_block ? tile.load_of(1 - team.rank(), lane) : tile.load(lane);
        // words of `in` that only this cluster has read may change after the barrier of the cluster
        if (kMistake == Mistake::global_word) team.store(args.in + (team.block() ^ 2) * n + lane, x);
        else team.store(args.in + (team.block() ^ 1) * n + lane, x);
        team.store(args.out + team.block() * n + lane, x);
      });
    };
    team.start_cluster();
    if (kMistake == Mistake::dropped_barrier) team.last_cluster_phase(exchange);
    else team.cluster_phase(exchange);
    team.last_cluster_phase(finish);
  }
};

template <ClusterMistake kMistake>
Faults cluster_faults(u64 order = 0) {
  using Kernel = ReverseCluster<kMistake>;
  emu::Regions regions;
  std::vector<u32> words(kLanes * 4);
  std::iota(words.begin(), words.end(), 0);
  DeviceWords<u32> in(regions, words), out(regions, words.size());
  const typename Kernel::Args args{out.data(), in.data()};
  emu::Launch launch("reverse_cluster", regions, {.checked = true, .order = order});
  emu::run_kernel<Kernel>(launch, {4, kLanes, kLanes * 4, 2}, &args);
  if (kMistake == ClusterMistake::none) {
    for (u32 i = 0; i < words.size(); ++i) EXPECT_EQ(out.words()[i], i / 128 * 128 + 127 - i % 128);
  }
  return {launch.faults(Fault::race), launch.faults(Fault::bounds), launch.faults(Fault::uninitialised)};
}

TEST(Emulator, FindsMistakesBetweenTheBlocksOfAClusterInEveryOrder) {
  using Mistake = ClusterMistake;
  for (const u64 order : {0, 3, 8}) {
    EXPECT_EQ(cluster_faults<Mistake::none>(order), Faults{});
    EXPECT_GE(cluster_faults<Mistake::dropped_barrier>(order)[0], 4 * kLanes);  // a store and a load are not ordered
    EXPECT_EQ(cluster_faults<Mistake::unannounced>(order), (Faults{4 * kLanes, 0, 0}));
    EXPECT_EQ(cluster_faults<Mistake::ended_block>(order), (Faults{4 * kLanes, 0, 0}));
    EXPECT_EQ(cluster_faults<Mistake::rank>(order), (Faults{0, 4, 4}));          // also, one word stays unset
    EXPECT_EQ(cluster_faults<Mistake::shared_index>(order), (Faults{0, 4, 4}));  // the first word is unset
    EXPECT_EQ(cluster_faults<Mistake::shared_unset>(order), (Faults{0, 0, 4}));
    EXPECT_EQ(cluster_faults<Mistake::common_word>(order)[0], 4 * kLanes / 2);
    EXPECT_EQ(cluster_faults<Mistake::global_word>(order)[0], 4 * kLanes);
  }
}

// Lane i reads word i * kStride. The expected counts follow from two definitions. Shared memory has 32 banks of 4-byte
// words, and serves one word of each bank at a time. Global memory moves sectors of 32 bytes.
template <u32 kStride>
struct Strided {
  struct Args {
    u32* words;
  };
  template <class Team>
  static void run_team(Team& team, const Args& args) {
    const auto tile = team.template shared<u32>(32 * kStride);
    team.phase([&](u32 lane) { tile.store(lane * kStride, 1); });
    team.last_phase([&](u32 lane) { team.store(args.words + lane * kStride, tile.load(lane * kStride)); });
  }
};

template <u32 kStride>
emu::Counters strided() {
  emu::Regions regions;
  DeviceWords<u32> words(regions, 32 * kStride);
  const typename Strided<kStride>::Args args{words.data()};
  emu::Launch launch("strided", regions, {});
  emu::run_kernel<Strided<kStride>>(launch, {1, 32, 32 * kStride * 4}, &args);
  return launch.counters();
}

TEST(Emulator, CountsBankConflictsAndSectors) {
  EXPECT_EQ(strided<1>().of(emu::Access::shared_load).units, 1u);
  EXPECT_EQ(strided<2>().of(emu::Access::shared_load).units, 2u);
  EXPECT_EQ(strided<32>().of(emu::Access::shared_store).units, 32u);
  EXPECT_EQ(strided<33>().of(emu::Access::shared_store).units, 1u);
  EXPECT_EQ(strided<1>().of(emu::Access::store).units, 4u);
  EXPECT_EQ(strided<4>().of(emu::Access::store).units, 16u);
  EXPECT_EQ(strided<8>().of(emu::Access::store).units, 32u);
  EXPECT_EQ(strided<8>().of(emu::Access::store).least, 4u);
}

// Adds the words of the lanes of a warp, by exchanges between registers.
struct Sum {
  struct Args {
    u64* out;
    const u64* in;
  };
  template <class Team>
  static void run_team(Team& team, const Args& args) {
    typename Team::template PerLane<u64> sum(team);
    team.last_phase([&](u32 lane) { sum[lane] = team.load(args.in + lane); });
    for (u32 mask = 16; mask != 0; mask /= 2) {
      const auto other = team.shuffle_xor(sum, mask);
      team.last_phase([&](u32 lane) { sum[lane] += other[lane]; });
    }
    team.last_phase([&](u32 lane) { team.store(args.out + lane, sum[lane]); });
  }
};

TEST(Emulator, RegistersOfLanesAreExchangedWithinAWarp) {
  emu::Regions regions;
  std::vector<u64> words(64);
  std::iota(words.begin(), words.end(), 1);
  DeviceWords<u64> in(regions, words), out(regions, words.size());
  const Sum::Args args{out.data(), in.data()};
  emu::Launch launch("sum", regions, {});
  emu::run_kernel<Sum>(launch, {1, 64, 0}, &args);
  EXPECT_TRUE(launch.is_clean());
  EXPECT_EQ(out.words()[5], 528u);    // 1 + ... + 32
  EXPECT_EQ(out.words()[40], 1552u);  // 33 + ... + 64
}

}  // namespace
}  // namespace ringfort::testing
