// SPDX-License-Identifier: Apache-2.0
// Names of the types for the scheme BFV [FanVercauteren12]. ringfort/integers.h defines the types as templates and
// describes them. BFV multiplies the plaintext by about q / t, where q is the modulus of ciphertexts and t the modulus
// of plaintexts. A product multiplies the noise by a factor that does not depend on the noise. Therefore a lower level
// makes ciphertexts smaller but does not reduce the growth of the noise. Products are exact: they do not use the
// approximations in floating point of [HPS19] (docs/notes/0006-leveled-schemes.md).
#pragma once

#include "ringfort/integers.h"

namespace ringfort::bfv {

struct Scheme {  // argument of the templates
  using Parameters = bfv::Parameters;
};

using Context = integers::Context<Scheme>;
using Plaintext = integers::Plaintext<Scheme>;
using Ciphertext = integers::Ciphertext<Scheme>;
using Encoder = integers::Encoder<Scheme>;
using Encryptor = integers::Encryptor<Scheme>;
using Decryptor = integers::Decryptor<Scheme>;
using Evaluator = integers::Evaluator<Scheme>;
using AutomaticEvaluator = integers::AutomaticEvaluator<Scheme>;

}  // namespace ringfort::bfv

namespace ringfort::integers {

extern template class Context<bfv::Scheme>;
extern template class Plaintext<bfv::Scheme>;
extern template class Ciphertext<bfv::Scheme>;
extern template class Encoder<bfv::Scheme>;
extern template class Encryptor<bfv::Scheme>;
extern template class Decryptor<bfv::Scheme>;
extern template class Evaluator<bfv::Scheme>;
extern template class AutomaticEvaluator<bfv::Scheme>;

}  // namespace ringfort::integers
