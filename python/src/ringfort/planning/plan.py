# SPDX-License-Identifier: Apache-2.0
"""Plan: the parameters of the context and the keys that one program needs. ``plan`` finds them by dry runs of the
program."""

from __future__ import annotations

import html
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..encrypted import Context, Dtype, Options
from ..encrypted.context.options import instead_of
from ..errors import InvalidArgument, Unsupported
from ..logs import INFO, logged
from ..units import duration, quantity, size
from ..values import DRY_RUN, kind_of, shown, text, whole
from .attempt import Attempt, Inputs, Result
from .document import fields_of, text_of
from .like import Like, like_all
from .search import smallest
from .timing import Prediction, known, measured

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Plan", "plan"]

_CHOSEN = ("depth", "magnitude", "plain_modulus")  # options that the plan finds
_OF_CONTEXT = ("device", "threads")  # options of ``Plan.context``
_TUPLES = "for several arguments give tuples: inputs=[(a, b)]"
_DTYPES = ("real", "complex", "int")


@dataclass(frozen=True)
class Plan:
    """The result of ``plan``. options: the options of the context. found: facts from a dry run of the program.

    Two plans are equal if all their fields are equal. Plans can be members of sets.
    """

    name: str
    dtype: Dtype
    inputs: Inputs
    options: Mapping[str, Any]
    found: Attempt

    @property
    def rotations(self) -> tuple[int, ...]:
        """The steps (distances in slots) whose keys ``ctx.keygen(plan)`` makes."""
        return self.found.rotations

    @property
    def swap(self) -> bool:
        """True if ``ctx.keygen(plan)`` also makes the key that conjugates complex numbers, or swaps the two rows of
        slots of integers."""
        return self.found.swap

    @property
    def depth(self) -> int:
        """Number of successive products that the context allows."""
        return int(self.options["depth"])

    @property
    def precision_bits(self) -> float:
        """The number of bits after the binary point that are guaranteed in every result. It is infinite for
        integers."""
        return self.found.precision_bits if self.dtype != "int" else float("inf")

    def context(self, *, device: str | None = None, threads: int | None = None) -> Context:
        """Makes the context. Equal plans give equal contexts on every machine."""
        return Context(self.dtype, device=device, threads=threads, **self.options)

    def explain(self) -> str:
        """Returns a table as text. It shows the program, the parameters, the keys, the sizes of inputs and results, the
        work, and the time if ``predict`` has measured it."""
        context = self.context(device=DRY_RUN)
        keys = context.plan_keys(self)
        rotations = "none" if not self.rotations else ", ".join(map(str, self.rotations))
        results = [f"{r.shape}" + self._guarantee(r) for r in self.found.results]
        lines = [
            f"program        {self.name}({', '.join(map(repr, self.inputs.all))})",
            *(f"result         {line}" for line in results),
            *str(context.explain()).splitlines(),
            f"rotations      {rotations}",
            f"keys           {size(keys.galois_bytes + keys.relinearization_bytes)} to compute",
            f"inputs         {size(self.found.input_bytes)}",
            f"results        {size(sum(result.nbytes for result in self.found.results))}",
            f"work           {self.found.multiplications:.3g} modular products",
        ]
        if (predicted := known(self.context(threads=1), self.found.calls)) is not None:
            lines.append(f"time           about {duration(predicted.seconds)} on one thread of {predicted.device}")
        return "\n".join(line for line in lines if line and not line.startswith("relinearize")) + "\n"

    def predict(self, device: str | None = None) -> Prediction:
        """Predicts the seconds that a run of the program takes on one thread of a device. None means the default
        device.

        Makes a context with a few keys. A *level* is the number of products that a ciphertext still allows; operations
        take less time at lower levels. Measures every operation of the program at each level at which the program uses
        it. A measured time is the median of four runs, after one run without timing. If products do not reach a level,
        or the operation fails there, measures the operation at the nearest level that is possible. The measurement
        takes seconds.

        The prediction adds up the times of the operations of the program. It does not include encryption, decryption
        and copies to the device. Afterwards ``explain`` also shows the prediction, if it is for the default device.
        Errors: Unsupported (the plan comes from a text that does not say how often each operation runs), DeviceUnknown,
        OutOfMemory.
        """
        if not self.found.calls:
            raise Unsupported("this plan does not say how often each operation runs", "make it again with rf.plan")
        return measured(self.context(device=device, threads=1), self.found.calls)

    def _guarantee(self, result: Result) -> str:
        if self.dtype == "int":
            return ", exact"
        return f", {result.precision_bits:.1f} bits, at most {result.magnitude:.4g}"

    def to_json(self) -> str:
        """Returns the plan as text. The text does not contain the program. ``Plan.from_json`` reads the text. Errors:
        InvalidArgument (JSON cannot contain an option, for example ``release``)."""
        try:
            return text_of(self)
        except TypeError:
            raise InvalidArgument("this plan has an option that JSON cannot contain", "plan without it") from None

    @classmethod
    def from_json(cls, document: str, *, insecure: str = "") -> Plan:
        """Reads a plan from its text. Whoever can change the text can choose other parameters. Unless you give
        ``insecure``, they cannot choose insecure parameters.

        insecure: if the plan was made with insecure=reason, repeat this reason. Errors: InvalidArgument, Unsupported
        (no parameters have these options).
        """
        try:
            found = fields_of(text("document", document))
        except ValueError:
            found = None
        if found is None:  # raised here, because a parser's error contains the document
            raise InvalidArgument("the document is not a plan", "give what plan.to_json() returned")
        allowed, repeated = found["options"].get("insecure", ""), text("insecure", insecure)
        if repeated and not allowed:
            raise InvalidArgument("insecure was given, but the document allows no insecure parameters", "leave it out")
        if allowed != repeated:
            raise InvalidArgument(
                "the document allows insecure parameters for a reason that the argument insecure does not repeat",
                "if you planned so, repeat the reason: Plan.from_json(document, insecure=reason)",
            )
        plan = cls(**found)
        plan.context(device=DRY_RUN)
        return plan

    def __hash__(self) -> int:
        return hash((self.name, self.dtype, self.found))  # the other fields have dicts

    def __repr__(self) -> str:
        bits = "" if self.dtype == "int" else f", precision_bits={self.precision_bits:.1f}"
        return f"Plan({self.name}, depth={self.depth}, N={self.found.n}, {len(self.rotations)} rotations{bits})"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.explain())}</pre>"


def plan(
    function: Callable[..., Any],
    *likes: Like,
    inputs: Iterable[Any] | None = None,
    dtype: Dtype = "real",
    named: Mapping[str, Like] | None = None,
    **options: Unpack[Options],
) -> Plan:
    """Finds the smallest parameters, and the keys, that ``function`` needs. Runs ``function`` without encryption, on
    descriptions of arrays.

    likes: the descriptions of the encrypted arguments of ``function``, ``like(shape, magnitude=...)``. named: the
    descriptions of its keyword arguments. inputs: examples in place of ``likes``. An example is an array or a tuple of
    arrays. The shapes and magnitudes of the examples describe the arguments.

    options: see ``Options``. The plan itself finds magnitude and plain_modulus: do not give them. The option precision
    is the number of bits after the binary point of every result. Its default is 20, or less if the approximation errors
    of functions such as ``rf.exp`` do not allow 20. dtype="int" needs range=(low, high) of the inputs. The operations
    that the function performs must not depend on the values of its arguments. Later runs must use the same data in the
    clear as this run. Errors: those of the function; InvalidArgument; Unsupported (no parameters suffice).
    """
    if not callable(function):
        raise InvalidArgument(f"function is {kind_of(function)}", "give the function that computes on encrypted arrays")
    if dtype not in _DTYPES:
        raise InvalidArgument(f"dtype is {shown(dtype)}", "give one of: " + ", ".join(map(repr, _DTYPES)))
    _require_options(options)
    if dtype == "int" and "range" not in options:
        raise InvalidArgument("integers need a range", "give range=(low, high) of the inputs")
    given = _inputs(likes, named or {}, inputs)
    if inputs is not None:
        _require_arguments(function, len(given.positional))
    wanted: dict[str, Any] = dict(options)
    precision = whole("precision", wanted.pop("precision"), 53) if "precision" in wanted else None
    found_options, found = logged(
        "plan", lambda: smallest(function, given, dtype, precision, wanted), lambda result: result[1].input_bytes, INFO
    )
    return Plan(getattr(function, "__name__", "program"), dtype, given, found_options, found)


def _require_options(options: Mapping[str, Any]) -> None:
    if unwanted := sorted(options.keys() & set(_CHOSEN)):
        raise InvalidArgument(f"a plan finds {unwanted[0]} itself", "leave it out")
    if unwanted := sorted(options.keys() & set(_OF_CONTEXT)):
        raise InvalidArgument(
            f"a plan does not depend on {unwanted[0]}",
            f"give it to plan.context({unwanted[0]}=...), or to program.context",
        )
    if unknown := sorted(options.keys() - Options.__annotations__.keys()):
        known = ["dtype", *(name for name in Options.__annotations__ if name not in _CHOSEN)]
        raise InvalidArgument(f"there is no option {unknown[0]!r}", instead_of(unknown[0], known))


def _require_arguments(function: Callable[..., Any], count: int) -> None:
    """Requires that the function can be called with this number of arguments, the arrays of an example. Errors:
    InvalidArgument."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # the function has no signature
        return
    try:
        signature.bind(*range(count))
    except TypeError as error:
        refused = str(error)
    else:
        return
    raise InvalidArgument(f"an example has {quantity(count, 'array')}, but for the program, {refused}", _TUPLES)


def _inputs(likes: tuple[Like, ...], named: Mapping[str, Like], examples: Iterable[Any] | None) -> Inputs:
    if examples is not None:
        if likes or named:
            raise InvalidArgument("both likes and inputs were given", "give one of them")
        if (
            not isinstance(examples, Iterable)
            or isinstance(examples, (str, bytes, Mapping))
            or hasattr(examples, "__array__")
        ):
            raise InvalidArgument(f"inputs is {kind_of(examples)}", "give a list of examples: inputs=[array]")
        sets = [example if isinstance(example, tuple) else (example,) for example in examples]
        if not sets or any(len(each) != len(sets[0]) for each in sets):
            raise InvalidArgument(
                "inputs has no examples, or its examples have different numbers of arrays",
                f"give arrays, or tuples of arrays; {_TUPLES}",
            )
        likes = tuple(map(like_all, zip(*sets, strict=True)))
    for each in [*likes, *named.values()]:
        if not isinstance(each, Like):
            raise InvalidArgument(f"an argument is {kind_of(each)}", "describe it: rf.like(shape, magnitude=...)")
    if not likes and not named:
        raise InvalidArgument("the program has no encrypted argument", "describe one: rf.like(shape, magnitude=...)")
    return Inputs(likes, dict(named))
