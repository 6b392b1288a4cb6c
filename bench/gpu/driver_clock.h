// SPDX-License-Identifier: Apache-2.0
// Measures the time of work that a benchmark submits directly to a driver, on stream 0.
#pragma once

#include <string>
#include <vector>

#include "bench/gpu/opened.h"

namespace ringfort::bench::gpu {

class DriverClock {
 public:
  // `what` is the name of the work in errors. A sample takes at least `least_us`, or has 16,384 calls.
  DriverClock(const Opened& gpu, std::string what, double least_us = 2e3)
      : gpu_(gpu),
        what_(std::move(what)),
        least_us_(least_us) {}

  void checked(Status status) const { gpu_.device()->check(status, what_); }

  // Returns the device's microseconds for f(), which submits to stream 0.
  template <class F>
  [[nodiscard]] double device_us_of(F f) const {
    device::Driver& driver = gpu_.driver();
    device::Event begin, end;
    checked(driver.record(0, begin));
    f();
    checked(driver.record(0, end));
    checked(driver.synchronize(end));
    checked(driver.synchronize(begin));
    double us = 0;
    checked(driver.elapsed(begin, end, us));
    driver.forget(begin);
    driver.forget(end);
    return us;
  }

  // Returns samples of the device's microseconds for one f(). A sample repeats f() until the sample takes least_us.
  template <class F>
  [[nodiscard]] std::vector<double> us_of_one(int samples, F f) const {
    u32 calls = 1;
    const auto sample = [&] {
      return device_us_of([&] {
        for (u32 i = 0; i < calls; ++i) f();
      });
    };
    while (sample() < least_us_ && calls < 1u << 14) calls *= 2;
    std::vector<double> found;
    for (int i = 0; i < samples; ++i) found.push_back(sample() / calls);
    return found;
  }

 private:
  const Opened& gpu_;
  std::string what_;
  double least_us_;
};

}  // namespace ringfort::bench::gpu
