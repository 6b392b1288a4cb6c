// SPDX-License-Identifier: Apache-2.0
// Device `deferred` has the same results as `ref`, but runs verbs as late as the rules of backend.h allow. It is for
// tests. Code that relies on more than these rules may get wrong words.
//
// run() copies the host data of its verbs and returns. The verbs wait in a queue until synchronize() of their stream or
// resolve() needs them, or until the queue is full. Then they run, and also all verbs on which they depend by buffer or
// stream. The seed chooses their order.
//
// A pattern fills the target of a waiting download, and undefined memory (new or recycled). A verb on a released buffer
// returns Status::internal.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backend/backend.h"

namespace ringfort::deferred {

// Opens "deferred" or "deferred:SEED". Two options test the tests: "broken=RULE" breaks one rule of backend.h, and
// "fails=K" makes the K-th verb fail when it runs. If the options are invalid, returns nullptr and sets `refusal`.
// `inner` must compute in host memory.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view device, std::shared_ptr<Backend> inner,
                                            std::string& refusal);

}  // namespace ringfort::deferred
