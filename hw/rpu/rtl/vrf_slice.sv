// SPDX-License-Identifier: Apache-2.0
// One lane's part of the vector registers: 16 single-port memories with four registers each. Multiplexers connect the
// result buses with the memories, and the memories with the read ports. Buses: 0 VBAR (loads), 1 sum, 2 product, 3 and
// 4 the two results of a butterfly, 5 SBAR (shuffles). hw/rpu/README.md explains the terms.
module vrf_slice #(
    parameter int unsigned W = 128,
    parameter int unsigned H = 128,
    localparam int unsigned DEPTH = 4 * rpu_isa_pkg::VectorLength / H,
    localparam int unsigned AW = $clog2(DEPTH)
) (
    input  logic                   clk,
    input  logic [15:0]            enable,
    input  logic [15:0]            writes,
    input  logic [15:0][2:0]       bus,
    input  logic [15:0][AW-1:0]    address,
    input  logic [5:0][3:0]        selected,
    input  logic                   loaded,    // high if bus 0 has a word for this lane
    input  logic [5:0][W-1:0]      results,
    output logic [5:0][W-1:0]      operands
);

  logic [15:0][W-1:0] words;

  for (genvar m = 0; m < 16; m++) begin : g_memory
    logic [W-1:0] data;
    always_comb
      case (bus[m])
        3'd0: data = results[0];
        3'd1: data = results[1];
        3'd2: data = results[2];
        3'd3: data = results[3];
        3'd4: data = results[4];
        default: data = results[5];
      endcase
    ram_sp #(.WIDTH(W), .DEPTH(DEPTH)) u_ram (
        .clk, .enable(enable[m] && !(writes[m] && bus[m] == 3'd0 && !loaded)), .write(writes[m]),
        .address(address[m]), .data, .q(words[m])
    );
  end

  always_comb for (int unsigned p = 0; p < 6; p++) operands[p] = words[selected[p]];

endmodule
