# SPDX-License-Identifier: Apache-2.0
"""One program on two devices at the same time: arrays of encrypted numbers, and statistics over many uploads.

Without two GPUs, the program uses emulated GPUs. The results have the same bits as on one device.

Run it: python examples/13_on_several_devices.py
"""

import pickle
from collections import Counter

import numpy as np

import ringfort as rf

gpus = [device.name for device in rf.devices() if rf.is_gpu(device.name)]
devices = gpus[:2] if len(gpus) > 1 else ["emu:0,checks=off", "emu:1,checks=off"]
print("the devices are", devices)

# 1. A pool distributes independent arrays among devices. A device takes the next array as soon as it is free. Keys and
#    `weights` are copied to each device once.
ctx = rf.Context(depth=1, device="cpu")
keys = ctx.keygen(rotations=[])
weights = ctx.encrypt([0.5, 1.0, 2.0, 4.0], keys)
readings = [np.arange(4.0) + month for month in range(6)]
arrays = [ctx.encrypt(reading, keys) for reading in readings]

pool = rf.DevicePool(devices)
weighted = pool.map(lambda array: array * weights, arrays)
print("arrays on each device:", dict(Counter(array.device for array in weighted)))

for reading, array, result in zip(readings, arrays, weighted):
    np.testing.assert_allclose(result.decrypt(keys), reading * [0.5, 1, 2, 4], atol=1e-4)
    assert pickle.dumps(result.cpu()) == pickle.dumps(array * weights)  # compares every bit

# 2. Compute statistics over uploads. Each device adds some of the uploads, and the totals are exact. A small, insecure
#    ring keeps the running time short.
study = rf.statistics.Study({"age": (0, 120), "steps": (0, 50_000)}, wanted="variances", uploads=100)
party = rf.statistics.keygen(study, n=1024, insecure="an example that must be short")
random = np.random.default_rng(1)
people = [{"age": [int(random.integers(0, 121))], "steps": [int(random.integers(0, 50_001))]} for _ in range(12)]
uploads = [rf.statistics.encrypt(person, party.public) for person in people]

aggregator = rf.statistics.Aggregator(party.public, devices=devices)
aggregator.add_all(uploads)
summary = rf.statistics.decrypt(aggregator.result(), party)
print("mean age:", summary.mean("age"), "of", summary.records, "people")

assert summary.sums("age") == [sum(person["age"][0] for person in people)]
assert summary.sums("steps") == [sum(person["steps"][0] for person in people)]
