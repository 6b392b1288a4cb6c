// SPDX-License-Identifier: Apache-2.0
// Instantiates the class templates of ringfort/integers.h for BFV.
#include "ringfort/bfv.h"

#include "rlwe/integers/automatic.h"
#include "scheme/bfv/policy.h"

namespace ringfort::integers {

template class Context<bfv::Scheme>;
template class Plaintext<bfv::Scheme>;
template class Ciphertext<bfv::Scheme>;
template class Encoder<bfv::Scheme>;
template class Encryptor<bfv::Scheme>;
template class Decryptor<bfv::Scheme>;
template class Evaluator<bfv::Scheme>;
template class AutomaticEvaluator<bfv::Scheme>;

}  // namespace ringfort::integers
