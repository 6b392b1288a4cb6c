// SPDX-License-Identifier: Apache-2.0
// The queue in front of a pipe, and the first stage of the pipe. The start of an instruction is fixed when it is
// dispatched: the next cycle, or the cycle in which the pipe becomes free. An entry contains the start cycle of its
// instruction, and leaves the queue one cycle earlier. An instruction that starts at once does not enter the queue.
// `active` is high in the cycles from start to start + occupancy - 1. hw/rpu/README.md explains the terms.
module rpu_queue #(
    parameter int unsigned DEPTH = 8,
    parameter int unsigned TW = 14,
    parameter int unsigned OW = 10
) (
    input  logic            clk,
    input  logic            rst,
    input  logic [TW-1:0]   now,
    input  logic            push,
    input  logic [OW-1:0]   occupancy,
    input  rpu_pkg::issue_t issue,
    output logic            full,
    output logic [TW-1:0]   start,     // start of an instruction that is dispatched now
    output logic            active,
    output logic            first,
    output logic            last,
    output logic [OW-1:0]   beat,      // number of the cycle, counted from the start of the instruction
    output rpu_pkg::issue_t current
);

  typedef struct packed {
    logic [TW-1:0]   start;
    logic [OW-1:0]   occupancy;
    rpu_pkg::issue_t issue;
  } entry_t;
  localparam int unsigned CW = $clog2(DEPTH + 1);

  logic [DEPTH-1:0][TW+OW+rpu_pkg::IssueBits-1:0] entry;
  entry_t        incoming, head;
  logic [CW-1:0] count;
  logic [TW-1:0] free_in;  // number of cycles until the pipe is free
  logic [OW-1:0] left;
  logic          at_once, pop, store;

  assign at_once  = free_in <= TW'(1);
  assign start    = now + (at_once ? TW'(1) : free_in);
  assign full     = count == CW'(DEPTH);
  assign incoming = {start, occupancy, issue};
  assign head     = entry[0];
  assign pop      = count != '0 && head.start == now + TW'(1);
  assign store    = push && !at_once;

  always_ff @(posedge clk)
    if (rst) free_in <= '0;
    else if (push) free_in <= (at_once ? TW'(0) : free_in - TW'(1)) + TW'(occupancy);
    else if (free_in != '0) free_in <= free_in - TW'(1);

  // Entries move up when the first entry leaves.
  for (genvar i = 0; i < DEPTH; i++) begin : g_entry
    logic here;
    assign here = store && count == CW'(i) + CW'(pop);
    if (i + 1 < DEPTH) begin : g_moves
      always_ff @(posedge clk)
        if (here) entry[i] <= incoming;
        else if (pop) entry[i] <= entry[i+1];
    end else begin : g_tail
      always_ff @(posedge clk) if (here) entry[i] <= incoming;
    end
  end
  always_ff @(posedge clk)
    if (rst) count <= '0;
    else count <= count + CW'(store) - CW'(pop);

  always_ff @(posedge clk) begin
    first <= 1'b0;
    if (rst) active <= 1'b0;
    else if (push && at_once) begin
      active <= 1'b1;
      first <= 1'b1;
      left <= occupancy;
      beat <= '0;
      current <= issue;
    end else if (pop) begin
      active <= 1'b1;
      first <= 1'b1;
      left <= head.occupancy;
      beat <= '0;
      current <= head.issue;
    end else if (active) begin
      if (last) active <= 1'b0;
      left <= left - OW'(1);
      beat <= beat + OW'(1);
    end
  end
  assign last = active && left == OW'(1);

endmodule
