// SPDX-License-Identifier: Apache-2.0
// Makes clients whose contexts compute no noise bounds. Only such contexts give the residues of ciphertexts and keys,
// and make objects of residues.
#pragma once

#include "support/ckks.h"
#include "support/integers.h"

namespace ringfort::testing {

template <class Client, class Parameters>
Client unguarded_client(Parameters p) {
  ckks::testing::choose_seed(3);
  p.chain.unguarded_reason = "a test";
  return Client(p);
}

inline ckks::testing::Client ckks_client() {
  return unguarded_client<ckks::testing::Client>(ckks::testing::parameters_of({}));
}

template <class S>
integers::testing::Client<S> integer_client(const integers::testing::Shape& shape) {
  return unguarded_client<integers::testing::Client<S>>(integers::testing::parameters_of<S>(shape));
}

}  // namespace ringfort::testing
