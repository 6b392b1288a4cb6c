# SPDX-License-Identifier: Apache-2.0
"""Measures inference with logistic regression in TenSEAL, and prints milliseconds per record as one JSON document.

Runs in any interpreter that has the wheel, and does not import ringfort. Uses one thread, parameters with 128 bits of
security, and the scale 2^40 (a number x is encoded as x 2^40, rounded).
"""

import json
import math
import statistics
import sys
import time
from importlib.metadata import version

FEATURES = 30


def main():
    import tenseal as ts  # most interpreters do not have it; the caller handles the error

    records = 5 if "--quick" in sys.argv else 20
    context = ts.context(ts.SCHEME_TYPE.CKKS, 16384, coeff_mod_bit_sizes=[60, 40, 40, 40, 40, 60], n_threads=1)
    context.global_scale = 2**40
    context.generate_galois_keys()
    context.generate_relin_keys()
    weights = [0.1 * math.cos(i) for i in range(FEATURES)]
    times = {"encrypt": [], "compute": [], "decrypt": []}

    def timed(name, call):
        begin = time.perf_counter()
        result = call()
        times[name].append(1e3 * (time.perf_counter() - begin))
        return result

    for record in range(records):
        values = [5 * math.sin(record + 7 * i) for i in range(FEATURES)]
        x = timed("encrypt", lambda: ts.ckks_vector(context, values))  # noqa: B023  (called at once)
        y = timed("compute", lambda: x.dot(weights).polyval([0.5, 0.15, 0.0, -0.0015]))  # noqa: B023
        timed("decrypt", lambda: y.decrypt())  # noqa: B023
    rows = {f"inference/logistic/100x30/{name}": statistics.median(each) for name, each in times.items()}
    json.dump({"peer": "TenSEAL", "version": version("tenseal"), "rows": rows}, sys.stdout)


if __name__ == "__main__":
    main()
