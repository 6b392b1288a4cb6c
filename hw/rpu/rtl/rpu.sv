// SPDX-License-Identifier: Apache-2.0
// The ring processor. rpu_control decides the cycle of every action. Lanes, crossbars and memories obey its signals.
// The latencies of the machine determine how many pipeline registers lanes and crossbars have. Parameters have the
// meaning that isa/machine.yml states. W is the number of bits of a word. hw/rpu/README.md explains the terms of the
// machine, and docs/rpu.md has a diagram of the modules.
module rpu #(
    parameter int unsigned W = 128,
    parameter int unsigned H = rpu_machine_pkg::Hples,
    parameter int unsigned B = rpu_machine_pkg::Banks,
    parameter int unsigned BANK_HASH = rpu_machine_pkg::BankHash,
    parameter int unsigned VDM_WORDS = rpu_machine_pkg::VdmWords,
    parameter int unsigned SDM_WORDS = rpu_machine_pkg::SdmWords,
    parameter int unsigned DISPATCH = rpu_machine_pkg::Dispatch,
    parameter int unsigned SCALAR_CYCLES = rpu_machine_pkg::ScalarCycles,
    parameter int unsigned QUEUE_DEPTH = rpu_machine_pkg::QueueDepth,
    parameter int unsigned BUSYBOARD = rpu_machine_pkg::Busyboard,
    parameter int unsigned MULTIPLY_LATENCY = rpu_machine_pkg::MultiplyLatency,
    parameter int unsigned MULTIPLY_INTERVAL = rpu_machine_pkg::MultiplyInterval,
    parameter int unsigned ADD_LATENCY = rpu_machine_pkg::AddLatency,
    parameter int unsigned MEMORY_LATENCY = rpu_machine_pkg::MemoryLatency,
    parameter int unsigned SHUFFLE_LATENCY = rpu_machine_pkg::ShuffleLatency,
    localparam int unsigned BANK_ROWS = (VDM_WORDS + B - 1) / B,
    localparam int unsigned AW = BANK_ROWS > 1 ? $clog2(BANK_ROWS) : 1
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                start,
    input  logic [16:0]         start_pc,
    input  logic [16:0]         code_words,
    output logic                done,
    output logic [7:0]          trap,
    output logic [16:0]         trap_pc,
    output logic [31:0]         cycles,
    output logic [3:0][31:0]    stalls,
    input  logic                im_write,
    input  logic [15:0]         im_write_address,
    input  logic [63:0]         im_write_data,
    input  logic                sdm_write,
    input  logic [19:0]         sdm_write_address,
    input  logic [127:0]        sdm_write_data,
    input  logic                dma_request,
    input  logic                dma_write,
    input  logic [AW-1:0]       dma_row,
    input  logic [B-1:0][W-1:0] dma_data,
    output logic                dma_ready,
    output logic [B-1:0][W-1:0] dma_q,
    // outputs for a test bench: the actions of this cycle
    output logic                trace_on,            // high while cycles of the program are counted
    output logic                trace_dispatch,
    output logic                trace_stall,
    output logic [1:0]          trace_stall_reason,
    output logic [16:0]         trace_pc,            // pc of the instruction in the dispatch stage
    output logic [2:0]          trace_start,         // for each pipe: an instruction starts
    output logic [2:0][16:0]    trace_start_pc,
    output logic [4:0]          trace_last,          // for each line (rpu_pkg::Line*): its instruction finishes
    output logic [4:0][16:0]    trace_last_pc
);

  localparam int unsigned XOR = BANK_HASH == rpu_machine_pkg::BankHashXor ? 1 : 0;
  localparam int unsigned ROWS = rpu_isa_pkg::VectorLength / H;
  localparam int unsigned RB = ROWS > 1 ? $clog2(ROWS) : 1;
  localparam int unsigned VAW = 2 + $clog2(ROWS);
  localparam int unsigned GROUPS = rpu_isa_pkg::VectorLength / (H < B ? H : B);
  localparam int unsigned COMPUTE_CYCLES = ROWS * MULTIPLY_INTERVAL;
  localparam int unsigned MEMORY_CYCLES = XOR == 1 && GROUPS * 8 > 512 ? GROUPS * 8 : 512;
  localparam int unsigned OW = $clog2((COMPUTE_CYCLES > MEMORY_CYCLES ? COMPUTE_CYCLES : MEMORY_CYCLES) + 1);
  localparam int unsigned ZB = $clog2(W);

  // control
  logic go, busy, im_read, scalar, compute_dispatch, compute_read;
  logic [16:0] go_pc, limit;
  logic [15:0] im_address;
  logic [63:0] im_word;
  rpu_pkg::decoded_t in;
  rpu_pkg::issue_t memory, compute, shuffle;
  logic [20:0] address_register;
  logic [2:0] active, first;
  logic [2:0][OW-1:0] beat;
  logic [RB-1:0] compute_row;
  logic [4:0] line_valid, line_last;
  logic [4:0][RB:0] line_row;
  logic [4:0][rpu_pkg::IssueBits-1:0] line;  // issue_t

  rpu_control #(
      .H(H), .B(B), .XOR_HASH(XOR == 1), .VDM_WORDS(VDM_WORDS), .SDM_WORDS(SDM_WORDS), .DISPATCH(DISPATCH),
      .SCALAR_CYCLES(SCALAR_CYCLES), .QUEUE_DEPTH(QUEUE_DEPTH),
      .STRICT(BUSYBOARD == rpu_machine_pkg::BusyboardStrict), .MULTIPLY_LATENCY(MULTIPLY_LATENCY),
      .MULTIPLY_INTERVAL(MULTIPLY_INTERVAL), .ADD_LATENCY(ADD_LATENCY), .MEMORY_LATENCY(MEMORY_LATENCY),
      .SHUFFLE_LATENCY(SHUFFLE_LATENCY)
  ) u_control (
      .clk, .rst, .go, .go_pc, .limit, .busy, .in_program(trace_on), .trap, .trap_pc, .stalls, .im_read, .im_address,
      .im_word, .in, .scalar, .compute_dispatch, .address_register, .active, .first, .beat, .memory, .compute,
      .shuffle, .compute_row, .compute_read, .line_valid, .line_row, .line_last, .line, .dispatched(trace_dispatch),
      .stall(trace_stall), .stall_reason(trace_stall_reason)
  );
  assign trace_pc = in.pc;
  assign trace_start = first;
  assign trace_start_pc = {shuffle.pc, compute.pc, memory.pc};
  assign trace_last = line_last;
  for (genvar k = 0; k < 5; k++) begin : g_trace
    rpu_pkg::issue_t at_end;
    assign at_end = line[k];
    assign trace_last_pc[k] = at_end.pc;
    logic unused_end;
    assign unused_end = &{1'b0, at_end};
  end

  // scalars and moduli
  logic [W-1:0] s_read, q_read, d_read, v_read, s, q, d, v;
  logic [ZB-1:0] z_read, z;
  logic [1:0] compute_late;
  logic compute_first;
  scalar_unit #(.W(W), .SDM_WORDS(SDM_WORDS)) u_scalar (
      .clk, .rst, .in, .scalar, .compute(compute_dispatch), .address_register, .s(s_read), .q(q_read), .d(d_read),
      .v(v_read), .z(z_read), .host_write(sdm_write && !busy), .host_address(sdm_write_address),
      .host_data(sdm_write_data)
  );
  always_ff @(posedge clk) begin
    compute_late  <= rst ? '0 : {compute_late[0], compute_dispatch};
    compute_first <= first[1];
  end
  modulus_queue #(.WIDTH(4 * W + ZB), .DEPTH(QUEUE_DEPTH + 1)) u_moduli (
      .clk, .rst, .push(compute_late[1]), .d({s_read, q_read, d_read, v_read, z_read}), .first(compute_first),
      .q({s, q, d, v, z})
  );

  logic [rpu_law_pkg::ModuliWords*W-1:0] moduli;
  modulus_pipe #(
      .W(W), .MULTIPLY_LATENCY(MULTIPLY_LATENCY), .ADD_LATENCY(ADD_LATENCY), .MULTIPLY_INTERVAL(MULTIPLY_INTERVAL)
  ) u_modulus_pipe (.clk, .q, .normal(d), .reciprocal(v), .shift(z), .moduli);

  // the work of the lanes: one cycle after their reads
  rpu_isa_pkg::roles_t compute_roles;
  logic bfly, subtract, by_scalar, element_first;
  assign compute_roles = rpu_isa_pkg::roles_of(compute.op);
  always_ff @(posedge clk) begin
    bfly <= compute_roles.vt1_read;
    subtract <= compute.op == 5'(rpu_isa_pkg::OpVsubmod) || compute.op == 5'(rpu_isa_pkg::OpVssubmod);
    by_scalar <= compute_roles.s_read;
    element_first <= compute_read;
  end

  // register memories
  logic memory_stores;
  logic [RB-1:0] memory_row, loaded_row;
  logic [1:0][RB-1:0] shuffle_rows, shuffled_rows;
  rpu_pkg::issue_t to_load, to_sum, to_product, to_bfly, to_shuffle;
  logic [1:0][15:0] enable;
  logic [15:0] writes;
  logic [15:0][2:0] bus;
  logic [1:0][15:0][VAW-1:0] address;
  logic [5:0][3:0] selected;
  logic [5:0] reading;
  logic [5:0][1:0] writing;
  logic [1:0] shuffled_half;
  logic [H-1:0] lane_loaded;

  assign to_load = line[rpu_pkg::LineMemory];
  assign to_sum = line[rpu_pkg::LineAdd];
  assign to_product = line[rpu_pkg::LineMultiply];
  assign to_bfly = line[rpu_pkg::LineMultiplyAdd];
  assign to_shuffle = line[rpu_pkg::LineShuffle];
  assign reading = {
    active[2], active[2], compute_read && compute_roles.vt1_read, compute_read && compute_roles.vt_read,
    compute_read && compute_roles.vs_read, active[0] && memory_stores
  };
  assign writing = {
    shuffled_half & {2{line_valid[rpu_pkg::LineShuffle]}}, {4{line_valid[rpu_pkg::LineMultiplyAdd]}},
    {2{line_valid[rpu_pkg::LineMultiply]}}, {2{line_valid[rpu_pkg::LineAdd]}}, {2{|lane_loaded}}
  };
  vrf_control #(.H(H)) u_vrf (
      .clk, .read(reading),
      .read_register({shuffle.vt, shuffle.vs, compute.vt1, compute.vt, compute.vs, memory.vd}),
      .read_row({shuffle_rows[1], shuffle_rows[0], compute_row, compute_row, compute_row, memory_row}),
      .write(writing),
      .write_register({to_shuffle.vd, to_bfly.vd1, to_bfly.vd, to_product.vd, to_sum.vd, to_load.vd}),
      .write_row({
        shuffled_rows, {4{line_row[rpu_pkg::LineMultiplyAdd][RB-1:0]}},
        {2{line_row[rpu_pkg::LineMultiply][RB-1:0]}}, {2{line_row[rpu_pkg::LineAdd][RB-1:0]}}, {2{loaded_row}}
      }),
      .enable, .writes, .bus, .address, .selected
  );

  // lanes
  logic [H-1:0][W-1:0] stored, loaded, shuffled, shuffle_a, shuffle_b;
  for (genvar l = 0; l < H; l++) begin : g_lane
    hple #(
        .W(W), .H(H), .MULTIPLY_LATENCY(MULTIPLY_LATENCY), .MULTIPLY_INTERVAL(MULTIPLY_INTERVAL),
        .ADD_LATENCY(ADD_LATENCY)
    ) u_hple (
        .clk, .enable(enable[2*l/H]), .writes, .bus, .address(address[2*l/H]), .selected, .bfly, .subtract,
        .element_first,
        .scalar(by_scalar), .s, .moduli, .loaded(lane_loaded[l]), .from_vbar(loaded[l]),
        .from_sbar(shuffled[l]), .to_vbar(stored[l]), .to_sbar({shuffle_b[l], shuffle_a[l]})
    );
  end

  sbar #(.W(W), .H(H), .LATENCY(SHUFFLE_LATENCY)) u_sbar (
      .clk, .issue(shuffle), .beat((RB + 1)'(beat[2])), .read_row(shuffle_rows), .a(shuffle_a), .b(shuffle_b),
      .result(shuffled), .line(to_shuffle), .line_beat(line_row[rpu_pkg::LineShuffle]), .write_half(shuffled_half),
      .write_row(shuffled_rows)
  );

  // vector data memory
  logic [B-1:0] bank_enable, vdm_enable;
  logic bank_write, vdm_write;
  logic [B-1:0][AW-1:0] bank_row, vdm_row;
  logic [B-1:0][W-1:0] bank_data, vdm_data, vdm_q;

  vbar #(
      .W(W), .H(H), .B(B), .XOR_HASH(XOR == 1), .WORDS(VDM_WORDS), .LATENCY(MEMORY_LATENCY), .OW(OW)
  ) u_vbar (
      .clk, .rst, .active(active[0]), .beat(beat[0]), .issue(memory), .register_row(memory_row),
      .stores(memory_stores), .stored, .bank_enable, .bank_write, .bank_row, .bank_data, .bank_q(vdm_q),
      .lane_loaded, .lane_row(loaded_row), .loaded
  );
  vdm #(.W(W), .B(B), .WORDS(VDM_WORDS)) u_vdm (
      .clk, .enable(vdm_enable), .write(vdm_write), .row(vdm_row), .data(vdm_data), .q(vdm_q)
  );
  host_if #(.W(W), .B(B), .AW(AW)) u_host (
      .clk, .rst, .start, .start_pc, .code_words, .done, .cycles, .im_write, .im_write_address, .im_write_data,
      .dma_request, .dma_write, .dma_row, .dma_data, .dma_ready, .dma_q, .go, .go_pc, .limit, .busy,
      .in_program(trace_on), .im_read, .im_address, .im_word, .bank_enable, .bank_write, .bank_row, .bank_data,
      .vdm_enable, .vdm_write, .vdm_row, .vdm_data, .vdm_q
  );

  logic unused;
  assign unused = &{1'b0, in, beat, active, compute, compute_roles, shuffle, to_load, to_sum, to_product, to_bfly,
                    line_row};

endmodule
