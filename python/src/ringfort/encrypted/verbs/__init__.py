# SPDX-License-Identifier: Apache-2.0
"""Verbs (operations) of arrays, and the table of the NumPy functions that they implement.

Imports no keys and no context.
"""
