// SPDX-License-Identifier: Apache-2.0
// The decoder. It splits a word into its fields, and finds the illegal cases 1 to 5 of doc/isa.md, in the order of
// their codes. It also reports case 8 (no_end) if the fetch has left the program. All facts about operations come from
// the generated package rpu_isa_pkg.
module rpu_decode (
    input  logic [63:0]        word,
    input  logic [16:0]        pc,
    input  logic               past_end,  // high if the fetch has left the program
    output rpu_pkg::decoded_t  out
);

  rpu_isa_pkg::instruction_t f;
  rpu_isa_pkg::roles_t       roles;
  logic [4:0]                op;
  logic                      mode_fault, share_fault;

  assign f     = word;
  assign op    = {f.bfly_f, f.opcode_f};
  assign roles = rpu_isa_pkg::roles_of(op);

  always_comb begin
    mode_fault = 1'b0;
    if (roles.mode) begin
      if (f.vs_f > 6'd3) mode_fault = 1'b1;
      else if (rpu_isa_pkg::mode_takes_value(f.vs_f[1:0]))
        mode_fault = f.vt_f > 6'(rpu_isa_pkg::MaximumModeValue);
      else mode_fault = f.vt_f != 6'd0;
    end
  end

  // Two different registers 4k .. 4k + 3 share a memory.
  function automatic logic clash(input logic both, input logic [5:0] a, input logic [5:0] b);
    clash = both && a != b && a[5:2] == b[5:2];
  endfunction

  assign share_fault = clash(roles.vs_read && roles.vt_read, f.vs_f, f.vt_f)
      || clash(roles.vs_read && roles.vt1_read, f.vs_f, f.vt1_f)
      || clash(roles.vt_read && roles.vt1_read, f.vt_f, f.vt1_f)
      || (roles.vd_write && roles.vd1_write && f.vd_f[5:2] == f.vd1_f[5:2]);

  always_comb begin
    out.pc = pc;
    out.op = op;
    out.vd1 = f.vd1_f;
    out.vt1 = f.vt1_f;
    out.address = f.address_f;
    out.vd = f.vd_f;
    out.vs = f.vs_f;
    out.vt = f.vt_f;
    out.rm = f.rm_f;
    out.last = f.end_f;
    if (past_end) out.trap = 8'(rpu_isa_pkg::TrapNoEnd);
    else if (!rpu_isa_pkg::known_op(op)) out.trap = 8'(rpu_isa_pkg::TrapOpcode);
    else if ((word & ~rpu_isa_pkg::used_mask(op)) != 64'd0) out.trap = 8'(rpu_isa_pkg::TrapReservedBits);
    else if (mode_fault) out.trap = 8'(rpu_isa_pkg::TrapModeValue);
    else if (roles.mode && roles.vd_read && !rpu_isa_pkg::mode_stores(f.vs_f[1:0]))
      out.trap = 8'(rpu_isa_pkg::TrapStoreCollision);
    else if (share_fault) out.trap = 8'(rpu_isa_pkg::TrapRegisterMemory);
    else out.trap = 8'd0;
  end

  logic unused;
  assign unused = &{1'b0, roles, f};

endmodule
