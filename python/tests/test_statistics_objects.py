# SPDX-License-Identifier: Apache-2.0
"""Tests studies, keys, uploads and results as Python objects: equality, copies, pickles, and uses that are rejected."""

import copy
import json
import pickle
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import ringfort as rf
from ringfort.statistics import Aggregator, PublicKeys, Result, Study, Upload, decrypt, encrypt, keygen

TINY = {"n": 64, "insecure": "a test"}


@pytest.fixture(scope="module")
def keys():
    return keygen(Study({"a": (0, 50, 1)}, "means", uploads=9, records=3))


def aggregated(keys, *uploads):
    aggregator = Aggregator(keys)
    for upload in uploads:
        aggregator.add(upload)
    return aggregator.result()


ENDS = {
    "int8": (np.int8(0), np.int8(30), np.int8(1)),
    "float32": (np.float32(0), np.float32(30), 1),
    "Decimal": (Decimal(0), Decimal("30.0"), 1),
    "Fraction": (Fraction(0), Fraction(30), 1),
    "bool and int64": (False, np.int64(30), 1),
}


@pytest.mark.parametrize("name", ENDS)
def test_ends_of_a_range_may_be_numbers_of_any_library(name):
    study = Study({"a": ENDS[name]})
    assert study == Study({"a": (0, 30, 1)}) == Study.from_json(study.to_json())
    assert study.plain().columns[0].high == 300
    assert [type(end) for end in study.columns["a"]] == [int, int, int]
    tenth = Study({"a": (Decimal("0.1"), Fraction(11, 2), 1)})
    assert tenth.columns["a"] == (0.1, 5.5, 1)


@pytest.mark.parametrize("end", [Decimal("1e999999"), Decimal("NaN"), Fraction(10**400), float("inf"), 10**400])
def test_ends_of_a_range_beyond_all_columns_are_refused(end):
    with pytest.raises(rf.InvalidArgument):
        Study({"a": (0, end)})


def test_a_study_is_immutable_and_equals_its_copy():
    ranges = {"a": [0, 9], "b": (0, 5, 1)}
    study = Study(ranges)
    ranges["c"] = (0, 1)
    assert list(study.columns) == ["a", "b"]
    with pytest.raises(TypeError):
        study.columns["c"] = (0, 1)
    with pytest.raises(AttributeError):
        study.uploads = 3
    like = Study({"a": (0, 9), "b": (0, 5, 1)})
    assert (study, hash(study)) == (like, hash(like))
    assert study != Study({"b": (0, 5, 1), "a": (0, 9)})  # uploads depend on the order of columns
    assert pickle.loads(pickle.dumps(study)) == copy.deepcopy(study) == study
    assert eval(repr(study)) == study  # noqa: S307


def test_pickles_contain_the_study_and_no_keys(keys):
    public = pickle.loads(pickle.dumps(keys.public))
    assert public.study == keys.study
    upload, buffers = encrypt({"a": [1.5, 2]}, public), []
    data = pickle.dumps(upload, protocol=5, buffer_callback=buffers.append)
    assert len(buffers) == 1
    assert len(data) < 10_000
    arrived = pickle.loads(data, buffers=buffers)
    assert arrived.to_bytes() == upload.to_bytes()
    result = pickle.loads(pickle.dumps(aggregated(keys, arrived, upload), protocol=4))
    assert decrypt(result, keys).sums("a") == [70]
    with pytest.raises(rf.KeyMissing, match="contains no keys"):
        Aggregator(arrived.keys)


def test_copies_are_the_object_itself_and_secrets_are_never_copied(keys):
    upload = encrypt({"a": [1]}, keys)
    for one in (keys.public, upload, aggregated(keys, upload)):
        assert copy.deepcopy(one) is copy.copy(one) is one
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(rf.SecretRefused):
            attempt(keys)
        with pytest.raises(rf.Unsupported, match="result"):
            attempt(Aggregator(keys))


def test_the_repr_of_an_object_states_its_content(keys):
    aggregator = Aggregator(keys)
    aggregator.add(encrypt({"a": [1, 2]}, keys))
    assert repr(encrypt({"a": [1, 2]}, keys)) == "Upload(a; 2 records)"
    assert repr(aggregator) == f"Aggregator(a; 2 records of 1 upload, device={aggregator.device!r})"
    assert repr(aggregator.result()) == "Result(a; 2 records of 1 upload)"
    one = Aggregator(keys)
    one.add(encrypt({"a": [1]}, keys))
    assert repr(decrypt(one.result(), keys)) == "Summary(a; 1 record of 1 upload)"
    assert isinstance(aggregator.result(), Result)
    assert isinstance(encrypt({"a": [1]}, keys), Upload)


def test_objects_of_another_study_are_refused_by_name(keys):
    others = keygen(Study({"a": (0, 9)}, "means", uploads=4, scheme="bfv"), **TINY)
    upload = encrypt({"a": [7]}, others)
    with pytest.raises(rf.ParametersMismatch, match="another study"):
        Aggregator(keys).add(upload)
    with pytest.raises(rf.ParametersMismatch, match="another study"):
        decrypt(aggregated(others, upload), keys)
    with pytest.raises(rf.InvalidArgument, match="Result"):
        decrypt(upload, others)
    with pytest.raises(rf.InvalidArgument, match="Upload"):
        Aggregator(others).add(aggregated(others, upload))


@pytest.mark.parametrize("primes", [{"bitz": 3}, {"form": "x"}, 3, {"bits": "a"}, {"bits": 70}, {"bits": 19}])
def test_primes_are_chosen_as_contexts_choose_them(primes):
    with pytest.raises(rf.InvalidArgument, match="primes"):
        keygen(Study({"a": (0, 9)}), primes=primes)


@pytest.mark.parametrize("name", ["", "a\x1b[31m", "a\nb", "a\u009bb", "a\u202eb", "a\u200bb"])
def test_names_of_columns_that_a_terminal_obeys_are_refused(name):
    document = rf.statistics.Study({"age": (0, 120)}).to_json()
    with pytest.raises(rf.InvalidArgument, match="cannot be printed"):
        rf.statistics.Study({name: (0, 120)})
    with pytest.raises(rf.InvalidArgument, match="cannot be printed"):
        rf.statistics.Study.from_json(document.replace('"age"', json.dumps(name)))


def test_keygen_refuses_invalid_studies_and_reasons():
    with pytest.raises(rf.InvalidArgument, match="Study"):
        keygen(None)
    with pytest.raises(rf.InvalidArgument, match="blank"):
        keygen(Study({"a": (0, 9)}), n=64, insecure="  ")
    for words in ("of two\nlines", "a tab\tinside", "\x7f"):  # a file with such a reason could not be read
        with pytest.raises(rf.InvalidArgument, match="control"):
            keygen(Study({"a": (0, 9)}), n=64, insecure=words)


def test_the_error_blames_a_too_small_ring_and_not_the_uploads():
    with pytest.raises(rf.Unsupported, match="leave n out") as caught:
        keygen(Study({"a": (0, 500)}, uploads=10_000), n=4096)
    assert "fewer uploads" not in caught.value.fix


def test_errors_state_ranges_in_the_users_units(keys):
    for value in (50.5, 51, -1):
        with pytest.raises(rf.InvalidArgument, match=r"outside 0 \.\. 50;"):
            encrypt({"a": [value]}, keys)


def test_decimals_of_databases_are_numbers(keys):
    study = Study({"dose": (0, 50, 1)}, records=4)
    given = {"dose": [Decimal("0.1"), Decimal("49.9"), Fraction(1, 2), 3]}
    assert study.table(given).tolist() == [[1, 499, 5, 30]]
    for other in (Decimal("NaN"), Decimal("sNaN"), Decimal("0.15"), Decimal("1e400"), None, True, "1", 2**2000):
        with pytest.raises(rf.InvalidArgument):
            study.table({"dose": [Decimal(1), other]})


def test_the_columns_of_a_frame_are_found_by_name():
    frame = Frame(dose=np.array([0.5, 2]), age=np.array([41, 63]))
    study = Study({"age": (18, 99), "dose": (0, 50, 1)}, records=4)
    assert study.table(frame).tolist() == [[41, 63], [5, 20]]
    with pytest.raises(rf.InvalidArgument, match="the 1 columns do not have the names"):
        study.table(Frame(age=np.array([41, 63])))


class Frame:
    """Has the parts of a DataFrame of pandas that name its columns."""

    def __init__(self, **columns):
        self.columns, self._found = list(columns), columns

    def __iter__(self):
        return iter(self.columns)

    def __getitem__(self, name):
        return self._found[name]

    def to_numpy(self):
        return np.stack(list(self._found.values()), axis=1)


def test_unsigned_columns_are_accepted_without_a_warning(keys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        upload = encrypt({"a": np.array([3, 50], np.uint64)}, keys)
        assert decrypt(aggregated(keys, upload), keys).sums("a") == [530]
        with pytest.raises(rf.InvalidArgument, match="outside"):
            encrypt({"a": np.array([2**63 + 5], np.uint64)}, keys)


def test_a_public_set_from_a_pickle_serves_aggregation(keys):
    public = pickle.loads(pickle.dumps(keys.public))
    assert isinstance(public, PublicKeys)
    assert decrypt(aggregated(public, encrypt({"a": [2]}, public)), keys).mean("a") == 2
