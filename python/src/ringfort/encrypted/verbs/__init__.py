# SPDX-License-Identifier: Apache-2.0
"""Verbs: the operations on encrypted arrays, and the table of the NumPy functions that they implement.

This package does not import the classes of keys and contexts (``encrypted/context``).
"""
