# SPDX-License-Identifier: Apache-2.0
"""Tests that messages contain no secret. Every argument that may be a passphrase, a record, a word or a plaintext gets
known values of many types, the canaries. The tests search for the canaries in all errors, warnings, log records, prints
and displays.
"""

import ast
import inspect
import itertools
import logging
import re
import traceback
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import ringfort as rf
from ringfort.cli import statistics as cli_statistics
from ringfort.encrypted import reading
from ringfort.search import mail, readers, text

WORD, WHOLE, REAL = "kanarienvogel", 73194628, 7319.462891
NEEDLES = (WORD, str(WHOLE), "73194629", "7319.46", "7.319")
CANARIES = {
    "text": WORD,
    "two words": f"{WORD} {WORD}s",
    "field": f"{WORD}:x",
    "half a character": WORD + "\udcff",
    "NUL": WORD + "\0",
    "bytes": WORD.encode(),
    "list of text": [WORD, WORD],
    "texts and numbers": [WORD, 1.5, None],
    "ragged": [[REAL], [REAL, REAL]],
    "table": [[REAL, REAL], [REAL, REAL]],
    "with nothing": [REAL, None],
    "not finite": [REAL, float("nan")],
    "whole": WHOLE,
    "real": REAL,
    "reals": [REAL],
    "wholes": [WHOLE, -WHOLE, 2**64 + WHOLE],
    "complex": [complex(REAL, REAL)],
    "mapping": {WORD: REAL, "a": [WORD]},
    "set": {WORD},
    "array": np.array([REAL]),
    "objects": np.array([WORD, REAL], dtype=object),
    "exception": ValueError(WORD),
}
# Arguments with a public value. Messages show the value, so that users see their typing errors.
SHOWN = {
    "path",
    "folder",
    "device",
    "devices",
    "preset",
    "dtype",
    "scheme",
    "format",
    "answer",
    "engine",
    "name",
    "source",
    "wanted",
}
SHOWN |= {"shape", "stride", "padding"}  # facts of arrays
SHOWN |= {
    "samples",
    "iterations",
    "degree",
    "interval",
    "rate",
    "length",
    "reach",
    "window",
    "spread",
}  # facts of a training
# Sizes.
SHOWN |= {"slots", "plain_modulus", "uploads", "records", "n", "ddof", "slot", "number", "strength", "threads"}
SHOWN |= {"release", "magnitude", "rotations", "range", "precision", "depth", "columns", "ddof"}  # options
SHOWN |= {"domain", "error", "gap"}  # options of functions
SHOWN |= {"upload", "result", "index"}  # paths, if they are text
SHOWN |= {
    "a",
    "b",
    "column",
    "columns",
    "target",
    "features",
    "form",
}  # names and ranges of a study, which all parties have
_NOT_CALLED = {  # types, modules, plain data, and functions that take no argument of a caller
    *(
        "CpuCap",
        "DeviceInfo",
        "DeviceMemory",
        "Groups",
        "Inspection",
        "Measurement",
        "Options",
        "Release",
        "devices",
        "default_device",
        "first_gpu",
        "frame",
        "cpu_cap",
        "debug",
        "Error",
        "ring",
    ),
    *(
        "search",
        "errors",
        "statistics",
        "logreg",
        "ml",
        "Clusters",
        "Linear",
        "Network",
        "Projection",
        "Like",
        "Step",
        "EngineName",
        "FORMATS",
        "SearchPlan",
        "SearchReport",
        "Skipped",
        "StoredDocument",
        "VerifyReport",
    ),
    *("Estimate", "IndexReport", "Padding", "Document", "Query", "preset_names", "Answer", "Regression", "Summary"),
}


class Stand:
    def __init__(self, folder):
        self.folder = folder
        self.ctx = rf.Context(depth=1, precision=10, slots=512)
        self.keys = self.ctx.keygen(rotations=[])
        self.x = self.ctx.encrypt([1.0, 2.0], self.keys)
        self.pool = rf.DevicePool(["cpu"])
        self.whole = rf.Context("int", depth=1, range=(-9, 9))
        self.whole_keys = self.whole.keygen(rotations=[])
        self.i = self.whole.encrypt([1, 2], self.whole_keys)
        rf.save(folder / "sealed.rfc", keys=self.keys, passphrase="words", strength=0)
        self.study = rf.statistics.Study({"age": (18, 99), "dose": (0, 9, 1)}, "regressions", uploads=9, records=4)
        self.parties = rf.statistics.keygen(self.study, n=64, insecure="a test")
        self.upload = rf.statistics.encrypt({"age": [30, 40, 50], "dose": [1.5, 2, 8]}, self.parties)
        self.aggregator = rf.statistics.Aggregator(self.parties)
        self.aggregator.add(self.upload)
        self.summary = rf.statistics.decrypt(self.aggregator.result(), self.parties)
        self.mailbox = rf.search.keygen(folder / "keys", unsealed=True)
        self.document = rf.search.Document(id="1", subject="s", words=("a",))
        with rf.search.Index.create(folder / "index", self.mailbox) as index:
            index.add([self.document], self.mailbox)
        self.query = rf.search.query("a", self.mailbox)
        self.index = rf.search.Index.open(folder / "index")
        self.answer = rf.search.search(self.index, self.query)

        self.linear = SimpleNamespace(coef_=[1.0], intercept_=0.5)
        self.program = rf.compile(np.negative, rf.like((2,)))
        self.rows = rf.logreg.Scaling.of([[1.0], [2.0], [4.0]]).rows([[1.0], [2.0], [4.0]])
        self.plan = rf.logreg.Plan(rf.logreg.Records.of(self.rows, [0, 1, 1]), iterations=1)
        self.deep = self.plan.context(n=2048, insecure="a test")
        self.trainer = self.plan.keygen(self.deep)
        self.records = self.plan.encrypt(self.deep, self.rows, [0, 1, 1], self.trainer)
        self.model = rf.logreg.LogisticRegression(self.plan).fit(*self.records)

    def calls(self):
        """Returns every function that takes arguments of a caller, together with valid arguments."""
        s, st, se, folder = self, rf.statistics, rf.search, self.folder
        return {
            "save": (rf.save, {"path": folder / "y.rfc", "passphrase": "w", "strength": 0, "keys": s.keys, "x": s.x}),
            "save unsealed": (rf.save, {"path": folder / "y.rfc", "unsealed": True, "keys": s.keys}),
            "load": (
                rf.load,
                {"path": folder / "sealed.rfc", "ctx": s.ctx, "keys": s.keys, "passphrase": "words", "secrets": True}
                | {"trust_bound": True, "allow_insecure": False, "max_bytes": 2**30},
            ),
            **s.calls_of_services(),
            "Context": (rf.Context, {"dtype": "real", "depth": 1, "precision": 10, "magnitude": 4.0, "slots": 512}),
            "Context of integers": (rf.Context, {"dtype": "int", "range": (-9, 9), "plain_modulus": 65537}),
            "Context.keygen": (s.ctx.keygen, {"rotations": [1], "progress": False}),
            "Context.encrypt": (s.ctx.encrypt, {"values": [1.0], "keys": s.keys, "magnitude": 4.0}),
            "Context.encrypt of integers": (s.whole.encrypt, {"values": [1], "keys": s.whole_keys}),
            "Keys.create_ledger": (s.keys.create_ledger, {"path": folder / "ledger"}),
            "Keys.to": (s.keys.to, {"device": "cpu"}),
            "PublicKeys.to": (s.keys.public.to, {"device": "cpu"}),
            "EncryptedArray.decrypt": (s.x.decrypt, {"keys": s.keys, "release": None, "ledger": None}),
            "EncryptedArray.assume": (s.x.assume, {"magnitude": 2.0, "low": -2.0, "high": 2.0, "every_slot": False}),
            **s.calls_of_training(),
            "like": (rf.like, {"shape": (2,), "magnitude": 1.0}),
            "conv2d": (rf.ml.conv2d, {"x": s.x.reshape(1, 2), "kernel": [[1.0]], "stride": 1, "padding": "same"}),
            "from_sklearn": (rf.ml.from_sklearn, {"model": s.linear, "examples": [[1.0]], "error": 0.1}),
            "plan": (rf.plan, {"function": np.negative, "inputs": [np.ones(2)], "dtype": "real"}),
            "compile": (rf.compile, {"function": np.negative, "inputs": [np.ones(2)]}),
            "Program": (rf.Program, {"function": np.negative, "plan": s.program.plan}),
            "Program.encrypt": (s.program.encrypt, {"ctx": s.program.context(), "keys": s.keys}),
            "Plan.from_json": (rf.Plan.from_json, {"document": s.program.plan.to_json()}),
            **s.calls_of_functions(),
            "EncryptedArray.with_keys": (s.x.with_keys, {"keys": s.keys}),
            "device_refusal": (rf.device_refusal, {"device": "cpu"}),
            "is_gpu": (rf.is_gpu, {"device": "cpu"}),
            "DevicePool": (rf.DevicePool, {"devices": ["cpu"]}),
            "DevicePool.map": (s.pool.map, {"function": np.negative, "items": [s.x]}),
            "EncryptedArray.to": (s.x.to, {"device": "cpu"}),
            "Study": (st.Study, {"columns": {"age": (0, 9)}, "wanted": "means", "uploads": 9, "records": 2}),
            "Study.from_json": (st.Study.from_json, {"document": s.study.to_json()}),
            "Study.table": (s.study.table, {"values": {"age": [30], "dose": [1.5]}}),
            "statistics.keygen": (st.keygen, {"study": s.study, "n": 64, "insecure": "a test"}),
            "statistics.load_keys": (st.load_keys, {"folder": folder / "nowhere", "secret": True, "passphrase": "w"}),
            "statistics.Keys.save": (s.parties.save, {"folder": folder / "study", "passphrase": "w", "strength": 0}),
            "statistics.encrypt": (st.encrypt, {"values": {"age": [30], "dose": [1.5]}, "keys": s.parties}),
            "Aggregator": (st.Aggregator, {"keys": s.parties, "device": "cpu", "threads": 1}),
            "Aggregator.add": (s.aggregator.add, {"upload": s.upload}),
            "Upload.load": (st.Upload.load, {"source": s.upload.to_bytes(), "keys": s.parties}),
            "Result.load": (st.Result.load, {"source": s.aggregator.result().to_bytes(), "keys": s.parties}),
            "statistics.decrypt": (st.decrypt, {"result": s.aggregator.result(), "keys": s.parties}),
            "Summary.covariance": (s.summary.covariance, {"a": "age", "b": "dose", "ddof": 1}),
            "Summary.regress": (s.summary.regress, {"target": "age", "features": ["dose"], "slot": 0}),
            "search.keygen": (se.keygen, {"folder": folder / "k", "passphrase": "w", "strength": 0, "hash_bits": 32}),
            "search.load_keys": (se.load_keys, {"path": folder / "keys", "passphrase": ""}),
            "search.query": (se.query, {"word": "a", "keys": s.mailbox}),
            "search.query_word": (se.query_word, {"text": "a"}),
            "search.search": (se.search, {"index": s.index, "asked": s.query, "threads": 1, "max_matches": 1}),
            "search.decrypt": (se.decrypt, {"answer": s.answer, "keys": s.mailbox, "index": s.index}),
            "search.estimate": (se.estimate, {"words": 9, "documents": 3, "measure": False, "threads": 1}),
            "search.Server": (se.Server, {"folder": folder / "index", "device": "cpu", "memory_bytes": 0}),
            "search.Index.create": (se.Index.create, {"folder": folder / "i", "keys": s.mailbox, "repeats": 0}),
            "search.Index.add": (s.index.add, {"documents": [s.document], "keys": s.mailbox, "threads": 1}),
            "search.Index.read_documents": (s.index.read_documents, {"numbers": [0], "keys": s.mailbox}),
            "search.Index.document": (s.index.document, {"number": 0, "keys": s.mailbox}),
            "search.Index.body": (s.index.body, {"number": 0, "keys": s.mailbox}),
            "search.Index.matches": (s.index.matches, {"counts": [1], "keys": s.mailbox}),
            "search.Index.require": (s.index.require, {"answer": s.answer}),
            "search.read": (se.read, {"source": folder, "format": "text", "keep_body": False}),
            "mail.read_message": (mail.read_message, {"raw": b"", "source": "x"}),
            "readers.read_bytes": (readers.read_bytes, {"raw": b"", "name": "x", "format": "text"}),
            "text.split_words": (text.split_words, {"text": "a"}),
            **{f"operand of {sign}": (verb, {"a": s.x, "plain": [1.0, 2.0]}) for sign, verb in OPERATORS.items()},
            **{f"whole operand of {sign}": (verb, {"a": s.i, "plain": [1, 2]}) for sign, verb in OPERATORS.items()},
            "numpy.average": (np.average, {"a": s.x, "weights": [1.0, 2.0]}),
            "numpy.polyval": (np.polyval, {"p": [1.0, 2.0], "x": s.x}),
            "numpy.diff": (np.diff, {"a": s.x, "n": 1}),
            "numpy.roll": (np.roll, {"a": s.x, "shift": 0}),
            "numpy.concatenate": (np.concatenate, {"arrays": [s.x, s.x]}),
        }  # fmt: skip

    def calls_of_functions(self):
        names = ("sigmoid", "tanh", "exp", "log", "sqrt", "inverse", "inverse_sqrt", "relu", "abs", "softmax")
        one = {name: (getattr(rf, name), {"x": self.x, "domain": (-4.0, 4.0), "error": 0.01}) for name in names}
        two = {
            name: (getattr(rf, name), {"x": self.x, "y": [1.0, 2.0], "domain": (-8.0, 8.0), "error": 0.01})
            for name in ("maximum", "minimum", "compare")
        }
        series = np.polynomial.Chebyshev([1.0, 2.0], [-4, 4])
        one |= {
            "numpy.full_like": (np.full_like, {"a": self.x, "fill_value": 1.0}),
            "numpy.gradient": (lambda f, at: np.gradient(f, at), {"f": self.x, "at": [1.0, 2.0]}),
            "group_by": (rf.group_by, {"x": self.x, "labels": [0, 1]}),
        }
        if hasattr(np, "trapezoid"):
            one["numpy.trapezoid"] = (np.trapezoid, {"y": self.x, "x": [1.0, 2.0]})
        one["polynomial"] = (rf.polynomial, {"x": self.x, "series": series})
        gaps = {
            name: (getattr(rf, name), {"x": self.x, "domain": (-8.0, 8.0), "error": 0.01, "gap": 0.5})
            for name in ("sign", "argmax")
        }
        return one | two | gaps

    def calls_of_services(self):
        s, folder = self, self.folder
        return {
            "dumps": (rf.dumps, {"passphrase": "w", "strength": 0, "keys": s.keys, "x": s.x}),
            "loads": (
                rf.loads,
                {"data": (folder / "sealed.rfc").read_bytes(), "ctx": s.ctx, "keys": s.keys, "passphrase": "words"},
            ),
            "inspect": (rf.inspect, {"source": folder / "sealed.rfc", "max_bytes": 2**30}),
            "request_id": (lambda name: rf.request_id(name).__enter__(), {"name": "r"}),
            "Keys.measure": (s.keys.measure, {"x": s.x, "expected": [1.0, 2.0]}),
            "Keys.extend": (s.keys.extend, {"rotations": [1], "progress": False}),
        }

    def calls_of_training(self):
        s, lr = self, rf.logreg
        training = {"context": s.deep, "rows": s.rows, "y": [0, 1, 1], "keys": s.trainer}
        return {
            "Scaling.of": (lr.Scaling.of, {"x": [[1.0], [2.0]]}),
            "Scaling.rows": (lr.Scaling.of([[1.0], [2.0]]).rows, {"x": [[1.0]]}),
            "Sigmoid": (lr.Sigmoid, {"degree": 3, "interval": 8.0}),
            "Records": (lr.Records, {"samples": 3, "features": 1}),
            "Records.of": (lr.Records.of, {"rows": s.rows, "y": [0, 1, 1]}),
            "Plan": (lr.Plan, {"records": s.plan.records, "result": "scores", "sigmoid": lr.Sigmoid()}),
            "Plan.keygen": (s.plan.keygen, {"context": s.deep}),
            "Plan.encrypt": (s.plan.encrypt, training),
            "Plan.encrypt_rows": (s.plan.encrypt_rows, {"context": s.deep, "rows": s.rows, "keys": s.trainer}),
            "Plan.decrypt_weights": (s.plan.decrypt_weights, {"weights": s.model.weights, "keys": s.trainer}),
            "LogisticRegression": (lr.LogisticRegression, {"plan": s.plan}),
            "LogisticRegression.fit": (s.model.fit, {"x": s.records[0], "y": s.records[1]}),
        }


OPERATORS = {
    "+": lambda a, plain: a + plain,
    "reversed -": lambda a, plain: plain - a,
    "*": lambda a, plain: a * plain,
    "/": lambda a, plain: a / plain,
    "@": lambda a, plain: a @ plain,
    "**": lambda a, plain: a**plain,
    "[]": lambda a, plain: a[plain],
    "==": lambda a, plain: a == plain,
}


@pytest.fixture(scope="module")
def stand(tmp_path_factory):
    return Stand(tmp_path_factory.mktemp("redaction"))


def said(error):
    """Returns all texts of an exception and of the exceptions in its chain: messages, arguments, attributes, and the
    end of a traceback."""
    texts, left, seen = [], [error], set()
    while left:
        one = left.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        texts += [str(one), repr(one), repr(one.args), repr(vars(one)), repr(getattr(one, "object", ""))]
        texts += ["".join(traceback.format_exception_only(type(one), one))]
        left += [one.__cause__, one.__context__]
    return "\n".join(texts)


def leaks(shown):
    return [needle for needle in NEEDLES if needle in shown.lower()]


def require_clean(case, shown):
    assert leaks(shown) == [], f"{case}: {shown[:600]}"


def provoke(call, arguments):
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            result = call(**arguments)
            if inspect.isgenerator(result):
                list(result)
    except Exception as error:
        return said(error) + "\n".join(str(one.message) for one in told), True
    shown = "" if isinstance(result, (str, list, dict, np.ndarray, np.bool_, bool, int, float)) else repr(result)
    return shown + "\n".join(str(one.message) for one in told), False


def provocations(stand):
    for name, (call, right) in stand.calls().items():
        searched = ("plain",) if "operand" in name else [argument for argument in right if argument not in SHOWN]
        for argument, (kind, canary) in itertools.product(searched, CANARIES.items()):
            yield name, argument, kind, call, {**right, argument: canary}


def test_no_error_shows_the_values_of_its_arguments(stand, caplog, capfd, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    caplog.set_level(logging.DEBUG)
    refused, leaking = 0, []
    for name, argument, kind, call, arguments in provocations(stand):
        shown, was_refused = provoke(call, arguments)
        refused += was_refused
        if leaks(shown):
            leaking.append(f"{name}, {argument} is {kind}: {shown[:300]}")
    assert not leaking, f"{len(leaking)} of {refused} refusals:\n" + "\n".join(leaking)
    require_clean("printed", "".join(capfd.readouterr()))
    require_clean("logged", caplog.text)
    assert refused > 1000  # otherwise most canaries reached no check


# Messages may show the values of these expressions: public names, and choices from a short list.
SHOWN_VALUES = {
    *(
        "name",
        "str(name)",
        "missing[0]",
        "device",
        "a.device",
        "self._folder",
        "type(self).__name__",
        "scheme",
        "dtype",
        "kind",
        "form",
        "format",
    ),
    *(
        "ctx",
        "unknown[0]",
        "given['answer']",
        "given['engine']",
        "planned",
        "release",
        "given",
    ),  # "given" is an Upload or a Result
}


def test_no_other_error_shows_a_value():
    """If an f-string in a raise statement uses !r, SHOWN_VALUES must have the converted expression. Benchmarks and the
    ring processor are left out: they get no data of users."""
    package, left_out = Path(rf.__file__).parent, {"bench", "rpu", "_rpu", "_pim"}
    shown = {
        ast.unparse(node.value)
        for source in package.rglob("*.py")
        if not left_out & set(source.relative_to(package).parts) and not source.name.startswith("rpu")
        for statement in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(statement, ast.Raise)
        for node in ast.walk(statement)
        if isinstance(node, ast.FormattedValue) and node.conversion == ord("r")
    }
    assert shown <= SHOWN_VALUES


def test_every_public_function_is_provoked(stand):
    covered = {word for name in stand.calls() for word in name.replace(".", " ").split()} | {
        "read_documents",
        "normalise",
    }
    for module in (rf, rf.logreg, rf.ml, rf.search, rf.statistics):
        public = {name for name in module.__all__ if not name.startswith("_")} - set(rf.errors.__all__)
        assert public - covered - _NOT_CALLED == set(), module.__name__


@pytest.mark.parametrize(
    "given",
    [
        {"age": [[41, WHOLE]]},
        {"age": [41, WORD]},
        {"age": [41, WHOLE]},
        {"age": [REAL]},
        {"age": [float("nan"), REAL]},
        {"age": [41], WORD: [41]},
        {WORD: [WHOLE]},
        {"age": {WORD: WHOLE}},
        {"age": [41, 42, 43, 44, WHOLE]},
        [WORD, WHOLE],
    ],
)
def test_records_are_not_shown(stand, given):
    study = rf.statistics.Study({"age": (18, 99)}, "means", uploads=9, records=4)
    shown, refused = provoke(study.table, {"values": given})
    assert refused
    require_clean(repr(given), shown)


@pytest.mark.parametrize("field", ["id", "subject", "words", "body", "digest"])
def test_documents_are_not_shown(stand, field):
    for kind, canary in CANARIES.items():
        right = {"id": "1", "subject": "s", "words": ("a",), "body": b"", "digest": b""}
        document = rf.search.Document(**right | {field: (canary,) if field == "words" else canary})
        shown, _ = provoke(lambda document: stand.index.add([document], stand.mailbox), {"document": document})
        require_clean(f"{field} {kind}", shown)
    require_clean("repr", repr(rf.search.Document(WORD, WORD, (WORD,), body=WORD.encode(), digest=WORD.encode())))


def test_objects_are_not_shown(stand):
    with rf.search.Index.create(stand.folder / "own", stand.mailbox) as index:
        index.add([rf.search.Document(WORD, WORD, (WORD,), body=WORD.encode())], stand.mailbox)
    index = rf.search.Index.open(stand.folder / "own")
    query = rf.search.query(WORD, stand.mailbox)
    answer = rf.search.search(index, query)
    objects = [index, query, answer, stand.mailbox, stand.keys, stand.x, stand.upload, stand.summary, stand.aggregator]
    for one in [*objects, index.document(0, stand.mailbox), stand.parties]:
        require_clean(type(one).__name__, repr(one) + str(one) + (getattr(one, "_repr_html_", str)() or ""))


def test_traces_name_verbs_and_no_values(stand, tmp_path):
    with stand.ctx.profile(tmp_path / "trace.json") as profile:
        y = stand.ctx.encrypt([0.7319462891], stand.keys) * 7.319462891 + 7.319462891
        y.decrypt(stand.keys)
    trace = (tmp_path / "trace.json").read_text()
    assert len(trace) > 1000
    without_times = re.sub(r'"(ts|dur)":[0-9.]+', "", trace)  # a time has the digits of a value now and then
    require_clean("trace", without_times + repr(profile))


@pytest.mark.parametrize("wrong", ["query of two words", "query of no field", "column", "passphrase file", "mail"])
@pytest.mark.parametrize("as_json", [False, True])
def test_commands_do_not_show_the_values_that_they_refuse(command, stand, tmp_path, wrong, as_json):
    (tmp_path / "own.csv").write_text(f"age,dose\n41,{WORD}\n")
    (tmp_path / "word").write_bytes(WORD.encode() + b"\xff")
    (tmp_path / "1.eml").write_bytes(b"Content-Type: multipart/x; boundary=b\n\n" + f"--b\n\n{WORD}\n".encode() * 1001)
    rf.statistics.keygen(stand.study, n=64, insecure="a test").public.save(tmp_path / "study")
    keys, out = ["--key", stand.folder / "keys"], ["--out", tmp_path / "out"]
    given = {
        "query of two words": ["search", "query", f"{WORD} x", *keys, *out],
        "query of no field": ["search", "query", f"{WORD}:x", *keys, *out],
        "column": ["statistics", "encrypt", tmp_path / "study", tmp_path / "own.csv", *out, "--allow-insecure"],
        "passphrase file": ["search", "query", "x", *keys, *out, "--passphrase-file", tmp_path / "word"],
        "mail": ["search", "index", tmp_path / "1.eml", *keys, *out],
    }[wrong]
    ran = command(*given, *["--json"] * as_json)
    assert ran.code != 0
    require_clean(wrong, ran.out + ran.err)


def test_an_unforeseen_failure_of_a_command_shows_no_values(command, monkeypatch, stand, tmp_path):
    def broken(*_):
        raise RuntimeError(WORD)

    monkeypatch.setattr(cli_statistics, "_records", broken)
    rf.statistics.keygen(stand.study, n=64, insecure="a test").public.save(tmp_path / "study")
    given = ["statistics", "encrypt", tmp_path / "study", Path("x.csv"), "--out", tmp_path / "o", "--allow-insecure"]
    ran = command(*given)
    assert ran.code == 1
    assert "RuntimeError" in ran.out + ran.err
    require_clean("defect", ran.out + ran.err)


def test_the_arguments_of_load_do_not_show_the_passphrase():
    require_clean("repr", repr(reading.Asked(None, None, WORD, False, b"", {})))
