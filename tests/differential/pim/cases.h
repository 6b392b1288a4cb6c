// SPDX-License-Identifier: Apache-2.0
// Runs the same verb on `pim` and on `ref`.
#pragma once

#include <cstdlib>
#include <functional>

#include "differential/backend/cases.h"

namespace ringfort::testing {

inline bool all_counts() { return std::getenv("RINGFORT_COUNTS") != nullptr; }

struct Shape {
  u32 n;
  std::vector<u128> moduli;
  u32 batch = 1;
  Pattern pattern = Pattern::random;
};

// Operands of one shape on one device: a and b, and out, which starts as b. All are resident.
struct Work {
  const TestDevice& device;
  Shape shape;
  SharedPlan plan;
  std::vector<u32> a, b;

  Work(const TestDevice& d, const Shape& s) : device(d), shape(s), plan(prepare(d, Word::u32, s.n, s.moduli)) {
    for (u32 p = 0; p < s.batch; ++p) {
      for (const u128 q : s.moduli) {
        const auto x = filled<u32>(s.pattern, s.n, q, 3 * s.n + p), y = filled<u32>(s.pattern, s.n, q, 5 * s.n + p + 1);
        a.insert(a.end(), x.begin(), x.end());
        b.insert(b.end(), y.begin(), y.end());
      }
    }
  }
  using Verb = std::function<Status(Backend&, const View& out, const View& a, const View& b)>;
  [[nodiscard]] std::vector<u32> outcome(const Verb& verb) const {
    const u32 limbs = static_cast<u32>(shape.moduli.size());
    const Batch<u32> x(device, plan.get(), shape.n, a, limbs), y(device, plan.get(), shape.n, b, limbs),
        out(device, plan.get(), shape.n, b, limbs);
    EXPECT_EQ(verb(*device, out.view(), x.view(), y.view()), Status::ok);
    return out.values();
  }
};

struct Pair {
  Work pim, ref;
  Pair(const TestDevice& device, const TestDevice& oracle, const Shape& shape)
      : pim(device, shape),
        ref(oracle, shape) {}
  void compare(const std::string& name, const Work::Verb& verb) const {
    SCOPED_TRACE(name);
    EXPECT_EQ(pim.outcome(verb), ref.outcome(verb));
  }
};

}  // namespace ringfort::testing
