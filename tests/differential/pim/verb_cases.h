// SPDX-License-Identifier: Apache-2.0
// Comparisons of the required verbs, which every device must run, on one shape, in words of 32 and of 64 bits.
#pragma once

#include <limits>

#include "differential/pim/cases.h"

namespace ringfort::testing {

inline View single(View view) {
  view.batch = 1;
  return view;
}

// Lifts integers of all sizes and both signs. The first integer is the least integer of the type.
template <class I>
Status lift(Backend& k, const View& out, I least) {
  std::vector<I> integers(std::size_t{out.batch} * out.plan->n());
  I next = least;
  for (I& x : integers) x = next, next = static_cast<I>(next == 1 ? -least - 1 : next == -1 ? 1 : -next / 3);
  return run_one(k, {}, verb::Lift{out, integers.data(), sizeof(I)});
}

template <class W>
void compare_element_verbs(const PairOn<W>& on, const std::vector<u128>& moduli) {
  on.compare("add", [](Backend& k, const View& out, const View& a, const View& b) {
    return run_one(k, {}, verb::Add{out, a, b});
  });
  on.compare("add in place", [](Backend& k, const View& out, const View& a, const View&) {
    return run_one(k, {}, verb::Add{out, out, a});
  });
  on.compare("subtract", [](Backend& k, const View& out, const View& a, const View& b) {
    return run_one(k, {}, verb::Subtract{out, a, b});
  });
  on.compare("negate", [](Backend& k, const View& out, const View& a, const View&) {
    return run_one(k, {}, verb::Negate{out, a});
  });
  on.compare("multiply", [](Backend& k, const View& out, const View& a, const View& b) {
    return run_one(k, {}, verb::Multiply{out, a, b});
  });
  on.compare("square in place", [](Backend& k, const View& out, const View&, const View&) {
    return run_one(k, {}, verb::Multiply{out, out, out});
  });
  on.compare("multiply by one polynomial", [](Backend& k, const View& out, const View& a, const View& b) {
    return run_one(k, {}, verb::Multiply{out, a, single(b)});
  });
  on.compare("multiply_add", [](Backend& k, const View& out, const View& a, const View& b) {
    return run_one(k, {}, verb::MultiplyAdd{out, a, b});
  });
  on.compare("multiply_add of one polynomial", [](Backend& k, const View& out, const View& a, const View& b) {
    return run_one(k, {}, verb::MultiplyAdd{out, a, single(b)});
  });
  on.compare("multiply_scalar", [&](Backend& k, const View& out, const View& a, const View&) {
    std::vector<u128> scalars;
    for (const u128 q : moduli) scalars.push_back(q - 1 - scalars.size() * (q / 3));
    return run_one(k, {}, verb::MultiplyScalar{out, a, scalars});
  });
}

template <class W>
void compare_polynomial_verbs(const PairOn<W>& on, u32 n) {
  on.compare("ntt",
             [](Backend& k, const View& out, const View&, const View&) { return run_one(k, {}, verb::Ntt{out}); });
  on.compare("intt",
             [](Backend& k, const View& out, const View&, const View&) { return run_one(k, {}, verb::Intt{out}); });
  for (const u32 galois : {5u, 2 * n - 1, n + 1}) {
    on.compare("automorphism of coefficients", [&](Backend& k, const View& out, const View& a, const View&) {
      return run_one(k, {}, verb::Automorphism{out, a, galois, Domain::coefficient});
    });
    on.compare("automorphism of values", [&](Backend& k, const View& out, const View& a, const View&) {
      return run_one(k, {}, verb::Automorphism{out, a, galois, Domain::evaluation});
    });
  }
  on.compare("expand_uniform", [&](Backend& k, const View& out, const View&, const View&) {
    verb::ExpandUniform from{out, {}, 0x123456789abc, 65535};
    for (u32 i = 0; i < 32; ++i) from.seed.bytes[i] = static_cast<u8>(i);
    return run_one(k, {}, from);
  });
  on.compare("copy", [](Backend& k, const View& out, const View& a, const View&) {
    return run_one(k, {}, verb::Copy{out, a});
  });
  on.compare("zero",
             [](Backend& k, const View& out, const View&, const View&) { return run_one(k, {}, verb::Zero{out}); });
  on.compare("lift", [](Backend& k, const View& out, const View&, const View&) { return lift<i8>(k, out, i8{-128}); });
  on.compare("lift of 8 bytes", [](Backend& k, const View& out, const View&, const View&) {
    return lift<i64>(k, out, std::numeric_limits<i64>::min());
  });
  on.compare("lift of 16 bytes", [](Backend& k, const View& out, const View&, const View&) {
    return lift<i128>(k, out, 1 - (i128{1} << 126));
  });
}

}  // namespace ringfort::testing
