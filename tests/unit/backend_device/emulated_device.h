// SPDX-License-Identifier: Apache-2.0
// Kernels for the tests of drivers, and a class that makes calls of the emulated driver short.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "backend/device/emu/driver.h"
#include "backend/device/emu/team.h"

namespace ringfort::testing {

using device::Address;

// Computes out = 3 a + b for each word. `out` may be a or b.
struct Mix {
  struct Args {
    u32* out;
    const u32 *a, *b;
    u32 count;
  };
  template <class Team>
  static void run_team(Team& team, const Args& args) {
    team.last_phase([&](u32 lane) {
      for (u32 i = lane; i < args.count; i += team.lanes())
        team.store(args.out + i, 3 * team.load(args.a + i) + team.load(args.b + i));
    });
  }
};

// Appends a number to a list in host memory, and thereby shows when the emulator runs a kernel. A GPU could not run
// this kernel.
struct Log {
  std::vector<u32>* list;
  u32 number;
};
inline void run_log(emu::Launch&, const device::Grid&, const void* args) {
  Log log;
  std::memcpy(&log, args, sizeof log);
  log.list->push_back(log.number);
}

inline const emu::EmuKernel* find_test_kernel(std::string_view name) noexcept {
  static constexpr emu::EmuKernel kMix{"mix", emu::run_kernel<Mix>}, kLog{"log", run_log};
  return name == kMix.name ? &kMix : name == kLog.name ? &kLog : nullptr;
}

template <class Args>
std::span<const std::byte> bytes_of(const Args& args) {
  return std::as_bytes(std::span(&args, 1));
}

class Emulated {
 public:
  static constexpr u32 kWords = 40;
  static constexpr std::size_t kBytes = kWords * sizeof(u32);

  explicit Emulated(emu::Options options = {.checked = true}) : driver_(emu::open(0, find_test_kernel, options)) {}
  device::Driver& operator*() const { return *driver_; }
  device::Driver* operator->() const { return driver_.get(); }

  Address buffer(std::size_t bytes = kBytes) const {
    Address out = nullptr;
    EXPECT_EQ(driver_->allocate(bytes, Privacy::open, out), Status::ok);
    return out;
  }
  Status mix(u32 stream, Address out, Address a, Address b) const {
    const device::Use uses[] = {{a, kBytes, false}, {b, kBytes, false}, {out, kBytes, true}};
    return mix(stream, out, a, b, uses);
  }
  Status mix(u32 stream, Address out, Address a, Address b, std::span<const device::Use> uses) const {
    const Mix::Args args{words(out), words(a), words(b), kWords};
    return launch(stream, "mix", bytes_of(args), uses);
  }
  Status log(u32 stream, std::vector<u32>& list, u32 number) const {
    return launch(stream, "log", bytes_of(Log{&list, number}), {});
  }
  Status launch(u32 stream, std::string_view name, std::span<const std::byte> args,
                std::span<const device::Use> uses) const {
    device::Kernel kernel;
    if (const Status status = driver_->load(name, kernel); status != Status::ok) return status;
    return driver_->launch(stream, {kernel, {1, 8, 0}, args, uses});
  }
  Status copy_in(u32 stream, Address to, const std::vector<u32>& from) const {
    return driver_->copy_in(stream, to, reinterpret_cast<const std::byte*>(from.data()), from.size() * sizeof(u32));
  }
  Status copy_out(u32 stream, std::vector<u32>& to, Address from) const {
    return driver_->copy_out(stream, reinterpret_cast<std::byte*>(to.data()), from, to.size() * sizeof(u32));
  }
  Status synchronize(u32 stream) const {
    device::Event event;
    if (const Status status = driver_->record(stream, event); status != Status::ok) return status;
    const Status status = driver_->synchronize(event);
    driver_->forget(event);
    return status;
  }
  // Makes later work on `stream` wait for all earlier work on the stream `other`.
  Status follow(u32 stream, u32 other) const {
    device::Event event;
    if (const Status status = driver_->record(other, event); status != Status::ok) return status;
    const Status status = driver_->wait(stream, event);
    driver_->forget(event);
    return status;
  }

 private:
  static u32* words(Address address) { return reinterpret_cast<u32*>(address); }
  std::unique_ptr<device::Driver> driver_;
};

}  // namespace ringfort::testing
