# SPDX-License-Identifier: Apache-2.0
"""Convolves encrypted images with a kernel in the clear. Computes the convolution as a product with a sparse matrix. An
array's ``depth_left`` counts *levels*: one product takes one level."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..encrypted import EncryptedArray
from ..errors import InvalidArgument
from ..values import kind_of, numbers_of, shown, whole

__all__ = ["conv2d"]

_PADDINGS = ("valid", "same")
_MOST_ENTRIES = 2**27  # largest number of entries of the matrix, which then takes 1 GiB


def conv2d(x: EncryptedArray, kernel: ArrayLike, *, stride: int = 1, padding: str = "valid") -> EncryptedArray:
    """Correlates images with a kernel, as scipy.signal.correlate2d and the layers of neural networks do.

    x: images, of shape (..., height, width). kernel: a matrix in the clear. stride: the result has every stride-th row
    and column. padding: "valid", or "same" for zeros around the image. Takes one level if the width of the images is a
    power of two. For several images, the height must also be a power of two. Otherwise takes two levels. Errors:
    InvalidArgument, DepthExhausted.
    """
    taps: NDArray[Any] = numbers_of("kernel", kernel)
    if not isinstance(x, EncryptedArray) or x.ndim < 2:
        raise InvalidArgument(f"x is {kind_of(x)}", "give encrypted images, (..., height, width)")
    if taps.ndim != 2:
        raise InvalidArgument(f"kernel is an array of shape {taps.shape}", "give a matrix, (rows, columns)")
    if x.dtype.kind in "iO":
        taps = x._session.plain(kernel)
    if padding not in _PADDINGS:
        raise InvalidArgument(f"padding is {shown(padding)}", 'give "valid" or "same"')
    step = whole("stride", stride, 2**16)
    if step == 0:
        raise InvalidArgument("stride is 0", "give at least 1")
    height, width = x.shape[-2:]
    matrix, shape = _matrix((height, width), taps, step, padding)
    return (x.reshape(*x.shape[:-2], height * width) @ matrix).reshape(*x.shape[:-2], *shape)


def _matrix(
    image: tuple[int, int], taps: NDArray[Any], step: int, padding: str
) -> tuple[NDArray[Any], tuple[int, int]]:
    """Returns the matrix that maps the pixels of an image to the pixels of the result, and the shape of the result.
    Errors: InvalidArgument."""
    before = [(size - 1) // 2 if padding == "same" else 0 for size in taps.shape]
    spans = [side if padding == "same" else side - size + 1 for side, size in zip(image, taps.shape, strict=True)]
    if min(spans) < 1:
        raise InvalidArgument(f"a kernel of {taps.shape} does not fit images of {image}", 'give padding="same"')
    shape = (math.ceil(spans[0] / step), math.ceil(spans[1] / step))
    if (entries := math.prod(image) * math.prod(shape)) > _MOST_ENTRIES:
        raise InvalidArgument(
            f"images of {image} need a matrix of {entries:,} entries, but the limit is {_MOST_ENTRIES:,}",
            "cut the images into parts that overlap by the kernel",
        )
    matrix = np.zeros((image[0] * image[1], shape[0] * shape[1]), taps.dtype)
    rows, columns = np.meshgrid(np.arange(shape[0]), np.arange(shape[1]), indexing="ij")
    for (i, j), tap in np.ndenumerate(taps):
        row, column = rows * step + i - before[0], columns * step + j - before[1]
        inside = (row >= 0) & (row < image[0]) & (column >= 0) & (column < image[1])
        matrix[(row * image[1] + column)[inside], (rows * shape[1] + columns)[inside]] = tap
    return matrix, shape
