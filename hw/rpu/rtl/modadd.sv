// SPDX-License-Identifier: Apache-2.0
// The modular adder and subtractor: a + b mod q or a - b mod q, for a and b below q. It works in two steps. The first
// step adds or subtracts. The second step corrects: it subtracts q from a sum, or adds q to a difference. If the
// corrected sum is negative, the result is the sum itself. Otherwise it is the corrected sum. If the difference is
// negative, the result is the corrected difference. Otherwise it is the difference itself. In both cases bit W is the
// sign. With a latency of 2 or more, a register is between the two steps. Further registers only delay the result.
module modadd #(
    parameter int unsigned W = 128,
    parameter int unsigned REGISTERS = 0
) (
    input logic clk,
    input logic subtract,
    input logic [W-1:0] a,
    input logic [W-1:0] b,
    input logic [W-1:0] modulus_correction,  // q; if REGISTERS > 0, it must come one cycle later than the operands
    output logic [W-1:0] result
);
  localparam int unsigned Halfway = REGISTERS > 0 ? 1 : 0;
  localparam int unsigned Rest = REGISTERS - Halfway;

  // Bit W is the carry of a sum or the borrow of a difference.
  logic [W:0] raw, raw_later, corrected;
  logic subtract_later, keep;
  assign raw = {1'b0, a} + ({1'b0, b} ^ {W + 1{subtract}}) + (W + 1)'(subtract);
  delay #(.WIDTH(W + 2), .CYCLES(Halfway)) halfway (
      .clk(clk), .value({subtract, raw}), .later({subtract_later, raw_later}));

  // The correction: the sum minus q, or the difference plus q.
  assign corrected = raw_later + ({1'b0, modulus_correction} ^ {W + 1{!subtract_later}}) + (W + 1)'(!subtract_later);
  assign keep = subtract_later ? !raw_later[W] : corrected[W];
  delay #(.WIDTH(W), .CYCLES(Rest)) behind (
      .clk(clk), .value(keep ? raw_later[W-1:0] : corrected[W-1:0]), .later(result));
endmodule
