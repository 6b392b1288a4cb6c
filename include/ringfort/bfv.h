// SPDX-License-Identifier: Apache-2.0
// BFV [FanVercauteren12]: the plaintext is at the top of the modulus, every product multiplies the noise by a factor,
// and lowering the level only makes ciphertexts smaller. Products are exact integer arithmetic
// (docs/notes/0006-leveled-schemes.md). Types and operations: ringfort/integers.h.
#pragma once

#include "ringfort/integers.h"

namespace ringfort::bfv {

struct Scheme {  // template argument for the types of integers.h
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
