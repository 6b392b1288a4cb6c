# SPDX-License-Identifier: Apache-2.0
"""EncryptedArray: an array of encrypted numbers. It has any shape and NumPy's operators. Only the owner of the secret
key can read the numbers.

Shapes, broadcasting and axes are NumPy's. An operand is an encrypted array under the same keys, a NumPy array or a
number. An operation that needs the values themselves, such as a comparison or a conversion, raises an error. ``repr``
prints public facts, but no values.

Many docstrings state the cost of an operation. ``depth_left`` counts *levels*: one product takes one level. A
*rotation* moves the elements of a ciphertext cyclically through its *slots*, the places for elements (for integers,
through each of two rows of slots). It takes about as long as a product. Slots without an element are unused.

The folder ``encrypted/verbs`` contains the operations. This module does not import them. ``encrypted/__init__.py``
gives the class its table of NumPy functions, and the function that pickles an array.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, Protocol

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..._core import first_gpu, is_gpu
from ..._core.parameters import Release
from ...errors import InvalidArgument, KeyMissing, Unsupported
from ...logs import logged
from ...values import CPU, DRY_RUN, device_name, require_kind_of_device, shown
from ..packing.packed import Packed
from . import advice, ranges, show
from .operators import Operators
from .session import KeySet, Owner, Session

__all__ = ["EncryptedArray", "NumpyFunctions"]

Axes = int | tuple[int, ...] | None


class NumpyFunctions(Protocol):
    """NumPy's functions on encrypted arrays."""

    def apply_ufunc(self, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any], /) -> Any: ...
    def apply_function(self, function: Any, args: tuple[Any, ...], options: dict[str, Any], /) -> Any: ...
    def transposed(self, x: EncryptedArray, /) -> EncryptedArray: ...
    def columns_of(self, x: EncryptedArray, key: Any, /) -> Any: ...
    def frame_of(self, values: NDArray[Any], labels: tuple[str, ...] | None, /) -> Any: ...
    def assume(
        self, x: EncryptedArray, bounds: tuple[float | None, float | None, float | None], every_slot: bool, /
    ) -> EncryptedArray: ...


class EncryptedArray(Operators):
    """An array of encrypted numbers: the result of ``Context.encrypt`` or of an operation. No operation changes it.

    All attributes are public: no key is needed to read them. ``shape``, ``ndim``, ``size`` and ``dtype`` are as in an
    ndarray. ``depth_left`` is the number of successive products that the array still allows, its *levels*.
    ``precision_bits`` is the number of bits after the binary point that are guaranteed in every element. It is infinite
    for integers. ``nbytes`` is the size of the ciphertexts. ``device`` is the name of the device that computes.
    """

    __slots__ = ("_clear", "_domain", "_interval", "_labels", "_packing", "_session", "_shape", "_source", "_uncleared")
    _numpy: ClassVar[NumpyFunctions]  # encrypted/__init__.py sets this and _reduced
    _reduced: ClassVar[Callable[[EncryptedArray, Any], Any]]

    __pandas_priority__ = 5000  # pandas leaves operators to the class of higher priority, and DataFrames have 4000

    def __init__(
        self,
        session: Session,
        shape: tuple[int, ...],
        packed: Packed[Any] | None,
        interval: ranges.Interval | None = None,
    ) -> None:
        self._session = session
        self._shape = shape
        self._packing = packed
        self._source: EncryptedArray | None = None  # the source, if this array is a transposed matrix: see _packed
        context = session.keys.context
        self._interval = ranges.followed(interval, context._range, context.plain_modulus)
        self._domain: tuple[float, float] | None = None  # low and high of assume(); results of operations have None
        self._uncleared: Packed[Any] | None = None  # the ciphertexts as they were before assume() cleared unused slots
        self._clear: NDArray[Any] | None = None  # cleartext values under ringfort.debug: see verbs/shadow.py
        self._labels: tuple[str, ...] | None = None

    def _derived(self, shape: tuple[int, ...], packed: Packed[Any], interval: ranges.Interval | None) -> EncryptedArray:
        """Returns an array under the same keys, on the same device."""
        return EncryptedArray(self._session, shape, packed, interval)

    @property
    def _packed(self) -> Packed[Any]:
        """The ciphertexts on which operations compute.

        A transposed matrix has no ciphertexts at first. The first use of this property moves the elements of the source
        matrix to their transposed places, and keeps the result.

        Public attributes, decryptions and files must not depend on whether the elements have moved, so they use
        ``_stored``. Code that chooses another algorithm for a transposed matrix tests ``_source``. The move does not
        change ``_source``. Therefore the choice does not depend on earlier uses of the array.
        """
        if self._packing is None:
            assert self._source is not None
            self._packing = self._numpy.transposed(self._source)._packed
        return self._packing

    @property
    def _stored(self) -> Packed[Any]:
        """The ciphertexts as they are: this property never moves elements. For a transposed matrix, these are the
        ciphertexts of its source."""
        return self._packed if self._source is None else self._source._packed

    def _arranged(self, elements: NDArray[Any]) -> NDArray[Any]:
        """Arranges decrypted elements in this array's shape. elements: in the C order (row by row) of the array that
        ``_stored`` encrypts."""
        if self._source is None:
            return elements.reshape(self._shape)
        return np.ascontiguousarray(elements.reshape(self._source._shape).T)

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self._shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self._shape)

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names of the columns of an encrypted DataFrame, which are public; None if the array has none.

        Elementwise operations, selections of rows or columns, and reductions within each column (axis=0) keep the
        names. Files and pickles do not contain them.
        """
        return self._labels

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's type of decrypted values. If the bounds of integers exceed 63 bits, the values are Python ints in an
        array of objects."""
        return ranges.dtype_of(self._interval, self._session.on.dtype)

    @property
    def depth_left(self) -> int:
        """Number of successive products that the array still allows."""
        return min(self._session.on.depth_left(ciphertext) for ciphertext in self._stored.ciphertexts)

    @property
    def precision_bits(self) -> float:
        """Number of bits after the binary point that are guaranteed in every element; infinity for integers."""
        return min(self._session.on.precision_bits(ciphertext) for ciphertext in self._stored.ciphertexts)

    @property
    def magnitude(self) -> float:
        """A public bound on the absolute value of every element. It follows from the declared magnitudes. Infinity for
        integers."""
        if self._session.on.exact:
            return math.inf
        return max(ciphertext.magnitude for ciphertext in self._stored.ciphertexts)

    @property
    def nbytes(self) -> int:
        """Bytes of the ciphertexts."""
        return sum(self._session.on.nbytes(ciphertext) for ciphertext in self._stored.ciphertexts)

    @property
    def device(self) -> str:
        """Name of the device that computes."""
        return self._session.device

    @property
    def key_id(self) -> str:
        """The ``id`` of the key set that encrypted the array. These keys compute on the array and decrypt it."""
        return show.key_id(self._stored.ciphertexts[0].key_id)

    @property
    def bound_is_untrusted(self) -> bool:
        """True if bounds depend on claims of a file or a pickle.

        A reader cannot check these claims, because ciphertexts do not show them. A claim is about the accuracy of an
        array that was computed elsewhere, about the range of its integers, or about the unused slots of a sum.
        """
        return isinstance(self._interval, ranges.UntrustedInterval) or any(
            b.bound_is_untrusted for b in self._stored.ciphertexts
        )

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of an encrypted number")
        return self._shape[0]

    def __repr__(self) -> str:
        return self._facts().text()

    def _repr_html_(self) -> str:
        return self._facts().html()

    def _facts(self) -> show.ArrayFacts:
        on, ciphertexts = self._session.on, self._stored.ciphertexts
        return show.ArrayFacts(
            shape=self._shape,
            dtype=self.dtype,
            depth_left=self.depth_left,
            precision_bits=None if on.exact else self.precision_bits,
            columns=self._labels,
            ciphertexts=len(ciphertexts),
            nbytes=self.nbytes,
            device=self.device,
            insecure=self._session.keys.context.insecure,
        )

    # __array__ would need the values. Type checkers must not see it: with it, NumPy's stubs would take an encrypted
    # array for an ndarray. Nor may they see __getattr__: with it, they would accept any attribute.
    if not TYPE_CHECKING:

        def __array__(self, dtype=None, copy=None):
            raise InvalidArgument(
                "an encrypted array has no values to convert",
                "put the encrypted array first (x * values, x @ matrix), or call np.dot(values, x); for models "
                "of scikit-learn, ringfort.ml.from_sklearn(model); lists, Series and Polynomials of encrypted numbers "
                "are not possible; the owner of the keys decrypts: x.decrypt(keys)",
            )

        def __getattr__(self, name):
            known = advice.instead_of(name)
            if name.startswith("_") or not (known or hasattr(np.ndarray, name)):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            instead = known or "decrypt first, or write it with the operators"
            raise AttributeError(f"encrypted arrays have no {name}: {instead}")

    def __bool__(self) -> bool:
        raise InvalidArgument("an encrypted array has no truth value", "decrypt it first: x.decrypt(keys)")

    def __float__(self) -> float:
        raise InvalidArgument("an encrypted number has no value to convert", "decrypt it first: x.decrypt(keys)")

    def __int__(self) -> int:
        raise InvalidArgument("an encrypted number has no value to convert", "decrypt it first: x.decrypt(keys)")

    def __round__(self, digits: object = None) -> NoReturn:
        raise Unsupported("encrypted values cannot be rounded", "decrypt first: x.decrypt(keys)")

    def __iter__(self) -> Iterator[EncryptedArray]:
        if not self._shape:
            raise TypeError("iteration over an encrypted number")
        return (self[i] for i in range(self._shape[0]))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return self._numpy.apply_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return self._numpy.apply_function(function, args, options)

    def decrypt(
        self, keys: Any, *, release: Release | None = None, ledger: str | os.PathLike[str] | None = None
    ) -> NDArray[Any]:
        """Returns the values as an array of this shape. Only the owner of the secret key can call this method.

        Rounds real and complex numbers to their guaranteed bits (``precision_bits``). Rounding hides the error, which
        depends on the secret key. But no proof says that rounding hides the error completely. Therefore use ``release``
        if others see the values.

        release: for real and complex values that others will see. Adds noise that hides the error: see
        ``ringfort.Release``. The amount of noise depends on ``Context(release=...)`` alone: fewer bits or queries here
        do not reduce it.

        ledger: the file that ``keys.create_ledger`` made. It counts every ciphertext decrypted with ``release``. If the
        count would exceed the planned number, the ledger counts none of the array's ciphertexts, and decrypt fails.

        Errors: KeyMissing, ParametersMismatch, ReleaseRefused (the context has no release, no ledger is given, or all
        planned decryptions are used up), BoundViolated (a value exceeds the array's bounds: the keys do not belong
        together, or a file or ``assume`` makes false claims), InvalidArgument.
        """
        _require_secret(keys, "decrypt")
        if release is None:
            if ledger is not None:
                raise InvalidArgument(
                    "a ledger was given, but no release", "give the release: release=rf.Release(bits, queries)"
                )
            return self._decrypted(keys)
        if not isinstance(release, Release):
            raise InvalidArgument(f"release is {shown(release)}", "give rf.Release(bits, queries)")
        return logged(
            "release",
            lambda: self._arranged(self._session.release(self._stored, keys, release, ledger)),
            lambda found: found.nbytes,
        )

    def decrypt_frame(
        self, keys: Any, *, release: Release | None = None, ledger: str | os.PathLike[str] | None = None
    ) -> Any:
        """Decrypts a matrix to a pandas DataFrame with the names of its columns, or a vector to a Series. Imports
        pandas.

        Errors: those of ``decrypt``, Unsupported (pandas is not installed), InvalidArgument (more than two axes).
        """
        return self._numpy.frame_of(self.decrypt(keys, release=release, ledger=ledger), self._labels)

    def decrypt_raw(self, keys: Any) -> NDArray[Any]:
        """Returns the values with their error, for the key owner's own measurements. Never show them to anybody.

        Whoever has two raw decryptions of real numbers, and the two ciphertexts, can compute the whole secret key
        within a second. For complex numbers, one raw decryption is enough. Integers have no error: ``decrypt`` returns
        the same values. Errors: those of ``decrypt``.
        """
        _require_secret(keys, "decrypt_raw")
        return self._decrypted(keys, raw=True)

    def _decrypted(self, owner: Owner, raw: bool = False) -> NDArray[Any]:
        values = logged(
            "decrypt",
            lambda: self._arranged(self._session.decrypt(self._stored, owner, raw)),
            lambda found: found.nbytes,
        )
        ranges.require_within(values, self._interval)
        ranges.require_in_domain(values, self._domain, self.precision_bits)
        return values.astype(self.dtype, copy=False)

    def assume(
        self,
        magnitude: float | None = None,
        *,
        low: float | None = None,
        high: float | None = None,
        every_slot: bool = False,
    ) -> EncryptedArray:
        """Returns the same array with smaller bounds, for callers who know that these bounds hold for every input.

        magnitude: the largest absolute value that an element can have. low, high: every value (a real number) is in
        low .. high. Functions such as ``ringfort.sigmoid`` use low and high. The results of operations on this array
        have no low and high.

        You promise these bounds. The bounds of later results depend on them, and nobody can check them without the key.
        ``decrypt`` of this array refuses values above the magnitude and, without a release, values outside low .. high.
        But later results can be wrong if the promise is false. The bounds are public: they must not depend on secret
        values. Bounds wider than the known bounds are ignored, but unused slots are cleared all the same.

        The bounds must hold for unused slots, too. After sums, these may contain anything, so the library clears them,
        which takes a level. every_slot=True promises the bounds for unused slots. Then the library does not clear them.

        Errors: InvalidArgument, DepthExhausted, Unsupported (integers), NoiseBoundExceeded.
        """
        return self._numpy.assume(self, (magnitude, low, high), every_slot)

    def to(self, device: str) -> EncryptedArray:
        """Returns the same array on another device: see ``ringfort.devices()``. Errors: DeviceUnknown.

        The call itself copies nothing. The library copies ciphertexts and keys once, at their first use on the device.
        Moving back costs nothing while the original array exists. In a dry run (``ringfort.plan``), returns the array
        itself, and needs no such device.
        """
        name = device_name(device)
        if self.device == DRY_RUN:
            require_kind_of_device(name)
            return self
        return self._moved(self._session.keys.session(name))

    def cpu(self) -> EncryptedArray:
        """Returns the same array on the CPU, as ``to`` does."""
        return self.to(CPU)

    def gpu(self) -> EncryptedArray:
        """Returns the same array on the first GPU, as ``to`` does. Errors: DeviceUnknown (there is no GPU; the message
        says why)."""
        return self if self.device == DRY_RUN else self.to(first_gpu())

    def on_gpu(self) -> bool:
        """Tells whether the device is a GPU."""
        return is_gpu(self.device)

    def with_keys(self, keys: KeySet | Owner) -> EncryptedArray:
        """Returns the same array with the given keys: a key set or its public part. An unpickled array has no keys: an
        operation that needs keys needs this call first, or another operand that has keys.

        Errors: KeyMissing, ParametersMismatch (keys of another context). Wrong keys of the same context cause an error
        only in the first operation that uses them.
        """
        return self._moved(self._session.keys._public_part_of(keys).session(self.device))

    def _moved(self, target: Session) -> EncryptedArray:
        """Returns the same array in the session ``target``. A session is a key set on a device. The context of
        ``target`` must have the parameters of this array's context."""
        if target is self._session:
            return self
        source = self._source
        packed = None if source is not None else self._session.moved(self._packed, target)
        moved = EncryptedArray(target, self._shape, packed, self._interval)
        moved._source = None if source is None else source._moved(target)
        moved._uncleared = None if self._uncleared is None else self._session.moved(self._uncleared, target)
        moved._clear, moved._domain, moved._labels = self._clear, self._domain, self._labels
        return moved

    def __copy__(self) -> EncryptedArray:
        return self

    def __deepcopy__(self, memo: object) -> EncryptedArray:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._reduced(protocol)

    # These methods have parameters of ndarray's methods or NumPy's functions, in the same order. dtype and out must be
    # None.
    def sum(self, axis: Axes = None, dtype: None = None, out: None = None, keepdims: bool = False) -> EncryptedArray:
        """Adds the elements along the given axes; without axes, adds all elements."""
        return self._numpy.apply_function(np.sum, (self, axis, dtype, out, keepdims), {})

    def mean(self, axis: Axes = None, dtype: None = None, out: None = None, keepdims: bool = False) -> EncryptedArray:
        """Returns means. Errors: Unsupported for integers, because quotients are not integers: decrypt the sum, then
        divide it."""
        return self._numpy.apply_function(np.mean, (self, axis, dtype, out, keepdims), {})

    def var(
        self, axis: Axes = None, dtype: None = None, out: None = None, ddof: float = 0, keepdims: bool = False
    ) -> EncryptedArray:
        """Returns variances. Takes two levels more than a sum along the same axes. Errors: Unsupported for integers."""
        return self._numpy.apply_function(np.var, (self, axis, dtype, out, ddof, keepdims), {})

    def std(
        self, axis: Axes = None, dtype: None = None, out: None = None, ddof: float = 0, keepdims: bool = False
    ) -> EncryptedArray:
        """Returns standard deviations, with an error of at most 0.01: see docs/functions.md. Errors: Unsupported."""
        return self._numpy.apply_function(np.std, (self, axis, dtype, out, ddof, keepdims), {})

    def cumsum(self, axis: int | None = None, dtype: None = None, out: None = None) -> EncryptedArray:
        """Returns running sums along an axis. Without an axis, returns a vector of the running sums of all elements."""
        return self._numpy.apply_function(np.cumsum, (self, axis, dtype, out), {})

    def prod(self, axis: Axes = None, dtype: None = None, out: None = None, keepdims: bool = False) -> EncryptedArray:
        """Returns products. A product of k elements takes log2(k) levels, rounded up, along the last axis or along all
        axes except the last. Along all axes, products take log2(rows) + log2(row length) levels, each rounded up. Along
        any other axes, they take one or two levels more than log2(k). They take one more level after some reshapes, and
        if unused slots must be cleared."""
        return self._numpy.apply_function(np.prod, (self, axis, dtype, out, keepdims), {})

    def cumprod(self, axis: int | None = None, dtype: None = None, out: None = None) -> EncryptedArray:
        """Returns running products along an axis. Without an axis, returns a vector of the running products of all
        elements."""
        return self._numpy.apply_function(np.cumprod, (self, axis, dtype, out), {})

    def trace(self, offset: int = 0) -> EncryptedArray:
        """Adds the elements of a diagonal."""
        return self._numpy.apply_function(np.trace, (self, offset), {})

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> EncryptedArray:
        """Returns the elements of a diagonal."""
        return self._numpy.apply_function(np.diagonal, (self, offset, axis1, axis2), {})

    def astype(self, dtype: DTypeLike) -> EncryptedArray:
        """Returns the array itself if it has this dtype. Errors: Unsupported for another dtype, because a context has
        one dtype."""
        if np.dtype(dtype) != self.dtype:
            raise Unsupported(
                f"an encrypted array of dtype {self.dtype} cannot be converted to {np.dtype(dtype)}",
                "a context has one dtype: choose it in Context(dtype)",
            )
        return self

    def copy(self) -> EncryptedArray:
        """Returns the array itself: it is immutable."""
        return self

    def dot(self, other: ArrayLike | EncryptedArray) -> EncryptedArray:
        """Returns a product of vectors or matrices, as numpy.dot does."""
        return self._numpy.apply_function(np.dot, (self, other), {})

    def roll(self, shift: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None) -> EncryptedArray:
        """Works like numpy.roll. Takes one level, unless all elements of each ciphertext rotate by the same
        distance."""
        return self._numpy.apply_function(np.roll, (self, shift), {"axis": axis})

    def reshape(self, *shape: Any) -> EncryptedArray:
        """Returns the array in another shape. Elements stay in their slots. Only a transposed matrix first moves its
        elements."""
        return self._numpy.apply_function(np.reshape, (self, shape[0] if len(shape) == 1 else shape), {})

    def ravel(self, order: Literal["C", "F"] = "C") -> EncryptedArray:
        """Returns all elements as a vector."""
        return self._numpy.apply_function(np.ravel, (self, order), {})

    flatten = ravel  # elements never change: a view equals a copy

    def squeeze(self, axis: Axes = None) -> EncryptedArray:
        """Returns the array without axes of length 1. Takes no time."""
        return self._numpy.apply_function(np.squeeze, (self, axis), {})

    def swapaxes(self, axis1: int, axis2: int) -> EncryptedArray:
        """Works like numpy.swapaxes. Moves the elements immediately, which takes the levels and rotations that
        ``transpose`` states."""
        return self._numpy.apply_function(np.swapaxes, (self, axis1, axis2), {})

    def take(self, indices: ArrayLike, axis: int | None = None) -> EncryptedArray:
        """Works like numpy.take, with plain indices: see ``x[...]``."""
        return self._numpy.apply_function(np.take, (self, indices, axis), {})

    def compress(self, condition: ArrayLike, axis: int | None = None) -> EncryptedArray:
        """Works like numpy.compress, with a plain vector of booleans: see ``x[...]``."""
        return self._numpy.apply_function(np.compress, (condition, self, axis), {})

    def repeat(self, repeats: ArrayLike, axis: int | None = None) -> EncryptedArray:
        """Repeats each element, or each subarray along an axis, as numpy.repeat does."""
        return self._numpy.apply_function(np.repeat, (self, repeats, axis), {})

    def transpose(self, *axes: Any) -> EncryptedArray:
        """Works like numpy.ndarray.transpose.

        The transposition of a matrix costs nothing until an operation uses the elements. Products with encrypted
        matrices or vectors do not need the transposed elements. Other operations move them, which takes one or two
        levels, and one rotation for each diagonal. Errors: Unsupported if too many moves are necessary.
        """
        given = None if not axes else axes[0] if len(axes) == 1 else axes
        return self._numpy.apply_function(np.transpose, (self, given), {})

    def conj(self) -> EncryptedArray:
        """Returns complex conjugates. Takes no level. For complex numbers, takes as long as one rotation of each
        ciphertext."""
        return self._numpy.apply_ufunc(np.conjugate, "__call__", (self,), {})

    conjugate = conj

    @property
    def real(self) -> EncryptedArray:
        """The real parts. If the array is complex, so is the result, and the operation takes one level."""
        return self._numpy.apply_function(np.real, (self,), {})

    @property
    def imag(self) -> EncryptedArray:
        """The imaginary parts. If the array is complex, so is the result, and the operation takes one level."""
        return self._numpy.apply_function(np.imag, (self,), {})

    if TYPE_CHECKING:
        T: EncryptedArray
        mT: EncryptedArray
    else:  # a type checker would not find the type of these properties
        T = property(transpose, doc="The axes in reverse order: see transpose.")
        mT = property(lambda self: self.swapaxes(-1, -2), doc="The last two axes exchanged: see transpose.")

    @property
    def itemsize(self) -> int:
        """Bytes of one decrypted element."""
        return self.dtype.itemsize

    def __getitem__(self, key: Any) -> EncryptedArray:
        """Indexes as NumPy does. The indices are in the clear.

        If elements change their slots or are left out, takes one level, and one rotation for each distance by which
        elements move. Takes a second level if rows are first spread over more slots, which saves rotations.

        The name of a column, or a list of names, selects columns: ``x["age"]``.
        """
        key = self._numpy.columns_of(self, key)
        return self._numpy.apply_function(operator.getitem, (self, key), {})

    # In-place operators bind the variable to a new array; other variables keep the old array.
    def __iadd__(self, other: ArrayLike | EncryptedArray) -> EncryptedArray:
        return self + other

    def __isub__(self, other: ArrayLike | EncryptedArray) -> EncryptedArray:
        return self - other

    def __imul__(self, other: ArrayLike | EncryptedArray) -> EncryptedArray:
        return self * other

    def __itruediv__(self, other: ArrayLike) -> EncryptedArray:
        return self / other

    def __imatmul__(self, other: ArrayLike | EncryptedArray) -> EncryptedArray:
        return self @ other

    def __ipow__(self, other: int) -> EncryptedArray:
        return self**other

    def __setitem__(self, key: Any, value: Any) -> None:
        raise Unsupported("encrypted arrays do not change", "compute a new one, for instance with a mask: x * keep + y")


def _require_secret(keys: Any, verb: str) -> None:
    if not hasattr(keys, "secret_for"):
        raise KeyMissing(
            f"{verb} was given {type(keys).__name__}, not a key set with a secret key", "give what keygen() made"
        )
