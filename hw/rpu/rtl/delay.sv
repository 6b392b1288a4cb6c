// SPDX-License-Identifier: Apache-2.0
// Delays a value by CYCLES cycles, with a chain of registers without reset. With CYCLES = 0 the module is a wire.
module delay #(
    parameter int unsigned WIDTH = 1,
    parameter int unsigned CYCLES = 1
) (
    input logic clk,
    input logic [WIDTH-1:0] value,
    output logic [WIDTH-1:0] later
);
  if (CYCLES == 0) begin : gen_wire
    wire unused_clk = clk;
    assign later = value;
  end else begin : gen_line
    logic [WIDTH*CYCLES-1:0] line;
    if (CYCLES == 1) begin : gen_one
      always_ff @(posedge clk) line <= value;
    end else begin : gen_many
      always_ff @(posedge clk) line <= {line[WIDTH*(CYCLES-1)-1:0], value};
    end
    assign later = line[WIDTH*CYCLES-1:WIDTH*(CYCLES-1)];
  end
endmodule
