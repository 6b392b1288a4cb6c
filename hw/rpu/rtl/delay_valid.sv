// SPDX-License-Identifier: Apache-2.0
// Delays bits that say whether data are valid. This module works like `delay`, except that a reset clears the bits.
module delay_valid #(
    parameter int unsigned WIDTH = 1,
    parameter int unsigned CYCLES = 1
) (
    input  logic             clk,
    input  logic             rst,
    input  logic [WIDTH-1:0] value,
    output logic [WIDTH-1:0] later
);

  if (CYCLES == 0) begin : g_wire
    logic unused;
    assign unused = &{1'b0, clk, rst};
    assign later = value;
  end else begin : g_line
    logic [WIDTH*(CYCLES+1)-1:0] line;
    assign line[WIDTH-1:0] = value;
    always_ff @(posedge clk) line[WIDTH*(CYCLES+1)-1:WIDTH] <= rst ? '0 : line[WIDTH*CYCLES-1:0];
    assign later = line[WIDTH*CYCLES+:WIDTH];
  end

endmodule
