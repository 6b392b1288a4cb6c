// SPDX-License-Identifier: Apache-2.0
// A job: the transfers and kernels that the controller of the ring processor [Soni23, Section III] executes. The text
// has one statement per line. `#` begins a comment. Numbers are decimal, or hexadecimal after 0x:
//   program NAME FILE                       declares a program in a .b512 file
//   array   NAME WORDS [FILE]               declares an array in off-chip memory: the words of the file, or zeros
//   STEP: load  PART -> PLACE, ... [after ...]   moves words from off-chip memory to vector data memory
//   STEP: load  PROGRAM -> PLACE [after ...]     moves each part of the program's vector data to its address + PLACE
//   STEP: store PLACE -> PART, ... [after ...]   moves words from vector data memory to off-chip memory
//   STEP: run   PROGRAM[.KERNEL] [with SYMBOL = NUMBER, ...] [after STEP, ...]   `with` first sets scalars (64 bits)
//   PART  = ARRAY | ARRAY[NUMBER..NUMBER]   a whole array, or its words from the first number to before the second
//   PLACE = PROGRAM[.SYMBOL] [+ NUMBER]     address of the program's symbol (0 without a symbol) + NUMBER
// Sizes and addresses count words of 16 bytes. All moves of a step are one transfer. The instructions and scalar data
// of all programs are transferred first, in the order of the text; a `run` waits for those of its program. Steps have
// no order unless `after` gives one. `after` lists earlier steps, each once. A job has at most 4,096 steps, and 2^24
// words in all arrays together. File names are relative to the job's folder.
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
  u64 address = 0;                // load_program: added to the addresses of the vector data
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

// Returns the text from which parse_job makes the same job. The text names a file (file_of) for each program, and for
// each array that has_data. The caller writes these files into the job's folder.
[[nodiscard]] std::string job_text(const Job& job, const std::string& stem);
[[nodiscard]] bool has_data(const Array& array);
[[nodiscard]] inline std::string file_of(const std::string& stem, const Program& program) {
  return stem + "." + program.name + ".b512";
}
[[nodiscard]] inline std::string file_of(const std::string& stem, const Array& array) {
  return stem + "." + array.name + ".bin";
}

}  // namespace ringfort::rpu::job
