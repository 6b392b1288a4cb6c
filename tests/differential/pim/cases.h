// SPDX-License-Identifier: Apache-2.0
// Runs one verb on the simulated DPUs (device `pim`, hw/pim/README.md) and on the reference device `ref`, with the same
// operands.
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

// The operands a, b and out of one shape on one device, in words W. Before a verb runs, `out` is a copy of b. All
// operands are in the memory of the DPUs.
template <class W>
struct WorkOn {
  const TestDevice& device;
  Shape shape;
  SharedPlan plan;
  std::vector<W> a, b;

  WorkOn(const TestDevice& d, const Shape& s)
      : device(d),
        shape(s),
        plan(prepare(d, sizeof(W) == 4 ? Word::u32 : Word::u64, s.n, s.moduli)) {
    for (u32 p = 0; p < s.batch; ++p) {
      for (const u128 q : s.moduli) {
        const auto x = filled<W>(s.pattern, s.n, q, 3 * s.n + p), y = filled<W>(s.pattern, s.n, q, 5 * s.n + p + 1);
        a.insert(a.end(), x.begin(), x.end());
        b.insert(b.end(), y.begin(), y.end());
      }
    }
  }
  using Verb = std::function<Status(Backend&, const View& out, const View& a, const View& b)>;
  [[nodiscard]] std::vector<W> outcome(const Verb& verb) const {
    const u32 limbs = static_cast<u32>(shape.moduli.size());
    const Batch<W> x(device, plan.get(), shape.n, a, limbs), y(device, plan.get(), shape.n, b, limbs),
        out(device, plan.get(), shape.n, b, limbs);
    EXPECT_EQ(verb(*device, out.view(), x.view(), y.view()), Status::ok);
    return out.values();
  }
};
using Work = WorkOn<u32>;

template <class W>
struct PairOn {
  WorkOn<W> pim, ref;
  PairOn(const TestDevice& device, const TestDevice& oracle, const Shape& shape)
      : pim(device, shape),
        ref(oracle, shape) {}
  void compare(const std::string& name, const typename WorkOn<W>::Verb& verb) const {
    SCOPED_TRACE(name);
    EXPECT_EQ(pim.outcome(verb), ref.outcome(verb));
  }
};
using Pair = PairOn<u32>;

}  // namespace ringfort::testing
