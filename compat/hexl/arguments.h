// SPDX-License-Identifier: Apache-2.0
// Checks of arguments, and the bounds of words. No branch depends on a single word, only on the verdict about all words
// of an array.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "math/types.h"

namespace ringfort::hexl {

[[noreturn]] void refuse(std::string problem, std::string fix);

void check_pointer(const void* pointer, std::string_view name);
void check_count(u64 n);
void check_factor(u64 factor, std::initializer_list<u64> legal, std::string_view name);

// Tells whether all n words are below the bound, which may be 2^64 or more.
[[nodiscard]] bool are_below(const u64* words, std::size_t n, u128 bound);

// Refuses an array with a word that is not below factor * modulus.
void check_words(const u64* words, std::size_t n, u64 modulus, u64 factor, std::string_view name);

}  // namespace ringfort::hexl
