// SPDX-License-Identifier: Apache-2.0
// BGV [BrakerskiGentryVaikuntanathan12]: the plaintext is at the bottom of the modulus. A product squares the noise;
// mod_switch divides it and multiplies the plaintext by a known factor that the ciphertext carries. Types and
// operations: ringfort/integers.h.
#pragma once

#include "ringfort/integers.h"

namespace ringfort::bgv {

struct Scheme {  // template argument for the types of integers.h
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
