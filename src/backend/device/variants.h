// SPDX-License-Identifier: Apache-2.0
// Names the variants of transforms that publications compare. A variant is a schedule and a reduction. Most schedules
// are of [Shivdikar22, Section V] or [Lyashevsky23], and most reductions are of [Shivdikar22, Section II]. The schedule
// of a variant determines the launches of a transform, and the reduction selects among the kernels of kernels/stages.h
// and kernels/cluster.h. Only builds with probes have these kernels (kernels/catalog.cmake).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device/grid.h"
#include "backend/device/kernels/stages.h"

namespace ringfort::device {

enum class Reduction : u8 { builtin, classical, dhem, proposed, montgomery, shoup, harvey };

struct ReductionFacts {
  Reduction reduction;
  std::string_view name;
  u32 spare_bits;     // a modulus must be at least this many bits shorter than a word
  bool has_products;  // it multiplies any two residues, not only a residue and a constant
  bool has_radices;   // it also has kernels for radix 4, 8 and 16
  std::string_view source;
};
[[nodiscard]] std::span<const ReductionFacts> reductions() noexcept;

struct Schedule {
  // line: passes through global memory, then the last stages inside blocks. shuffle: as line, but lanes exchange
  // registers for the very last stages. matrix: columns, then rows. pipeline: in one launch, the columns of a
  // polynomial and the rows of the polynomial before it. interleaved: passes through global memory on polynomials whose
  // coefficients alternate. cluster: one launch over clusters of blocks.
  enum class Kind : u8 { line, shuffle, matrix, pipeline, interleaved, cluster };
  std::string_view name;
  Kind kind;
  u32 global_log;  // log2 of the radix of passes through global memory
  u32 tile_log;    // log2 of the radix inside shared memory; 0 if there is no shared memory
  u32 points_log;  // log2 of the largest number of points of a block
  u32 slots_log;   // for the kind `shuffle`: log2 of the slots of a lane; a slot has two registers
  std::string_view source;
  // Transforms have 2^least_log .. 2^most_log points.
  [[nodiscard]] u32 least_log() const noexcept;
  [[nodiscard]] u32 most_log() const noexcept;
  // Tells whether there are kernels for this reduction.
  [[nodiscard]] bool takes(const ReductionFacts& reduction) const noexcept;
};
[[nodiscard]] std::span<const Schedule> schedules() noexcept;

// A variant of a transform. If it has no schedule, it means the kernels that the verbs normally use.
struct Variant {
  const Schedule* schedule = nullptr;
  const ReductionFacts* reduction = nullptr;
};
// Reads SCHEDULE/REDUCTION. The default reduction is harvey. Returns an empty string if `text` is a variant. If not,
// returns the permitted values.
[[nodiscard]] std::string read_variant(std::string_view text, Variant& out);

// These functions return nullptr if there is no such name.
[[nodiscard]] const ReductionFacts* find_reduction(std::string_view name) noexcept;
[[nodiscard]] const Schedule* find_schedule(std::string_view name) noexcept;

// Tells whether a kernel of the catalog belongs to the variants.
[[nodiscard]] bool is_variant_kernel(std::string_view kernel) noexcept;

// A launch of a transform. The name of the kernel is STEM_REDUCTION_DIRECTION_WORD.
struct StageLaunch {
  std::string stem;
  Grid grid;
  StageRange range{}, rows{};
  u32 columns_begin = 0, columns_end = 0, rows_begin = 0, rows_end = 0;
  [[nodiscard]] std::string kernel(const ReductionFacts& reduction, bool forward, u32 word_bytes) const;
  // Writes the ranges of stages, columns and rows to the arguments of the kernel.
  template <class Args>
  void set(Args& args) const noexcept {
    args.range = range, args.rows = rows;
    args.columns_begin = columns_begin, args.columns_end = columns_end;
    args.rows_begin = rows_begin, args.rows_end = rows_end;
  }
};

// Returns the launches for `polynomials` transforms of 2^log_n points each, in the order in which they must run. log_n
// is in least_log() .. most_log().
[[nodiscard]] std::vector<StageLaunch> launches_of(const Schedule& schedule, u32 log_n, u32 polynomials, u32 word_bytes,
                                                   bool forward);

template <class Word>
[[nodiscard]] Modulus<Word> modulus_of(Reduction reduction, Word q) noexcept;

// Returns a prepared factor, which has one or two words.
template <class Word>
[[nodiscard]] std::vector<Word> prepared(Reduction reduction, Word factor, Word q);

// Returns the words of the prepared factors, for i = 0 .. n - 1: psi^reverse(i) for forward transforms, and
// psi^-reverse(i) / 2 for inverse transforms. psi is a primitive 2n-th root of unity mod q.
template <class Word>
[[nodiscard]] std::vector<Word> factors_of(Reduction reduction, Word q, Word psi, u32 log_n, bool forward);

// Returns the prepared factors in the order that the kernels of the variant need. For the schedule "cluster", the
// factors of inverse transforms are not halved, and entry 0 is 1 / n.
template <class Word>
[[nodiscard]] std::vector<Word> factors_of(const Variant& variant, Word q, Word psi, u32 log_n, bool forward);

}  // namespace ringfort::device
