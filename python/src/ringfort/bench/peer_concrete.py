# SPDX-License-Identifier: Apache-2.0
"""Measures inference with logistic regression in Concrete, and prints milliseconds per record as one JSON document.

Runs in any interpreter that has the wheel `concrete-python`, and does not import ringfort. The program computes an
exact product with integer weights of 8 bits, as Concrete ML does for linear models. It leaves out the logistic
function, which users of Concrete apply after decryption. Therefore Concrete does less work than our program. Each call
takes one record on one thread, with Concrete's default security.
"""

import json
import math
import statistics
import sys
import time
from importlib.metadata import version

FEATURES, LARGEST = 30, 127


def main():
    import numpy as np
    from concrete import fhe  # most interpreters do not have it; the caller handles the error

    weights = np.array([round(LARGEST * math.cos(i)) for i in range(FEATURES)])
    records = [
        np.array([round(LARGEST * math.sin(record + 7 * i)) for i in range(FEATURES)])
        for record in range(5 if "--quick" in sys.argv else 20)
    ]
    extremes = [sign * LARGEST * np.where(weights < 0, -1, 1) for sign in (-1, 1)]
    circuit = fhe.Compiler(lambda x: np.dot(x, weights), {"x": "encrypted"}).compile([*records, *extremes])
    circuit.keygen()
    times = {"encrypt": [], "compute": [], "decrypt": []}

    def timed(name, call):
        begin = time.perf_counter()
        result = call()
        times[name].append(1e3 * (time.perf_counter() - begin))
        return result

    for record in [records[0], *records]:  # the first call is not counted; it also makes the keys
        x = timed("encrypt", lambda: circuit.encrypt(record))  # noqa: B023  (called at once)
        y = timed("compute", lambda: circuit.run(x))  # noqa: B023
        found = timed("decrypt", lambda: circuit.decrypt(y))  # noqa: B023
        if found != np.dot(record, weights):
            raise SystemExit(f"Concrete returns {found}")
    rows = {f"inference/logistic/100x30/{name}": statistics.median(each[1:]) for name, each in times.items()}
    json.dump({"peer": "Concrete", "version": version("concrete-python"), "rows": rows}, sys.stdout)


if __name__ == "__main__":
    main()
