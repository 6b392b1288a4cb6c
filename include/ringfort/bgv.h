// SPDX-License-Identifier: Apache-2.0
// The types of the scheme BGV [BrakerskiGentryVaikuntanathan12]: ringfort/integers.h defines them as templates and
// describes them. In BGV the plaintext is at the bottom of the modulus. A product squares the noise. mod_switch divides
// the noise, and multiplies the plaintext by a public factor, which the ciphertext carries.
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
