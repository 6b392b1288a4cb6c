// SPDX-License-Identifier: Apache-2.0
// Sums of products on device `rpu`: matrix products of polynomials, and tensor products (InnerProduct and Tensor in
// backend/verbs.h). The sums stay in the vector memory (verbs.h) until they are complete.
#include "backend/rpu/verbs.h"

namespace ringfort::rpu_host {
namespace {

constexpr u32 kTerms = 2;    // terms of one run of the routine dot
constexpr u32 kColumns = 4;  // columns whose sums stay in the vector memory

class Sums {
 public:
  explicit Sums(const RpuPlan& p) : p_(p), processor_(*p.processor) {}

  void matrix(const verb::InnerProduct& m) {
    each_piece(m.out, [&](u32 limb, u32 offset) {
      for (u32 row = 0; row < m.rows; ++row) {
        for (u32 column = 0; column < m.columns; column += kColumns) row_sums(m, limb, offset, row, column);
      }
    });
  }

  void tensor(const View& out, const View& a, const View& b) {
    const bool square = same_memory(a, b);
    each_piece(out, [&](u32 limb, u32 offset) {
      for (u32 pair = 0; pair < a.batch / 2; ++pair) {
        const u32 set = turn_++ % 2 * 7;
        const u32 a0 = p_.name(set), a1 = p_.name(set + 1), b0 = square ? a0 : p_.name(set + 2),
                  b1 = square ? a1 : p_.name(set + 3);
        load(a0, a, limb, 2 * pair, offset);
        load(a1, a, limb, 2 * pair + 1, offset);
        if (!square) {
          load(b0, b, limb, 2 * pair, offset);
          load(b1, b, limb, 2 * pair + 1, offset);
        }
        const std::array<std::array<u32, 5>, 3> products = {
            {{p_.name(set + 4), a0, b0}, {p_.name(set + 5), a0, a1, b1, b0}, {p_.name(set + 6), a1, b1}}};
        for (u32 i = 0; i < 3; ++i) {
          run_routine(Routine::dot, i == 1 ? 2 : 1, products[i], out.limbs.first + limb);
          store(products[i][0], out, limb, 3 * pair + i, offset);
        }
      }
    });
  }

 private:
  template <class F>
  void each_piece(const View& view, F f) {
    for (u32 limb = 0; limb < view.limbs.count; ++limb) {
      for (u32 offset = 0; offset < p_.plan.n; offset += p_.tile) f(limb, offset);
    }
  }

  // Runs a routine. `names` has the name of the sum, then the names of the left factors, then the names of the right
  // factors.
  void run_routine(Routine routine, u32 terms, std::span<const u32> names, u32 limb) {
    processor_.run_program(*p_.sum(routine)[terms - 1], names.first(1 + 2 * terms), std::span(&p_.fields[limb].q, 1),
                           {});
  }

  void row_sums(const verb::InnerProduct& m, u32 limb, u32 offset, u32 row, u32 column) {
    const u32 columns = std::min(kColumns, m.columns - column);
    for (u32 c = 0; m.accumulate && c < columns; ++c)
      load(p_.name(c), m.out, limb, row * m.columns + column + c, offset);
    for (u32 k = 0; k < m.inner; k += kTerms) {
      const u32 terms = std::min(kTerms, m.inner - k), left = kColumns + turn_++ % 2 * kTerms;
      for (u32 t = 0; t < terms; ++t) load(p_.name(left + t), m.a, limb, row * m.inner + k + t, offset);
      for (u32 c = 0; c < columns; ++c) {
        const u32 right = kColumns + 2 * kTerms + rights_++ % 2 * kTerms;
        std::array<u32, 1 + 2 * kTerms> names = {p_.name(c)};
        for (u32 t = 0; t < terms; ++t) {
          load(p_.name(right + t), m.b, limb, (k + t) * m.columns + column + c, offset);
          names[1 + t] = p_.name(left + t);
          names[1 + terms + t] = p_.name(right + t);
        }
        run_routine(k == 0 && !m.accumulate ? Routine::dot : Routine::dot_add, terms, names, m.out.limbs.first + limb);
      }
    }
    for (u32 c = 0; c < columns; ++c) store(p_.name(c), m.out, limb, row * m.columns + column + c, offset);
  }

  void load(u32 name, const View& from, u32 limb, u32 polynomial, u32 offset) {
    const Tile tile{polynomial, 1, offset, std::min(p_.plan.n, p_.tile)};
    processor_.load(name, from, limb, tile);
  }
  void store(u32 name, const View& to, u32 limb, u32 polynomial, u32 offset) {
    const Tile tile{polynomial, 1, offset, std::min(p_.plan.n, p_.tile)};
    processor_.store(name, to, limb, tile);
  }

  const RpuPlan& p_;
  Processor& processor_;
  u32 turn_ = 0, rights_ = 0;
};

}  // namespace

void inner_product(const RpuPlan& p, const verb::InnerProduct& m) { Sums(p).matrix(m); }

void tensor(const RpuPlan& p, const View& out, const View& a, const View& b) { Sums(p).tensor(out, a, b); }

}  // namespace ringfort::rpu_host
