# SPDX-License-Identifier: Apache-2.0
"""Measures inference with a trained logistic regression on encrypted records of breast cancer. Compares it with TenSEAL
and Concrete ML.

The data set of scikit-learn has 569 records of 30 features. A shuffle with a fixed seed selects 469 records for
training; the other 100 records are encrypted. A scaler, fitted to the training records, is applied before encryption.
All libraries compute the linear score of the encrypted records. The sign of the decrypted score is the class. The
accuracy is the share of correct classes. Each library uses one thread. Times of encryption, computation and decryption
are in milliseconds per record. Times to compile and to make keys are in milliseconds, once for all records. Our time to
compile is the time to plan parameters.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .. import ml, planning
from .rows import Row, summary

__all__ = ["CANCER_NAMES", "NAME", "cancer_records", "cancer_rows"]

NAME = "inference/cancer/100x30"
CANCER_NAMES = [f"{NAME}/{what}" for what in ("compile", "keygen", "encrypt", "compute", "decrypt", "accuracy")]
RECORDS, SEED = 100, 0
T = TypeVar("T")


def cancer_records() -> tuple[dict[str, Any], Any] | None:
    """Returns the input of the other libraries (all records, their labels, the weights) and the trained classifier.
    Returns None if scikit-learn is not installed."""
    try:
        from sklearn import datasets, linear_model, preprocessing
    except ImportError:
        return None
    data = datasets.load_breast_cancer()
    order = np.random.default_rng(SEED).permutation(len(data.target))
    train, test = order[:-RECORDS], order[-RECORDS:]
    rows = preprocessing.StandardScaler().fit(data.data[train]).transform(data.data)
    classifier = linear_model.LogisticRegression().fit(rows[train], data.target[train])
    given = {
        "name": NAME,
        "train": rows[train].tolist(),
        "train_labels": data.target[train].tolist(),
        "records": rows[test].tolist(),
        "labels": data.target[test].tolist(),
        "weights": classifier.coef_[0].tolist(),
        "offset": float(classifier.intercept_[0]),
    }
    return given, classifier


def cancer_rows(given: dict[str, Any], classifier: Any, repeats: int) -> list[Row]:
    """Returns our rows. given, classifier: the result of ``cancer_records``."""
    records, samples = np.array(given["records"]), dict[str, list[float]]()

    def timed(name: str, call: Callable[[], T]) -> T:
        begin = time.perf_counter()
        result = call()
        samples.setdefault(name, []).append(1e3 * (time.perf_counter() - begin))
        return result

    model = ml.from_sklearn(classifier)
    program = timed("compile", lambda: planning.compile(model, inputs=[records]))
    plan, ctx = program.plan, program.context(threads=1)
    keys = timed("keygen", lambda: ctx.keygen(plan))
    for _ in range(repeats + 1):  # the first round is not counted
        (x,) = timed("encrypt", lambda: program.encrypt(ctx, keys.public, records))
        y = timed("compute", lambda: program(x))  # noqa: B023  (called at once)
        scores = timed("decrypt", lambda: y.decrypt(keys))  # noqa: B023
    accuracy = 100 * float(np.mean((scores > 0) == given["labels"]))
    params = {"n": plan.found.n, "log2_qp": round(plan.found.log2_qp), "bits": round(plan.precision_bits, 1)}
    times = {
        name: found if len(found) == 1 else [one / RECORDS for one in found[1:]] for name, found in samples.items()
    }
    units = {**dict.fromkeys(times, "ms"), "accuracy": "%"}
    return [
        Row(f"{NAME}/{name}", ctx.device, params, units[name], *summary(found))
        for name, found in {**times, "accuracy": [accuracy]}.items()
    ]
