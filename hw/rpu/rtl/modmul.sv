// SPDX-License-Identifier: Apache-2.0
// The modular multiplier: a b mod q, exactly, for any a of W bits and any b below q, 2 <= q < 2^W [Barrett86].
//
// Let z be the number of leading zeros of q, and d = q 2^z. b is also shifted by z bits: x = a (b 2^z). Then x is below
// 2^W d, and x mod d = (a b mod q) 2^z. Let v = floor((2^(2W) - 1) / d) - 2^W. The multiplier uses the estimate
//     floor(floor(x / 2^(W-1)) (2^W + v) / 2^(W+1))
// of the quotient of x by d. Three errors lower the estimate, each by less than 1: the dropped bits of x, the rounded
// reciprocal, and the last floor. Therefore the estimate is at most 2 below the quotient, and x minus estimate times d
// is below 3d. One of three candidates is the remainder.
//
// The multiplier does not support two factors that are both q or more: the quotient would have a second digit, which
// takes two more products. rpu_law_pkg says how many registers are behind each block (Normalise to Denormalise, below).
// A word of the modulus must be at the input in the cycle in which a block needs the word (modulus_pipe.sv).
module modmul #(
    parameter int unsigned W = 128,
    parameter int unsigned LATENCY = 5,
    parameter int unsigned INTERVAL = 1
) (
    input logic clk,
    input logic first,  // high in the first of the INTERVAL cycles in which a and b are at the inputs
    input logic [W-1:0] a,
    input logic [W-1:0] b,
    input logic [$clog2(W)-1:0] shift_in,
    input logic [W-1:0] reciprocal,
    input logic [W-1:0] normal_remainder,
    input logic [W-1:0] normal_correction,
    input logic [$clog2(W)-1:0] shift_out,
    output logic [W-1:0] product
);
  localparam logic Serial = rpu_law_pkg::serial(LATENCY, INTERVAL);
  localparam int unsigned Digits = Serial ? INTERVAL : 1;
  localparam int unsigned Behind0 = rpu_law_pkg::registers_behind(rpu_law_pkg::Normalise, LATENCY, INTERVAL);
  localparam int unsigned Behind1 = rpu_law_pkg::registers_behind(rpu_law_pkg::Product, LATENCY, INTERVAL);
  localparam int unsigned Behind2 = rpu_law_pkg::registers_behind(rpu_law_pkg::Quotient, LATENCY, INTERVAL);
  localparam int unsigned Behind3 = rpu_law_pkg::registers_behind(rpu_law_pkg::Remainder, LATENCY, INTERVAL);
  localparam int unsigned Behind4 = rpu_law_pkg::registers_behind(rpu_law_pkg::Correction, LATENCY, INTERVAL);
  localparam int unsigned Behind5 = rpu_law_pkg::registers_behind(rpu_law_pkg::Denormalise, LATENCY, INTERVAL);

  // A product that is computed digit by digit has its registers inside.
  localparam int unsigned After1 = Serial ? 0 : Behind1;
  localparam int unsigned After2 = Serial ? 0 : Behind2;
  localparam int unsigned After3 = Serial ? 0 : Behind3;

  // Normalise.
  logic [W-1:0] factor, normal;
  logic first1, first2, first3;
  delay #(.WIDTH(2 * W + 1), .CYCLES(Behind0)) behind0 (
      .clk(clk), .value({first, a, b << shift_in}), .later({first1, factor, normal}));

  // Product.
  logic [2*W-1:0] x1, x2;
  multiply #(.A(W), .B(W), .OUT(2 * W), .DIGITS(Digits)) product_block (
      .clk(clk), .first(first1), .a(factor), .b(normal), .product(x1));
  delay #(.WIDTH(2 * W), .CYCLES(After1)) behind1 (.clk(clk), .value(x1), .later(x2));
  delay #(.WIDTH(1), .CYCLES(Behind1)) first_behind1 (.clk(clk), .value(first1), .later(first2));

  // Quotient. The estimate is below 2^W.
  logic [2*W+1:0] scaled;
  logic [W-1:0] quotient;
  logic [W+1:0] low;
  multiply #(.A(W + 1), .B(W + 1), .OUT(2 * W + 2), .DIGITS(Digits)) quotient_block (
      .clk(clk), .first(first2), .a(x2[2*W-1:W-1]), .b({1'b1, reciprocal}), .product(scaled));
  delay #(.WIDTH(W), .CYCLES(After2)) behind2 (.clk(clk), .value(scaled[2*W:W+1]), .later(quotient));
  delay #(.WIDTH(W + 2), .CYCLES(Behind2)) low_behind2 (.clk(clk), .value(x2[W+1:0]), .later(low));
  delay #(.WIDTH(1), .CYCLES(Behind2)) first_behind2 (.clk(clk), .value(first2), .later(first3));
  wire [W+1:0] unused_scaled = {scaled[2*W+1], scaled[W:0]};

  // Remainder. It is below 3d, so its low W + 2 bits suffice.
  logic [W+1:0] multiple, low3, remainder;
  multiply #(.A(W), .B(W), .OUT(W + 2), .DIGITS(Digits)) remainder_block (
      .clk(clk), .first(first3), .a(quotient), .b(normal_remainder), .product(multiple));
  delay #(.WIDTH(W + 2), .CYCLES(Serial ? INTERVAL : 0)) low_behind3 (.clk(clk), .value(low), .later(low3));
  delay #(.WIDTH(W + 2), .CYCLES(After3)) behind3 (.clk(clk), .value(low3 - multiple), .later(remainder));

  // Correction.
  logic [W+2:0] less_one, less_two;
  logic [W-1:0] corrected, normal_product;
  assign less_one = {1'b0, remainder} - {3'b0, normal_correction};
  assign less_two = {1'b0, remainder} - {2'b0, normal_correction, 1'b0};
  assign corrected = !less_two[W+2] ? less_two[W-1:0] : !less_one[W+2] ? less_one[W-1:0] : remainder[W-1:0];
  delay #(.WIDTH(W), .CYCLES(Behind4)) behind4 (.clk(clk), .value(corrected), .later(normal_product));
  wire [3:0] unused_candidates = {less_one[W+1:W], less_two[W+1:W]};

  // Denormalise.
  delay #(.WIDTH(W), .CYCLES(Behind5)) behind5 (.clk(clk), .value(normal_product >> shift_out), .later(product));
endmodule
