// SPDX-License-Identifier: Apache-2.0
// The stages of a lane. The package defines how many registers are behind each block of the modular multiplier
// (modmul.sv), and in which cycle a lane needs which words of the modulus. The lane, its multiplier and the pipe of
// moduli use these functions, so that an operand and its modulus arrive together. hw/rpu/README.md explains the terms.
//
// An instruction that starts in cycle T has its operands at the inputs of the lane in cycle T + 1. It has its result at
// the write port of a register memory in cycle T + latency. `latency` includes the read of the register memory.
// Therefore latency - 1 registers are between the inputs and the write port. The interval (the parameter
// multiply_interval) is the number of cycles per product. If the interval is I cycles, an element is at the inputs for
// I cycles. Its result comes I - 1 cycles later than with interval 1.
package rpu_law_pkg;

  // The words of the modulus on a lane's port `moduli`. The least significant word is the first one.
  localparam int unsigned ShiftIn = 0;  // number of leading zeros of q, for the first block
  // floor((2^(2W) - 1) / d) - 2^W; here and below, d is q without its leading zeros
  localparam int unsigned Reciprocal = 1;
  localparam int unsigned NormalRemainder = 2;  // d, for the third product
  localparam int unsigned NormalCorrection = 3;  // d, for the correction
  localparam int unsigned ShiftOut = 4;  // number of leading zeros of q, for the last block
  localparam int unsigned AddCorrection = 5;  // q, for the correction of a sum
  localparam int unsigned ButterflyCorrection = 6;  // q, for the corrections of a butterfly's sum and difference
  localparam int unsigned ModuliWords = 7;

  // The blocks of the multiplier, in order. Functions use the numbers instead of these names, because yosys does not
  // find the names inside functions.
  localparam int unsigned Normalise = 0;
  localparam int unsigned Product = 1;
  localparam int unsigned Quotient = 2;
  localparam int unsigned Remainder = 3;
  localparam int unsigned Correction = 4;
  localparam int unsigned Denormalise = 5;

  // Tells whether each product is computed digit by digit, in `interval` cycles. This needs a latency of at least 2 *
  // interval + 3 cycles. With a shorter latency the multiplier computes whole products: it works in one of `interval`
  // cycles and is idle in the others.
  function automatic logic serial(input int unsigned latency, input int unsigned interval);
    serial = interval > 1 && latency >= 2 * interval + 3;
  endfunction

  // Returns the number of registers between the inputs and the output of the multiplier.
  function automatic int unsigned product_registers(input int unsigned latency, input int unsigned interval);
    product_registers = latency - 1 + (serial(latency, interval) ? interval - 1 : 0);
  endfunction

  // Returns the number of registers behind a block. If products are computed at once, the first three registers are
  // behind the three products. The fourth register is behind the correction, and the fifth is in front of the first
  // product. The next three are a second register behind each product, which synthesis moves into the product. If
  // products are computed digit by digit, `interval` registers are behind each product, one is behind the correction,
  // and the next one is in front of the first product. All further registers only delay the result.
  function automatic int unsigned registers_behind(
      input int unsigned block, input int unsigned latency, input int unsigned interval
  );
    int unsigned total, spare;
    total = product_registers(latency, interval);
    spare = total - (3 * interval + 1);
    registers_behind = 0;
    if (serial(latency, interval)) begin
      case (block)
        0: registers_behind = spare >= 1 ? 1 : 0;
        1, 2, 3: registers_behind = interval;
        4: registers_behind = 1;
        default: registers_behind = spare >= 1 ? spare - 1 : 0;
      endcase
    end else begin
      case (block)
        0: registers_behind = total >= 5 ? 1 : 0;
        1: registers_behind = total >= 6 ? 2 : total >= 1 ? 1 : 0;
        2: registers_behind = total >= 7 ? 2 : total >= 2 ? 1 : 0;
        3: registers_behind = total >= 8 ? 2 : total >= 3 ? 1 : 0;
        4: registers_behind = total >= 4 ? 1 : 0;
        default: registers_behind = total >= 8 ? total - 8 : 0;
      endcase
    end
  endfunction

  // Returns the number of registers between the inputs of the multiplier and a block.
  function automatic int unsigned registers_before(
      input int unsigned block, input int unsigned latency, input int unsigned interval
  );
    registers_before = 0;
    for (int unsigned earlier = 0; earlier < block; earlier++) begin
      registers_before = registers_before + registers_behind(earlier, latency, interval);
    end
  endfunction

endpackage
