// SPDX-License-Identifier: Apache-2.0
// rpujob: runs a job on the modelled machine. kUsage describes its options, and job.h describes jobs.
#include <iostream>

#include "sim/job/execute.h"
#include "sim/output_file.h"
#include "sim/refusal.h"
#include "sim/report.h"

namespace ringfort::rpu::job {
namespace {

constexpr const char* kUsage =
    R"(usage: rpujob FILE.job [option ...]
  --machine FILE         machine parameters, lines `name: value` (default: profile paper)
  --set NAME=VALUE,...   machine parameters that replace those set before
  --data ARRAY=FILE      fills the array before the job with words of 16 bytes (repeatable)
  --store ARRAY=FILE     writes the array's words after the job (repeatable)
  --chrome FILE          timeline of the off-chip memory and the processor
  --json                 the report as one JSON document
Exit status: 0 done, 2 error.
)";

struct Options {
  std::string file, chrome;
  std::vector<std::pair<std::string, std::string>> data, store;
  Machine machine;
  bool json = false;
};

void set_option(Options& options, const std::string& name, const std::string& value) {
  if (name == "--machine") {
    options.machine = read_machine(value);
  } else if (name == "--set") {
    set_from_list(options.machine, value);
  } else if (name == "--chrome") {
    options.chrome = value;
  } else if (name == "--store" || name == "--data") {
    const auto equals = value.find('=');
    if (equals == std::string::npos)
      throw Refusal("expected ARRAY=FILE, found '" + value + "'", "write for example r=out.bin");
    (name == "--data" ? options.data : options.store).emplace_back(value.substr(0, equals), value.substr(equals + 1));
  } else {
    throw Refusal("unknown option " + name, "rpujob without arguments lists them");
  }
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (!word.starts_with("--")) {
      if (!options.file.empty()) throw Refusal("two jobs: " + options.file + " and " + word, "run one at a time");
      options.file = word;
    } else if (word == "--json") {
      options.json = true;
    } else {
      if (i + 1 == arguments.size()) throw Refusal(word + " needs a value", "write it after the option");
      set_option(options, word, arguments[++i]);
    }
  }
  if (options.file.empty()) throw Refusal("no job given", "rpujob without arguments prints its usage");
  return options;
}

Array& array_of(Job& job, const std::string& name) {
  for (Array& array : job.arrays)
    if (array.name == name) return array;
  throw Refusal("the job has no array '" + name + "'", "name one of its arrays");
}

void fill_array(Array& array, const std::string& path) {
  const std::vector<u8> bytes = read_file(path);
  if (bytes.size() != 16 * array.words.size())
    throw Refusal(path + " has " + std::to_string(bytes.size()) + " bytes, " + array.name + " takes " +
                      std::to_string(16 * array.words.size()),
                  "give 16 bytes for each word");
  for (std::size_t i = 0; i < array.words.size(); ++i) array.words[i] = load_word(&bytes[16 * i]);
}

void store_array(const Array& array, const std::string& path) {
  write_file(path, [&](std::ostream& out) {
    std::array<u8, 16> bytes{};
    for (const u128 word : array.words) {
      store_word(bytes.data(), word);
      out.write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
  });
}

void write_chrome(std::ostream& out, const Report& report) {
  out << R"({"traceEvents":[
{"name":"thread_name","ph":"M","pid":0,"tid":0,"args":{"name":"off-chip memory"}},
{"name":"thread_name","ph":"M","pid":0,"tid":1,"args":{"name":"processor"}})";
  for (const Entry& entry : report.entries)
    out << ",\n{\"name\":\"" << entry.name << "\",\"ph\":\"X\",\"pid\":0,\"tid\":" << static_cast<int>(entry.task.unit)
        << ",\"ts\":" << entry.span.start << ",\"dur\":" << entry.task.cycles << ",\"args\":{\"bytes\":" << entry.bytes
        << "}}";
  out << "\n]}\n";
}

void write_json(std::ostream& out, const Report& report) {
  out << "{\"cycles\": " << report.cycles << ", \"us\": " << report.microseconds
      << ", \"hbm\": {\"bytes\": " << report.bytes() << ", \"busy_cycles\": " << report.busy(Unit::hbm)
      << "}, \"rpu\": {\"busy_cycles\": " << report.busy(Unit::rpu)
      << "}, \"overlap_cycles\": " << report.overlap_cycles << ", \"activity\": ";
  rpu::write_json(out, report.activity);
  out << ", \"pipes\": ";
  rpu::write_json(out, report.pipes);
  out << ", \"energy_uj\": " << report.activity.microjoules() << ", \"steps\": [";
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const Entry& entry = report.entries[i];
    out << (i != 0 ? ", " : "") << "{\"name\": \"" << entry.name << "\", \"kind\": \"" << entry.kind
        << "\", \"bytes\": " << entry.bytes << ", \"start\": " << entry.span.start
        << ", \"finish\": " << entry.span.finish << "}";
  }
  out << "]}\n";
}

void write_text(std::ostream& out, const Report& report) {
  for (const Entry& entry : report.entries)
    out << entry.span.start << " .. " << entry.span.finish << "  " << entry.kind << " " << entry.name << "\n";
  out << report.cycles << " cycles, " << report.microseconds << " us; off-chip memory busy " << report.busy(Unit::hbm)
      << ", processor busy " << report.busy(Unit::rpu) << ", both " << report.overlap_cycles << " cycles\n";
}

int execute_file(const std::vector<std::string>& arguments) {
  const Options options = parse(arguments);
  Job job = read_job(options.file);
  for (const auto& [array, path] : options.data) fill_array(array_of(job, array), path);
  const Report report = execute(job, options.machine);
  for (const auto& [array, path] : options.store) store_array(array_of(job, array), path);
  if (!options.chrome.empty()) write_file(options.chrome, [&](std::ostream& out) { write_chrome(out, report); });
  options.json ? write_json(std::cout, report) : write_text(std::cout, report);
  flush_output();
  return 0;
}

}  // namespace
}  // namespace ringfort::rpu::job

int main(int count, char** values) {
  if (count < 2) {
    std::cerr << ringfort::rpu::job::kUsage;
    return 2;
  }
  try {
    return ringfort::rpu::job::execute_file({values + 1, values + count});
  } catch (const std::exception& error) {
    std::cerr << "rpujob: " << error.what() << "\n";
    return 2;
  }
}
