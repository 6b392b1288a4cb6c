# SPDX-License-Identifier: Apache-2.0
"""Trains a logistic regression with Concrete ML. Prints one JSON document with times, and with the accuracy on
encrypted records.

Runs in any interpreter that has the wheel, and does not import ringfort. Standard input has the records, as one JSON
document of cancer.py. Inputs and weights are integers of 8 bits, as in Concrete ML's documentation of linear models.
Each call takes one record on one thread, with Concrete's default security. The circuit computes the linear score.
Concrete ML applies the logistic function after decryption.
"""

import contextlib
import json
import statistics
import sys
import time
from importlib.metadata import version

N_BITS = 8


def main():
    import numpy as np
    from concrete.ml.sklearn import LogisticRegression  # most interpreters do not have it; the caller handles the error

    given = json.load(sys.stdin)
    train, records = np.array(given["train"]), np.array(given["records"])
    times = {name: [] for name in ("compile", "keygen", "encrypt", "compute", "decrypt")}

    def timed(name, call):
        begin = time.perf_counter()
        result = call()
        times[name].append(1e3 * (time.perf_counter() - begin))
        return result

    model = LogisticRegression(n_bits=N_BITS)
    model.fit(train, np.array(given["train_labels"]))
    timed("compile", lambda: model.compile(train))
    circuit = model.fhe_circuit
    timed("keygen", lambda: circuit.keygen(force=True))
    labels = model.predict(records, fhe="execute")
    for record in [records[:1], *(records[i : i + 1] for i in range(len(records)))]:
        x = timed("encrypt", lambda: circuit.encrypt(model.quantize_input(record)))  # noqa: B023  (called at once)
        y = timed("compute", lambda: circuit.run(x))  # noqa: B023
        timed("decrypt", lambda: model.post_processing(model.dequantize_output(circuit.decrypt(y))))  # noqa: B023
    once = {name: times[name][0] for name in ("compile", "keygen")}
    each = {name: statistics.median(times[name][1:]) for name in ("encrypt", "compute", "decrypt")}
    accuracy = 100 * float(np.mean(labels == np.array(given["labels"])))
    rows = {f"{given['name']}/{name}": value for name, value in {**once, **each, "accuracy": accuracy}.items()}
    return {"peer": "Concrete ML", "version": version("concrete-ml"), "rows": rows}


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):  # the libraries may print to standard output
        found = main()
    json.dump(found, sys.stdout)
