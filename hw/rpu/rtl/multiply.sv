// SPDX-License-Identifier: Apache-2.0
// The low OUT bits of a product of unsigned numbers. The product is computed at once or digit by digit.
//
// If DIGITS is 1, the product is combinational, that is, computed without a register. Otherwise a and b stay at the
// inputs for DIGITS cycles, and `first` is high in the first of them. Each cycle multiplies a by one digit of b,
// beginning with the lowest digit. The product is at the output for the next DIGITS cycles. The logic is smaller by a
// factor of about DIGITS.
module multiply #(
    parameter int unsigned A = 128,
    parameter int unsigned B = 128,
    parameter int unsigned OUT = 256,
    parameter int unsigned DIGITS = 1
) (
    input logic clk,
    input logic first,
    input logic [A-1:0] a,
    input logic [B-1:0] b,
    output logic [OUT-1:0] product
);
  if (DIGITS == 1) begin : gen_whole
    wire [1:0] unused = {clk, first};
    assign product = OUT'(a) * OUT'(b);
  end else begin : gen_serial
    localparam int unsigned D = (B + DIGITS - 1) / DIGITS;
    localparam int unsigned Total = A + D * DIGITS;

    // `rest` has the digits of b that are still to come. Finished low digits of the product take the places of used
    // digits.
    logic [D*DIGITS-1:0] rest, rest_now;
    logic [A-1:0] high, high_now;
    logic [A+D-1:0] sum;
    logic [DIGITS-2:0] since_first;
    logic [Total-1:0] whole;
    assign rest_now = first ? (D * DIGITS)'(b) : rest;
    assign high_now = first ? '0 : high;
    assign sum = (A + D)'(a) * (A + D)'(rest_now[D-1:0]) + (A + D)'(high_now);
    assign whole = {sum, rest_now[D*DIGITS-1:D]};
    always_ff @(posedge clk) begin
      {high, rest} <= whole;
      since_first <= (DIGITS - 1)'({since_first, first});
      if (since_first[DIGITS-2]) product <= whole[OUT-1:0];
    end
    if (Total > OUT) begin : gen_unused
      wire [Total-OUT-1:0] unused = whole[Total-1:OUT];
    end
  end
endmodule
