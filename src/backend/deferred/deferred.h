// SPDX-License-Identifier: Apache-2.0
// Device `deferred`: answers as late as the rules of backend.h allow, with the bits of ref. It exists for tests:
// whatever relies on more than the rules gives wrong words on it.
//
// run() copies what it was handed and returns. Verbs wait in a queue until synchronize() of their stream needs them;
// then those, and the verbs that they depend on by buffer or stream, run in an order that the seed chooses. Memory that
// a download will fill, that is allocated or handed out again as undefined, or that is released, holds a pattern
// instead of words. A verb on a released buffer is Status::internal.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backend/backend.h"

namespace ringfort::deferred {

// "deferred", "deferred:SEED", and for tests of tests "deferred:SEED,broken=RULE" (one of the rules, which it then
// breaks) and "deferred:SEED,fails=K" (its K-th verb fails when it runs). nullptr with the reason for other options.
// `inner` computes; it works in the host's memory.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view device, std::shared_ptr<Backend> inner,
                                            std::string& refusal);

}  // namespace ringfort::deferred
