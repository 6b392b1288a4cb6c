# SPDX-License-Identifier: Apache-2.0
"""DevicePool: runs independent computations on several devices at the same time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .._core import device_refusal, devices, first_gpu, is_gpu
from ..errors import DeviceUnknown, InvalidArgument
from ..locks import lock_of_a_call
from ..values import kind_of, text
from ..workers import on_threads
from .array.array import EncryptedArray

__all__ = ["DevicePool"]


class DevicePool:
    """Several devices that share independent work. As soon as a device is free, it takes the next item.

    devices: names of devices. A device whose name is given twice works on two items at a time. None means all GPUs of
    the machine. Errors: DeviceUnknown, InvalidArgument (no device).
    """

    def __init__(self, devices: Iterable[str] | None = None) -> None:
        if isinstance(devices, str) or (devices is not None and not isinstance(devices, Iterable)):
            raise InvalidArgument(
                f"devices is {kind_of(devices)}", 'give a list of names, ["cuda:0", "cuda:1"], or None for all GPUs'
            )
        names = _all_gpus() if devices is None else [text("device", name) for name in devices]
        if not names:
            raise InvalidArgument("the pool was given no device", "give at least one, or None for all GPUs")
        for name in names:
            problem, _, fix = device_refusal(name).partition("; ")
            if problem:
                raise DeviceUnknown(problem, fix)
        self._devices = tuple(names)

    @property
    def devices(self) -> tuple[str, ...]:
        """Names of the devices, as the caller gave them."""
        return self._devices

    def map(self, function: Callable[..., Any], items: Iterable[Any]) -> list[Any]:
        """Returns function(item) for every item, in order.

        items: encrypted arrays, or tuples of encrypted arrays. The arrays of a tuple become several arguments. An item
        is moved to the device that computes on it. The result stays on this device. The function runs on several
        threads at a time.

        Other arrays that the function uses must be on the CPU. These arrays and all keys are copied to each device
        once. Two arrays on different devices work together only if exactly one of these devices is ``ref`` (the plain
        device for comparisons) or a CPU. Therefore, if the function uses other arrays, the pool must not contain
        ``ref``, or the CPU with a lower instruction set.

        Errors: InvalidArgument (an item is not an encrypted array or a tuple of them), and the first error of the
        function. After an error, the function is not called for further items.
        """
        if not isinstance(items, Iterable):
            raise InvalidArgument(f"items is {kind_of(items)}", "give encrypted arrays, or tuples of them")
        work = [_arrays(item) for item in items]
        results: list[Any] = [None] * len(work)
        failures: list[BaseException] = []
        waiting, lock = iter(range(len(work))), lock_of_a_call()

        def serve(device: str) -> None:
            while True:
                with lock:
                    index = None if failures else next(waiting, None)
                if index is None:
                    return
                try:
                    results[index] = function(*(array.to(device) for array in work[index]))
                except BaseException as error:
                    failures.append(error)
                    raise

        on_threads(len(self._devices), serve, self._devices)
        return results

    def __repr__(self) -> str:
        return f"DevicePool({list(self._devices)})"


def _all_gpus() -> list[str]:
    return [device.name for device in devices() if is_gpu(device.name)] or [first_gpu()]


def _arrays(item: Any) -> tuple[EncryptedArray, ...]:
    arrays = item if isinstance(item, tuple) else (item,)
    for array in arrays:
        if not isinstance(array, EncryptedArray):
            raise InvalidArgument(f"an item is {kind_of(array)}", "give encrypted arrays, or tuples of them")
    return arrays
