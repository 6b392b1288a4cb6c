// SPDX-License-Identifier: Apache-2.0
// Makes, copies and shares ciphertexts (ciphertext.h).
#include "rlwe/ciphertext.h"

#include "rlwe/operands.h"

namespace ringfort {

std::size_t ciphertext_bytes(const RlweCiphertext& ciphertext) noexcept {
  if (ciphertext.components == 0) return 0;
  return std::size_t{ciphertext.components} * ciphertext.polynomials.limbs().count * ciphertext.context->p.n *
         word_bytes(ciphertext.context->ring.word());
}

std::string device_of(const RlweCiphertext& ciphertext) {
  return ciphertext.context == nullptr ? std::string() : ciphertext.context->ring.device().name();
}

RlweCiphertext make_ciphertext(const SharedKeyContext& context, u64 key_id, u32 level, u32 components,
                               RlweCiphertext&& reuse) {
  RlweCiphertext ciphertext;
  ciphertext.context = context;
  ciphertext.key_id = key_id;
  ciphertext.level = level;
  ciphertext.components = components;
  const bool fits = reuse.context == context && reuse.level == level && reuse.polynomials.batch() >= components &&
                    !reuse.polynomials.is_shared();
  if (!fits) reuse = {};  // if nothing else uses this memory, it is free before the next allocation
  ciphertext.polynomials =
      fits ? std::move(reuse.polynomials)
           : context->ring.make<Eval>(components, context->chain.data(level), Privacy::open, Contents::undefined);
  ciphertext.polynomials.keep_contents();
  return ciphertext;
}

RlweCiphertext make_ciphertext(const RlweCiphertext& like, u32 level, u32 components, RlweCiphertext&& reuse) {
  RlweCiphertext ciphertext =
      make_ciphertext(like.context, like.key_id, level, components * like.count, std::move(reuse));
  ciphertext.components = components;
  ciphertext.count = like.count;
  ciphertext.untrusted = like.untrusted;
  return ciphertext;
}

RlweCiphertext make_ciphertext(const RlweCiphertext& like, const RlweCiphertext& other, u32 components,
                               RlweCiphertext&& reuse) {
  RlweCiphertext ciphertext = make_ciphertext(like, like.level, components, std::move(reuse));
  ciphertext.untrusted |= other.untrusted;
  return ciphertext;
}

RlweCiphertext copy(const RlweCiphertext& a, u32 level, Workspace& work, RlweCiphertext&& reuse) {
  RlweCiphertext out = make_ciphertext(a, level, a.components, std::move(reuse));
  a.context->ring.copy(work.stream, out.all(), a.at_level(level));
  return out;
}

RlweCiphertext clone(const RlweCiphertext& a) {
  if (a.components == 0) return {};
  return {.context = a.context,
          .key_id = a.key_id,
          .level = a.level,
          .components = a.components,
          .polynomials = a.polynomials.share(),
          .untrusted = a.untrusted,
          .origin = a.origin,
          .seed = a.seed};
}

RlweCiphertext to(const SharedKeyContext& target, const RlweCiphertext& a) {
  require_filled(a, "to");
  require_equal_parameters(*a.context, *target);
  return {.context = target,
          .key_id = a.key_id,
          .level = a.level,
          .components = a.components,
          .polynomials = target->ring.receive(a.polynomials),
          .untrusted = a.untrusted,
          .origin = a.origin,
          .seed = a.seed};
}

}  // namespace ringfort
