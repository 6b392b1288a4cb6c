# SPDX-License-Identifier: Apache-2.0
"""Exact statistics over clinics' encrypted records: means, variances and a regression.

There are three kinds of parties. An analyst has the secret key. Clinics encrypt their patients' records. An aggregator
has no secret, and adds ciphertexts. The aggregator and the analyst must be different parties, because the secret key
decrypts every upload.
"""

import numpy as np

import ringfort as rf

# All parties agree on the ranges of the columns (a dose has one decimal place), and on the numbers of uploads and
# records.
study = rf.statistics.Study(
    {"age": (18, 99), "dose": (0, 50, 1), "pressure": (80, 220)}, wanted="regressions", uploads=100, records=64
)

# The analyst makes keys. All others get keys.public.
keys = rf.statistics.keygen(study)
print(keys.public.explain())
print(f"at most {keys.public.capacity:,} records; then a total might wrap, and uploads are refused")

# Clinics encrypt their records. The aggregator adds each upload when it arrives, and does not keep the upload.
random = np.random.default_rng(7)
aggregator = rf.statistics.Aggregator(keys.public)
clear = []
for _ in range(12):
    age = random.integers(18, 100, 40)
    dose = np.round(random.uniform(0, 50, 40), 1)
    pressure = np.rint(100 + 0.9 * age - 0.5 * dose + random.normal(0, 8, 40)).astype(int).clip(80, 220)
    clear.append(np.stack([age, dose, pressure]))
    aggregator.add(rf.statistics.encrypt({"age": age, "dose": dose, "pressure": pressure}, keys.public))

# The analyst decrypts only totals.
summary = rf.statistics.decrypt(aggregator.result(), keys)
fit = summary.regress("pressure", ["age", "dose"])
print(f"{summary.records} records of {summary.uploads} uploads")
print(f"mean age {summary.mean('age'):.3f}, variance of the dose {summary.variance('dose', ddof=1):.3f}")
print(f"pressure = {fit.intercept:.2f} + {fit.coefficients['age']:.3f} age + {fit.coefficients['dose']:.3f} dose")

# Compare with the cleartext records.
ages, doses, pressures = np.concatenate(clear, axis=1)
assert summary.records == 480
assert np.isclose(summary.mean("age"), ages.mean(), rtol=1e-14)
assert np.isclose(summary.variance("dose", ddof=1), doses.var(ddof=1), rtol=1e-12)
design = np.column_stack([np.ones_like(ages), ages, doses])
assert np.allclose([fit.intercept, *fit.coefficients.values()], np.linalg.lstsq(design, pressures, rcond=None)[0])

# The library refuses to encrypt a value outside its declared range.
try:
    rf.statistics.encrypt({"age": [17], "dose": [1.0], "pressure": [120]}, keys.public)
except rf.InvalidArgument as error:
    print(f"refused: {error}")
else:
    raise AssertionError("a value outside its range was encrypted")
