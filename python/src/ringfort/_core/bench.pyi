# SPDX-License-Identifier: Apache-2.0
# Written by tools/gen_stubs; do not edit, run the tool again.
"""Benchmark rows; the command is ringfort bench."""

from collections.abc import Callable, Sequence
from typing import Any


def kernel_rows(family: str, device: str, repeats: int, only: Sequence[str]) -> list[dict[str, Any]]:
    """
    Returns the rows of a family of kernels (ntt, polymul, modmul, inner_product or limbs), on one thread.

    only: beginnings of the names of the wanted rows; empty: all rows.
    """

def search_rows(folder: str, quick: bool, threads: int, only: Sequence[str], progress: Callable[[str], object]) -> list[dict[str, Any]]:
    """
    Returns the rows of the word search. folder: a new or empty folder, in which the run writes about 0.5 GB.
    """

def operation_rows(device: str, quick: bool, threads: int, only: Sequence[str], progress: Callable[[str], object]) -> list[dict[str, Any]]:
    """
    Returns the rows of CKKS, BFV and BGV, on one thread and on ``threads`` threads.
    """

def gpu_document(device: str, sections: Sequence[str], quick: bool, seconds: float, progress: Callable[[str], object]) -> str:
    """
    Runs sections of the benchmark of a GPU. Returns the facts of the machine, and the rows, as JSON.
    """
