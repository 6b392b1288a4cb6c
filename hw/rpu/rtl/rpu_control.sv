// SPDX-License-Identifier: Apache-2.0
// Decides in which cycle everything happens. It contains the front end, the busyboard, the reservations of register
// memories, the three queues and the lines. A line is a shift register. It carries an instruction from its reads to its
// writes, and its length is the latency of the instruction. Therefore a row is written in the cycle in which the line
// delivers it. When the line delivers the last row of an instruction, the busyboard's bits of this instruction are
// cleared. hw/rpu/README.md explains the terms, such as row, occupancy and latency.
module rpu_control #(
    parameter int unsigned H = 128,
    parameter int unsigned B = 128,
    parameter bit XOR_HASH = 1'b0,
    parameter int unsigned VDM_WORDS = 262144,
    parameter int unsigned SDM_WORDS = 2048,
    parameter int unsigned DISPATCH = 2,
    parameter int unsigned SCALAR_CYCLES = 2,
    parameter int unsigned QUEUE_DEPTH = 8,
    parameter bit STRICT = 1'b1,
    parameter int unsigned MULTIPLY_LATENCY = 5,
    parameter int unsigned MULTIPLY_INTERVAL = 1,
    parameter int unsigned ADD_LATENCY = 1,
    parameter int unsigned MEMORY_LATENCY = 4,
    parameter int unsigned SHUFFLE_LATENCY = 4,
    localparam int unsigned ROWS = rpu_isa_pkg::VectorLength / H,
    localparam int unsigned RB = ROWS > 1 ? $clog2(ROWS) : 1,
    localparam int unsigned GROUPS = rpu_isa_pkg::VectorLength / (H < B ? H : B),
    localparam int unsigned COMPUTE_CYCLES = ROWS * MULTIPLY_INTERVAL,
    localparam int unsigned MEMORY_CYCLES = XOR_HASH && GROUPS * 8 > 512 ? GROUPS * 8 : 512,
    localparam int unsigned MOST_CYCLES = COMPUTE_CYCLES > MEMORY_CYCLES ? COMPUTE_CYCLES : MEMORY_CYCLES,
    localparam int unsigned OW = $clog2(MOST_CYCLES + 1)
) (
    input  logic               clk,
    input  logic               rst,
    input  logic               go,
    input  logic [16:0]        go_pc,
    input  logic [16:0]        limit,
    output logic               busy,       // high while a program runs or instructions are in flight
    // high while an instruction is in the dispatch stage or in flight; these cycles are counted
    output logic               in_program,
    output logic [7:0]         trap,
    output logic [16:0]        trap_pc,
    output logic [3:0][31:0]   stalls,
    output logic               im_read,
    output logic [15:0]        im_address,
    input  logic [63:0]        im_word,
    // dispatch stage, for the scalar unit
    output rpu_pkg::decoded_t  in,
    output logic               scalar,
    output logic               compute_dispatch,
    input  logic [20:0]        address_register,
    // pipes: the cycles in which they read
    output logic [2:0]         active,
    output logic [2:0]         first,
    output logic [2:0][OW-1:0] beat,
    output rpu_pkg::issue_t    memory,
    output rpu_pkg::issue_t    compute,
    output rpu_pkg::issue_t    shuffle,
    output logic [RB-1:0]      compute_row,
    output logic               compute_read,   // high in the first cycle of a row
    // lines: the cycles in which they write
    output logic [rpu_pkg::Lines-1:0]         line_valid,
    output logic [rpu_pkg::Lines-1:0][RB:0] line_row,
    output logic [rpu_pkg::Lines-1:0]         line_last,
    output logic [rpu_pkg::Lines-1:0][rpu_pkg::IssueBits-1:0] line,  // issue_t
    // for a test bench
    output logic               dispatched,
    output logic               stall,
    output logic [1:0]         stall_reason
);

  localparam int unsigned LONGEST = MULTIPLY_LATENCY + ADD_LATENCY;
  localparam int unsigned LATENCY = MEMORY_LATENCY > SHUFFLE_LATENCY
      ? (MEMORY_LATENCY > LONGEST ? MEMORY_LATENCY : LONGEST) : (SHUFFLE_LATENCY > LONGEST ? SHUFFLE_LATENCY : LONGEST);
  localparam int unsigned TW = $clog2((QUEUE_DEPTH + 3) * MOST_CYCLES + LATENCY) + 1;
  // Largest number of instructions between dispatch and finish. Each pipe has the instructions in its queue, one that
  // reads, and the instructions in its lines.
  localparam int unsigned ENTRIES = 3 * (QUEUE_DEPTH + 1)
      + (MEMORY_LATENCY + GROUPS - 1) / GROUPS + (LONGEST + ROWS - 1) / ROWS + (SHUFFLE_LATENCY + ROWS - 1) / ROWS;
  localparam int unsigned EB = $clog2(ENTRIES + 1);

  logic [TW-1:0] now;
  always_ff @(posedge clk)
    if (rst) now <= '0;
    else now <= now + TW'(1);

  // the dispatch stage
  logic fe_running, ready, dispatch, scalar_busy, busy_register, full, conflict;
  logic [20:0] base;

  rpu_frontend #(
      .DISPATCH(DISPATCH), .SCALAR_CYCLES(SCALAR_CYCLES), .VDM_WORDS(VDM_WORDS), .SDM_WORDS(SDM_WORDS)
  ) u_frontend (
      .clk, .rst, .go, .go_pc, .limit, .running(fe_running), .trap, .trap_pc, .stalls, .im_read, .im_address,
      .im_word, .in, .ready, .address_register, .base, .busy(busy_register), .full, .conflict, .dispatch, .scalar,
      .scalar_busy, .stall, .stall_reason
  );

  logic [1:0] pipe;
  logic [2:0] latency_class;
  assign pipe = rpu_isa_pkg::pipe_of(in.op);
  assign latency_class = rpu_isa_pkg::latency_of(in.op);
  assign compute_dispatch = dispatch && pipe == 2'(rpu_isa_pkg::PipeCompute);
  assign dispatched = dispatch || scalar;

  logic [63:0] reads, writes;
  register_use u_use (
      .op(in.op), .vd(in.vd), .vd1(in.vd1), .vs(in.vs), .vt(in.vt), .vt1(in.vt1), .reads, .writes
  );

  rpu_isa_pkg::roles_t roles;
  logic [1:0]    mode;
  logic [4:0]    value;
  logic [OW-1:0] occupancy;
  logic [TW-1:0] latency;
  assign roles = rpu_isa_pkg::roles_of(in.op);
  assign mode  = roles.mode ? in.vs[1:0] : 2'(rpu_isa_pkg::ModeRepeat);
  assign value = roles.mode ? in.vt[4:0] : 5'd0;
  rpu_cost #(.H(H), .B(B), .XOR_HASH(XOR_HASH), .MULTIPLY_INTERVAL(MULTIPLY_INTERVAL), .OW(OW)) u_cost (
      .op(in.op), .vs(in.vs), .vt(in.vt), .mode, .value, .base, .occupancy
  );
  always_comb
    case (latency_class)
      3'(rpu_isa_pkg::LatencyMemory): latency = TW'(MEMORY_LATENCY);
      3'(rpu_isa_pkg::LatencyAdd): latency = TW'(ADD_LATENCY);
      3'(rpu_isa_pkg::LatencyMultiply): latency = TW'(MULTIPLY_LATENCY);
      3'(rpu_isa_pkg::LatencyMultiplyAdd): latency = TW'(MULTIPLY_LATENCY + ADD_LATENCY);
      default: latency = TW'(SHUFFLE_LATENCY);
    endcase

  // queues, in the order of the pipes' codes
  rpu_pkg::issue_t issue;
  logic [2:0][rpu_pkg::IssueBits-1:0] current;  // issue_t
  logic [2:0] push, fulls, lasts;
  logic [2:0][TW-1:0] starts;
  logic [TW-1:0] start;

  always_comb begin
    issue.pc = in.pc;
    issue.op = in.op;
    issue.vd1 = in.vd1;
    issue.vt1 = in.vt1;
    issue.vd = in.vd;
    issue.vs = in.vs;
    issue.vt = in.vt;
    issue.base = base;
  end

  for (genvar p = 0; p < 3; p++) begin : g_pipe
    assign push[p] = dispatch && pipe == 2'(p + 1);
    rpu_queue #(.DEPTH(QUEUE_DEPTH), .TW(TW), .OW(OW)) u_queue (
        .clk, .rst, .now, .push(push[p]), .occupancy, .issue, .full(fulls[p]), .start(starts[p]),
        .active(active[p]), .first(first[p]), .last(lasts[p]), .beat(beat[p]), .current(current[p])
    );
  end
  assign memory  = current[0];
  assign compute = current[1];
  assign shuffle = current[2];

  always_comb begin
    full  = fulls[2];
    start = starts[2];
    if (pipe == 2'(rpu_isa_pkg::PipeLoadStore)) begin
      full  = fulls[0];
      start = starts[0];
    end else if (pipe == 2'(rpu_isa_pkg::PipeCompute)) begin
      full  = fulls[1];
      start = starts[1];
    end
  end

  function automatic logic [15:0] memories(input logic [63:0] registers);
    for (int unsigned m = 0; m < 16; m++) memories[m] = |registers[4*m+:4];
  endfunction

  rpu_ports #(.ENTRIES(ENTRIES), .TW(TW)) u_ports (
      .clk, .rst, .now, .start, .occupancy(TW'(occupancy)), .latency, .read_memories(memories(reads)),
      .write_memories(memories(writes)), .conflict, .reserve(dispatch)
  );

  // A row of a product occupies the multiplier for an interval. The result comes in the last cycle of this interval.
  logic row_ends;
  if (MULTIPLY_INTERVAL == 1) begin : g_every_cycle
    assign compute_row  = RB'(beat[1]);
    assign compute_read = active[1];
    assign row_ends     = 1'b1;
  end else begin : g_interval
    localparam int unsigned IB = $clog2(MULTIPLY_INTERVAL);
    logic [RB-1:0] row_next;
    logic [IB-1:0] step, step_next;
    logic multiplies;
    assign multiplies = rpu_isa_pkg::latency_of(compute.op) != 3'(rpu_isa_pkg::LatencyAdd);
    assign compute_row = first[1] ? '0 : row_next;
    assign step = first[1] ? '0 : step_next;
    assign row_ends = !multiplies || step == IB'(MULTIPLY_INTERVAL - 1);
    assign compute_read = active[1] && step == '0;
    always_ff @(posedge clk)
      if (active[1]) begin
        row_next <= compute_row + RB'(row_ends);
        step_next <= row_ends ? '0 : step + IB'(1);
      end
  end

  // lines
  logic [2:0] compute_class;
  assign compute_class = rpu_isa_pkg::latency_of(compute.op);
  for (genvar k = 0; k < rpu_pkg::Lines; k++) begin : g_line
    localparam int unsigned P = k == rpu_pkg::LineMemory ? 0 : k == rpu_pkg::LineShuffle ? 2 : 1;
    localparam int unsigned Stages = k == rpu_pkg::LineMemory ? MEMORY_LATENCY
        : k == rpu_pkg::LineAdd ? ADD_LATENCY : k == rpu_pkg::LineMultiply ? MULTIPLY_LATENCY
        : k == rpu_pkg::LineMultiplyAdd ? MULTIPLY_LATENCY + ADD_LATENCY : SHUFFLE_LATENCY;
    localparam logic [2:0] Class = k == rpu_pkg::LineAdd ? 3'(rpu_isa_pkg::LatencyAdd)
        : k == rpu_pkg::LineMultiply ? 3'(rpu_isa_pkg::LatencyMultiply) : 3'(rpu_isa_pkg::LatencyMultiplyAdd);
    logic enters;
    logic [RB:0] row;
    assign enters = active[P] && (P != 1 || compute_class == Class);
    assign row = P == 1 ? (RB + 1)'(compute_row) : (RB + 1)'(beat[P]);
    delay_valid #(.WIDTH(2), .CYCLES(Stages)) u_valid (
        .clk, .rst, .value({enters && (P != 1 || row_ends), enters && lasts[P]}), .later({line_valid[k], line_last[k]})
    );
    delay #(.WIDTH(RB + 1 + rpu_pkg::IssueBits), .CYCLES(Stages)) u_line (
        .clk, .value({row, current[P]}), .later({line_row[k], line[k]})
    );
  end

  // finish
  logic [rpu_pkg::Lines-1:0][63:0] clear_reads, clear_writes;
  for (genvar k = 0; k < rpu_pkg::Lines; k++) begin : g_clear
    rpu_pkg::issue_t done;
    assign done = line[k];
    register_use u_use (
        .op(done.op), .vd(done.vd), .vd1(done.vd1), .vs(done.vs), .vt(done.vt), .vt1(done.vt1),
        .reads(clear_reads[k]), .writes(clear_writes[k])
    );
    logic unused_done;
    assign unused_done = &{1'b0, done};
  end
  rpu_busyboard #(.STRICT(STRICT), .READERS(ENTRIES)) u_busyboard (
      .clk, .rst, .set(dispatch), .reads, .writes, .blocked(busy_register), .clear(line_last), .clear_reads,
      .clear_writes
  );

  logic [EB-1:0] in_flight;
  always_ff @(posedge clk)
    if (rst) in_flight <= '0;
    else
      in_flight <= in_flight + EB'(dispatch) - EB'(line_last[0]) - EB'(line_last[1]) - EB'(line_last[2])
          - EB'(line_last[3]) - EB'(line_last[4]);
  assign in_program = ready || stall || in_flight != '0 || scalar_busy;
  assign busy = fe_running || in_flight != '0 || scalar_busy;

  logic unused;
  assign unused = &{1'b0, roles};

endmodule
