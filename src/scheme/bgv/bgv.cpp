// SPDX-License-Identifier: Apache-2.0
// Instantiates the class templates of ringfort/integers.h for BGV.
#include "ringfort/bgv.h"

#include "rlwe/integers/automatic.h"
#include "scheme/bgv/policy.h"

namespace ringfort::integers {

template class Context<bgv::Scheme>;
template class Plaintext<bgv::Scheme>;
template class Ciphertext<bgv::Scheme>;
template class Encoder<bgv::Scheme>;
template class Encryptor<bgv::Scheme>;
template class Decryptor<bgv::Scheme>;
template class Evaluator<bgv::Scheme>;
template class AutomaticEvaluator<bgv::Scheme>;

}  // namespace ringfort::integers
