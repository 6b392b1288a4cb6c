// SPDX-License-Identifier: Apache-2.0
// Computes the number of cycles for which an instruction will occupy its pipe, when the instruction is dispatched.
// VBAR, the crossbar between memory and lanes, moves groups of min(H, B) elements, for H lanes and B banks. The number
// of passes of a group is a power of two (vbar_folds.sv). hw/rpu/README.md explains the terms.
module rpu_cost #(
    parameter int unsigned H = 128,
    parameter int unsigned B = 128,
    parameter bit XOR_HASH = 1'b0,
    parameter int unsigned MULTIPLY_INTERVAL = 1,
    parameter int unsigned OW = 10
) (
    input  logic [4:0]    op,
    input  logic [5:0]    vs,
    input  logic [5:0]    vt,
    input  logic [1:0]    mode,
    input  logic [4:0]    value,
    input  logic [20:0]   base,
    output logic [OW-1:0] occupancy
);

  localparam int unsigned GROUP = H < B ? H : B;
  localparam int unsigned BEATS = rpu_isa_pkg::VectorLength / H;
  localparam int unsigned GROUPS = rpu_isa_pkg::VectorLength / GROUP;

  logic [1:0] pipe;
  logic [2:0] latency_class;
  logic       multiplies;
  logic [3:0] folds;
  logic [1:0] carries;

  assign pipe = rpu_isa_pkg::pipe_of(op);
  assign latency_class = rpu_isa_pkg::latency_of(op);
  assign multiplies = latency_class == 3'(rpu_isa_pkg::LatencyMultiply)
      || latency_class == 3'(rpu_isa_pkg::LatencyMultiplyAdd);

  vbar_folds #(.H(H), .B(B), .XOR_HASH(XOR_HASH)) u_folds (.mode, .value, .base, .folds, .carries);

  always_comb
    if (pipe == 2'(rpu_isa_pkg::PipeLoadStore))
      occupancy = OW'(GROUPS) << (folds + 4'(carries[0]) + 4'(carries[1]));
    else if (op == 5'(rpu_isa_pkg::OpPklo) || op == 5'(rpu_isa_pkg::OpPkhi))
      // a pack of one register with itself reads two rows, one after the other (sbar.sv)
      occupancy = vs == vt ? OW'(2 * BEATS) : OW'(BEATS);
    else if (multiplies) occupancy = OW'(BEATS * MULTIPLY_INTERVAL);
    else occupancy = OW'(BEATS);

endmodule
