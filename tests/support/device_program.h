// SPDX-License-Identifier: Apache-2.0
// A short program on a device, for tests in which the device fails.
#pragma once

#include <iterator>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "math/prime.h"

namespace ringfort::testing {

inline constexpr std::size_t kProgramBytes = 2 * 64 * sizeof(u64);

// Runs a program with verbs of each kind on the device. Returns the first failure. If there is no failure, `words` has
// the result of the program.
inline Status run_program(const std::shared_ptr<Backend>& backend, std::vector<std::byte>& words) {
  std::shared_ptr<const PreparedPlan> plan;
  const Plan of{64, Word::u64, ntt_primes(62, 64, 2).value()};
  if (const Status status = backend->prepare(of, plan); status != Status::ok) return status;
  DeviceBuffer* buffer = nullptr;
  if (const Status status = backend->allocate(kProgramBytes, Contents::zeroed, Privacy::secret, buffer);
      status != Status::ok)
    return status;
  const View view{plan.get(), buffer, 0, {0, 2}, 1, 2}, first = view.in({0, 1}), second = view.in({1, 1});
  const std::vector<u64> ones(128, 1);
  const std::vector<i64> integers(64, -5);
  const Verb verbs[] = {verb::Upload{view, Domain::coefficient, ones.data()},
                        verb::Ntt{view},
                        verb::Lift{first, integers.data(), 8},
                        verb::BaseConvert{second, first, Conversion::centred},
                        verb::Add{view, view, view},
                        verb::Download{view, Domain::coefficient, words.data()}};
  Status status = Status::ok;
  for (u32 i = 0; i < std::size(verbs) && status == Status::ok; ++i) status = backend->run({i}, {&verbs[i], 1}, {});
  if (status == Status::ok) status = backend->synchronize({std::size(verbs) - 1});
  backend->release(buffer, true);
  return status;
}

}  // namespace ringfort::testing
