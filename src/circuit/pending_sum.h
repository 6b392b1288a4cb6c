// SPDX-License-Identifier: Apache-2.0
// A sum of products at one level, before its only relinearization and rescaling. Factors of products have this level,
// and the scale of this level. Operands of add_multiple() may have other scales and higher levels; they need no
// alignment. The residues of a sum may wrap around while the sum grows. Only the finished sum must be below half the
// modulus. finish() checks this.
#pragma once

#include "ringfort/circuit.h"
#include "scheme/ckks/state.h"

namespace ringfort::ckks {

class PendingSum {
 public:
  // `level` is at least 1.
  PendingSum(const Context& context, u32 level, unsigned threads);
  void add_product(const Ciphertext& a, const Ciphertext& b);
  void add_multiple(const Ciphertext& a, double factor);
  void add_constant(double value) noexcept { constant_ += value; }
  void double_all();
  [[nodiscard]] u32 level() const noexcept { return level_; }
  [[nodiscard]] double constant() const noexcept { return constant_; }
  // The caller's bounds on the finished values. `varying` is the bound without the constant of the sum. `whole` is the
  // bound with it.
  struct Known {
    double varying, whole;
  };
  // Returns the sum at the next lower level, with the scale of that level. Fails with noise_bound_exceeded, with
  // parameters_mismatch, and with unsupported if a constant has more than 120 bits at its scale.
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

// Adds a number to every slot. Fails with noise_bound_exceeded and unsupported.
void add_to_every_slot(Ciphertext& a, double value, unsigned threads);

}  // namespace ringfort::ckks
