# SPDX-License-Identifier: Apache-2.0
"""Computes linear scores of encrypted records with TenSEAL, and prints times and accuracy as one JSON document.

Runs in any interpreter that has TenSEAL's wheel, and does not import ringfort. Reads the model and the records from
standard input, as one JSON document (bench/inference.py writes it). Each record is encrypted, scored and decrypted on
its own, on one thread. The ring degree is 8192, and the primes have 60, 40 and 60 bits. The scale is 2^40 (a number x
is encoded as x 2^40, rounded). The security is at least 128 bits. For evaluation, TenSEAL's tutorial on logistic
regression has the smaller degree 4096, primes of 40, 20 and 40 bits, and the scale 2^20. With these parameters, errors
of scores reach 0.7.
"""

import json
import statistics
import sys
import time
from importlib.metadata import version


def main():
    import tenseal as ts  # most interpreters do not have it; bench/inference.py handles the failure

    given = json.load(sys.stdin)
    weights, offset = given["weights"], given["offset"]
    times = {name: [] for name in ("keygen", "encrypt", "compute", "decrypt")}

    def timed(name, call):
        begin = time.perf_counter()
        result = call()
        times[name].append(1e3 * (time.perf_counter() - begin))
        return result

    def keys():
        result = ts.context(ts.SCHEME_TYPE.CKKS, 8192, coeff_mod_bit_sizes=[60, 40, 60], n_threads=1)
        result.global_scale = 2**40
        result.generate_galois_keys()
        return result

    context = timed("keygen", keys)
    labels = []
    for record in given["records"]:
        x = timed("encrypt", lambda: ts.ckks_vector(context, record))  # noqa: B023  (called at once)
        y = timed("compute", lambda: x.dot(weights) + offset)  # noqa: B023
        labels.append(int(timed("decrypt", lambda: y.decrypt()[0]) > 0))  # noqa: B023
    correct = sum(label == expected for label, expected in zip(labels, given["labels"]))
    rows = {f"{given['name']}/{name}": statistics.median(each) for name, each in times.items()}
    rows[f"{given['name']}/accuracy"] = 100 * correct / len(labels)
    json.dump({"peer": "TenSEAL", "version": version("tenseal"), "rows": rows}, sys.stdout)


if __name__ == "__main__":
    main()
