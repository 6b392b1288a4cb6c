// SPDX-License-Identifier: Apache-2.0
// Writes a job as the text that job.h describes.
#include <algorithm>
#include <sstream>

#include "sim/job/job.h"

namespace ringfort::rpu::job {
namespace {

std::string range_text(const Job& job, const Move& move) {
  const Array& array = job.arrays[move.array];
  std::ostringstream text;
  text << array.name;
  if (move.words != array.words.size()) text << "[" << move.first << ".." << move.first + move.words << "]";
  return text.str();
}

std::string address_text(const Job& job, u64 address) {
  std::ostringstream text;
  text << job.programs.front().name;
  if (address != 0) text << " + " << address;
  return text.str();
}

// Writes the moves of a load, for example `a -> p + 1, ...`.
void write_moves(std::ostream& out, const Job& job, const Step& step) {
  const char* separator = " ";
  for (const Move& move : step.moves) {
    const std::string range = range_text(job, move), address = address_text(job, move.address);
    out << separator << (step.kind == Kind::load ? range : address) << " -> "
        << (step.kind == Kind::load ? address : range);
    separator = ", ";
  }
}

void write_run(std::ostream& out, const Job& job, const Step& step) {
  const Program& program = job.programs[step.program];
  out << " " << program.name << "." << step.kernel.name;
  const char* separator = " with ";
  for (const Setting& setting : step.settings)
    for (const Symbol& symbol : program.image.symbols)
      if (symbol.space == Space::sdm && symbol.address == setting.address) {
        out << separator << symbol.name << " = " << setting.value;
        separator = ", ";
      }
}

void write_step(std::ostream& out, const Job& job, const Step& step) {
  out << step.name << ": " << kKindNames[static_cast<std::size_t>(step.kind)];
  if (step.kind == Kind::run) write_run(out, job, step);
  else if (step.kind == Kind::load_program)
    out << " " << job.programs[step.program].name << " -> " << address_text(job, step.address);
  else write_moves(out, job, step);
  const char* separator = " after ";
  for (const u32 earlier : step.after) {
    out << separator << job.steps[earlier].name;
    separator = ", ";
  }
  out << "\n";
}

}  // namespace

bool has_data(const Array& array) {
  return std::any_of(array.words.begin(), array.words.end(), [](u128 word) { return word != 0; });
}

std::string job_text(const Job& job, const std::string& stem) {
  std::ostringstream out;
  for (const Program& program : job.programs)
    out << "program " << program.name << " " << file_of(stem, program) << "\n";
  for (const Array& array : job.arrays)
    out << "array " << array.name << " " << array.words.size() << " " << (has_data(array) ? file_of(stem, array) : "")
        << "\n";
  for (const Step& step : job.steps) write_step(out, job, step);
  return out.str();
}

}  // namespace ringfort::rpu::job
