// SPDX-License-Identifier: Apache-2.0
// The transforms of device `rpu`. A verb that runs alone transforms as many limbs and polynomials at a time as a
// program accepts. In a sequence of verbs, it transforms one limb at a time. The reason is that the other verbs of the
// sequence use single limbs, and then find them in the vector memory (verbs.h). The vector memory has two buffers for
// polynomials, so that the next polynomials are loaded while a program runs. The tables follow these buffers.
//
// If a polynomial is too long for the vector memory, it is transformed in halves. The first stage comes first. Then a
// product makes each half a polynomial modulo y^(n/2) + 1. Then each half is transformed.
#include <bit>

#include "backend/rpu/transformer.h"
#include "backend/rpu/verbs.h"

namespace ringfort::rpu_host {
namespace {

// Limbs [limb, limb + limbs) of `polynomials` polynomials, from number `polynomial` on. All limbs of a polynomial come
// before those of the next polynomial.
struct Group {
  u32 limb, limbs, polynomial, polynomials;
  [[nodiscard]] u32 batch() const { return limbs * polynomials; }
};

class Transform {
 public:
  Transform(const RpuPlan& p, const View& view, bool inverse)
      : p_(p),
        processor_(*p.processor),
        view_(view),
        transformer_(p, inverse) {}

  void record() {
    const u32 most = processor_.is_sequence() ? 1 : transformer_.most();
    for (u32 limb = 0, limbs = 0; limb < view_.limbs.count; limb += limbs) {
      limbs = std::bit_floor(std::min(most, view_.limbs.count - limb));
      for (u32 b = 0, step = 0; b < view_.batch; b += step) {
        step = packed() ? std::min(p_.rows, view_.batch - b) : std::bit_floor(std::min(most / limbs, view_.batch - b));
        for (u32 part = 0; part < p_.parts; ++part) group({limb, limbs, b, step}, part);
      }
    }
  }

 private:
  [[nodiscard]] bool packed() const { return p_.rows > 1; }

  void group(const Group& g, u32 part) {
    const Transformer::TransformBatch batch{packed() ? 1 : g.batch(), view_.limbs.first + g.limb, g.limbs};
    if (batch.count != batch_.count || batch.first_limb != batch_.first_limb) arrange(batch);
    move(g, part);
  }

  void move(const Group& g, u32 part) {
    const u32 length = p_.plan.n / p_.parts, at = turn_++ % copies_ * stride_;
    std::array<Processor::LimbTile, kMostTogether> tiles;
    for (u32 t = 0; t < batch_.count; ++t) {
      tiles[t] = {g.limb + t % g.limbs,
                  {g.polynomial + t / g.limbs, packed() ? g.polynomials : 1, part * length, length}};
    }
    const std::span<const Processor::LimbTile> moved = std::span(tiles).first(batch_.count);
    processor_.load(at, view_, moved);
    const u32 result = transformer_.transform(batch_, at, at + std::max(batch_.count * length, kLeastWords), table_);
    processor_.store(result, view_, moved);
  }

  // Chooses the addresses of a new batch, and loads its tables. Each of the two buffers has a partner, a buffer that
  // may get the results. There is memory for at least one such pair, as prepare() has checked.
  void arrange(const Transformer::TransformBatch& batch) {
    batch_ = batch;
    const u32 length = p_.plan.n / p_.parts, words = std::max(batch.count * length, kLeastWords);
    const u32 scratch = transformer_.scratch_words(batch.count), table = transformer_.table_words(batch.count);
    stride_ = words + scratch;
    copies_ = 2 * stride_ + table <= processor_.machine().vdm_words ? 2 : 1;
    table_ = copies_ * stride_;
    transformer_.tables(batch, table_);
  }

  const RpuPlan& p_;
  Processor& processor_;
  const View& view_;
  Transformer transformer_;
  Transformer::TransformBatch batch_{0, 0, 0};
  u32 stride_ = 0, copies_ = 1, turn_ = 0, table_ = 0;
};

// The two halves of a long polynomial. The first stage uses x^n + 1 = (x^(n/2) - r)(x^(n/2) + r), where r = psi^(n/2)
// (backend/plan.h defines psi). Then x = psi^(-1) y in one half, and x = psi y in the other. The transform of each half
// has length n/2 and the root psi^2. The inverse transform reverses these steps.
class Halves {
 public:
  Halves(const RpuPlan& p, const View& view, bool inverse)
      : p_(p),
        processor_(*p.processor),
        view_(view),
        program_(p.routine(inverse ? Routine::unite : Routine::halve)),
        inverse_(inverse) {}

  void record() {
    for (u32 limb = 0; limb < view_.limbs.count; ++limb) {
      for (u32 offset = 0; offset < p_.plan.n / 2; offset += p_.tile) {
        tables(limb, offset);
        for (u32 b = 0; b < view_.batch; ++b) tile(limb, b, offset);
      }
    }
  }

 private:
  void tables(u32 limb, u32 offset) {
    for (const u32 half : {0u, 1u}) {
      const bool negative = (half == 0) != inverse_;
      processor_.table(p_.name(4 + half), {nullptr, 0}, p_.tile, p_.tile,
                       [&p = p_, index = view_.limbs.first + limb, negative, offset](std::span<u128> words) {
                         const u32 order = 2 * p.plan.n;
                         for (u32 i = 0; i < p.tile; ++i)
                           words[i] = p.power(index, negative ? (order - offset - i) % order : offset + i);
                       });
    }
  }

  void tile(u32 limb, u32 b, u32 offset) {
    const u32 set = turn_++ % 2 * 2, index = view_.limbs.first + limb;
    const std::array<u32, 4> names = {p_.name(set), p_.name(set + 1), p_.name(4), p_.name(5)};
    const u32 n = p_.plan.n;
    const auto half_of = [&](u32 half) { return Tile{b, 1, offset + half * n / 2, p_.tile}; };
    for (const u32 half : {0u, 1u}) { processor_.load(names[half], view_, limb, half_of(half)); }
    const rpu::Modulus& q = p_.fields[index].q;
    const u128 half = (q.value() + 1) / 2, root = p_.power(index, n / 2), back = p_.power(index, 2 * n - n / 2);
    const std::array<u128, 2> scalars = {inverse_ ? half : root, q.multiply(half, back)};
    processor_.run_program(program_, names, std::span(&q, 1), std::span(scalars).first(program_.kernel->scalars));
    for (const u32 h : {0u, 1u}) { processor_.store(names[h], view_, limb, half_of(h)); }
  }

  const RpuPlan& p_;
  Processor& processor_;
  const View& view_;
  Program& program_;
  bool inverse_;
  u32 turn_ = 0;
};

}  // namespace

void transform(const RpuPlan& p, const View& inout, bool inverse) {
  if (p.parts > 1 && !inverse) Halves(p, inout, false).record();
  Transform(p, inout, inverse).record();
  if (p.parts > 1 && inverse) Halves(p, inout, true).record();
}

}  // namespace ringfort::rpu_host
