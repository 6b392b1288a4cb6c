# SPDX-License-Identifier: Apache-2.0
"""Trains a logistic regression on encrypted records of tumours, on a device: train.py [DEVICE].

The records are the breast-cancer data set of scikit-learn: 569 records of 30 features. The program prints the accuracy
on records that the training did not see. For comparison, it also prints the accuracy of scikit-learn's regression. The
printed bound limits how far the weights are from the weights that the same steps give on records in the clear.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from sklearn import datasets, linear_model

import ringfort as rf
from ringfort.logreg import LogisticRegression, Plan, Records, Scaling


def main(device: str) -> None:
    data = datasets.load_breast_cancer()
    order = np.random.default_rng(0).permutation(len(data.target))
    train, test = order[:455], order[455:]

    # the owner of the records
    scaling = Scaling.of(data.data[train])
    rows, y = scaling.rows(data.data[train]), data.target[train]
    plan = Plan(Records.of(rows, y))
    ctx = plan.context()
    print(ctx.explain())
    keys = plan.keygen(ctx)
    encrypted = plan.encrypt(ctx, rows, y, keys.public)

    # a server, without a secret key
    records, labels = (array.to(device) for array in encrypted)
    begin = time.perf_counter()
    model = LogisticRegression(plan).fit(records, labels)
    seconds = time.perf_counter() - begin

    # the owner again
    weights = plan.decrypt_weights(model.weights, keys)
    bound = plan.unit * 2.0**-model.weights.precision_bits
    known = linear_model.LogisticRegression(max_iter=1000).fit(scaling.rows(data.data[train]) * scaling.radius, y)
    fresh, kind = scaling.rows(data.data[test]), data.target[test]
    print(f"{plan.iterations} steps on {plan.samples} records took {seconds:.2f} s on {device}")
    print(f"weights up to {np.abs(weights).max():.0f}, each within {bound:.1e} of the steps on clear records")
    print(f"accuracy {np.mean((fresh @ weights > 0) == (kind == 1)):.3f}")
    print(f"accuracy of scikit-learn, on the same rows {known.score(fresh * scaling.radius, kind):.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Trains a logistic regression on encrypted records of tumours.")
    parser.add_argument("device", nargs="?", default=rf.default_device(), help="a device of: ringfort devices")
    chosen = parser.parse_args().device
    if refusal := rf.device_refusal(chosen):
        parser.error(refusal)
    main(chosen)
