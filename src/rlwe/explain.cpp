// SPDX-License-Identifier: Apache-2.0
// Explains a chain of primes to its user: computes the chain's sizes and security, and writes them as text.
#include <algorithm>

#include "base/shown.h"
#include "rlwe/embedding_bound.h"
#include "rlwe/parameters.h"

namespace ringfort {

namespace {

std::string number(double value) { return fixed(value, 1); }

std::string bytes_text(std::size_t bytes) {
  const double mega = static_cast<double>(bytes) / 1e6;
  return mega < 1 ? number(mega * 1e3) + " kB" : number(mega) + " MB";
}

std::string security_text(const ChainParameters& p) {
  if (!p.insecure_reason.empty()) return "INSECURE, not checked: " + p.insecure_reason;
  const std::string attacks =
      p.security.quantum ? "quantum attacks at the cost of LaarhovenMoscaPol15)" : "classical attacks)";
  return std::to_string(p.security.bits) + " bits (" + std::to_string(p.security.standard) + ", " + attacks;
}

}  // namespace

Explanation explain_chain(const ChainParameters& p) {
  check_samples(p);
  const ChainSizes sizes = sizes_of(p);
  const auto is_short = [](u64 q) { return q >> 31 == 0; };
  const bool short_words =
      std::all_of(p.data.begin(), p.data.end(), is_short) && std::all_of(p.special.begin(), p.special.end(), is_short);
  const std::size_t data = p.data.size(), all = data + p.special.size(),
                    polynomial = std::size_t{p.n} * (short_words ? 4 : 8);
  Explanation e;
  e.n = p.n;
  e.log2_qp = sizes.log2_qp();
  e.log2_qp_limit = largest_log2_modulus(p.n, SecretKind::ternary, level_of(p.security)).value_or(0);
  e.security = security_text(p);
  e.ciphertext_bytes = 2 * data * polynomial;
  e.public_key_bytes = 2 * (data + (p.special.empty() ? 0 : 1)) * polynomial;
  e.secret_key_bytes = all * polynomial + p.n;
  if (p.special.empty()) return e;
  e.galois_key_bytes = e.relinearization_key_bytes = sizes.digits(sizes.levels() - 1).size() * 2 * all * polynomial;
  return e;
}

std::string Explanation::text() const {
  std::string out = "ring           n = " + std::to_string(n) + ", " + std::to_string(slots) + " slots\n";
  out += "modulus        log2 QP = " + number(log2_qp) +
         (log2_qp_limit == 0 ? "" : " of at most " + std::to_string(log2_qp_limit)) + "\n";
  out += "security       " + security + "\n";
  out += "depth          " + std::to_string(depth) + " products in turn\n";
  out += "bits left      ";
  for (std::size_t i = 0; i < bits_left.size(); ++i) out += (i == 0 ? "" : ", ") + number(bits_left[i]);
  out += "\nfailure        a result leaves its bound with probability below 2^-" + std::to_string(kFailureBits) +
         ", in 2^" + std::to_string(kVerbBits) + " verbs with at most " + std::to_string(kMostKeySwitchesOfAVerb) +
         " key switches each";
  out += "\nciphertext     " + bytes_text(ciphertext_bytes) + "\nsecret key     " + bytes_text(secret_key_bytes) +
         "\npublic key     " + bytes_text(public_key_bytes) + "\n";
  if (relinearization_key_bytes == 0) return out + "evaluation     no keys: there is no special prime\n";
  return out + "relinearize    " + bytes_text(relinearization_key_bytes) + "\nrotations      " +
         bytes_text(galois_key_bytes) + " each\n";
}

}  // namespace ringfort
