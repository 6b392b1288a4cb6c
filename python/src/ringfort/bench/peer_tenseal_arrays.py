# SPDX-License-Identifier: Apache-2.0
"""Measures operations of TenSEAL on one large array, and prints milliseconds as one JSON document.

Usage: peer_tenseal_arrays.py ROWS COLUMNS. Runs in any interpreter that has the wheel, and does not import ringfort.
Uses one thread, parameters with 128 bits of security, and the scale 2^40 (a number x is encoded as x 2^40, rounded). A
vector of TenSEAL has as many values as a ciphertext has slots. Decrypted results are compared with cleartext results.
"""

import json
import random
import statistics
import sys
import time
from importlib.metadata import version

SLOTS, ROUNDS = 4096, 5


def main():
    import tenseal as ts  # most interpreters do not have it; the caller handles the error

    rows, columns = int(sys.argv[1]), int(sys.argv[2])
    context = ts.context(ts.SCHEME_TYPE.CKKS, 2 * SLOTS, coeff_mod_bit_sizes=[60, 40, 60], n_threads=1)
    context.global_scale = 2**40
    context.generate_relin_keys()
    numbers = random.Random(0)
    values = [numbers.uniform(-2, 2) for _ in range(rows * columns)]
    chunks = [values[at : at + SLOTS] for at in range(0, len(values), SLOTS)]
    times = {"encrypt": [], "compute": [], "decrypt": []}

    def timed(name, call):
        begin = time.perf_counter()
        result = call()
        times[name].append(1e3 * (time.perf_counter() - begin))
        return result

    for _ in range(ROUNDS):
        x = timed("encrypt", lambda: [ts.ckks_vector(context, chunk) for chunk in chunks])
        pairs = list(zip(x, chunks, strict=True))
        y = timed("compute", lambda: [a * 3 + a.square() - chunk for a, chunk in pairs])  # noqa: B023
        shown = timed("decrypt", lambda: [b.decrypt() for b in y])  # noqa: B023
    for chunk, found in zip(chunks, shown, strict=True):
        if any(abs(found[i] - (2 * chunk[i] + chunk[i] ** 2)) > 1e-3 for i in range(len(chunk))):
            sys.exit("TenSEAL computes wrongly")
    times["whole"] = [sum(each) for each in zip(*times.values(), strict=True)]
    rows_found = {f"arrays/{rows}x{columns}/{name}": statistics.median(each) for name, each in times.items()}
    json.dump({"peer": "TenSEAL", "version": version("tenseal"), "rows": rows_found}, sys.stdout)


if __name__ == "__main__":
    main()
