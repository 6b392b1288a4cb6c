// SPDX-License-Identifier: Apache-2.0
// Names of the types for the scheme BGV [BrakerskiGentryVaikuntanathan12]. ringfort/integers.h defines the types as
// templates and describes them. BGV multiplies the noise by the modulus t of plaintexts. Decryption first computes the
// *phase*, the sum of plaintext and noise. Modulo t, the phase is the plaintext. A product multiplies the noises of its
// operands. mod_switch divides the noise by the primes that leave the modulus. It also multiplies the plaintext by a
// public factor, which the ciphertext carries.
#pragma once

#include "ringfort/integers.h"

namespace ringfort::bgv {

struct Scheme {  // argument of the templates
  using Parameters = bgv::Parameters;
};

using Context = integers::Context<Scheme>;
using Plaintext = integers::Plaintext<Scheme>;
using Ciphertext = integers::Ciphertext<Scheme>;
using Encoder = integers::Encoder<Scheme>;
using Encryptor = integers::Encryptor<Scheme>;
using Decryptor = integers::Decryptor<Scheme>;
using Evaluator = integers::Evaluator<Scheme>;
using AutomaticEvaluator = integers::AutomaticEvaluator<Scheme>;

}  // namespace ringfort::bgv

namespace ringfort::integers {

extern template class Context<bgv::Scheme>;
extern template class Plaintext<bgv::Scheme>;
extern template class Ciphertext<bgv::Scheme>;
extern template class Encoder<bgv::Scheme>;
extern template class Encryptor<bgv::Scheme>;
extern template class Decryptor<bgv::Scheme>;
extern template class Evaluator<bgv::Scheme>;
extern template class AutomaticEvaluator<bgv::Scheme>;

}  // namespace ringfort::integers
