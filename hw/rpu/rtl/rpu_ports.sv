// SPDX-License-Identifier: Apache-2.0
// The reservations of the 16 register memories. A memory has a single port. An instruction that starts at cycle T reads
// the memories of its sources in the window [T, T + occupancy). It writes the memories of its results in a second
// window, `latency` cycles later. No two windows on one memory may overlap. The table of reservations has an entry for
// each instruction between dispatch and finish: two windows and two sets of memories. Times are cycles modulo 2^TW. The
// sign of the difference of two times tells which is earlier. The alternative is a bit for each memory and each future
// cycle. It would need tens of thousands of bits, because a load with bank conflicts can reserve 512 cycles and more,
// and may wait behind a full queue of other such loads. hw/rpu/README.md explains the terms.
module rpu_ports #(
    parameter int unsigned ENTRIES = 32,
    parameter int unsigned TW = 14
) (
    input  logic          clk,
    input  logic          rst,
    input  logic [TW-1:0] now,
    // ports for the instruction that requests a reservation
    input  logic [TW-1:0] start,
    input  logic [TW-1:0] occupancy,
    input  logic [TW-1:0] latency,
    input  logic [15:0]   read_memories,
    input  logic [15:0]   write_memories,
    output logic          conflict,
    input  logic          reserve
);

  typedef struct packed {
    logic [TW-1:0] read_begin;
    logic [TW-1:0] read_end;
    logic [TW-1:0] write_begin;
    logic [TW-1:0] write_end;
    logic [15:0]   read_memories;
    logic [15:0]   write_memories;
  } window_t;

  logic [ENTRIES-1:0] valid, hit, take;
  window_t asked;

  always_comb begin
    asked.read_begin = start;
    asked.read_end = start + occupancy;
    asked.write_begin = start + latency;
    asked.write_end = start + latency + occupancy;
    asked.read_memories = read_memories;
    asked.write_memories = write_memories;
  end

  function automatic logic earlier(input logic [TW-1:0] a, input logic [TW-1:0] b);
    logic [TW-1:0] difference;
    difference = a - b;
    earlier = difference[TW-1];
  endfunction

  function automatic logic meet(input logic [TW-1:0] begin_a, input logic [TW-1:0] end_a,
                                input logic [TW-1:0] begin_b, input logic [TW-1:0] end_b);
    meet = earlier(begin_a, end_b) && earlier(begin_b, end_a);
  endfunction

  for (genvar i = 0; i < ENTRIES; i++) begin : g_entry
    window_t e;
    logic read_read, read_write, write_read, write_write;
    assign read_read = |(asked.read_memories & e.read_memories)
        && meet(asked.read_begin, asked.read_end, e.read_begin, e.read_end);
    assign read_write = |(asked.read_memories & e.write_memories)
        && meet(asked.read_begin, asked.read_end, e.write_begin, e.write_end);
    assign write_read = |(asked.write_memories & e.read_memories)
        && meet(asked.write_begin, asked.write_end, e.read_begin, e.read_end);
    assign write_write = |(asked.write_memories & e.write_memories)
        && meet(asked.write_begin, asked.write_end, e.write_begin, e.write_end);
    assign hit[i] = valid[i] && (read_read || read_write || write_read || write_write);
    always_ff @(posedge clk) begin
      if (rst) valid[i] <= 1'b0;
      else if (take[i]) valid[i] <= 1'b1;
      else if (!earlier(now + TW'(1), e.write_end)) valid[i] <= 1'b0;
      if (take[i]) e <= asked;
    end
  end

  assign conflict = |hit;

  // The reservation is stored in the first free entry.
  always_comb begin
    take = '0;
    for (int i = int'(ENTRIES) - 1; i >= 0; i--)
      if (!valid[i]) begin
        take = '0;
        take[i] = reserve;
      end
  end

endmodule
