// SPDX-License-Identifier: Apache-2.0
// Computes, at an instruction's dispatch, the number of cycles for which it will occupy its pipe. VBAR moves groups of
// min(H, B) elements, each in a power of two of passes (vbar_folds.sv).
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
      occupancy = vs == vt ? OW'(2 * BEATS) : OW'(BEATS);  // sbar.sv: two rows of one register
    else if (multiplies) occupancy = OW'(BEATS * MULTIPLY_INTERVAL);
    else occupancy = OW'(BEATS);

endmodule
