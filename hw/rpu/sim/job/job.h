// SPDX-License-Identifier: Apache-2.0
// A job: the transfers and kernels that the controller of the ring processor [Soni23, Section III] executes. The text
// has one statement per line. `#` begins a comment. Numbers are decimal or 0x, and count words of 16 bytes:
//   program NAME FILE                       a .b512 file; its instructions and scalar data are transferred first
//   array   NAME WORDS [FILE]               words in off-chip memory, from a file or zero; 2^24 in all arrays together
//   STEP: load  PART -> PLACE, ... [after ...]   off-chip to vector data memory; PROGRAM -> PLACE: its vector data
//   STEP: store PLACE -> PART, ... [after ...]   and back; all moves of a step are one transfer
//   STEP: run   PROGRAM[.KERNEL] [with SYMBOL = NUMBER, ...] [after STEP, ...]   `with` sets words of its scalar data
//   PART  = ARRAY | ARRAY[NUMBER..NUMBER]   a whole array, or its words from the first number to before the second
//   PLACE = PROGRAM[.SYMBOL] [+ NUMBER]     the symbol's address in the program (without a symbol: 0), plus NUMBER
// Only `after` orders steps, and it lists earlier steps, each once. A job has at most 4,096 steps. File names are
// relative to the job's folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/image.h"

namespace ringfort::rpu::job {

struct Program {
  std::string name;
  Image image;
};

struct Array {
  std::string name;
  std::vector<u128> words;
};

enum class Kind : u8 { load, load_program, store, run };
inline constexpr std::array<const char*, 4> kKindNames{"load", "load", "store", "run"};

struct Setting {
  u32 address = 0;  // in the scalar data memory
  u64 value = 0;
};

// Words of an array that a transfer moves, and their address in the vector data memory.
struct Move {
  u32 array = 0;
  u64 first = 0;
  u64 words = 0;
  u64 address = 0;
};

struct Step {
  std::string name;
  int line = 0;
  Kind kind = Kind::run;
  u32 program = 0;                // run, load_program
  u64 address = 0;                // load_program: offset of the vector data
  std::vector<Move> moves;        // load, store
  Kernel kernel;                  // run
  std::vector<Setting> settings;  // run
  std::vector<u32> after;         // indices of earlier steps
};

struct Job {
  std::string file;
  std::vector<Program> programs;
  std::vector<Array> arrays;
  std::vector<Step> steps;

  [[nodiscard]] std::string place(const Step& step) const { return file + ":" + std::to_string(step.line) + ": "; }
};

// Read a job. Errors contain file, line and fix.
[[nodiscard]] Job read_job(const std::string& path);
[[nodiscard]] Job parse_job(std::string_view text, const std::string& file);

// Returns the text that parse_job reads back. It refers to files beside it (file_of): programs, and arrays that are not
// zero.
[[nodiscard]] std::string job_text(const Job& job, const std::string& stem);
[[nodiscard]] bool has_data(const Array& array);
[[nodiscard]] inline std::string file_of(const std::string& stem, const Program& program) {
  return stem + "." + program.name + ".b512";
}
[[nodiscard]] inline std::string file_of(const std::string& stem, const Array& array) {
  return stem + "." + array.name + ".bin";
}

}  // namespace ringfort::rpu::job
