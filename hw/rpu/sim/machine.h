// SPDX-License-Identifier: Apache-2.0
// The modelled machine: the generated parameters (isa/machine.yml), read from lines `name: value` or `name=value,...`.
#pragma once

#include <string>
#include <string_view>

#include "sim/machine_tables.h"

namespace ringfort::rpu {

struct Machine : MachineParameters {
  // Cycles in which every lane sees its share of a vector.
  [[nodiscard]] std::uint32_t beats() const noexcept;
  // megahertz, or the frequency of the banks [Soni23, Section VI-B].
  [[nodiscard]] std::uint32_t clock_mhz() const noexcept;
};

// Refuses an unknown name, a number out of range (with the nearest that fits) and a line of another form.
void set_by_name(Machine& machine, std::string_view name, std::string_view value);
void set_from_lines(Machine& machine, std::string_view text, const std::string& file);
void set_from_list(Machine& machine, std::string_view list);
[[nodiscard]] Machine read_machine(const std::string& path);

}  // namespace ringfort::rpu
