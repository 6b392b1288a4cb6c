// SPDX-License-Identifier: Apache-2.0
// The front end: fetch, decode, dispatch. Its three stages advance together. In the first stage the instruction memory
// delivers a word. In the second stage the result of the decoder is stored in registers. In the third stage, the
// dispatch stage, the instruction waits. It is dispatched when two conditions hold: DISPATCH cycles have passed since
// the last dispatch, and neither a register, nor a queue, nor a register memory blocks it. Scalar, modulus and address
// loads execute in the front end. They block it for SCALAR_CYCLES cycles, but at least for DISPATCH cycles. A trap
// stops the front end. Instructions that were dispatched before the trap run to their end. The instruction set has no
// branches: the front end discards fetched instructions only after END or a trap. hw/rpu/README.md explains the terms.
module rpu_frontend #(
    parameter int unsigned DISPATCH = 2,
    parameter int unsigned SCALAR_CYCLES = 2,
    parameter int unsigned VDM_WORDS = 262144,
    parameter int unsigned SDM_WORDS = 2048
) (
    input  logic               clk,
    input  logic               rst,
    // ports of the host
    input  logic               go,
    input  logic [16:0]        go_pc,
    input  logic [16:0]        limit,      // number of instructions in the memory
    output logic               running,
    output logic [7:0]         trap,
    output logic [16:0]        trap_pc,
    output logic [3:0][31:0]   stalls,     // number of cycles for each reason to wait, rpu_pkg::Stall*
    // port of the instruction memory
    output logic               im_read,
    output logic [15:0]        im_address,
    input  logic [63:0]        im_word,
    // the dispatch stage
    output rpu_pkg::decoded_t  in,
    output logic               ready,      // high if `in` is an instruction that is due
    input  logic [20:0]        address_register,
    output logic [20:0]        base,
    input  logic               busy,
    input  logic               full,
    input  logic               conflict,
    output logic               dispatch,   // high if a vector instruction goes to its queue
    output logic               scalar,     // high if a scalar load executes
    output logic               scalar_busy,
    output logic               stall,
    output logic [1:0]         stall_reason
);

  localparam int unsigned STEP = DISPATCH > SCALAR_CYCLES ? DISPATCH : SCALAR_CYCLES;
  localparam int unsigned SW = $clog2(STEP + 1);
  localparam int unsigned CW = $clog2(SCALAR_CYCLES + 1);

  // fetch
  logic [16:0] fetch_pc, decode_pc;
  logic fetching, decode_valid, decode_past, valid, advance, leaves, faulty;
  rpu_pkg::decoded_t decoded;

  assign advance    = !valid || leaves;
  assign im_read    = fetching && advance && fetch_pc < limit;
  assign im_address = fetch_pc[15:0];

  always_ff @(posedge clk)
    if (rst) begin
      fetching <= 1'b0;
      decode_valid <= 1'b0;
      valid <= 1'b0;
    end else if (go) begin
      fetching <= 1'b1;
      fetch_pc <= go_pc;
    end else if (leaves && (in.last || faulty)) begin
      fetching <= 1'b0;
      decode_valid <= 1'b0;
      valid <= 1'b0;
    end else if (advance) begin
      if (fetching && fetch_pc < limit) fetch_pc <= fetch_pc + 17'd1;
      decode_valid <= fetching;
      decode_pc <= fetch_pc;
      decode_past <= fetch_pc >= limit;
      valid <= decode_valid;
      in <= decoded;
    end
  assign running = fetching || decode_valid || valid;

  rpu_decode u_decode (.word(im_word), .pc(decode_pc), .past_end(decode_past), .out(decoded));

  // bounds
  rpu_isa_pkg::roles_t roles;
  logic [1:0]  mode;
  logic [4:0]  value;
  logic [29:0] reach;
  logic [30:0] furthest;
  logic [20:0] sdm_furthest;
  logic [7:0]  bounds;

  assign roles = rpu_isa_pkg::roles_of(in.op);
  assign mode  = roles.mode ? in.vs[1:0] : 2'(rpu_isa_pkg::ModeRepeat);
  assign value = roles.mode ? in.vt[4:0] : 5'd0;
  // Element 511 has the largest offset. In repeat mode, the last element of the first period has it.
  assign reach = mode == 2'(rpu_isa_pkg::ModeRepeat) && value < 5'd9
      ? (30'd1 << value) - 30'd1 : rpu_isa_pkg::mode_offset(mode, 6'(value), 30'd511);
  assign furthest = 31'(address_register) + 31'(in.address) + 31'(reach);
  assign base = 21'(address_register + 21'(in.address));
  assign sdm_furthest = 21'(in.address) + 21'(roles.m_write);  // the word after a modulus is its constant

  always_comb begin
    bounds = 8'd0;
    if (roles.vdm_offset && furthest >= 31'(VDM_WORDS)) bounds = 8'(rpu_isa_pkg::TrapVdmBounds);
    if (roles.sdm_address && sdm_furthest >= 21'(SDM_WORDS)) bounds = 8'(rpu_isa_pkg::TrapSdmBounds);
  end

  // dispatch
  logic [SW-1:0] wait_slot;
  logic [CW-1:0] wait_scalar;
  logic due, is_scalar;

  assign due       = valid && wait_slot == '0;
  assign faulty    = in.trap != 8'd0 || bounds != 8'd0;
  assign is_scalar = rpu_isa_pkg::pipe_of(in.op) == 2'(rpu_isa_pkg::PipeFrontEnd);
  assign ready     = due && !faulty;
  assign scalar    = ready && is_scalar;
  assign dispatch  = ready && !is_scalar && !busy && !full && !conflict;
  assign leaves    = scalar || dispatch || (due && faulty);

  assign stall = valid && !leaves;
  always_comb
    if (!due) stall_reason = rpu_pkg::StallFrontEnd;
    else if (busy) stall_reason = rpu_pkg::StallBusyboard;
    else if (full) stall_reason = rpu_pkg::StallQueue;
    else stall_reason = rpu_pkg::StallPort;

  always_ff @(posedge clk) begin
    if (rst || go) wait_slot <= '0;
    else if (scalar) wait_slot <= SW'(STEP - 1);
    else if (dispatch) wait_slot <= SW'(DISPATCH - 1);
    else if (wait_slot != '0) wait_slot <= wait_slot - SW'(1);
    if (rst) wait_scalar <= '0;
    else if (scalar) wait_scalar <= CW'(SCALAR_CYCLES - 1);
    else if (wait_scalar != '0) wait_scalar <= wait_scalar - CW'(1);
  end
  assign scalar_busy = wait_scalar != '0;

  always_ff @(posedge clk) begin
    if (rst || go) begin
      trap <= 8'd0;
      trap_pc <= '0;
    end else if (due && faulty) begin
      trap <= in.trap != 8'd0 ? in.trap : bounds;
      trap_pc <= in.pc;
    end
    for (int unsigned i = 0; i < 4; i++)
      if (rst || go) stalls[i] <= '0;
      else if (stall && stall_reason == 2'(i)) stalls[i] <= stalls[i] + 32'd1;
  end

  logic unused;
  assign unused = &{1'b0, roles};

endmodule
