# SPDX-License-Identifier: Apache-2.0
"""Applies trained models of scikit-learn to encrypted rows, and convolutions to encrypted images.

model = rf.ml.from_sklearn(classifier)                 # weights in the clear
program = rf.compile(model, inputs=[rows])             # parameters and keys for these rows
scores = program(x)                                    # encrypted
labels = model.labels(scores.decrypt(keys))            # the owner of the keys
"""

from __future__ import annotations

from .convolution import conv2d
from .linear import Clusters, Linear, Projection
from .network import Network
from .sklearn import from_sklearn

__all__ = ["Clusters", "Linear", "Network", "Projection", "conv2d", "from_sklearn"]
