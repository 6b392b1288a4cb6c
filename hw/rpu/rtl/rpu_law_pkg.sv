// SPDX-License-Identifier: Apache-2.0
// The stages of a lane. Defines how many registers are behind each block of the modular multiplier, and in which cycle
// a lane needs which words of the modulus. The lane, its multiplier and the pipe of moduli use these functions.
// Therefore an operand and its modulus arrive together.
//
// An instruction that starts in cycle T has its operands at the lane's inputs in T + 1 and its result at a register
// memory's write port in T + latency: `latency` counts the read of the register memory, and latency - 1 registers are
// in between. With an interval of I cycles, the inputs hold an element for I cycles, and its result comes I - 1 cycles
// later, in the last cycle of the element's window.
package rpu_law_pkg;

  // Words of the modulus on a lane's port `moduli`, in this order from the least significant word.
  localparam int unsigned ShiftIn = 0;  // leading zeros of q, for the first block
  localparam int unsigned Reciprocal = 1;  // floor((2^(2W) - 1) / d) - 2^W, where d is q without its leading zeros
  localparam int unsigned NormalRemainder = 2;  // d, for the third product
  localparam int unsigned NormalCorrection = 3;  // d, for the correction
  localparam int unsigned ShiftOut = 4;  // leading zeros of q, for the last block
  localparam int unsigned AddCorrection = 5;  // q, for the correction of a sum
  localparam int unsigned ButterflyCorrection = 6;  // q, for the correction of a butterfly's sums
  localparam int unsigned ModuliWords = 7;

  // The blocks of the multiplier, in order. Functions use the numbers of the blocks, because yosys does not find these
  // names inside functions.
  localparam int unsigned Normalise = 0;
  localparam int unsigned Product = 1;
  localparam int unsigned Quotient = 2;
  localparam int unsigned Remainder = 3;
  localparam int unsigned Correction = 4;
  localparam int unsigned Denormalise = 5;

  // Tells whether each product is computed digit by digit, in `interval` cycles. This needs a latency of 2 interval + 3
  // cycles. With a shorter latency the multiplier computes whole products, and is idle in interval - 1 of `interval`
  // cycles.
  function automatic logic serial(input int unsigned latency, input int unsigned interval);
    serial = interval > 1 && latency >= 2 * interval + 3;
  endfunction

  // Returns the number of registers between the multiplier's inputs and its output.
  function automatic int unsigned product_registers(input int unsigned latency, input int unsigned interval);
    product_registers = latency - 1 + (serial(latency, interval) ? interval - 1 : 0);
  endfunction

  // Returns the number of registers behind a block. The first registers go behind the three products, then behind the
  // correction and in front of the first product. The next three are a second register behind each product: synthesis
  // moves it into the product. All further registers only delay the result.
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

  // Returns the number of registers between the multiplier's inputs and a block.
  function automatic int unsigned registers_before(
      input int unsigned block, input int unsigned latency, input int unsigned interval
  );
    registers_before = 0;
    for (int unsigned earlier = 0; earlier < block; earlier++) begin
      registers_before = registers_before + registers_behind(earlier, latency, interval);
    end
  endfunction

endpackage
