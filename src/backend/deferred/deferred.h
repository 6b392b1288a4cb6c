// SPDX-License-Identifier: Apache-2.0
// Device `deferred`: runs verbs as late as the rules of backend.h allow, with the same results as ref. It exists for
// tests: code that relies on more than the rules gets wrong words.
//
// run() copies the host data of its verbs and returns. Verbs wait in a queue until synchronize() of their stream needs
// them. Then these verbs, and all verbs on which they depend by buffer or stream, run in an order that the seed
// chooses.
// A pattern fills three kinds of memory: the target of a waiting download, undefined memory (new or recycled), and
// released memory. A verb on a released buffer returns Status::internal.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backend/backend.h"

namespace ringfort::deferred {

// Opens "deferred" or "deferred:SEED". Two options test the tests: "broken=RULE" breaks one rule, "fails=K" fails the
// K-th verb when it runs. Returns nullptr and sets `refusal` for other options. `inner` computes in host memory.
[[nodiscard]] std::shared_ptr<Backend> make(std::string_view device, std::shared_ptr<Backend> inner,
                                            std::string& refusal);

}  // namespace ringfort::deferred
