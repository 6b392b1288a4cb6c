// SPDX-License-Identifier: Apache-2.0
// Computes the digest of every vector that an instruction writes, and writes one line of JSON for each instruction.
#include "sim/trace/steps.h"

namespace ringfort::rpu {
namespace {

constexpr u64 kFnvOffset = 0xcbf29ce484222325ULL;
constexpr u64 kFnvPrime = 0x100000001b3ULL;

std::string digits(u128 value, unsigned least) {
  std::string text;
  for (; value != 0 || text.size() < least; value >>= 4)
    text.insert(text.begin(), "0123456789abcdef"[static_cast<unsigned>(value & 15)]);
  return text;
}

std::string quoted(const std::string& name, const std::string& value) {
  return std::string("\"").append(name).append("\":\"").append(value).append("\"");
}

std::string numbered(const char* prefix, unsigned number) { return std::string(prefix).append(std::to_string(number)); }

std::string scalar_write(const Instruction& in, const State& state) {
  if (in.op == Op::sload) return quoted(numbered("s", in.vt), hexadecimal(state.s[in.vt]));
  if (in.op == Op::mload) return quoted(numbered("m", in.vt), hexadecimal(state.m[in.vt].value()));
  return quoted(numbered("a", in.vt), hexadecimal(state.a[in.vt]));
}

std::string vector_writes(const Instruction& in, const State& state) {
  std::string text = quoted(numbered("v", in.vd), digits(digest(state.v[in.vd]), 16));
  if (in.info().vd1 == Role::write)
    text += std::string(",").append(quoted(numbered("v", in.vd1), digits(digest(state.v[in.vd1]), 16)));
  return text;
}

}  // namespace

u64 digest(const Vector& vector) noexcept {
  u64 hash = kFnvOffset;
  for (const u128 value : vector.element)
    for (unsigned byte = 0; byte < 16; ++byte) hash = (hash ^ static_cast<u8>(value >> (8 * byte))) * kFnvPrime;
  return hash;
}

std::string hexadecimal(u128 value) { return std::string("0x").append(digits(value, 1)); }

void write_step(std::ostream& out, const Event& event, u64 word, const State& state) {
  const Instruction& in = event.instruction;
  out << "{\"pc\":" << event.pc << "," << quoted("word", std::string("0x").append(digits(word, 16))) << ","
      << quoted("text", format(in)) << ",\"writes\":{";
  if (in.info().pipe == Pipe::front_end) out << scalar_write(in, state) << "}";
  else if (in.op == Op::vstore) out << quoted("vdm", digits(digest(state.v[in.vd]), 16)) << "},\"base\":" << event.base;
  else out << vector_writes(in, state) << "}";
  out << "}\n";
}

}  // namespace ringfort::rpu
