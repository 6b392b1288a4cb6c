# SPDX-License-Identifier: Apache-2.0
"""Tests which contents of files are public and which are sealed. docs/threat-model.md lists what a reader of files can
see."""

import re
from pathlib import Path

import numpy as np

import ringfort as rf
from ringfort._core import files

MODEL = Path(__file__).resolve().parents[2] / "docs/threat-model.md"
PASSPHRASE = "four words of mine"
HIDDEN = [b"wordone", b"subjecttwo", b"bodythree", b"letter-four", PASSPHRASE.encode()]


def found_in(path, canaries):
    data = path.read_bytes()
    return {each for each in canaries if each in data}


def test_a_container_shows_names_shapes_and_ranges_and_seals_only_its_secret(tmp_path):
    ctx = rf.Context("int", depth=1, range=(-7, 7))
    keys = ctx.keygen()
    x = ctx.encrypt(np.array([5, 4, 3]), keys)
    rf.save(tmp_path / "x.rfc", passphrase=PASSPHRASE, strength=0, patients=x, owner=keys)
    rf.save(tmp_path / "open.rfc", unsealed=True, owner=keys)
    members = dict(files.load(str(tmp_path / "x.rfc"), 1 << 30))
    kinds = {re.sub("^(owner|patients)", "", name) for name in members}
    assert (
        {"@i", "@range", "", ".public", ".relinearization", ".galois", ".ledger", ".secret"}
        >= kinds
        >= {"@i", ".secret", ""}
    )
    sealed = {name for name, data in members.items() if bytes(data)[12] & 2}
    assert sealed == {"owner.secret"}
    open_members = dict(files.load(str(tmp_path / "open.rfc"), 1 << 30))
    assert not bytes(open_members["owner.secret"])[12] & 2
    assert found_in(tmp_path / "x.rfc", [b"patients", b"owner", *HIDDEN]) == {b"patients", b"owner"}


def test_an_index_shows_no_word_subject_id_or_body(tmp_path):
    keys = rf.search.keygen(tmp_path / "keys", passphrase=PASSPHRASE, strength=0)
    with rf.search.Index.create(tmp_path / "idx", keys) as index:
        index.add([rf.search.Document("letter-four", "subjecttwo", ("wordone",), (), b"bodythree")], keys)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name for path in written} >= {"parameters.rfp", "documents.rfd", "bodies.rfb", "secret.rfk"}
    for path in written:
        assert not found_in(path, HIDDEN), path


def test_a_study_is_readable_and_its_secret_sealed(tmp_path):
    study = rf.statistics.Study({"dosecolumn": (0, 120)}, wanted="means", uploads=2)
    rf.statistics.keygen(study).save(tmp_path, passphrase=PASSPHRASE, strength=0)
    shown = {path.name for path in tmp_path.iterdir() if found_in(path, [b"dosecolumn"])}
    assert shown == {"study.json"}
    assert not any(found_in(path, HIDDEN) for path in tmp_path.iterdir())


def test_every_kind_of_file_is_in_the_list():
    (row,) = (line for line in MODEL.read_text(encoding="utf-8").splitlines() if line.startswith("| storage | names"))
    for kind in (
        *("parameters.rfp", "documents.rfd", "bodies.rfb", "segment", "public.rfk", "secret.rfk", "query", "answer"),
        *("study.json", "upload", "container", "ledger", "pickle", "unsealed=True", ".damaged"),
    ):
        assert kind in row, kind
