# SPDX-License-Identifier: Apache-2.0
"""Tests statistics over many users. Compares totals with Python's integers, and statistics with NumPy. Also tests
refusals and every device."""

import functools
import hashlib
import json
import math
import struct
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

import ringfort as rf
from ringfort import errors
from ringfort._core import files as core
from ringfort.statistics import Aggregator, Study, decrypt, encrypt, keygen, load_keys

TINY = {"n": 64, "insecure": "a test"}
COLUMNS = {"age": (0, 120), "weight": (-50, 300, 1), "score": (-9, 9)}


def table(random, count):
    return {
        "age": random.integers(0, 121, count),
        "weight": np.round(random.uniform(-50, 300, count), 1),
        "score": random.integers(-9, 10, count),
    }


@pytest.fixture(scope="module")
def party():
    """Makes a study with ten uploads. Returns the keys, the records in the clear, and the summary of the aggregated
    uploads."""
    random = np.random.default_rng(3)
    keys = keygen(Study(COLUMNS, "regressions", uploads=10, records=20), **TINY)
    aggregator, tables = Aggregator(keys.public), []
    for count in range(11, 21):
        tables.append(table(random, count))
        aggregator.add(encrypt(tables[-1], keys.public))
    clear = {name: np.concatenate([t[name] for t in tables]) for name in COLUMNS}
    return keys, clear, decrypt(aggregator.result(), keys)


def test_totals_are_pythons_integers(party):
    _, clear, summary = party
    exact = {name: [round(v * (10 if name == "weight" else 1)) for v in clear[name].tolist()] for name in COLUMNS}
    assert summary.records == len(exact["age"]) == 155
    for a in COLUMNS:
        assert summary.sums(a) == [sum(exact[a])]
        for b in COLUMNS:
            assert summary.products(a, b) == [sum(x * y for x, y in zip(exact[a], exact[b]))]


def test_means_and_covariances_are_correctly_rounded(party):
    _, clear, summary = party
    ages = [Fraction(int(a)) for a in clear["age"]]
    mean = sum(ages) / len(ages)
    assert summary.mean("age") == float(mean)
    assert summary.variance("age") == float(sum((a - mean) ** 2 for a in ages) / len(ages))
    assert np.isclose(summary.variance("weight", ddof=1), clear["weight"].var(ddof=1), rtol=1e-12)
    assert np.isclose(summary.covariance("age", "weight"), np.cov(clear["age"], clear["weight"], ddof=0)[0, 1])


def test_the_error_of_a_mean_or_a_covariance_is_below_1_6_units_in_the_last_place(party):
    _, clear, summary = party
    exact = {name: [Fraction(repr(v)) for v in clear[name].tolist()] for name in COLUMNS}
    means = {name: sum(values) / len(values) for name, values in exact.items()}
    for a in COLUMNS:
        assert abs(Fraction(summary.mean(a)) - means[a]) < Fraction(1.6 * math.ulp(summary.mean(a)))
        for b in COLUMNS:
            found = summary.covariance(a, b)
            covariance = sum((x - means[a]) * (y - means[b]) for x, y in zip(exact[a], exact[b])) / len(exact[a])
            assert abs(Fraction(found) - covariance) < Fraction(1.6 * math.ulp(found))


def test_a_regression_is_numpys_least_squares(party):
    _, clear, summary = party
    fit = summary.regress("score", ["age", "weight"])
    design = np.column_stack([np.ones(155), clear["age"], clear["weight"]])
    expected, residuals, *_ = np.linalg.lstsq(design, clear["score"], rcond=None)
    assert np.allclose([fit.intercept, fit.coefficients["age"], fit.coefficients["weight"]], expected, rtol=1e-9)
    assert np.isclose(fit.r_squared, 1 - residuals[0] / (clear["score"].var() * 155))


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
@pytest.mark.parametrize("device", [d.name for d in rf.devices()])
def test_totals_on_short_words_are_the_same_on_every_device(device, scheme):
    keys = keygen(
        Study({"x": (0, 100)}, uploads=4, records=8, scheme=scheme), primes={"bits": 30, "form": "c*2^16+1"}, **TINY
    )
    aggregator = Aggregator(keys.public, device)
    for start in range(4):
        aggregator.add(encrypt({"x": range(start, start + 8)}, keys.public))
    summary = decrypt(aggregator.result(), keys)
    values = [v for start in range(4) for v in range(start, start + 8)]
    assert (summary.sums("x"), summary.products("x", "x")) == ([sum(values)], [sum(v * v for v in values)])


def test_results_of_each_slot_are_vectors():
    keys = keygen(Study({"load": (0, 9)}, uploads=5, records=40, each_slot=True), **TINY)
    loads, aggregator = np.random.default_rng(1).integers(0, 10, (5, 40)), Aggregator(keys.public)
    for load in loads:
        aggregator.add(encrypt({"load": load}, keys.public))
    summary = decrypt(aggregator.result(), keys)
    assert summary.records == 5
    assert np.allclose(summary.mean("load"), loads.mean(axis=0), rtol=1e-15)
    assert np.allclose(summary.variance("load"), loads.var(axis=0), rtol=1e-15)
    for length in (39, 41):
        with pytest.raises(rf.InvalidArgument, match=r"40 \.\. 40"):
            encrypt({"load": np.ones(length)}, keys.public)


def test_masked_values_are_refused():
    """numpy.asarray returns the values under the mask. These are often 0 or 99, for "no answer"."""
    keys = keygen(Study({"a": (0, 99)}, "means", uploads=4, records=3), **TINY)
    hidden = np.ma.array([30, 40, 99], mask=[0, 0, 1])
    for values in (hidden, hidden.astype(float), [30, 40, np.ma.masked], list(np.ma.array([[9]], mask=True))):
        with pytest.raises(rf.InvalidArgument, match="masked values"):
            encrypt({"a": values}, keys)
    encrypt({"a": np.ma.array([30, 40, 99])}, keys)  # nothing is masked


class UnderTurn:
    """Replaces the object that adds uploads. Counts calls by threads that do not have their turn."""

    def __init__(self, totals):
        self.turn, self.found, self.without = totals.turn, totals.found, 0

    def add(self, upload):
        self.without += not self.turn.inner._is_owned()
        self.found.add(upload)

    def result(self, *keys):
        self.without += not self.turn.inner._is_owned()
        return self.found.result(*keys)


def test_threads_take_turns():
    keys = keygen(Study({"a": (0, 99)}, "means", uploads=240), **TINY)
    aggregator = Aggregator(keys)
    (totals,) = aggregator._totals
    totals.found = watched = UnderTurn(totals)
    uploads = [encrypt({"a": [i]}, keys) for i in range(60)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(aggregator.add, uploads * 4))
    summary = decrypt(aggregator.result(), keys)
    assert (summary.records, summary.sums("a")) == (240, [4 * sum(range(60))])
    assert watched.without == 0


def test_values_with_more_digits_than_declared_are_refused():
    keys = keygen(Study({"a": (0, 50, 1), "b": (0, 9)}, "means", uploads=4), **TINY)
    for a, b in ((0.26, 1), (50.04, 1), (-0.04, 1), (1, 1.5)):
        with pytest.raises(rf.InvalidArgument, match="accepts only"):
            encrypt({"a": [a], "b": [b]}, keys)
    for given in ((0, 120.6), (0, 0.04, 1)):
        with pytest.raises(rf.InvalidArgument, match="no more"):
            Study({"a": given})
    with pytest.raises(rf.InvalidArgument, match="each_slot"):
        Study({"a": (0, 9)}, each_slot="false")
    aggregator = Aggregator(keys)
    aggregator.add(encrypt({"a": [0.3], "b": [2]}, keys))
    assert decrypt(aggregator.result(), keys).mean("a") == 0.3


def test_keys_that_were_loaded_twice_are_the_same_keys(tmp_path):
    keygen(Study({"a": (0, 9)}, "means", uploads=4), **TINY).save(tmp_path / "keys", unsealed=True)
    one, two = (load_keys(tmp_path / "keys", secret=True, allow_insecure=True) for _ in range(2))
    aggregator = Aggregator(two)
    aggregator.add(encrypt({"a": [7]}, one))
    assert decrypt(aggregator.result(), one).sums("a") == [7]
    other = keygen(Study({"a": (0, 9)}, "means", uploads=4, scheme="bfv"), **TINY)
    with pytest.raises(rf.ParametersMismatch):
        Aggregator(two).add(encrypt({"a": [7]}, other))


def test_parties_exchange_files(tmp_path):
    keygen(Study(COLUMNS, "means", uploads=3), **TINY).save(
        tmp_path / "analyst", passphrase="four words of mine", strength=0
    )
    assert (tmp_path / "analyst/secret.rfc").stat().st_mode & 0o777 == 0o600
    with pytest.raises(rf.IoWrite):
        keygen(Study(COLUMNS, "means", uploads=3), **TINY).save(tmp_path / "analyst", unsealed=True)
    with pytest.raises(rf.SecretRefused, match="unsealed"):  # the caller wrote keys.save in place of keys.public.save
        keygen(Study(COLUMNS, "means", uploads=3), **TINY).save(tmp_path / "users")
    assert not (tmp_path / "users").exists()
    (tmp_path / "public").mkdir()
    for name in ("study.json", "public.rfc"):
        (tmp_path / "public" / name).write_bytes((tmp_path / "analyst" / name).read_bytes())
    with pytest.raises(rf.InsecureParameters):
        load_keys(tmp_path / "public")
    public = load_keys(tmp_path / "public", allow_insecure=True)
    with pytest.raises(rf.KeyMissing):
        load_keys(tmp_path / "public", secret=True, allow_insecure=True)
    encrypt({"age": [40], "weight": [70.5], "score": [-3]}, public).save(tmp_path / "one.rfa")
    aggregator = Aggregator(public)
    aggregator.add(tmp_path / "one.rfa")
    aggregator.result().save(tmp_path / "result.rfa")
    analyst = load_keys(tmp_path / "analyst", secret=True, passphrase="four words of mine", allow_insecure=True)
    summary = decrypt(tmp_path / "result.rfa", analyst)
    assert [summary.mean(name) for name in COLUMNS] == [40, 70.5, -3]
    with pytest.raises(rf.InvalidArgument):
        summary.variance("age")


def test_a_sealed_secret_decrypts_only_for_its_study(tmp_path):
    """Other names, another order or other units would give correct totals another meaning."""
    study = rf.statistics.Study({"dose": (0, 120), "age": (0, 120)}, wanted="means", uploads=10)
    rf.statistics.keygen(study).save(tmp_path, passphrase="four words of mine", strength=0)
    file = tmp_path / "study.json"
    document = json.loads(file.read_text())
    load = functools.partial(rf.statistics.load_keys, tmp_path, secret=True, passphrase="four words of mine")
    for columns in (
        {"dose": [0, 12.0, 1], "age": [0, 120]},
        {"age": [0, 120], "dose": [0, 120]},
        {"dose": [0, 120], "height": [0, 120]},
    ):
        file.write_text(json.dumps(document | {"columns": columns}))
        with pytest.raises(errors.ParametersMismatch, match="saved with"):
            load()
    file.write_text(json.dumps(document))
    assert load().study == study


def test_foreign_uploads_are_refused_and_change_nothing(party):
    keys, _, _ = party
    others = keygen(keys.study, **TINY)
    aggregator = Aggregator(keys.public)
    aggregator.add(encrypt(table(np.random.default_rng(5), 4), keys.public))
    before = aggregator.result().to_bytes()
    with pytest.raises(rf.ParametersMismatch):
        aggregator.add(encrypt(table(np.random.default_rng(5), 4), others.public))
    with pytest.raises(rf.ParametersMismatch):
        aggregator.add(aggregator.result().to_bytes())
    with pytest.raises(rf.IoTruncated):
        aggregator.add(b"not an upload")
    with pytest.raises(rf.IoOpen):
        aggregator.add("nowhere.rfa")
    with pytest.raises(rf.InvalidArgument):
        aggregator.add(3)
    assert aggregator.result().to_bytes() == before
    with pytest.raises(rf.ParametersMismatch):
        decrypt(aggregator.result(), others)
    with pytest.raises(rf.KeyMissing):
        decrypt(aggregator.result(), keys.public)


def test_an_upload_after_which_a_total_might_wrap_is_refused():
    keys = keygen(Study({"x": (0, 3)}, uploads=2), **TINY)
    aggregator = Aggregator(keys.public)
    for _ in range(2):
        aggregator.add(encrypt({"x": [3]}, keys.public))
    with pytest.raises(rf.RangeExceeded):
        aggregator.add(encrypt({"x": [3]}, keys.public))
    assert aggregator.uploads == 2


@pytest.mark.parametrize(
    "change",
    [
        {"columns": {}},
        {"columns": {"x": (1,)}},
        {"columns": {"x": (2, 1)}},
        {"columns": {"x": (0, 1, 10)}},
        {"columns": {"x": "ab"}},
        {"columns": {"x": (0, float("nan"))}},
        {"columns": {"x": (0, 1e300)}},
        {"columns": ["x"]},
        {"wanted": "median"},
        {"scheme": "ckks"},
        {"uploads": 0},
        {"uploads": 1.5},
        {"records": -1},
    ],
)
def test_invalid_studies_are_refused(change):
    with pytest.raises(rf.InvalidArgument):
        Study(**({"columns": {"x": (0, 1)}} | change))


@pytest.mark.parametrize(
    "document", ["", "[]", "{}", '{"columns": {"x": 3}}', '{"columns": {"x": [0, 1]}, "y": 1}', "[" * 10**5]
)
def test_documents_that_describe_no_study_are_refused(document):
    with pytest.raises(rf.InvalidArgument):
        Study.from_json(document)


@pytest.mark.parametrize("end", ["[0, 4, 5]", '"words"'])
def test_range_ends_that_are_not_numbers_are_refused_without_using_memory(end):
    tracemalloc.start()
    try:
        with pytest.raises(rf.InvalidArgument, match="column 'a' has the range"):
            Study.from_json(f'{{"columns": {{"a": [{end}, 0, 8]}}, "wanted": "means", "uploads": 1, "records": 1}}')
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_a_study_survives_json():
    study = Study(COLUMNS, "regressions", 7, 3, True, "bfv")
    assert Study.from_json(study.to_json()) == study


@pytest.mark.parametrize(
    "values",
    [
        {"age": [1], "weight": [1.0]},
        {"age": [1, 2], "weight": [1.0], "score": [1]},
        {"age": [121], "weight": [1.0], "score": [1]},
        {"age": [1.5], "weight": [1.0], "score": [1]},
        {"age": [1], "weight": [float("inf")], "score": [1]},
        {"age": ["a"], "weight": [1.0], "score": [1]},
        {"age": [[1]], "weight": [1.0], "score": [1]},
        {"age": [], "weight": [], "score": []},
        {"age": [1] * 21, "weight": [1] * 21, "score": [1] * 21},
        None,
    ],
)
def test_records_outside_the_study_are_not_encrypted(party, values):
    with pytest.raises(rf.InvalidArgument):
        encrypt(values, party[0].public)


def test_totals_beyond_every_plain_modulus_are_refused_with_a_way_out():
    with pytest.raises(rf.Unsupported, match="narrower"):
        keygen(Study({"x": (0, 2**30)}, uploads=10**6))


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "g", ">f8", "i1", "u8"])
def test_columns_of_every_width_are_accepted(kind):
    study = Study({"cost": (0, 1_000_000, 2)}, records=2)
    np.testing.assert_array_equal(study.table({"cost": np.array([101, 2], kind)}), [[10100, 200]])
    for narrow in ("f2", "f4"):  # 0.1 as a float16 or float32 is not 0.1; it is refused and not rounded
        with pytest.raises(rf.InvalidArgument, match="round the values"):
            study.table({"cost": np.array([0.1, 60000.1], narrow)})


def _mended(data):
    return bytes(data[:-32]) + hashlib.blake2b(bytes(data[:-32]), digest_size=32).digest()


def _forged(upload, change):
    """Returns the bytes of an upload of one column with a changed ciphertext. Its digests are correct."""
    data = upload.to_bytes()
    begin = data.index(b"RINGFORT", 8)
    (length,) = struct.unpack_from("<Q", data, begin - 8)
    return _mended(data[:begin] + _mended(change(bytearray(data[begin : begin + length]))) + data[begin + length :])


@pytest.mark.parametrize("wanted", ["means", "variances"])
def test_uploads_that_encrypt_no_records_are_refused_with_their_totals(wanted):
    study = Study({"age": (18, 99)}, wanted, uploads=100_000, records=4)
    keys, other = keygen(study, **TINY), keygen(study, **TINY)
    honest = encrypt({"age": [30, 30, 30, 30]}, keys)
    key_id = encrypted_of(honest)[64:72]
    body = 64 + 40

    def repeated_half(ciphertext):
        half = (len(ciphertext) - 32 - body) // 2
        ciphertext[body : body + half] = ciphertext[body + half : body + 2 * half]
        return ciphertext

    def under_this_key(ciphertext):
        ciphertext[64:72] = key_id
        return ciphertext

    forged = [_forged(honest, repeated_half), _forged(encrypt({"age": [30]}, other), under_this_key)]
    for upload in forged:
        aggregator = Aggregator(keys)
        aggregator.add(honest)
        # The upload claims to be a fresh encryption under this key, which no aggregator can check.
        aggregator.add(upload)
        with pytest.raises(rf.RangeExceeded, match="column 'age'"):
            decrypt(aggregator.result(), keys)
    aggregator = Aggregator(keys)
    aggregator.add(honest)
    assert decrypt(aggregator.result(), keys).mean("age") == 30


def test_a_dishonest_residue_goes_unnoticed_as_often_as_the_readme_says():
    """A dishonest user encrypts any residue of the plain modulus. The study has all its uploads, so that the possible
    sums fill much of the modulus. Decryption accepts a residue that is a possible sum. If the range of the column is
    around 0, nearly every residue is possible. If the range begins at 0, half of the residues are.
    """
    for low, high, least, most in ((-221000, 221000, 0.99, 1), (0, 221000, 0.45, 0.55)):
        keys = keygen(Study({"x": (low, high)}, "means", uploads=4), **TINY)
        modulus, honest = keys.public.context.plain_modulus, encrypt({"x": [0]}, keys.public)
        on, possible = keys.public.home, []
        for residue in np.linspace(-(modulus // 2), modulus // 2, 103)[1:-1].astype(np.int64):
            sealed = keys.public.module.encrypt(on, keys.public._keys._public, residue.reshape(1))
            record = core.decode_array(np.frombuffer(honest.to_bytes(), np.uint8))
            record.ciphertexts = [core.encode_ciphertext(on, sealed)]
            aggregator = Aggregator(keys.public)
            for upload in (honest, honest, honest, bytes(core.encode_array(record))):
                aggregator.add(upload)
            try:
                assert decrypt(aggregator.result(), keys).mean("x") * 4 == pytest.approx(residue)
                possible.append(residue)
            except rf.RangeExceeded:
                pass
        assert least <= len(possible) / 101 <= most, possible


def encrypted_of(upload):
    data = upload.to_bytes()
    return data[data.index(b"RINGFORT", 8) :]
