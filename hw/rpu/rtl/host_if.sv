// SPDX-License-Identifier: Apache-2.0
// The interface to the host. While no program runs, the host fills the instruction memory and the scalar data memory.
// It gives the address of a kernel's first instruction, starts the kernel, and reads how the kernel ended. A second
// port (dma) transfers rows of the vector data memory at any time. A row is one word of each bank. A transfer uses the
// banks in cycles in which no load or store uses them, and therefore never delays a program. `dma_ready` tells that the
// request was accepted. The words of a read come in the next cycle. hw/rpu/README.md explains the terms of the machine.
module host_if #(
    parameter int unsigned W = 128,
    parameter int unsigned B = 128,
    parameter int unsigned AW = 11
) (
    input  logic                 clk,
    input  logic                 rst,
    // ports of the host
    input  logic                 start,
    input  logic [16:0]          start_pc,
    input  logic [16:0]          code_words,
    output logic                 done,
    output logic [31:0]          cycles,
    input  logic                 im_write,
    input  logic [15:0]          im_write_address,
    input  logic [63:0]          im_write_data,
    input  logic                 dma_request,
    input  logic                 dma_write,
    input  logic [AW-1:0]        dma_row,
    input  logic [B-1:0][W-1:0]  dma_data,
    output logic                 dma_ready,
    output logic [B-1:0][W-1:0]  dma_q,
    // ports of the machine
    output logic                 go,
    output logic [16:0]          go_pc,
    output logic [16:0]          limit,
    input  logic                 busy,
    input  logic                 in_program,
    input  logic                 im_read,
    input  logic [15:0]          im_address,
    output logic [63:0]          im_word,
    input  logic [B-1:0]         bank_enable,
    input  logic                 bank_write,
    input  logic [B-1:0][AW-1:0] bank_row,
    input  logic [B-1:0][W-1:0]  bank_data,
    output logic [B-1:0]         vdm_enable,
    output logic                 vdm_write,
    output logic [B-1:0][AW-1:0] vdm_row,
    output logic [B-1:0][W-1:0]  vdm_data,
    input  logic [B-1:0][W-1:0]  vdm_q
);

  logic host_im, idle;
  assign host_im = im_write && !busy;
  ram_sp #(.WIDTH(64), .DEPTH(rpu_isa_pkg::InstructionMemory)) u_im (
      .clk, .enable(im_read || host_im), .write(host_im), .address(host_im ? im_write_address : im_address),
      .data(im_write_data), .q(im_word)
  );

  assign go    = start && !busy;
  assign go_pc = start_pc;
  always_ff @(posedge clk) begin
    if (go) limit <= code_words;
    if (rst || go) cycles <= '0;
    else if (in_program) cycles <= cycles + 32'd1;
    if (rst) done <= 1'b0;
    else if (go) done <= 1'b0;
    else if (!busy) done <= 1'b1;
  end

  assign idle = bank_enable == '0;
  assign dma_ready = dma_request && idle;
  always_comb begin
    vdm_enable = dma_ready ? '1 : bank_enable;
    vdm_write  = dma_ready ? dma_write : bank_write;
    vdm_row    = bank_row;
    vdm_data   = bank_data;
    if (dma_ready) begin
      vdm_row  = {B{dma_row}};
      vdm_data = dma_data;
    end
  end
  assign dma_q = vdm_q;

endmodule
