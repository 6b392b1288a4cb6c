// SPDX-License-Identifier: Apache-2.0
// One lane of the machine, an HPLE [Soni23]: its part of the vector registers (vrf_slice) and its arithmetic (law).
// hw/rpu/README.md explains the terms.
module hple #(
    parameter int unsigned W = 128,
    parameter int unsigned H = 128,
    parameter int unsigned MULTIPLY_LATENCY = 5,
    parameter int unsigned MULTIPLY_INTERVAL = 1,
    parameter int unsigned ADD_LATENCY = 1,
    localparam int unsigned AW = $clog2(4 * rpu_isa_pkg::VectorLength / H)
) (
    input  logic                  clk,
    input  logic [15:0]           enable,
    input  logic [15:0]           writes,
    input  logic [15:0][2:0]      bus,
    input  logic [15:0][AW-1:0]   address,
    input  logic [5:0][3:0]       selected,
    // arithmetic
    input  logic                  bfly,
    input  logic                  subtract,
    input  logic                  element_first,
    input  logic                  scalar,
    input  logic [W-1:0]          s,
    input  logic [rpu_law_pkg::ModuliWords*W-1:0] moduli,
    // crossbars
    input  logic                  loaded,
    input  logic [W-1:0]          from_vbar,
    input  logic [W-1:0]          from_sbar,
    output logic [W-1:0]          to_vbar,
    output logic [1:0][W-1:0]     to_sbar
);

  logic [5:0][W-1:0] operands, results;
  logic [W-1:0] sum, product, bfly_sum, bfly_difference;

  vrf_slice #(.W(W), .H(H)) u_slice (
      .clk, .enable, .writes, .bus, .address, .selected, .loaded, .results, .operands
  );
  law #(
      .W(W), .MULTIPLY_LATENCY(MULTIPLY_LATENCY), .MULTIPLY_INTERVAL(MULTIPLY_INTERVAL), .ADD_LATENCY(ADD_LATENCY)
  ) u_law (
      .clk, .first(element_first), .bfly, .subtract, .vs(operands[1]), .vt(scalar ? s : operands[2]),
      .vt1(operands[3]), .moduli, .sum, .product, .bfly_sum, .bfly_difference
  );
  assign results  = {from_sbar, bfly_difference, bfly_sum, product, sum, from_vbar};
  assign to_vbar  = operands[0];
  assign to_sbar  = {operands[5], operands[4]};

endmodule
