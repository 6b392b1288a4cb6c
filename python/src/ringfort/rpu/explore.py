# SPDX-License-Identifier: Apache-2.0
"""Design-space exploration: measures a program on many machines of the ring processor, and keeps the results in a file.

A ``Request`` has the settings of a machine, and a program: a transform to generate, or the user's own program. A result
is a line of JSON. It contains a digest of the request, of the simulator and of the generator. Therefore a stopped
exploration can continue, and it does not use the results of other versions of these programs. A result does not contain
area and energy. ``Point`` computes them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

from .._rpu import asm as b512
from .._rpu import model
from ..errors import Error, InvalidArgument, IoOpen, IoWrite, Unsupported
from ..locks import CachedProperty, Lock
from ..whole_files import open_regular, open_to_append
from .machine import area_of, machine
from .programs import Transform, files_of_job, generate, load, run, run_job
from .tools import tools_digest

__all__ = ["Point", "Request", "Results", "explore", "grid", "hbm_us", "pareto"]

_WORD_BYTES = 16
_KEPT = ("cycles", "us", "pipes", "activity")


def hbm_us(n: int, arrays: int = 3, gigabytes: int = 512) -> float:
    """Returns the microseconds for the transfers of a transform of size n between the chip and off-chip memory. The
    three arrays are coefficients (input), roots of unity (constants) and evaluations (result). If the roots stay on the
    chip, give arrays=2. gigabytes: the bandwidth, in gigabytes per second."""
    return arrays * n * _WORD_BYTES / (1e3 * gigabytes)


@dataclass(frozen=True)
class Request:
    """A measurement to make. settings: the settings of the machine. program: the path of a program or a job. Empty
    means a transform of size n, with the options optimizer, seed and tries. digest: a digest of the program or job."""

    settings: tuple[tuple[str, object], ...] = ()
    n: int = 65536
    optimizer: str = "paper"
    seed: int = 0
    tries: int | None = None
    program: str = ""
    digest: str = ""

    def with_settings(self, **settings: object) -> Request:
        """Returns the request with these settings of the machine, in addition to its own. A number may be given as
        text."""
        settings = {name: int(str(value)) if str(value).isdigit() else value for name, value in settings.items()}
        return replace(self, settings=tuple(sorted((dict(self.settings) | settings).items())))

    @staticmethod
    def of_program(path: Path, settings: dict[str, object] | None = None) -> Request:
        """Returns the request to measure a program or a job. The digest of a job includes all files that the job
        names."""
        files = _contents_of_job(path) if path.suffix == ".job" else [load(path).to_bytes()]
        digest = sha256(b"".join(sha256(file).digest() for file in files)).hexdigest()[:16]
        return Request(tuple(sorted((settings or {}).items())), program=str(path), digest=digest)

    @CachedProperty
    def machine(self) -> b512.Machine:
        return machine(None, dict(self.settings))

    @CachedProperty
    def key(self) -> str:
        """A digest of everything that determines the result. The digest covers all parameters of the machine. Therefore
        a setting with its default value does not change the digest."""
        facts = asdict(self) | {"settings": vars(self.machine), "tools": tools_digest()}
        del facts["program"]
        return sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:24]

    def measure(self) -> dict[str, Any]:
        if self.program.endswith(".job"):
            return run_job(Path(self.program), self.machine)
        if self.program:
            return run(Path(self.program), self.machine)
        wanted = Transform(self.n, optimizer=self.optimizer, seed=self.seed, tries=self.tries, on=self.machine)
        return generate(wanted)


def _contents_of_job(path: Path) -> list[bytes]:
    """Returns the contents of a job and of the files that it names. Errors: IoOpen."""
    try:
        return [file.read_bytes() for file in (path, *files_of_job(path))]
    except OSError as error:
        raise IoOpen(f"the job {path} or a file of it cannot be read: {error}", "check the paths in it") from None


@dataclass(frozen=True)
class Point:
    """A request with its measured results."""

    request: Request
    cycles: int
    us: float
    pipes: dict[str, Any]
    activity: dict[str, int]

    @property
    def size(self) -> tuple[int, int]:
        return self.request.machine.hples, self.request.machine.banks

    @CachedProperty
    def area(self) -> model.Area:
        return area_of(self.request.machine)

    @CachedProperty
    def energy(self) -> model.Energy:
        return model.energy(self.activity)

    @property
    def per_area(self) -> float:
        """Runs per second and per mm2 of the chip."""
        return 1e6 / (self.us * self.area.total)

    @property
    def hbm_us(self) -> float:
        """Microseconds for the transfers of the transform: coefficients, roots and evaluations. If this time is less
        than the time of the transform, the transfers can run during the computation."""
        return hbm_us(self.request.n, gigabytes=self.request.machine.hbm_gigabytes)

    def document(self) -> dict[str, Any]:
        """Returns a row of a table: the sizes and other settings of the machine, the cycles, the time, the area, the
        energy, and values that follow from these."""
        hples, banks = self.size
        others = {k: v for k, v in self.request.settings if k not in ("hples", "banks")}
        uj, mm2 = self.energy.total, self.area.total
        return {
            "hples": hples,
            "banks": banks,
            "settings": others,
            "cycles": self.cycles,
            "us": self.us,
            "area_mm2": mm2,
            "area": self.area._asdict(),
            "energy_uj": uj,
            "power_w": uj / self.us,
            "energy_delay_uj_us": uj * self.us,
            "runs_per_second_mm2": self.per_area,
            "hbm_us": None if self.request.program else self.hbm_us,
        }


class Results:
    """The results of finished requests. The file ``path`` has a line of JSON for each result. If ``path`` is None, the
    results are only in memory."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = Lock()
        self._found: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            self._read(path)

    def _read(self, path: Path) -> None:
        try:
            with open_regular(path) as file:
                lines = file.read().decode().splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise IoOpen(f"the results {path} cannot be read: {error}", "name another file") from None
        for number, line in enumerate(lines):
            try:
                entry = json.loads(line)
                self._found[entry["key"]] = {name: entry[name] for name in _KEPT}
            except (ValueError, KeyError, TypeError) as error:
                if number and isinstance(error, json.JSONDecodeError):
                    continue  # a program was stopped while it wrote this line
                raise InvalidArgument(
                    f"{path}:{number + 1} is not a result of an exploration",
                    "give a file of an exploration, or a new file",
                ) from None

    def get(self, request: Request) -> Point | None:
        found = self._found.get(request.key)
        return Point(request, **found) if found else None

    def add(self, request: Request, report: dict[str, Any]) -> None:
        entry = {name: report[name] for name in _KEPT}
        with self._lock.inner:
            self._found[request.key] = entry
            if self._path is None:
                return
            try:
                with open_to_append(self._path) as file:
                    file.write(_line_break(file) + json.dumps({"key": request.key, **entry}).encode() + b"\n")
            except OSError as error:
                raise IoWrite(f"{self._path} cannot be written: {error.strerror}", "name another file") from None


def _line_break(file: Any) -> bytes:
    """Returns a line end if the last line of the file is incomplete. A program that was stopped can leave such a
    line."""
    if file.seek(0, 2) == 0:
        return b""
    file.seek(-1, 2)
    return b"" if file.read(1) == b"\n" else b"\n"


def explore(
    requests: Sequence[Request], results: Results, jobs: int = 1, progress: Callable[[int], None] = lambda done: None
) -> dict[Request, Error]:
    """Measures the requests that have no result yet, ``jobs`` requests at a time. progress: called with the number of
    finished requests. Returns the requests that were refused, with their errors: InvalidArgument or Unsupported. Raises
    the first other error, and cancels the requests that have not begun."""
    waiting = {request.key: request for request in requests if results.get(request) is None}
    refused: dict[Request, Error] = {}
    pool = ThreadPoolExecutor(max_workers=max(1, jobs))
    running = {pool.submit(request.measure): request for request in waiting.values()}
    try:
        for done, finished in enumerate(as_completed(running), 1):
            request, error = running[finished], finished.exception()
            if isinstance(error, (InvalidArgument, Unsupported)):
                refused[request] = error
            else:
                results.add(request, finished.result())
            progress(done)
    finally:
        pool.shutdown(cancel_futures=True)
    return refused


def grid(base: Request, axes: Mapping[str, Iterable[object]]) -> list[Request]:
    """Returns a request for each combination of machine parameters. axes: the values to try of each parameter. All
    other settings are those of ``base``."""
    return [base.with_settings(**dict(zip(axes, values))) for values in product(*axes.values())]


def pareto(points: Iterable[Point]) -> list[Point]:
    """Returns the Pareto front, sorted by area: omits a point if another point has neither a larger time nor a larger
    area. Of points with equal time and area, returns one."""
    front: list[Point] = []
    for point in sorted(points, key=lambda p: (p.area.total, p.us)):
        if not front or point.us < front[-1].us:
            front.append(point)
    return front
