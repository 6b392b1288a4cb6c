# SPDX-License-Identifier: Apache-2.0
"""Faults of the hardware that the comparison with the simulator must find. A fault has the name of a file of rtl/, a
text that occurs once in this file, and a wrong text that replaces it."""

from __future__ import annotations

FAULTS = {
    "a read window one cycle short": (
        "rpu_ports.sv",
        "read_end = start + occupancy;",
        "read_end = start + occupancy - TW'(1);",
    ),
    "a write window one cycle early": (
        "rpu_ports.sv",
        "asked.write_begin = start + latency;",
        "asked.write_begin = start + latency - TW'(1);",
    ),
    "a reservation that ends early": ("rpu_ports.sv", "now + TW'(1), e.write_end", "now + TW'(3), e.write_end"),
    "a dropped clear of the busyboard": ("rpu_busyboard.sv", "if (clear[i]) freed", "if (clear[i] && i != 4) freed"),
    "a busyboard that forgets sources": (
        "rpu_busyboard.sv",
        "written = STRICT ? reads | writes : writes;",
        "written = writes;",
    ),
    "a queue one place too long": (
        "rpu_queue.sv",
        "full     = count == CW'(DEPTH)",
        "full     = 1'b0 && count == CW'(DEPTH)",
    ),
    "a pipe that is free too early": (
        "rpu_queue.sv",
        "free_in - TW'(1)) + TW'(occupancy)",
        "free_in - TW'(1)) + TW'(occupancy) - TW'(1)",
    ),
    "a front end that is one cycle late": (
        "rpu_frontend.sv",
        "wait_slot <= SW'(DISPATCH - 1);",
        "wait_slot <= SW'(DISPATCH);",
    ),
    "a scalar load that blocks too shortly": ("rpu_frontend.sv", "wait_slot <= SW'(STEP - 1);", "wait_slot <= '0;"),
    "bounds one word too wide": ("rpu_frontend.sv", "furthest >= 31'(VDM_WORDS)", "furthest > 31'(VDM_WORDS)"),
    "a modulus whose constant is not checked": (
        "rpu_frontend.sv",
        "+ 21'(roles.m_write);",
        "+ 21'd0 * 21'(roles.m_write);",
    ),
    "a decoder without collisions": ("rpu_decode.sv", "!rpu_isa_pkg::mode_stores(f.vs_f[1:0])", "1'b0"),
    "a decoder that allows equal destinations": ("rpu_decode.sv", "f.vd_f[5:2] == f.vd1_f[5:2]);", "1'b0);"),
    "a swapped shuffle": ("sbar.sv", "second = row[0];", "second = !row[0];"),
    "an unpack of the wrong half": (
        "sbar.sv",
        "takes_high(issue.op) ? RB'(ROWS / 2) : '0",
        "takes_high(issue.op) ? '0 : RB'(ROWS / 2)",
    ),
    "odd and even elements exchanged": (
        "sbar.sv",
        "high_q <= takes_high(issue.op);",
        "high_q <= !takes_high(issue.op);",
    ),
    "a wrong bank": ("vbar.sv", "bank = word[BB-1:0];", "bank = word[BB-1:0] ^ BB'(word[BB]);"),
    "a skip that folds nothing": ("vbar_folds.sv", "folds = 4'd1;", "folds = 4'd0;"),
    "stored words exchanged": ("vbar.sv", "stored[32'(part_q)*GROUP+j]", "stored[32'(part_q)*GROUP+(j^1)]"),
    "the butterfly's results exchanged": (
        "hple.sv",
        "{from_sbar, bfly_difference, bfly_sum,",
        "{from_sbar, bfly_sum, bfly_difference,",
    ),
    "a modulus of the instruction before": (
        "modulus_queue.sv",
        "assign q     = !first ? held",
        "assign q     = 1'b1 ? held",
    ),
    "registers of two groups mixed up": (
        "vrf_control.sv",
        "selected[p] <= read_register[p][5:2];",
        "selected[p] <= read_register[p][5:2] | 4'd1;",
    ),
}
