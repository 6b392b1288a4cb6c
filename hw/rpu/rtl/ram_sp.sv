// SPDX-License-Identifier: Apache-2.0
// A single-port memory with synchronous read: in a cycle, it reads or writes one word, and a word that is read comes in
// the next cycle. Every memory of the machine consists of these memories. The output keeps its word until the next
// read. There is no reset and no initial content: a word is undefined until its first write.
module ram_sp #(
    parameter int unsigned WIDTH = 32,
    parameter int unsigned DEPTH = 16,
    localparam int unsigned AW = DEPTH > 1 ? $clog2(DEPTH) : 1
) (
    input  logic             clk,
    input  logic             enable,
    input  logic             write,
    input  logic [AW-1:0]    address,
    input  logic [WIDTH-1:0] data,
    output logic [WIDTH-1:0] q
);

  logic [WIDTH-1:0] mem[DEPTH]  /*verilator public_flat_rd*/;

  always_ff @(posedge clk)
    if (enable) begin
      if (write) mem[address] <= data;
      else q <= mem[address];
    end

endmodule
