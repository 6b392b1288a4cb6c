// SPDX-License-Identifier: Apache-2.0
// The vector registers that an instruction reads and writes, as sets: bit r is register r.
module register_use (
    input  logic [4:0]  op,
    input  logic [5:0]  vd,
    input  logic [5:0]  vd1,
    input  logic [5:0]  vs,
    input  logic [5:0]  vt,
    input  logic [5:0]  vt1,
    output logic [63:0] reads,
    output logic [63:0] writes
);

  rpu_isa_pkg::roles_t roles;
  assign roles = rpu_isa_pkg::roles_of(op);

  always_comb begin
    reads  = '0;
    writes = '0;
    if (roles.vd_read) reads[vd] = 1'b1;
    if (roles.vs_read) reads[vs] = 1'b1;
    if (roles.vt_read) reads[vt] = 1'b1;
    if (roles.vt1_read) reads[vt1] = 1'b1;
    if (roles.vd_write) writes[vd] = 1'b1;
    if (roles.vd1_write) writes[vd1] = 1'b1;
  end

  logic unused;
  assign unused = &{1'b0, roles};

endmodule
