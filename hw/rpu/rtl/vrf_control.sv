// SPDX-License-Identifier: Apache-2.0
// Controls the accesses to the register memories, in the same way for all slices. A slice is a lane's part of the
// vector registers. Each of the 16 memories of a slice has one port. The reservations at dispatch ensure that at most
// one pipe uses a memory in a cycle. There are six read ports: one for stores, three for the compute pipe, and two for
// shuffles. A read port selects the memory whose word comes in the next cycle. Six buses bring results. A pack writes
// two rows at once, one in each half of the slices. Therefore each half has its own addresses. hw/rpu/README.md
// explains the terms.
module vrf_control #(
    parameter int unsigned H = 128,
    localparam int unsigned ROWS = rpu_isa_pkg::VectorLength / H,
    localparam int unsigned RB = ROWS > 1 ? $clog2(ROWS) : 1,
    localparam int unsigned AW = 2 + $clog2(ROWS)
) (
    input  logic                  clk,
    input  logic [5:0]            read,
    input  logic [5:0][5:0]       read_register,
    input  logic [5:0][RB-1:0]    read_row,
    input  logic [5:0][1:0]       write,       // for each half of the slices
    input  logic [5:0][5:0]       write_register,
    input  logic [5:0][1:0][RB-1:0] write_row,
    output logic [1:0][15:0]      enable,
    output logic [15:0]           writes,
    output logic [15:0][2:0]      bus,
    output logic [1:0][15:0][AW-1:0] address,
    output logic [5:0][3:0]       selected
);

  function automatic logic [AW-1:0] place(input logic [1:0] slot, input logic [RB-1:0] row);
    place = AW'({row, slot});
  endfunction

  always_comb begin
    enable  = '0;
    writes  = '0;
    bus     = '0;
    address = '0;
    for (int unsigned m = 0; m < 16; m++) begin
      for (int unsigned p = 0; p < 6; p++)
        if (read[p] && read_register[p][5:2] == 4'(m)) begin
          enable[0][m] = 1'b1;
          enable[1][m] = 1'b1;
          address[0][m] = place(read_register[p][1:0], read_row[p]);
          address[1][m] = place(read_register[p][1:0], read_row[p]);
        end
      for (int unsigned p = 0; p < 6; p++)
        if (write[p] != 2'b00 && write_register[p][5:2] == 4'(m)) begin
          enable[0][m] = write[p][0];
          enable[1][m] = write[p][1];
          writes[m] = 1'b1;
          bus[m] = 3'(p);
          address[0][m] = place(write_register[p][1:0], write_row[p][0]);
          address[1][m] = place(write_register[p][1:0], write_row[p][1]);
        end
    end
  end

  always_ff @(posedge clk)
    for (int unsigned p = 0; p < 6; p++) if (read[p]) selected[p] <= read_register[p][5:2];

endmodule
