# SPDX-License-Identifier: Apache-2.0
"""Processing in memory: an encrypted array moves to simulated DPUs at its first use, and later computations move
nothing.

Run it: python examples/09_in_memory.py
"""

import numpy as np

import ringfort as rf

# DPUs, the processors in the memory, multiply bytes. A product modulo a 30-bit prime c*2^16 + 1 costs 2.1 cycles per
# bit of the modulus. A product modulo a 60-bit prime by Barrett's reduction costs 22 cycles per bit.
ctx = rf.Context(depth=1, magnitude=4, primes={"bits": 30, "form": "c*2^16+1"})
keys = ctx.keygen(rotations=[])
a, b = np.random.default_rng(9).uniform(-2, 2, (2, 1000))
x, y = ctx.encrypt(a, keys).to("pim"), ctx.encrypt(b, keys).to("pim")


def timeline(title, question):
    """Runs `question` and prints the work of the device. All times are simulated."""
    with ctx.profile(device="pim") as seen:
        answer = question()
    print(f"{title}\n{'verb':16} {'begins':>9} {'takes':>8} {'moved':>9}  simulated ms, MB")
    for record in seen.records:
        assert record.simulated
        moved = record.bytes / 1e6 if record.verb in ("upload", "download") else 0
        took = record.end_us - record.start_us
        print(f"{record.verb:16} {record.start_us / 1e3:9.2f} {took / 1e3:8.2f} {moved:9.2f}")
    return answer, [record.verb for record in seen.records]


_, first = timeline("First computation: uploads the arrays and the relinearization key.", lambda: (x + y) * x)
z, again = timeline("Second computation: moves nothing.", lambda: (x + y) * y)
result, returned = timeline("Download of the result.", lambda: z.cpu().decrypt(keys))

assert "upload" in first
assert not {"upload", "download"} & set(again)
assert set(returned) == {"download"}
worst = np.abs(result - (a + b) * b).max()
print(f"worst error {worst:.1e}, guaranteed below {2 ** -(z.precision_bits + 1):.1e}")
assert worst < 2 ** -(z.precision_bits + 1)
