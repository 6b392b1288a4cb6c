// SPDX-License-Identifier: Apache-2.0
// Presets of Ring-GSW, the checks of parameters, and the digest of parameters. The security estimates come from
// lattice-estimator. An estimate is the smallest of the costs of primal uSVP, BDD and dual hybrid attacks. The
// estimator used the MATZOV cost model, a ternary secret and sigma 3.19. The limits come from rlwe/security_tables.csv,
// standard of 2024.
#include <sodium.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "math/prime.h"
#include "ringfort/error.h"
#include "ringfort/rgsw.h"
#include "rlwe/security.h"
#include "rlwe/zero.h"

namespace ringfort::rgsw {

namespace {

constexpr u64 kPaperQ = 0x7FFE0001;  // 2^31 - 2^17 + 1 [MartinsSousa16]
constexpr char kPaperReason[] = "the paper's own parameters: about 110 bits";
constexpr char kEstimate[] = "lattice-estimator, MATZOV cost model, ternary secret, sigma 3.19";

u64 product_q() {  // the largest prime below 2^50 that is 1 mod 4096
  static const u64 q = static_cast<u64>(ntt_primes(50, 2048, 1).take()[0]);
  return q;
}

Parameters paper(std::string_view name) {
  Parameters p{.name = std::string(name),
               .n = 1024,
               .q = kPaperQ,
               .base_bits = 1,
               .digits = 31,
               .centred = false,
               .failure_bits = 40,
               .insecure_reason = kPaperReason};
  p.literal_allowed = name == "paper-gsw";
  if (name != "paper-row-b256") return p;
  p.base_bits = 8;
  p.digits = 4;
  p.centred = true;
  p.public_key_allowed = false;
  return p;
}

Parameters product(std::string_view name) {
  Parameters p{.name = std::string(name),
               .n = 2048,
               .q = product_q(),
               .base_bits = 15,
               .digits = 2,
               .shift = 20,
               .insecure_reason = {}};
  if (name != "gsw128-compact") return p;
  p.base_bits = 24;
  p.digits = 1;
  p.shift = 26;
  p.public_key_allowed = false;
  return p;
}

[[noreturn]] void refuse(const Parameters& p, const std::string& problem, const std::string& fix) {
  throw Error(Code::invalid_argument, "parameters '" + p.name + "': " + problem, fix);
}

void check_ring(const Parameters& p) {
  if (!std::has_single_bit(p.n) || p.n < 8 || p.n > (1u << 17)) {
    refuse(p, "n = " + std::to_string(p.n) + " is not a power of two in 8 .. 131072", "take a preset");
  }
  if (p.q < 2 || p.q >= (u64{1} << 62) || p.q % (2 * u64{p.n}) != 1 || !is_prime(p.q)) {
    refuse(p, "q = " + std::to_string(p.q) + " is not a prime below 2^62 that is 1 mod 2n", "take q from primes()");
  }
}

void check_gadget(const Parameters& p) {
  const u32 covered = p.shift + p.base_bits * p.digits, needed = static_cast<u32>(std::bit_width(p.q - 1));
  if (p.base_bits < 1 || p.base_bits > 30 || p.digits < 1 || p.digits > 62 || p.shift > 61) {
    refuse(p,
           "base 2^" + std::to_string(p.base_bits) + ", " + std::to_string(p.digits) + " digits, shift " +
               std::to_string(p.shift) + " do not make a gadget",
           "choose base_bits in 1 .. 30, digits in 1 .. 62, shift below 62");
  }
  if (covered < needed || covered > needed + p.base_bits) {
    refuse(p, "the gadget covers " + std::to_string(covered) + " bits, but the modulus has " + std::to_string(needed),
           "choose shift + base_bits * digits at least the bits of q, and at most one digit above them");
  }
  if (!p.centred && (p.base_bits != 1 || p.shift != 0)) {
    refuse(p, "plain digits are biased: errors of products would add coherently",
           "use centred digits, or B = 2 without shift");
  }
  if (p.literal_allowed && p.base_bits != 1) {
    refuse(p, "the literal engine needs a gadget row at the scale of the count, and a base above 2 may lack it",
           "use base_bits = 1, or leave literal_allowed out");
  }
}

}  // namespace

std::vector<std::string_view> preset_names() {
  return {"gsw128", "gsw128-compact", "paper-gsw", "paper-row", "paper-row-b256"};
}

Parameters preset(std::string_view name, bool allow_insecure) {
  const auto names = preset_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    std::string known;
    for (const std::string_view candidate : names) known += (known.empty() ? "" : ", ") + std::string(candidate);
    throw Error(Code::invalid_argument, "there is no preset '" + std::string(name) + "'", "known: " + known);
  }
  if (!name.starts_with("paper")) return product(name);
  if (!allow_insecure) {
    throw Error(Code::insecure_parameters,
                "preset '" + std::string(name) + "' has about 110 bits of security, below 128",
                "use gsw128, or allow insecure parameters explicitly (--allow-insecure)");
  }
  return paper(name);
}

void validate(const Parameters& p) {
  check_ring(p);
  check_gadget(p);
  if (p.failure_bits < 40 || p.failure_bits > 128) {
    refuse(p, "failure_bits = " + std::to_string(p.failure_bits),
           "choose 40 .. 128; below 128 only with an insecure_reason");
  }
  if (!p.insecure_reason.empty()) return;
  if (p.failure_bits != 128) {
    throw Error(Code::insecure_parameters,
                "parameters '" + p.name + "' allow a wrong count with probability 2^-" + std::to_string(p.failure_bits),
                "use failure_bits = 128, or give an insecure_reason");
  }
  const auto accepted =
      check_sample({p.n, std::log2(static_cast<double>(p.q)), SecretKind::ternary, std::sqrt(kErrorVariance)});
  if (!accepted.ok()) accepted.failure().raise();
}

std::array<std::uint8_t, 32> digest(const Parameters& p) {
  std::array<u8, 32> out{};
  constexpr std::string_view kDomain = "ringfort rgsw parameters 1: ternary secret, binomial 21 error";
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, out.size());
  crypto_generichash_update(&state, reinterpret_cast<const u8*>(kDomain.data()), kDomain.size());
  for (const u64 field :
       {u64{p.n}, p.q, u64{p.base_bits}, u64{p.digits}, u64{p.shift}, u64{p.centred}, u64{p.failure_bits}}) {
    u8 bytes[8];
    for (u32 i = 0; i < 8; ++i) bytes[i] = static_cast<u8>(field >> (8 * i));
    crypto_generichash_update(&state, bytes, sizeof bytes);
  }
  crypto_generichash_final(&state, out.data(), out.size());
  return out;
}

Security security(const Parameters& p) {
  Security s;
  s.log2_q = std::log2(static_cast<double>(p.q));
  s.limit_log2_q = largest_log2_modulus(p.n, SecretKind::ternary, {}).value_or(0);
  s.accepted = s.log2_q <= s.limit_log2_q;
  if (p.n == 1024 && p.q == kPaperQ) s.bits = 110;
  if (p.n == 2048 && p.q == product_q()) s.bits = 137;
  s.source = s.bits == 0 ? "no estimate for this set; see the table limit" : kEstimate;
  return s;
}

}  // namespace ringfort::rgsw
