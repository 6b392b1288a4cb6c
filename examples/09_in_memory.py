# SPDX-License-Identifier: Apache-2.0
"""Processing in memory: arrays move to simulated DPUs at their first use; later questions move nothing.

Run it: python examples/09_in_memory.py
"""

import numpy as np

import ringfort as rf

# DPUs multiply bytes: primes of 30 bits and the form c*2^16 + 1 make a product 2.1 cycles a bit instead of 22.
ctx = rf.Context(depth=1, magnitude=4, primes={"bits": 30, "form": "c*2^16+1"})
keys = ctx.keygen(rotations=[])
a, b = np.random.default_rng(9).uniform(-2, 2, (2, 1000))
x, y = ctx.encrypt(a, keys).to("pim"), ctx.encrypt(b, keys).to("pim")


def timeline(title, question):
    """Asks, and shows what the device did: every time is the model's."""
    with ctx.profile(device="pim") as seen:
        answer = question()
    print(f"{title}\n{'verb':16} {'begins':>9} {'takes':>8} {'moved':>9}  simulated ms, MB")
    for record in seen.records:
        assert record.simulated
        moved = record.bytes / 1e6 if record.verb in ("upload", "download") else 0
        took = record.end_us - record.start_us
        print(f"{record.verb:16} {record.start_us / 1e3:9.2f} {took / 1e3:8.2f} {moved:9.2f}")
    return answer, [record.verb for record in seen.records]


_, first = timeline("The first question: the arrays come, and the key of products.", lambda: (x + y) * x)
z, again = timeline("Another one: nothing moves.", lambda: (x + y) * y)
result, returned = timeline("The answer goes back.", lambda: z.cpu().decrypt(keys))

assert "upload" in first
assert not {"upload", "download"} & set(again)
assert set(returned) == {"download"}
worst = np.abs(result - (a + b) * b).max()
print(f"worst error {worst:.1e}, guaranteed below {2 ** -(z.precision_bits + 1):.1e}")
assert worst < 2 ** -(z.precision_bits + 1)
