# SPDX-License-Identifier: Apache-2.0
"""Computes means, variances and linear regressions over the records of many users. The aggregator and the other users
cannot read the records of a user.

study = rf.statistics.Study({"age": (0, 120), "dose": (0, 500)}, uploads=10_000, wanted="regressions")
keys = rf.statistics.keygen(study)                                    # of the analyst; keys.public is for all others
upload = rf.statistics.encrypt({"age": [41], "dose": [250]}, keys.public)         # by a user
aggregator = rf.statistics.Aggregator(keys.public)                    # holds no secret
aggregator.add(upload)                                                # keeps no upload
summary = rf.statistics.decrypt(aggregator.result(), keys)
summary.mean("age"), summary.variance("dose"), summary.regress("dose", ["age"])

Totals are exact integers. The aggregator and the analyst must be different parties, because the analyst has the secret
key, which decrypts every upload.
"""

from __future__ import annotations

from .keys import Keys, PublicKeys, keygen, load_keys
from .study import Study
from .summary import Regression, Summary, decrypt
from .uploads import Aggregator, Result, Upload, encrypt

__all__ = [
    "Aggregator",
    "Keys",
    "PublicKeys",
    "Regression",
    "Result",
    "Study",
    "Summary",
    "Upload",
    "decrypt",
    "encrypt",
    "keygen",
    "load_keys",
]
