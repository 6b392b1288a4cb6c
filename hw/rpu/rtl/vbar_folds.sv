// SPDX-License-Identifier: Apache-2.0
// Computes how many passes VBAR makes for a group of min(H, B) elements (hw/rpu/README.md explains the terms). A stride
// and a skip are modes of loads and stores (doc/isa.md). A skip inside a group has blocks shorter than the group. The
// number of passes is 2^(folds + carries). It depends on the machine parameter bank_hash, which determines the bank
// of an address.
//   low hash: With a stride, 2^folds elements of a group are in one bank. With a skip inside a group, two elements are
//             in one bank if a group has as many elements as there are banks.
//   xor hash: With a skip inside a group, two elements are in one bank under the same condition, except for a skip of
//             1. The offsets of a group's elements differ in one or two runs of address bits. If a bit of the base
//             is 1 in such a run, the sum of base and offset has a carry for some elements only. A carry changes the
//             hash. Therefore each such run doubles the number of passes.
// `carries` has one bit for each run: {upper run, lower run}. Only a skip inside a group has both runs. In all other
// cases there is only the upper run.
module vbar_folds #(
    parameter int unsigned H = 128,
    parameter int unsigned B = 128,
    parameter bit XOR_HASH = 1'b0
) (
    input  logic [1:0]  mode,
    input  logic [4:0]  value,
    input  logic [20:0] base,
    output logic [3:0]  folds,
    output logic [1:0]  carries
);

  localparam int unsigned GROUP = H < B ? H : B;
  localparam int unsigned GB = $clog2(GROUP);
  localparam int unsigned BB = $clog2(B);

  logic splits;  // high for a skip inside a group, which has two runs of address bits, above and below bit `value`
  logic [5:0] reach;
  logic [20:0] run, lower, upper;

  assign splits = mode == 2'(rpu_isa_pkg::ModeSkip) && value < 5'(GB);
  assign reach  = 6'(GB) + 6'(value);

  always_comb begin
    folds = '0;
    if (!XOR_HASH && mode == 2'(rpu_isa_pkg::ModeStride)) begin
      if (reach >= 6'(GB + BB)) folds = 4'(GB);
      else if (reach > 6'(BB)) folds = 4'(reach - 6'(BB));
    end
    if (splits && GROUP == B && !(XOR_HASH && value == 5'd0)) folds = 4'd1;
  end

  // The address bits in which the elements of a group differ. A repetition that is shorter than a group has fewer of
  // them.
  assign run = 21'(GROUP - 1);
  always_comb begin
    lower = '0;
    upper = '0;
    case (mode)
      2'(rpu_isa_pkg::ModeStride): upper = run << value;
      2'(rpu_isa_pkg::ModeSkip):
      if (splits) begin
        lower = run & ~(~21'd0 << value);
        upper = (run << 1) & (~21'd1 << value);
      end else upper = run;
      2'(rpu_isa_pkg::ModeRepeat): upper = run & ~(~21'd0 << value);
      default: upper = run;
    endcase
    carries[0] = XOR_HASH && |(base & lower);
    carries[1] = XOR_HASH && (|(base & upper) || (|(base & lower) && base[value]));
  end

endmodule
