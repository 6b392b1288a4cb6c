// SPDX-License-Identifier: Apache-2.0
// Data that the host computes for transforms on GPUs: the parts of a transform (launches, kernels/ntt_shape.h), the
// constants of a limb, and the tables of twiddle factors (powers of the root of unity).
#pragma once

#include <vector>

#include "backend/device/kernels/ntt.h"
#include "math/types.h"

namespace ringfort::device {

inline constexpr u32 kMostLogOfOnePart = 13;  // a block holds at most 2^13 words

// Returns the parts of a transform of 2^log_n points, in forward order. A transform of at most 2^most_log points has
// one part. A longer transform has two parts, and its blocks have 2^12 words. log_n is in 1 .. 17.
[[nodiscard]] std::vector<NttPart> ntt_parts(u32 log_n, u32 most_log = kMostLogOfOnePart);

template <class Word>
[[nodiscard]] Factor<Word> factor_of(Word value, Word q) noexcept;  // value < q

template <class Word>
[[nodiscard]] Limb<Word> limb_of(Word q, u32 log_n);

// These functions return the tables of a limb, in the order of NttPart::entry. psi is a primitive 2^(log_n + 1)-th root
// of unity mod q. The functions throw std::bad_alloc.
template <class Word>
[[nodiscard]] std::vector<Factor<Word>> forward_table(Word q, Word psi, const std::vector<NttPart>& parts);
template <class Word>
[[nodiscard]] std::vector<Factor<Word>> inverse_table(Word q, Word psi, const std::vector<NttPart>& parts);

}  // namespace ringfort::device
