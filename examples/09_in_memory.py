# SPDX-License-Identifier: Apache-2.0
"""Processing in memory: arrays move to simulated DPUs once, are added and multiplied where they lie, and one result comes back.

Run it: python examples/09_in_memory.py
"""

import numpy as np

import ringfort as rf

# DPUs multiply bytes: primes of 30 bits and the form c*2^16 + 1 make a product 2.1 cycles a bit instead of 22.
ctx = rf.Context(depth=1, magnitude=4, primes={"bits": 30, "form": "c*2^16+1"})
keys = ctx.keygen(rotations=[])
a, b = np.random.default_rng(9).uniform(-2, 2, (2, 1000))

x, y = ctx.encrypt(a, keys).to("pim"), ctx.encrypt(b, keys).to("pim")
with ctx.profile(device="pim") as resident:
    z = (x + y) * x
with ctx.profile(device="pim") as returning:
    result = z.to("cpu").decrypt(keys)

print(f"{'verb':16} {'begins':>9} {'takes':>8}  milliseconds on {x.device}, simulated")
for record in [*resident.records, *returning.records]:
    assert record.simulated
    if record.end_us > record.start_us:
        print(f"{record.verb:16} {record.start_us / 1e3:9.2f} {(record.end_us - record.start_us) / 1e3:8.2f}")

assert not {"upload", "download"} & {record.verb for record in resident.records}  # nothing moved in between
assert {record.verb for record in returning.records} == {"download"}
worst = np.abs(result - (a + b) * a).max()
print(f"worst error {worst:.1e}, guaranteed below {2 ** -(z.precision_bits + 1):.1e}")
assert worst < 2 ** -(z.precision_bits + 1)
