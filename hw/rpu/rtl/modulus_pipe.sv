// SPDX-License-Identifier: Apache-2.0
// One chain of registers for the whole machine. It delivers each word of the modulus (q, its reciprocal and others,
// rpu_law_pkg) to all lanes in the cycle in which they need the word. The modulus of an instruction must be at the
// inputs of this module while the operands are at the inputs of the lanes. hw/rpu/README.md explains the terms.
module modulus_pipe #(
    parameter int unsigned W = 128,
    parameter int unsigned MULTIPLY_LATENCY = 5,
    parameter int unsigned ADD_LATENCY = 1,
    parameter int unsigned MULTIPLY_INTERVAL = 1
) (
    input logic clk,
    input logic [W-1:0] q,
    input logic [W-1:0] normal,  // q << shift: q without its leading zeros
    input logic [W-1:0] reciprocal,  // floor((2^(2W) - 1) / normal) - 2^W
    input logic [$clog2(W)-1:0] shift,
    output logic [rpu_law_pkg::ModuliWords*W-1:0] moduli  // rpu_law_pkg names the words
);
  localparam int unsigned L = MULTIPLY_LATENCY;
  localparam int unsigned I = MULTIPLY_INTERVAL;
  localparam int unsigned Sums = rpu_law_pkg::product_registers(L, I) + 1;  // one more: the register behind the product
  localparam int unsigned Halfway = ADD_LATENCY > 1 ? 1 : 0;

  logic [$clog2(W)-1:0] shift_out;
  assign moduli[rpu_law_pkg::ShiftIn*W+:W] = W'(shift);
  assign moduli[rpu_law_pkg::ShiftOut*W+:W] = W'(shift_out);

  delay #(.WIDTH(W), .CYCLES(rpu_law_pkg::registers_before(rpu_law_pkg::Quotient, L, I))) to_quotient (
      .clk(clk), .value(reciprocal), .later(moduli[rpu_law_pkg::Reciprocal*W+:W]));
  delay #(.WIDTH(W), .CYCLES(rpu_law_pkg::registers_before(rpu_law_pkg::Remainder, L, I))) to_remainder (
      .clk(clk), .value(normal), .later(moduli[rpu_law_pkg::NormalRemainder*W+:W]));
  delay #(.WIDTH(W), .CYCLES(rpu_law_pkg::registers_behind(rpu_law_pkg::Remainder, L, I))) to_correction (
      .clk(clk), .value(moduli[rpu_law_pkg::NormalRemainder*W+:W]),
      .later(moduli[rpu_law_pkg::NormalCorrection*W+:W]));
  delay #(.WIDTH($clog2(W)), .CYCLES(rpu_law_pkg::registers_before(rpu_law_pkg::Denormalise, L, I))) to_denormalise (
      .clk(clk), .value(shift), .later(shift_out));
  delay #(.WIDTH(W), .CYCLES(Halfway)) to_add_correction (
      .clk(clk), .value(q), .later(moduli[rpu_law_pkg::AddCorrection*W+:W]));
  delay #(.WIDTH(W), .CYCLES(Sums + Halfway)) to_butterfly_correction (
      .clk(clk), .value(q), .later(moduli[rpu_law_pkg::ButterflyCorrection*W+:W]));
endmodule
