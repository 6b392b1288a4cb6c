// SPDX-License-Identifier: Apache-2.0
// What the verbs of `cpu` share: a view's plan, the word type of a plan as a type, and loops over limbs and polynomials on up
// to stream.threads OpenMP threads (one level; inside a parallel region it stays in the caller's thread).
#pragma once

#include <omp.h>

#include <algorithm>

#include "backend/cpu/plan.h"
#include "backend/host.h"

namespace ringfort::cpu {

inline const Prepared& prepared(const View& view) { return *reinterpret_cast<const Prepared*>(view.plan); }

inline bool valid(const View& view) { return view.plan != nullptr && host::fits(view, prepared(view).plan); }

template <class F>
void with_word(Word word, F f) {
  if (word == Word::u32) f(u32{});
  else if (word == Word::u64) f(u64{});
  else f(u128{});
}

template <class F>
void for_items(u32 threads, std::size_t items, F f) {
  if (threads <= 1 || items <= 1 || omp_in_parallel() != 0) {
    for (std::size_t i = 0; i < items; ++i) f(i);
    return;
  }
  const int team = static_cast<int>(std::min<std::size_t>(threads, items));
#pragma omp parallel for num_threads(team) schedule(static)
  for (std::size_t i = 0; i < items; ++i) f(i);
}

// f(limb, polynomial, limb index in the view) for every polynomial and limb of the view's shape.
template <class W, class F>
void for_each_limb(Stream s, const View& view, F f) {
  const Prepared& p = prepared(view);
  for_items(s.threads, std::size_t{view.batch} * view.limbs, [&](std::size_t item) {
    const u32 l = static_cast<u32>(item % view.limbs);
    f(p.limbs<W>()[view.first_limb + l], item / view.limbs, l);
  });
}

template <class W>
W* words_at(const View& view, std::size_t polynomial, std::size_t limb) {
  return host::limb_words<W>(view, polynomial, limb, prepared(view).plan.n);
}

}  // namespace ringfort::cpu
