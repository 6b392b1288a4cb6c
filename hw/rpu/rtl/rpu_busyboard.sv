// SPDX-License-Identifier: Apache-2.0
// The busyboard [Soni23, Section IV-A], a scoreboard: it marks the vector registers of all instructions between
// dispatch and finish (hw/rpu/README.md explains the terms). The strict busyboard has one bit for each register, and
// any use of a register blocks every later use. With the rule `hazards`, the busyboard has a bit for the writer of a
// register and a counter of its readers. A reader waits for the writer. A writer waits for the writer and for all
// readers. Each entry of `clear_*` belongs to an instruction that finishes.
module rpu_busyboard #(
    parameter bit STRICT = 1'b1,
    parameter int unsigned READERS = 64  // largest number of instructions in flight
) (
    input  logic                                    clk,
    input  logic                                    rst,
    input  logic                                    set,
    input  logic [63:0]                             reads,
    input  logic [63:0]                             writes,
    output logic                                    blocked,
    input  logic [rpu_pkg::Lines-1:0]               clear,
    input  logic [rpu_pkg::Lines-1:0][63:0]         clear_reads,
    input  logic [rpu_pkg::Lines-1:0][63:0]         clear_writes
);

  logic [63:0] writer, written, freed;

  assign written = STRICT ? reads | writes : writes;
  always_comb begin
    freed = '0;
    for (int unsigned i = 0; i < rpu_pkg::Lines; i++)
      if (clear[i]) freed |= STRICT ? clear_reads[i] | clear_writes[i] : clear_writes[i];
  end
  always_ff @(posedge clk)
    if (rst) writer <= '0;
    else writer <= (writer & ~freed) | (set ? written : '0);

  if (STRICT) begin : g_strict
    assign blocked = |((reads | writes) & writer);
  end else begin : g_hazards
    localparam int unsigned CW = $clog2(READERS + 1);
    logic [63:0][CW-1:0] readers;
    logic [63:0]         read;
    always_comb for (int unsigned r = 0; r < 64; r++) read[r] = readers[r] != '0;
    assign blocked = |((reads | writes) & writer) || |(writes & read);
    always_ff @(posedge clk)
      for (int unsigned r = 0; r < 64; r++)
        if (rst) readers[r] <= '0;
        else
          readers[r] <= readers[r] + CW'(set && reads[r])
              - CW'(clear[0] && clear_reads[0][r]) - CW'(clear[1] && clear_reads[1][r])
              - CW'(clear[2] && clear_reads[2][r]) - CW'(clear[3] && clear_reads[3][r])
              - CW'(clear[4] && clear_reads[4][r]);
  end

endmodule
