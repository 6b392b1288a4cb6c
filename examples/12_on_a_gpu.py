# SPDX-License-Identifier: Apache-2.0
"""The same encrypted program on the CPU and on a GPU, compared bit by bit after every step.

Without a GPU, the program uses an emulated GPU. The emulated GPU checks every memory access of every kernel.

Run it: python examples/12_on_a_gpu.py
"""

import pickle

import numpy as np

import ringfort as rf

gpu = next((device.name for device in rf.devices() if rf.is_gpu(device.name)), "emu:0")
print(f"the device is {gpu}")

ctx = rf.Context(depth=1, device="cpu")
keys = ctx.keygen(rotations=[])
a, b = np.array([1.0, 2.0, 3.0]), np.array([0.5, -0.5, 0.25])
x, y = ctx.encrypt(a, keys), ctx.encrypt(b, keys)

# 1. Compute a product on the CPU, and the same product on the GPU. `to` copies nothing: ciphertexts and keys are copied
#    at their first use.
product = x * y
product_there = x.to(gpu) * y.to(gpu)
print(product_there)


def same_bits(here, there):
    return pickle.dumps(here) == pickle.dumps(there.cpu())


print("product: the same bits", same_bits(product, product_there))

# 2. If one array is on the GPU and the other on the CPU, their sum runs on the GPU. The GPU keeps its copy of the other
#    array.
total = product + x
total_there = product_there + x
print("sum: the same bits", same_bits(total, total_there), "on", total_there.device)

# 3. The owner can decrypt on each of the two devices.
decrypted, decrypted_there = total.decrypt(keys), total_there.decrypt(keys)
print("decrypted:", decrypted, decrypted_there, "expected:", a * b + a)

assert same_bits(product, product_there)
assert same_bits(total, total_there)
assert decrypted.tobytes() == decrypted_there.tobytes()
assert total_there.on_gpu()
np.testing.assert_allclose(decrypted_there, a * b + a, atol=1e-5)
