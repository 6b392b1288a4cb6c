// SPDX-License-Identifier: Apache-2.0
// The vector crossbar between the banks of the vector data memory and the lanes: addresses, passes, network. A group
// has GROUP = min(H, B) elements. For every element, VBAR computes the address and the number of the pass that serves
// the element. The number consists of the uppermost `folds` bits of the element's position in the group, and of one bit
// for each possible carry (vbar_folds.sv has the reasons). In a pass every bank reads or writes at most one word. If
// several lanes need the same word, all receive it. Cycle 0 is the start of an instruction. VBAR computes the addresses
// of the first pass in cycle 0, and uses the banks in cycle 1 + PRE. The registers of the lanes are written in cycle
// LATENCY. hw/rpu/README.md explains the terms.
module vbar #(
    parameter int unsigned W = 128,
    parameter int unsigned H = 128,
    parameter int unsigned B = 128,
    parameter bit XOR_HASH = 1'b0,
    parameter int unsigned WORDS = 262144,
    parameter int unsigned LATENCY = 4,
    parameter int unsigned OW = 10,
    localparam int unsigned BANK_ROWS = (WORDS + B - 1) / B,
    localparam int unsigned AW = BANK_ROWS > 1 ? $clog2(BANK_ROWS) : 1,
    localparam int unsigned ROWS = rpu_isa_pkg::VectorLength / H,
    localparam int unsigned RB = ROWS > 1 ? $clog2(ROWS) : 1
) (
    input  logic                 clk,
    input  logic                 rst,
    // ports in the cycle of the start and in the following cycles
    input  logic                 active,
    input  logic [OW-1:0]        beat,
    input  rpu_pkg::issue_t      issue,
    output logic [RB-1:0]        register_row,
    output logic                 stores,
    // ports in the next cycle: the words that a store has read
    input  logic [H-1:0][W-1:0]  stored,
    // ports of the banks
    output logic [B-1:0]         bank_enable,
    output logic                 bank_write,
    output logic [B-1:0][AW-1:0] bank_row,
    output logic [B-1:0][W-1:0]  bank_data,
    input  logic [B-1:0][W-1:0]  bank_q,
    // ports in the cycle of the write
    output logic [H-1:0]         lane_loaded,
    output logic [RB-1:0]        lane_row,
    output logic [H-1:0][W-1:0]  loaded
);

  localparam int unsigned GROUP = H < B ? H : B;
  localparam int unsigned GB = $clog2(GROUP);
  localparam int unsigned BB = $clog2(B);
  localparam int unsigned PARTS = H / GROUP;  // number of groups in a row of the lanes
  localparam int unsigned PB = PARTS > 1 ? $clog2(PARTS) : 1;
  localparam int unsigned PRE = (LATENCY - 2) / 2;
  localparam int unsigned POST = LATENCY - 2 - PRE;
  localparam int unsigned EB = 9;  // number of bits of an element's number

  // addresses
  rpu_isa_pkg::roles_t roles;
  logic [1:0] mode;
  logic [4:0] value;
  logic [3:0] folds;
  logic [1:0] carries;
  logic [3:0] shift;
  logic [EB-1:0] group, first;
  logic [OW-1:0] pass;

  assign roles  = rpu_isa_pkg::roles_of(issue.op);
  assign stores = roles.vd_read;
  assign mode   = roles.mode ? issue.vs[1:0] : 2'(rpu_isa_pkg::ModeRepeat);
  assign value  = roles.mode ? issue.vt[4:0] : 5'd0;
  vbar_folds #(.H(H), .B(B), .XOR_HASH(XOR_HASH)) u_folds (
      .mode, .value, .base(issue.base), .folds, .carries
  );
  assign shift = folds + 4'(carries[0]) + 4'(carries[1]);
  assign group = EB'(beat >> shift);
  assign pass  = beat & ~(~OW'(0) << shift);
  assign first = EB'(group << GB);
  assign register_row = RB'(first >> $clog2(H));

  // The number of the pass. Its upper bits are the folded bits of the position, and its lower bits are the carries.
  logic [3:0] fold_shift;
  logic [GB:0] fold_mask, fold_pattern;
  logic [1:0] carry_pattern;
  logic [OW-1:0] pass_rest;
  assign fold_shift = 4'(GB) - folds;
  assign fold_mask  = (GB + 1)'((GROUP - 1) & ~((1 << fold_shift) - 1));
  assign pass_rest  = carries[0] ? pass >> 1 : pass;
  assign carry_pattern = {carries[1] && pass_rest[0], carries[0] && pass[0]};
  assign fold_pattern = (GB + 1)'((carries[1] ? pass_rest >> 1 : pass_rest) << fold_shift) & fold_mask;

  logic [20:0] group_base;
  logic splits;
  logic [20:0] low_mask;
  assign group_base = issue.base + 21'(rpu_isa_pkg::mode_offset(mode, 6'(value), 30'(first)));
  assign splits = mode == 2'(rpu_isa_pkg::ModeSkip) && value < 5'(GB);
  assign low_mask = ~(~21'd0 << value);

  logic [GROUP-1:0] served, served_q;
  logic [GROUP-1:0][20:0] address, address_q;
  for (genvar j = 0; j < GROUP; j++) begin : g_element
    localparam logic [20:0] J = 21'(j);
    logic [20:0] low, high, low_wanted, high_wanted;
    logic [GB:0] position;
    logic low_carry, high_carry, into_high;
    assign address[j] = group_base + 21'(rpu_isa_pkg::mode_offset(mode, 6'(value), 30'(j)));
    // `low` and `high` are the address bits that the element's number determines. `low_wanted` and `high_wanted` are
    // the values that these bits have if the base is zero. A sum modulo a power of two has a carry out if and only if
    // it is smaller than both of its terms. With a carry in, it also has a carry out if it equals a term.
    always_comb begin
      low = '0;
      low_wanted = '0;
      high = address[j] & 21'(GROUP - 1);
      high_wanted = J;
      if (mode == 2'(rpu_isa_pkg::ModeStride)) high = (address[j] >> value) & 21'(GROUP - 1);
      else if (splits) begin
        low = address[j] & low_mask;
        low_wanted = J & low_mask;
        high = (address[j] >> (value + 5'd1)) & (21'(GROUP - 1) >> value);
        high_wanted = J >> value;
      end else if (mode == 2'(rpu_isa_pkg::ModeRepeat)) begin
        high = address[j] & low_mask & 21'(GROUP - 1);
        high_wanted = J & low_mask;
      end
      position = (GB + 1)'(splits ? (high << value) | low : high);
      low_carry = low < low_wanted;
      into_high = low_carry && issue.base[value];
      high_carry = into_high ? high <= high_wanted : high < high_wanted;
    end
    assign served[j] = active && (position & fold_mask) == fold_pattern
        && (!carries[0] || low_carry == carry_pattern[0]) && (!carries[1] || high_carry == carry_pattern[1]);
  end

  // one cycle later
  logic store_q;
  logic [PB-1:0] part_q;
  logic [RB-1:0] row_q;
  always_ff @(posedge clk) begin
    served_q <= rst ? '0 : served;
    address_q <= address;
    store_q <= stores;
    part_q <= PARTS > 1 ? PB'(group) : '0;
    row_q <= register_row;
  end

  function automatic logic [BB-1:0] bank_of(input logic [20:0] word);
    logic [BB-1:0] bank;
    bank = word[BB-1:0];
    if (XOR_HASH)
      for (int unsigned bit_number = BB; bit_number < 21; bit_number++)
        bank[bit_number%BB] = bank[bit_number%BB] ^ word[bit_number];
    bank_of = bank;
  endfunction

  logic [GROUP-1:0][BB-1:0] bank;
  logic [B-1:0] enable;
  logic [B-1:0][AW-1:0] row;
  logic [B-1:0][W-1:0] data;
  always_comb begin
    enable = '0;
    row = '0;
    data = '0;
    for (int unsigned j = 0; j < GROUP; j++) begin
      bank[j] = bank_of(address_q[j]);
      if (served_q[j]) begin
        enable[bank[j]] = 1'b1;
        row[bank[j]] = AW'(address_q[j] >> BB);
        data[bank[j]] = stored[32'(part_q)*GROUP+j];
      end
    end
  end

  delay_valid #(.WIDTH(B), .CYCLES(PRE)) u_enable (.clk, .rst, .value(enable), .later(bank_enable));
  delay #(.WIDTH(1 + B * (AW + W)), .CYCLES(PRE)) u_request (
      .clk, .value({store_q, row, data}), .later({bank_write, bank_row, bank_data})
  );

  // the way back to the lanes
  logic [GROUP-1:0] wanted, wanted_end;
  logic [GROUP-1:0][BB-1:0] source;
  logic [GROUP-1:0][W-1:0] word, word_end;
  logic [PB-1:0] part_end;
  delay_valid #(.WIDTH(GROUP), .CYCLES(PRE + 1)) u_wanted (
      .clk, .rst, .value(store_q ? '0 : served_q), .later(wanted)
  );
  delay #(.WIDTH(GROUP * BB), .CYCLES(PRE + 1)) u_source (.clk, .value(bank), .later(source));
  always_comb for (int unsigned j = 0; j < GROUP; j++) word[j] = bank_q[source[j]];
  delay_valid #(.WIDTH(GROUP), .CYCLES(POST)) u_wanted_end (.clk, .rst, .value(wanted), .later(wanted_end));
  delay #(.WIDTH(GROUP * W), .CYCLES(POST)) u_word (.clk, .value(word), .later(word_end));
  delay #(.WIDTH(PB + RB), .CYCLES(LATENCY - 1)) u_place (
      .clk, .value({part_q, row_q}), .later({part_end, lane_row})
  );
  for (genvar l = 0; l < H; l++) begin : g_lane
    assign lane_loaded[l] = wanted_end[l%GROUP] && 32'(part_end) == l / GROUP;
    assign loaded[l] = word_end[l%GROUP];
  end

  logic unused;
  assign unused = &{1'b0, issue, roles};

endmodule
