// SPDX-License-Identifier: Apache-2.0
// The scalar data memory, and the scalar, modulus and address registers. D is the cycle in which an instruction is
// dispatched. A load reads the memory in D and writes its register in D + 1. A compute instruction reads its scalar and
// its modulus in D + 1, and the values appear in D + 2. Therefore single-port memories suffice for these registers.
// Address registers are flip-flops, because a vector access needs its base in D. If the register is written in D, the
// new address is forwarded. `mload` counts the z leading zeros of q and shifts them out: d = q 2^z. The words of the
// memory have 128 bits in every machine. In a machine with words of W bits, the reduction constant (v) is the upper W
// bits of the constant in memory. hw/rpu/README.md explains the terms.
module scalar_unit #(
    parameter int unsigned W = 128,
    parameter int unsigned SDM_WORDS = 2048,
    localparam int unsigned ZB = $clog2(W)
) (
    input  logic               clk,
    input  logic               rst,
    // ports of the dispatch stage
    input  rpu_pkg::decoded_t  in,
    input  logic               scalar,      // high if `in` is a scalar load that executes
    input  logic               compute,     // high if `in` is a compute instruction that is dispatched in this cycle
    output logic [20:0]        address_register,
    // outputs two cycles after `compute`
    output logic [W-1:0]       s,
    output logic [W-1:0]       q,
    output logic [W-1:0]       d,
    output logic [W-1:0]       v,
    output logic [ZB-1:0]      z,
    // ports of the host, for use while no program runs
    input  logic               host_write,
    input  logic [19:0]        host_address,
    input  logic [127:0]       host_data
);

  localparam int unsigned ROWS = (SDM_WORDS + 1) / 2;
  localparam int unsigned RW = ROWS > 1 ? $clog2(ROWS) : 1;

  // Two banks deliver a modulus and its constant in the same cycle.
  logic [19:0] even_word, odd_word;
  logic [127:0] even, odd, word, next;
  logic odd_first;

  assign even_word = host_write ? host_address : in.address + 20'd1;
  assign odd_word  = host_write ? host_address : in.address;

  ram_sp #(.WIDTH(128), .DEPTH(ROWS)) u_even (
      .clk, .enable(scalar || (host_write && !host_address[0])), .write(host_write),
      .address(even_word[RW:1]), .data(host_data), .q(even)
  );
  ram_sp #(.WIDTH(128), .DEPTH(ROWS)) u_odd (
      .clk, .enable(scalar || (host_write && host_address[0])), .write(host_write),
      .address(odd_word[RW:1]), .data(host_data), .q(odd)
  );
  assign word = odd_first ? odd : even;
  assign next = odd_first ? even : odd;

  // one cycle after the dispatch
  logic load_s, load_m, load_a, read;
  logic [5:0] number, rm;
  rpu_isa_pkg::roles_t roles;
  assign roles = rpu_isa_pkg::roles_of(in.op);

  always_ff @(posedge clk) begin
    load_s <= scalar && roles.s_write && !rst;
    load_m <= scalar && roles.m_write && !rst;
    load_a <= scalar && roles.a_write && !rst;
    read <= compute && !rst;
    number <= in.vt;
    rm <= in.rm;
    odd_first <= in.address[0];
  end

  ram_sp #(.WIDTH(W), .DEPTH(rpu_isa_pkg::Registers)) u_srf (
      .clk, .enable(load_s || read), .write(load_s), .address(number), .data(word[W-1:0]), .q(s)
  );

  logic [ZB-1:0] zeros;
  logic [W-1:0]  normal;
  leading_zeros #(.W(W)) u_normalise (.x(word[W-1:0]), .zeros, .shifted(normal));

  ram_sp #(.WIDTH(3 * W + ZB), .DEPTH(rpu_isa_pkg::Registers)) u_mrf (
      .clk, .enable(load_m || read), .write(load_m), .address(load_m ? number : rm),
      .data({zeros, word[W-1:0], normal, next[127-:W]}), .q({z, q, d, v})
  );

  logic [rpu_isa_pkg::Registers-1:0][20:0] arf  /*verilator public_flat_rd*/;
  always_ff @(posedge clk) if (load_a) arf[number] <= word[20:0];
  assign address_register = load_a && number == in.rm ? word[20:0] : arf[in.rm];

  logic unused;
  assign unused = &{1'b0, even_word[19:RW], odd_word[19:RW], even_word[0], odd_word[0], in, word, next, roles};

endmodule
