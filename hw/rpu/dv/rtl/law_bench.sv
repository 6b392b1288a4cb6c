// SPDX-License-Identifier: Apache-2.0
// The arithmetic of six lanes for law_bench.cpp: lanes of 32, 64 and 128 bits for each of two machines with their own
// latencies and intervals. Ports of operands, moduli and results have 128 bits for each lane, so that one C++ type is
// enough for all widths. Shorter lanes do not use the upper bits.
module law_bench #(
    parameter int unsigned MULTIPLY_LATENCY_0 = 5,
    parameter int unsigned ADD_LATENCY_0 = 1,
    parameter int unsigned MULTIPLY_INTERVAL_0 = 1,
    parameter int unsigned MULTIPLY_LATENCY_1 = 7,
    parameter int unsigned ADD_LATENCY_1 = 2,
    parameter int unsigned MULTIPLY_INTERVAL_1 = 2
) (
    // verilator lint_off UNUSEDSIGNAL
    input logic clk,
    input logic [5:0] first,
    input logic [5:0] bfly,
    input logic [5:0] subtract,
    input logic [6*128-1:0] vs,
    input logic [6*128-1:0] vt,
    input logic [6*128-1:0] vt1,
    input logic [6*128-1:0] q,
    input logic [6*128-1:0] normal,
    input logic [6*128-1:0] reciprocal,
    input logic [6*8-1:0] shift,
    // verilator lint_on UNUSEDSIGNAL
    output logic [6*128-1:0] sum,
    output logic [6*128-1:0] product,
    output logic [6*128-1:0] bfly_sum,
    output logic [6*128-1:0] bfly_difference
);
  for (genvar k = 0; k < 6; k++) begin : gen_lane
    localparam int unsigned W = 32 << (k % 3);
    localparam int unsigned M = k < 3 ? MULTIPLY_LATENCY_0 : MULTIPLY_LATENCY_1;
    localparam int unsigned A = k < 3 ? ADD_LATENCY_0 : ADD_LATENCY_1;
    localparam int unsigned I = k < 3 ? MULTIPLY_INTERVAL_0 : MULTIPLY_INTERVAL_1;
    logic [rpu_law_pkg::ModuliWords*W-1:0] moduli;
    modulus_pipe #(.W(W), .MULTIPLY_LATENCY(M), .ADD_LATENCY(A), .MULTIPLY_INTERVAL(I)) pipe (
        .clk(clk), .q(q[128*k+:W]), .normal(normal[128*k+:W]), .reciprocal(reciprocal[128*k+:W]),
        .shift(shift[8*k+:$clog2(W)]), .moduli(moduli));
    logic [W-1:0] lane_sum, lane_product, lane_bfly_sum, lane_bfly_difference;
    law #(.W(W), .MULTIPLY_LATENCY(M), .ADD_LATENCY(A), .MULTIPLY_INTERVAL(I)) lane (
        .clk(clk), .first(first[k]), .bfly(bfly[k]), .subtract(subtract[k]), .vs(vs[128*k+:W]), .vt(vt[128*k+:W]),
        .vt1(vt1[128*k+:W]), .moduli(moduli), .sum(lane_sum), .product(lane_product), .bfly_sum(lane_bfly_sum),
        .bfly_difference(lane_bfly_difference));
    assign sum[128*k+:128] = 128'(lane_sum);
    assign product[128*k+:128] = 128'(lane_product);
    assign bfly_sum[128*k+:128] = 128'(lane_bfly_sum);
    assign bfly_difference[128*k+:128] = 128'(lane_bfly_difference);
  end
endmodule
