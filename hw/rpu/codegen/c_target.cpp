// SPDX-License-Identifier: Apache-2.0
// Writes the parts of the C program one after another: word arithmetic, one function for each instruction, tables, and
// one statement for each operation.
#include "codegen/c_target.h"

#include <sstream>

namespace ringfort::rpu {
namespace {

// The beginning of every C program: word arithmetic, and one function for each instruction that plans contain.
constexpr const char* kPrelude = R"(#include <stdint.h>
#include <stdio.h>

__extension__ typedef unsigned __int128 word;
enum { ELEMENTS = 512, LINEAR = 0, STRIDE = 1, SKIP = 2, REPEAT = 3 };

static word memory[MEMORY];
static word v[VALUES][ELEMENTS];

static word pair(const uint64_t *halves) { return (word)halves[1] << 64 | halves[0]; }

static word add(word a, word b, word q) { return a >= q - b ? a - (q - b) : a + b; }
static word subtract(word a, word b, word q) { return a >= b ? a - b : a + (q - b); }
static word multiply(word a, word b, word q) {
  word sum = 0;
  for (a %= q; b != 0; b >>= 1, a = add(a, a, q))
    if (b & 1) sum = add(sum, a, q);
  return sum;
}

static unsigned long at(int mode, int value, unsigned long i) {
  const unsigned long low = i & ((1UL << value) - 1);
  if (mode == STRIDE) return i << value;
  if (mode == SKIP) return low + ((i >> value) << (value + 1));
  return mode == REPEAT ? low : i;
}
static void vload(int d, unsigned long address, int mode, int value) {
  for (unsigned long i = 0; i < ELEMENTS; ++i) v[d][i] = memory[address + at(mode, value, i)];
}
static void vstore(int s, unsigned long address, int mode, int value) {
  for (unsigned long i = 0; i < ELEMENTS; ++i) memory[address + at(mode, value, i)] = v[s][i];
}
static void bfly(int d, int d1, int s, int t, int t1, word q) {
  for (int i = 0; i < ELEMENTS; ++i) {
    const word product = multiply(v[t][i], v[t1][i], q);
    v[d][i] = add(v[s][i], product, q);
    v[d1][i] = subtract(v[s][i], product, q);
  }
}
static void vaddmod(int d, int s, int t, word q) {
  for (int i = 0; i < ELEMENTS; ++i) v[d][i] = add(v[s][i], v[t][i], q);
}
static void vsubmod(int d, int s, int t, word q) {
  for (int i = 0; i < ELEMENTS; ++i) v[d][i] = subtract(v[s][i], v[t][i], q);
}
static void vmulmod(int d, int s, int t, word q) {
  for (int i = 0; i < ELEMENTS; ++i) v[d][i] = multiply(v[s][i], v[t][i], q);
}
static void vsmulmod(int d, int s, word scalar, word q) {
  for (int i = 0; i < ELEMENTS; ++i) v[d][i] = multiply(v[s][i], scalar, q);
}
static void interleave(int d, int s, int t, int from) {
  for (int i = 0; i < ELEMENTS; ++i) v[d][i] = v[i % 2 == 0 ? s : t][from + i / 2];
}
static void gather(int d, int s, int t, int odd) {
  for (int i = 0; i < ELEMENTS; ++i) v[d][i] = v[i < ELEMENTS / 2 ? s : t][2 * (i % (ELEMENTS / 2)) + odd];
}
static void unpklo(int d, int s, int t) { interleave(d, s, t, 0); }
static void unpkhi(int d, int s, int t) { interleave(d, s, t, ELEMENTS / 2); }
static void pklo(int d, int s, int t) { gather(d, s, t, 0); }
static void pkhi(int d, int s, int t) { gather(d, s, t, 1); }

)";

class Writer {
 public:
  Writer(const KernelPlan& plan, const KernelRequest& request) : plan_(plan), request_(request) {}

  std::string write_source() {
    text_ << "/* " << kFunctionNames[static_cast<std::size_t>(request_.function)] << " of " << request_.polynomials()
          << " polynomials of " << request_.n << " coefficients: a dataflow of vectors, written by rpugen. */\n"
          << "enum { MEMORY = " << plan_.words() << ", VALUES = " << plan_.flow.values().size() << " };\n"
          << kPrelude;
    constants("table", plan_.table);
    constants("moduli", request_.moduli);
    constants("constant_scalars", plan_.scalars);
    text_ << "static word scalars[" << plan_.scalars.size() + 1 << "];\n\n";
    const auto& blocks = plan_.flow.blocks();
    for (std::size_t block = 0; block < blocks.size(); ++block) function(block);
    main_function(blocks.size());
    return text_.str();
  }

 private:
  // Adds a zero entry at the end, because C has no empty arrays.
  void constants(const char* name, const std::vector<u128>& words) {
    text_ << "static const uint64_t " << name << "[][2] = {";
    for (const u128 word : words)
      text_ << "{" << static_cast<u64>(word) << "u, " << static_cast<u64>(word >> 64) << "u},\n";
    text_ << "{0, 0}};\n";
  }

  void function(std::size_t block) {
    text_ << "static void block_" << block << "(void) {\n";
    for (std::size_t i = plan_.flow.blocks()[block]; i < plan_.flow.block_end(block); ++i)
      statement(plan_.flow.operations()[i]);
    text_ << "}\n\n";
  }

  void statement(const Operation& operation) {
    const InstructionInfo& info = kInstructions[static_cast<std::size_t>(operation.op)];
    text_ << "  " << info.mnemonic << "(";
    const char* separator = "";
    for (const auto* names : {&operation.results, &operation.sources})
      for (const ValueId value : *names) {
        text_ << separator << value;
        separator = ", ";
      }
    if (info.pipe == Pipe::load_store)
      text_ << ", " << operation.address << ", " << static_cast<u32>(operation.mode) << ", "
            << static_cast<u32>(operation.value);
    if (operation.op == Op::vsmulmod) text_ << ", scalars[" << static_cast<u32>(operation.scalar) << "]";
    if (info.pipe == Pipe::compute) text_ << ", pair(moduli[" << static_cast<u32>(operation.modulus) << "])";
    text_ << ");\n";
  }

  void main_function(std::size_t blocks) {
    const u32 words = request_.polynomials() * request_.n;
    const bool given = request_.function == Function::multiply_scalar;
    u32 result = 0;
    while (plan_.operands[result] != plan_.result) ++result;
    text_ << "int main(void) {\n"
          << "  const unsigned long words = " << plan_.operands.size() * words
          << ", scalar_count = " << plan_.scalars.size() << ";\n"
          << "  if (fread(memory, sizeof(word), words, stdin) != words) return 1;\n"
          << "  for (unsigned long i = 0; i + 1 < sizeof table / sizeof *table; ++i) memory[" << plan_.table_at
          << " + i] = pair(table[i]);\n"
          << (given ? "  if (fread(scalars, sizeof(word), scalar_count, stdin) != scalar_count) return 1;\n"
                    : "  for (unsigned long i = 0; i < scalar_count; ++i) scalars[i] = pair(constant_scalars[i]);\n");
    for (std::size_t block = 0; block < blocks; ++block) text_ << "  block_" << block << "();\n";
    text_ << "  return fwrite(memory + " << result * words << ", sizeof(word), " << words << ", stdout) != " << words
          << ";\n}\n";
  }

  const KernelPlan& plan_;
  const KernelRequest& request_;
  std::ostringstream text_;
};

}  // namespace

std::string c_source(const KernelPlan& plan, const KernelRequest& request) {
  return Writer(plan, request).write_source();
}

}  // namespace ringfort::rpu
