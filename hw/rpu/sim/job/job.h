// SPDX-License-Identifier: Apache-2.0
// A job is a list of transfers and kernels. The controller beside the ring processor executes them [Soni23, Section
// III]. hw/rpu/README.md explains the terms. The text of a job has one statement per line. `#` begins a comment.
// Numbers are decimal, or hexadecimal after 0x:
//   program NAME FILE                       declares a program, which is in a .b512 file
//   array   NAME WORDS [FILE]               declares an array in off-chip memory: the words of the file, or zeros
//   STEP: load  PART -> PLACE, ... [after ...]   moves words from off-chip memory to vector data memory
//   STEP: load  PROGRAM -> PLACE [after ...]     moves the program's vector data to their addresses plus PLACE
//   STEP: store PLACE -> PART, ... [after ...]   moves words from vector data memory to off-chip memory
//   STEP: run   PROGRAM[.KERNEL] [with SYMBOL = NUMBER, ...] [after STEP, ...]   sets scalars (64 bits), runs a kernel
//   PART  = ARRAY | ARRAY[NUMBER..NUMBER]   a whole array, or its words from the first number to before the second
//   PLACE = PROGRAM[.SYMBOL] [+ NUMBER]     the address of the symbol, or 0 without a symbol, plus NUMBER
// Sizes and addresses count words of 16 bytes. All moves of a step are one transfer. Before all steps, the instructions
// and scalar data of the programs are transferred, in the order of the text. A `run` waits until the instructions and
// the scalar data of its program have arrived. Steps have no order, except that a step waits for the earlier steps that
// its `after` lists. A job has at most 256 programs and 4,096 steps. All its arrays together have at most 2^24 words.
// File names are relative to the folder of the job.
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
  u32 address = 0;  // address in the scalar data memory
  u64 value = 0;
};

// Words of an array that a transfer moves, and the address to which or from which it moves them.
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
  u32 program = 0;                // for run and load_program
  u64 address = 0;                // for load_program: is added to the addresses of the vector data
  std::vector<Move> moves;        // for load and store
  Kernel kernel;                  // for run
  std::vector<Setting> settings;  // for run
  std::vector<u32> after;         // indices of the earlier steps for which it waits
};

struct Job {
  std::string file;
  std::vector<Program> programs;
  std::vector<Array> arrays;
  std::vector<Step> steps;

  [[nodiscard]] std::string location(const Step& step) const { return file + ":" + std::to_string(step.line) + ": "; }
};

// Read a job. The text of an error contains the file, the line and the fix.
[[nodiscard]] Job read_job(const std::string& path);
[[nodiscard]] Job parse_job(std::string_view text, const std::string& file);

// Returns a text from which parse_job makes the same job. The text contains the names of files: one (file_of) for each
// program, and one for each array with has_data. The caller writes these files into the folder of the job.
[[nodiscard]] std::string job_text(const Job& job, const std::string& stem);
[[nodiscard]] bool has_data(const Array& array);
[[nodiscard]] inline std::string file_of(const std::string& stem, const Program& program) {
  return stem + "." + program.name + ".b512";
}
[[nodiscard]] inline std::string file_of(const std::string& stem, const Array& array) {
  return stem + "." + array.name + ".bin";
}

}  // namespace ringfort::rpu::job
