// SPDX-License-Identifier: Apache-2.0
// The modelled machine: the parameters that isa/machine.yml defines and doc/isa.md explains, such as the numbers of
// lanes and banks. The parameters are read from a file with lines `name: value`, or from a list `name=value,...`.
#pragma once

#include <string>
#include <string_view>

#include "sim/machine_tables.h"

namespace ringfort::rpu {

struct Machine : MachineParameters {
  // Returns the number of cycles in which the 512 elements of a vector enter the lanes: one element per lane and cycle.
  [[nodiscard]] u32 beats() const noexcept;
  // Returns `megahertz`. If `megahertz` is 0, returns the frequency for the number of banks [Soni23, Section VI-B].
  [[nodiscard]] u32 clock_mhz() const noexcept;
};

// Set parameters. Throw if a name is unknown, a line is malformed, or a number is out of range. The error for a number
// states its range, or the nearest powers of two.
void set_by_name(Machine& machine, std::string_view name, std::string_view value);
void set_from_lines(Machine& machine, std::string_view text, const std::string& file);
void set_from_list(Machine& machine, std::string_view list);
[[nodiscard]] Machine read_machine(const std::string& path);

}  // namespace ringfort::rpu
