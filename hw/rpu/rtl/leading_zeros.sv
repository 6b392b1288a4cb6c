// SPDX-License-Identifier: Apache-2.0
// Counts the leading zeros of x and shifts them out, in steps of powers of two. For x = 0 the count is W - 1.
module leading_zeros #(
    parameter int unsigned W = 128,
    localparam int unsigned ZB = $clog2(W)
) (
    input  logic [W-1:0]  x,
    output logic [ZB-1:0] zeros,
    output logic [W-1:0]  shifted
);

  logic [ZB:0][W-1:0] step;
  assign step[ZB] = x;
  for (genvar k = 0; k < ZB; k++) begin : g_step
    localparam int unsigned By = 1 << k;
    assign zeros[k] = step[k+1][W-1-:By] == '0;
    assign step[k]  = zeros[k] ? step[k+1] << By : step[k+1];
  end
  assign shifted = step[0];

endmodule
