// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a lane, called the LAW engine in [Soni23]: a modular multiplier, and modular adders and
// subtractors. hw/rpu/README.md explains the terms.
//
// A butterfly multiplies before it adds. Therefore a butterfly and an addition that starts later may need an adder in
// the same cycle. If their results go to different register memories, the reservations of these memories do not
// separate the two. Therefore additions have an adder of their own, and each result has its own bus. Operands come from
// the register memories, and results go to these memories. rpu_law_pkg says in which cycles the operands, the words of
// the modulus and the results are at the ports. If an operand is a scalar, it comes on the input vt.
module law #(
    parameter int unsigned W = 128,
    parameter int unsigned MULTIPLY_LATENCY = 5,
    parameter int unsigned ADD_LATENCY = 1,
    parameter int unsigned MULTIPLY_INTERVAL = 1
) (
    input logic clk,
    input logic first,  // high in the first of the MULTIPLY_INTERVAL cycles of an element
    input logic bfly,  // selects the product vt * vt1 instead of vs * vt
    input logic subtract,
    input logic [W-1:0] vs,
    input logic [W-1:0] vt,
    input logic [W-1:0] vt1,
    input logic [rpu_law_pkg::ModuliWords*W-1:0] moduli,  // output of a modulus_pipe with the same parameters
    output logic [W-1:0] sum,  // vs + vt or vs - vt
    output logic [W-1:0] product,
    output logic [W-1:0] bfly_sum,  // vs + vt * vt1
    output logic [W-1:0] bfly_difference  // vs - vt * vt1
);
  localparam int unsigned Products = rpu_law_pkg::product_registers(MULTIPLY_LATENCY, MULTIPLY_INTERVAL);
  localparam int unsigned Z = $clog2(W);

  modadd #(.W(W), .REGISTERS(ADD_LATENCY - 1)) adder (
      .clk(clk), .subtract(subtract), .a(vs), .b(vt),
      .modulus_correction(moduli[rpu_law_pkg::AddCorrection*W+:W]), .result(sum));

  modmul #(.W(W), .LATENCY(MULTIPLY_LATENCY), .INTERVAL(MULTIPLY_INTERVAL)) multiplier (
      .clk(clk), .first(first), .a(bfly ? vt1 : vs), .b(vt),
      .shift_in(moduli[rpu_law_pkg::ShiftIn*W+:Z]), .reciprocal(moduli[rpu_law_pkg::Reciprocal*W+:W]),
      .normal_remainder(moduli[rpu_law_pkg::NormalRemainder*W+:W]),
      .normal_correction(moduli[rpu_law_pkg::NormalCorrection*W+:W]),
      .shift_out(moduli[rpu_law_pkg::ShiftOut*W+:Z]), .product(product));

  wire [2*(W-Z)-1:0] unused_moduli = {
      moduli[rpu_law_pkg::ShiftIn*W+Z+:W-Z], moduli[rpu_law_pkg::ShiftOut*W+Z+:W-Z]};

  // A register behind the multiplier delays the product before the addition. The addend is delayed by one cycle for
  // each register of the multiplier, and by one more cycle. Therefore product and addend reach the adder together.
  logic [W-1:0] addend, product_later;
  delay #(.WIDTH(W), .CYCLES(Products + 1)) addend_delay (.clk(clk), .value(vs), .later(addend));
  delay #(.WIDTH(W), .CYCLES(1)) product_delay (.clk(clk), .value(product), .later(product_later));
  modadd #(.W(W), .REGISTERS(ADD_LATENCY - 1)) bfly_adder (
      .clk(clk), .subtract(1'b0), .a(addend), .b(product_later),
      .modulus_correction(moduli[rpu_law_pkg::ButterflyCorrection*W+:W]), .result(bfly_sum));
  modadd #(.W(W), .REGISTERS(ADD_LATENCY - 1)) bfly_subtractor (
      .clk(clk), .subtract(1'b1), .a(addend), .b(product_later),
      .modulus_correction(moduli[rpu_law_pkg::ButterflyCorrection*W+:W]), .result(bfly_difference));
endmodule
