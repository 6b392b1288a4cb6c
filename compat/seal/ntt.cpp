// SPDX-License-Identifier: Apache-2.0
// The transforms of seal/util/ntt.h. The powers of the root are for programs that read them: ringfort::Ntt has its own.
#include "seal/util/ntt.h"

#include <span>

#include "errors.h"
#include "made_once.h"
#include "ringfort/ring.h"

namespace seal::util {

struct NTTTables::State {
  State(int power, const Modulus& q) : modulus(q), coeff_count_power(power), transform(degree(power), q.value()) {
    const std::uint64_t n = std::uint64_t(1) << power;
    inv_degree.set(q.value() - (q.value() - 1) / n, q);  // n (q - (q - 1) / n) = n q - q + 1
  }

  using List = std::vector<MultiplyUIntModOperand>;
  [[nodiscard]] const List& root_powers() const { return powers().of_root; }
  [[nodiscard]] const List& inv_root_powers() const { return powers().of_inverse; }

  Modulus modulus;
  int coeff_count_power;
  ringfort::Ntt transform;
  MultiplyUIntModOperand inv_degree{};

 private:
  [[nodiscard]] static std::uint32_t degree(int power) {
    if (power < 1 || power > get_power_of_two(SEAL_POLY_MOD_DEGREE_MAX))
      detail::refuse_argument("a transform of degree 2^" + std::to_string(power) + " was requested",
                              "choose a degree in 2 .. 2^17");
    return std::uint32_t(1) << power;
  }
  struct Powers {
    List of_root, of_inverse;
  };
  [[nodiscard]] const Powers& powers() const {
    return powers_.get([this] { return make_powers(); });
  }
  [[nodiscard]] Powers make_powers() const {
    const std::size_t n = std::size_t(1) << coeff_count_power;
    const auto psi = static_cast<std::uint64_t>(transform.psi());
    std::uint64_t inverse = 0, power = 1, inverse_power = 1;
    try_invert_uint_mod(psi, modulus, inverse);
    Powers powers{List(n), List(n)};
    for (std::size_t i = 0; i < n; ++i) {
      powers.of_root[reverse_bits(i, coeff_count_power)].set(power, modulus);
      powers.of_inverse[i == 0 ? 0 : 1 + reverse_bits(i - 1, coeff_count_power)].set(inverse_power, modulus);
      power = multiply_uint_mod(power, psi, modulus);
      inverse_power = multiply_uint_mod(inverse_power, inverse, modulus);
    }
    return powers;
  }
  detail::MadeOnce<Powers> powers_;
};

NTTTables::NTTTables(int coeff_count_power, const Modulus& modulus, MemoryPoolHandle pool) {
  if (!pool) detail::refuse_argument("the memory pool is not initialised", "pass MemoryManager::GetPool(), or no pool");
  state_ = detail::translated([&] { return std::make_shared<const State>(coeff_count_power, modulus); });
}

const NTTTables::State& NTTTables::state() const {
  if (!state_) detail::refuse_state("tables of transforms are empty", "make them for a degree and a modulus");
  return *state_;
}

std::uint64_t NTTTables::get_root() const { return static_cast<std::uint64_t>(state().transform.psi()); }
const MultiplyUIntModOperand* NTTTables::get_from_root_powers() const { return state().root_powers().data(); }
const MultiplyUIntModOperand* NTTTables::get_from_inv_root_powers() const { return state().inv_root_powers().data(); }
MultiplyUIntModOperand NTTTables::get_from_root_powers(std::size_t index) const {
  return state().root_powers().at(index);
}
MultiplyUIntModOperand NTTTables::get_from_inv_root_powers(std::size_t index) const {
  return state().inv_root_powers().at(index);
}
const MultiplyUIntModOperand& NTTTables::inv_degree_modulo() const { return state().inv_degree; }
const Modulus& NTTTables::modulus() const { return state().modulus; }
int NTTTables::coeff_count_power() const { return state().coeff_count_power; }
std::size_t NTTTables::coeff_count() const { return std::size_t(1) << coeff_count_power(); }

void CreateNTTTables(int coeff_count_power, const std::vector<Modulus>& modulus, Pointer<NTTTables>& tables,
                     MemoryPoolHandle pool) {
  Pointer<NTTTables> made = allocate<NTTTables>(modulus.size(), pool);
  for (std::size_t i = 0; i < modulus.size(); ++i) made[i] = NTTTables(coeff_count_power, modulus[i], pool);
  tables = std::move(made);
}

namespace {

std::span<std::uint64_t> reduced(CoeffIter operand, std::size_t count, const Modulus& modulus) {
  for (std::size_t i = 0; i < count; ++i) operand[i] = barrett_reduce_64(operand[i], modulus);
  return {operand.ptr(), count};
}

}  // namespace

void ntt_negacyclic_harvey(CoeffIter operand, const NTTTables& tables) {
  const NTTTables::State& state = tables.state();
  const std::span<std::uint64_t> words = reduced(operand, tables.coeff_count(), state.modulus);
  detail::translated([&] { state.transform.forward<std::uint64_t>(words, words); });
}

void inverse_ntt_negacyclic_harvey(CoeffIter operand, const NTTTables& tables) {
  const NTTTables::State& state = tables.state();
  const std::span<std::uint64_t> words = reduced(operand, tables.coeff_count(), state.modulus);
  detail::translated([&] { state.transform.inverse<std::uint64_t>(words, words); });
}

}  // namespace seal::util
