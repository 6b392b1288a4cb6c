// SPDX-License-Identifier: Apache-2.0
// Stores the scalars and moduli of compute instructions between dispatch and start (hw/rpu/README.md explains the
// terms). The values arrive in order, two cycles after the dispatch. An instruction needs them one cycle after its
// start. If the instruction does not wait, this is the cycle in which they arrive. The output keeps them until the
// instruction has read its last operand.
module modulus_queue #(
    parameter int unsigned WIDTH = 128,
    parameter int unsigned DEPTH = 8
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             push,
    input  logic [WIDTH-1:0] d,
    input  logic             first,   // high one cycle after the start of an instruction
    output logic [WIDTH-1:0] q
);

  localparam int unsigned CW = $clog2(DEPTH + 1);
  logic [DEPTH-1:0][WIDTH-1:0] entry;
  logic [WIDTH-1:0] held;
  logic [CW-1:0] count;
  logic empty, store, pop;

  assign empty = count == '0;
  assign store = push && !(first && empty);
  assign pop   = first && !empty;
  assign q     = !first ? held : empty ? d : entry[0];

  for (genvar i = 0; i < DEPTH; i++) begin : g_entry
    logic here;
    assign here = store && count == CW'(i) + CW'(pop);
    if (i + 1 < DEPTH) begin : g_moves
      always_ff @(posedge clk)
        if (here) entry[i] <= d;
        else if (pop) entry[i] <= entry[i+1];
    end else begin : g_tail
      always_ff @(posedge clk) if (here) entry[i] <= d;
    end
  end
  always_ff @(posedge clk) begin
    held <= q;
    if (rst) count <= '0;
    else count <= count + CW'(store) - CW'(pop);
  end

endmodule
