// SPDX-License-Identifier: Apache-2.0
// SBAR, the crossbar between lanes, for shuffles. Unpack interleaves the lower halves (UNPKLO) or the upper halves
// (UNPKHI) of two vectors. Pack gathers the even elements (PKLO) or the odd elements (PKHI) of two vectors. SBAR also
// determines which rows of the two sources are read. hw/rpu/README.md explains the terms. Row k of a register has the
// elements k H .. k H + H - 1, one for each lane. In beat r of an instruction (quotients are rounded down):
//   unpack: reads one row of both sources, uses half of this row, and writes row r. The row that it reads is r / 2 for
//           UNPKLO, and ROWS / 2 + r / 2 for UNPKHI
//   pack:   reads row r of the first source and row r ^ 1 of the second source. Each row becomes half a row. The half
//           of an even row goes to the lower lanes, the half of an odd row to the upper lanes. One of r and r ^ 1 is
//           even and the other is odd. Therefore the two halves go to different lanes and can be written at once. If a
//           register has only one row, the half of the first source goes to the lower lanes, and the half of the second
//           source to the upper lanes. Two rows of one register cannot be read at once. Therefore a pack of a register
//           with itself takes two cycles for each row
// The result is written LATENCY cycles after the read. Meanwhile, a *line* carries the instruction and the beat. A line
// is a shift register (rpu_control.sv).
module sbar #(
    parameter int unsigned W = 128,
    parameter int unsigned H = 128,
    parameter int unsigned LATENCY = 4,
    localparam int unsigned ROWS = rpu_isa_pkg::VectorLength / H,
    localparam int unsigned RB = ROWS > 1 ? $clog2(ROWS) : 1
) (
    input  logic                clk,
    // ports in the cycle of the read
    input  rpu_pkg::issue_t     issue,
    input  logic [RB:0]         beat,
    output logic [1:0][RB-1:0]  read_row,
    // ports in the next cycle
    input  logic [H-1:0][W-1:0] a,
    input  logic [H-1:0][W-1:0] b,
    // ports in the cycle of the write
    output logic [H-1:0][W-1:0] result,
    // from the line, in the cycle of the write
    input  rpu_pkg::issue_t     line,
    input  logic [RB:0]         line_beat,
    output logic [1:0]          write_half,  // one bit for each half of the lanes that is written
    output logic [1:0][RB-1:0]  write_row
);

  localparam int unsigned HALF = H / 2;

  function automatic logic packs(input logic [4:0] code);
    packs = code == 5'(rpu_isa_pkg::OpPklo) || code == 5'(rpu_isa_pkg::OpPkhi);
  endfunction
  function automatic logic takes_high(input logic [4:0] code);
    takes_high = code == 5'(rpu_isa_pkg::OpUnpkhi) || code == 5'(rpu_isa_pkg::OpPkhi);
  endfunction

  logic second, second_q, packs_q, high_q;  // `second` and `second_q` select a half of the lanes
  logic alone, line_packs, line_alone, again;
  assign alone = packs(issue.op) && issue.vs == issue.vt;
  assign line_packs = packs(line.op);
  assign line_alone = line_packs && line.vs == line.vt;

  if (ROWS > 1) begin : g_rows
    logic [RB-1:0] row, from, line_row;
    assign row = beat[RB-1:0];
    // An unpack of the upper halves begins at row ROWS / 2.
    assign from = (row >> 1) | (takes_high(issue.op) ? RB'(ROWS / 2) : '0);
    assign read_row[0] = packs(issue.op) ? row : from;
    assign read_row[1] = !packs(issue.op) ? from : alone ? row : row ^ RB'(1);
    assign second = row[0];
    // A pack writes the words of the first source to rows 0 .. ROWS / 2 - 1 of the result, and the words of the second
    // source to the other rows. In a pack of a register with itself, `again` is high in the second ROWS beats, which
    // write the other rows. The parity of the row that was read selects the half of the lanes.
    assign line_row = line_beat[RB-1:0];
    assign again = line_alone && line_beat[RB];
    always_comb begin
      write_row[0] = line_row;
      write_row[1] = line_row;
      write_half = 2'b11;
      if (line_packs) begin
        write_row[line_row[0]] = (line_row >> 1) | (again ? RB'(ROWS / 2) : '0);
        write_row[!line_row[0]] = (line_row >> 1) | RB'(ROWS / 2);
      end
      if (line_alone) write_half[!line_row[0]] = 1'b0;
    end
  end else begin : g_row
    assign read_row = '0;
    assign second = !packs(issue.op) && takes_high(issue.op);
    assign write_row = '0;
    assign again = line_beat[0];
    assign write_half = line_alone ? {again, !again} : 2'b11;
  end

  always_ff @(posedge clk) begin
    second_q <= second;
    packs_q <= packs(issue.op);
    high_q <= takes_high(issue.op);
  end

  logic unused;
  assign unused = &{1'b0, issue, line, beat, alone, again, line_beat};

  logic [H-1:0][W-1:0] shuffled;
  for (genvar l = 0; l < HALF; l++) begin : g_lane
    logic [W-1:0] from_a, from_b;  // words of a pack for lane l of either half
    assign from_a = high_q ? a[2*l+1] : a[2*l];
    assign from_b = high_q ? b[2*l+1] : b[2*l];
    assign shuffled[l] = packs_q ? (second_q ? from_b : from_a)
        : (l % 2 == 0 ? a[(second_q ? HALF : 0) + l / 2] : b[(second_q ? HALF : 0) + l / 2]);
    assign shuffled[HALF+l] = packs_q ? (second_q ? from_a : from_b)
        : ((HALF + l) % 2 == 0 ? a[(second_q ? HALF : 0) + (HALF + l) / 2] : b[(second_q ? HALF : 0) + (HALF + l) / 2]);
  end

  delay #(.WIDTH(H * W), .CYCLES(LATENCY - 1)) u_result (.clk, .value(shuffled), .later(result));

endmodule
