// SPDX-License-Identifier: Apache-2.0
// Types that the modules of the machine share. hw/rpu/README.md explains the terms.
package rpu_pkg;

  // A decoded instruction. `trap` is a code of rpu_isa_pkg, or 0 if the decoder found no illegal case. `pc` has one bit
  // more than an address of the instruction memory, because it can be the address after the last instruction.
  typedef struct packed {
    logic [16:0] pc;
    logic [4:0]  op;
    logic [5:0]  vd1;
    logic [5:0]  vt1;
    logic [19:0] address;
    logic [5:0]  vd;
    logic [5:0]  vs;
    logic [5:0]  vt;
    logic [5:0]  rm;
    logic        last;
    logic [7:0]  trap;
  } decoded_t;

  // An entry of a queue or of a pipe. `base` is the word address of element 0 of a vector load or store.
  typedef struct packed {
    logic [16:0] pc;
    logic [4:0]  op;
    logic [5:0]  vd1;
    logic [5:0]  vt1;
    logic [5:0]  vd;
    logic [5:0]  vs;
    logic [5:0]  vt;
    logic [20:0] base;
  } issue_t;

  localparam int unsigned IssueBits = 17 + 5 + 5 * 6 + 21;  // the value of $bits(issue_t), which yosys cannot compute

  // Reasons why the front end waits in a cycle.
  localparam logic [1:0] StallFrontEnd = 2'd0;
  localparam logic [1:0] StallBusyboard = 2'd1;
  localparam logic [1:0] StallQueue = 2'd2;
  localparam logic [1:0] StallPort = 2'd3;

  // The sources of results. Instructions with the same latency finish in order. Therefore each class of latency has one
  // line (rpu_control.sv).
  localparam int unsigned Lines = 5;
  localparam int unsigned LineMemory = 0;
  localparam int unsigned LineAdd = 1;
  localparam int unsigned LineMultiply = 2;
  localparam int unsigned LineMultiplyAdd = 3;
  localparam int unsigned LineShuffle = 4;

endpackage
