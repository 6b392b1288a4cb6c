// SPDX-License-Identifier: Apache-2.0
// The modelled machine: the generated parameters (isa/machine.yml), read from lines `name: value` or a list
// `name=value,...`.
#pragma once

#include <string>
#include <string_view>

#include "sim/machine_tables.h"

namespace ringfort::rpu {

struct Machine : MachineParameters {
  // Returns the number of cycles in which a vector passes through the lanes.
  [[nodiscard]] u32 beats() const noexcept;
  // Returns `megahertz`, or, if it is 0, the frequency for the number of banks [Soni23, Section VI-B].
  [[nodiscard]] u32 clock_mhz() const noexcept;
};

// Set parameters. Throw on an unknown name, a number out of range (the error states the nearest number that fits) and a
// malformed line.
void set_by_name(Machine& machine, std::string_view name, std::string_view value);
void set_from_lines(Machine& machine, std::string_view text, const std::string& file);
void set_from_list(Machine& machine, std::string_view list);
[[nodiscard]] Machine read_machine(const std::string& path);

}  // namespace ringfort::rpu
