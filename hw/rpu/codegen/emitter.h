// SPDX-License-Identifier: Apache-2.0
// Turns the recipe of a transform (recipe.h) into a dataflow. The emitter tracks what each bit of the coefficient index
// selects. From this it derives three facts: which coefficient is in which element of which vector, which root (a power
// of psi, field.h) each element needs, and where vectors are in memory. Equal vectors of roots are stored once. Of a
// vector that repeats itself, only one period is stored. If several blocks use a vector of roots, it stays in a
// register while there are registers for it. hw/rpu/README.md explains the terms.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "codegen/field.h"
#include "codegen/plan.h"
#include "codegen/recipe.h"

namespace ringfort::rpu {

using Column = std::vector<ValueId>;  // the vectors of a block, in the order of the index bits that select them

// One block of one pass of a transform.
struct PassBlock {
  const Recipe& recipe;
  u32 pass;
  u32 index;  // number of the block in its pass
  u32 limb;   // index of the transform's field in the list of fields
};

struct Residency {
  u32 limit = 16;                      // largest number of constants that stay in registers
  ValueKind others = ValueKind::data;  // kind of the other constants, which each block loads again
  bool aligned = false;  // true: a constant begins at a multiple of its period, to take fewer passes with bank_hash=xor
};

[[nodiscard]] u32 blocks_of(const Recipe& recipe, u32 pass);

class Emitter {
 public:
  Emitter(Plan& plan, const std::vector<TransformField>& limbs, Residency residency);

  // Emits a stretch. A stretch is a part of the program in which constants may stay in registers. Calls `body` twice:
  // first to count the uses of constants, then to emit. The two calls must emit the same operations.
  void stretch(const std::function<void()>& body);

  void begin_block();
  [[nodiscard]] Column load(const PassBlock& block, u32 base);
  void steps(const PassBlock& block, Column& column);
  void store(const PassBlock& block, const Column& column, u32 base);
  // Loads the vectors that store() with the same arguments has written.
  [[nodiscard]] Column load_stored(const PassBlock& block, u32 base);

  [[nodiscard]] Dataflow& flow() noexcept { return counting_ ? scratch_ : plan_.flow; }

 private:
  struct Constant {
    u32 limb;
    bool over_n;                 // true: the roots are multiplied by 1/n
    std::vector<u32> exponents;  // the exponent of psi in each of the elements 0 .. period - 1
    auto operator<=>(const Constant&) const = default;
  };
  struct Use {
    u32 address = 0;
    u32 log_period = 0;
    u32 last_block = ~0U;
    u32 blocks = 0;  // number of blocks of the stretch that use the constant
    u32 times = 0;   // number of uses in the stretch
  };
  struct Copy {
    ValueId value = 0;
    u32 uses = 0;
  };
  using Exponent = std::function<u32(u32 index)>;

  [[nodiscard]] std::vector<u32> addresses(const PassBlock& block, const Layout& layout, const BitMap& map, u32 base);
  void butterflies(const PassBlock& block, const Layout& layout, const Step& step, Column& column);
  [[nodiscard]] std::array<ValueId, 2> butterfly(ValueId addend, ValueId factor, ValueId root, u32 limb, StepKind kind);
  void shuffles(const Layout& layout, const Step& step, Column& column);
  void products(const PassBlock& block, const Layout& layout, const Step& step, Column& column);
  [[nodiscard]] Constant constant_of(const PassBlock& block, const Layout& layout, u32 vector, const Exponent& e);
  [[nodiscard]] ValueId value_of(const Constant& constant);
  [[nodiscard]] ValueId load_constant(const Use& use, ValueKind kind);
  [[nodiscard]] ValueId product(ValueId value, const Constant& constant);
  [[nodiscard]] Use& use_of(const Constant& constant);
  [[nodiscard]] u128 word_of(const Constant& constant, u32 i) const;
  void choose_residents();

  Plan& plan_;
  const std::vector<TransformField>& limbs_;
  Residency residency_;
  Dataflow scratch_;
  bool counting_ = false;
  u32 block_ = 0;
  u32 stretch_begin_ = 0;
  u32 twist_ = 0;  // twist of the current pass
  std::map<Constant, Use> uses_;
  std::map<u32, ValueId> residents_;  // by address; a constant is loaded at its first use
  std::set<u32> resident_addresses_;
  std::map<u32, Copy> block_constants_;
  std::map<Constant, u8> scalars_;
};

}  // namespace ringfort::rpu
