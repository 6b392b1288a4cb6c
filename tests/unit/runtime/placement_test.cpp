// SPDX-License-Identifier: Apache-2.0
// Every sequence of five uses from every state gives the latest words on either side, moves nothing that is current, and loses
// nothing when a move fails.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <new>

#include "math/prime.h"
#include "ringfort/error.h"
#include "ring/ring.h"
#include "runtime/placement.h"

namespace ringfort {
namespace {

constexpr std::array kUses = {Use::read_host,   Use::change_host,  Use::write_host,  Use::read_device,
                              Use::change_device, Use::write_device, Use::leave_device};
constexpr u32 kDegree = 8;
constexpr std::size_t kBytes = kDegree * sizeof(u64);
using Words = std::array<u64, kDegree>;

// The table, written out: state and move after each use, in the order of kUses.
struct Row {
  Residence from;
  std::array<Residence, kUses.size()> to;
  std::array<Move, kUses.size()> move;
};
constexpr auto H = Residence::host_only, S = Residence::host_dirty, D = Residence::device, B = Residence::both;
constexpr auto N = Move::none, U = Move::upload, L = Move::download;
constexpr std::array kTable = {
    Row{H, {H, H, H, B, D, D, H}, {N, N, N, U, U, N, N}},
    Row{S, {S, S, S, B, D, D, H}, {N, N, N, U, U, N, N}},
    Row{D, {B, S, S, D, D, D, H}, {L, L, N, N, N, N, L}},
    Row{B, {B, S, S, B, D, D, H}, {N, N, N, N, N, N, N}},
};

TEST(Placement, EveryStateAndUseHasItsMoveAndItsSuccessor) {
  for (const Row& row : kTable) {
    for (std::size_t u = 0; u < kUses.size(); ++u) {
      Placement placement(row.from);
      EXPECT_EQ(placement.before(kUses[u]), row.move[u]) << static_cast<int>(row.from) << " use " << u;
      EXPECT_EQ(placement.residence(), row.from) << "before() changed the state";
      placement.after(kUses[u]);
      EXPECT_EQ(placement.residence(), row.to[u]) << static_cast<int>(row.from) << " use " << u;
    }
  }
}

// A batch with a value that the test knows; the device's words are read and written behind the class's back.
class Scene {
 public:
  Scene() : device_(OpenDevice::open("ref")), plan_(device_->prepare({kDegree, Word::u64, {ntt_primes(30, kDegree, 1).take()[0]}})),
            placed_(device_, View{.plan = plan_.get()}, Domain::coefficient, kBytes) {}

  void use(Use use) {
    switch (use) {
      case Use::read_host: return expect(placed_.host({}, use));
      case Use::change_host: {
        const auto host = placed_.host({}, use);
        expect(host);
        change_one_word();                                            // the others must have been current
        std::memcpy(host.data(), truth_.data(), kBytes);
        return;
      }
      case Use::write_host: {
        const auto host = placed_.host({}, use);
        truth_.fill(++next_);
        std::memcpy(host.data(), truth_.data(), kBytes);
        return;
      }
      case Use::read_device: return expect_device(placed_.on_device({}, use));
      case Use::change_device: {
        const View view = placed_.on_device({}, use);
        expect_device(view);
        change_one_word();
        return put(view);
      }
      case Use::write_device: {
        const View view = placed_.on_device({}, use);
        truth_.fill(++next_);
        return put(view);
      }
      case Use::leave_device: return placed_.leave_device({});
    }
  }
  [[nodiscard]] Placed& placed() noexcept { return placed_; }

 private:
  void change_one_word() noexcept {
    ++next_;
    truth_[next_ % kDegree] = next_;
  }
  void expect(std::span<const u8> host) const {
    Words words;
    std::memcpy(words.data(), host.data(), kBytes);
    EXPECT_EQ(words, truth_);
  }
  void expect_device(const View& view) const {
    Words words;
    ASSERT_EQ(device_->backend().download({}, view, Domain::coefficient, words.data()), Status::ok);
    EXPECT_EQ(words, truth_);
  }
  void put(const View& view) const { ASSERT_EQ(device_->backend().upload({}, view, Domain::coefficient, truth_.data()), Status::ok); }

  std::shared_ptr<const OpenDevice> device_;
  std::shared_ptr<const PlanHandle> plan_;
  Placed placed_;
  Words truth_{};
  u64 next_ = 0;
};

TEST(Placed, EverySequenceOfFiveUsesSeesTheLatestWords) {
  constexpr std::size_t kLength = 5, kChoices = kUses.size();
  std::size_t sequences = 1;
  for (std::size_t i = 0; i < kLength; ++i) sequences *= kChoices;
  for (std::size_t code = 0; code < sequences; ++code) {
    Scene scene;
    std::size_t rest = code;
    for (std::size_t i = 0; i < kLength; ++i, rest /= kChoices) {
      scene.use(kUses[rest % kChoices]);
      if (::testing::Test::HasFailure()) FAIL() << "sequence " << code << " at step " << i;
    }
    scene.use(Use::read_host);
    scene.use(Use::read_device);
    if (::testing::Test::HasFailure()) FAIL() << "sequence " << code;
  }
}

TEST(Placed, WordsMayBeWipedOrKeptAtTheEnd) {
  Scene scene;
  scene.use(Use::write_device);
  scene.placed().keep_contents();
  scene.use(Use::leave_device);
  EXPECT_EQ(scene.placed().residence(), Residence::host_only);
  scene.use(Use::read_device);
  EXPECT_EQ(scene.placed().residence(), Residence::both);
  EXPECT_EQ(scene.placed().bytes(), kBytes);
}

#if RINGFORT_FAULTS
// True if the use failed; the words must then be where they were.
bool fails_and_loses_nothing(Use first, Use second, fault::Point point) {
  Scene scene;
  scene.use(first);
  const Residence before = scene.placed().residence();
  bool failed = false;
  testing::fail_at(point, 1);
  try {
    scene.use(second);
  } catch (const Error& e) {
    failed = true;
    EXPECT_TRUE(e.code() == Code::device_lost || e.code() == Code::out_of_memory) << e.what();
  } catch (const std::bad_alloc&) {
    failed = true;
  }
  testing::fail_at(point, 0);
  if (failed) {
    EXPECT_EQ(scene.placed().residence(), before);
  }
  scene.use(Use::read_host);
  scene.use(Use::read_device);
  return failed;
}

TEST(Placed, AFailedMoveLosesNothing) {
  int failures = 0;
  for (const Use second : kUses) {
    for (const auto point : {fault::Point::verb, fault::Point::alloc}) {
      failures += fails_and_loses_nothing(Use::write_host, second, point) ? 1 : 0;
      failures += fails_and_loses_nothing(Use::write_device, second, point) ? 1 : 0;
    }
  }
  EXPECT_GE(failures, 8);                                             // uploads and downloads by verb, device memory by allocation
}
#endif

}  // namespace
}  // namespace ringfort
