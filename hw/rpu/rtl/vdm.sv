// SPDX-License-Identifier: Apache-2.0
// The vector data memory: B single-port banks. Loads and stores reach the banks after the same number of cycles in
// their pipe. Therefore their accesses have the order of the program. A transfer of the host takes a cycle in which no
// load or store uses a bank. hw/rpu/README.md explains the terms.
module vdm #(
    parameter int unsigned W = 128,
    parameter int unsigned B = 128,
    parameter int unsigned WORDS = 262144,
    localparam int unsigned ROWS = (WORDS + B - 1) / B,
    localparam int unsigned AW = ROWS > 1 ? $clog2(ROWS) : 1
) (
    input  logic                 clk,
    input  logic [B-1:0]         enable,
    input  logic                 write,
    input  logic [B-1:0][AW-1:0] row,
    input  logic [B-1:0][W-1:0]  data,
    output logic [B-1:0][W-1:0]  q
);

  for (genvar b = 0; b < B; b++) begin : g_bank
    ram_sp #(.WIDTH(W), .DEPTH(ROWS)) u_ram (
        .clk, .enable(enable[b]), .write, .address(row[b]), .data(data[b]), .q(q[b])
    );
  end

endmodule
