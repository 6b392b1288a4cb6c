// SPDX-License-Identifier: Apache-2.0
// A sum of products at one level, before its only relinearization and rescaling. Factors of products have that level
// and its scale. Operands of add_multiple may have other scales and higher levels, and need no alignment. Residues of a
// sum may wrap around while it grows: only the finished sum must be below half the modulus, and `finish` checks that.
#pragma once

#include "ringfort/circuit.h"
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

class PendingSum {
 public:
  // level >= 1
  PendingSum(const Context& context, u32 level, unsigned threads);
  void add_product(const Ciphertext& a, const Ciphertext& b);
  void add_multiple(const Ciphertext& a, double factor);
  void add_constant(double value) noexcept { constant_ += value; }
  void double_all();
  [[nodiscard]] u32 level() const noexcept { return level_; }
  [[nodiscard]] double constant() const noexcept { return constant_; }
  // The caller's bounds on the finished values: `varying` without the sum's constant, `whole` with it.
  struct Known {
    double varying, whole;
  };
  // Returns the sum at the next lower level and the scale of that level. Errors: noise_bound_exceeded,
  // parameters_mismatch, unsupported (a constant has more than 120 bits at its scale).
  [[nodiscard]] Ciphertext finish(const RelinearizationKey& key, const Known& known);

 private:
  void add(RlweCiphertext&& term, const Accuracy& bound, Workspace& work);
  Context context_;
  u32 level_;
  unsigned threads_;
  RlweCiphertext total_;
  Accuracy bound_;
  double constant_ = 0;
};

// Adds a number to every slot. Errors: noise_bound_exceeded, unsupported.
void add_to_every_slot(Ciphertext& a, double value, unsigned threads);

}  // namespace ringfort::ckks
