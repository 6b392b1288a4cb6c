# SPDX-License-Identifier: Apache-2.0
"""Runs a study with the commands ``ringfort statistics``, as each party would. In a study, users upload encrypted
records, an aggregator adds them, and an analyst decrypts the totals. Also runs the demonstration.
"""

import os
from pathlib import Path

import pytest

import ringfort as rf

OPTIONS = (
    "--column",
    "age:0:120",
    "--column",
    "dose:0:50:1",
    "--wanted",
    "regressions",
    "--uploads",
    4,
    "--records",
    3,
    "--unsealed",
)
UPLOADS = ("age,dose\n30,1.5\n41,2.5\n", "age,dose\n50,30.0\n", "dose,age,name\n7.0,60,x\n8.5,20,y\n9,33,z\n")


@pytest.fixture
def study(command, tmp_path):
    assert command("statistics", "create", "study", *OPTIONS, "--json").json["n"] >= 4096
    for number, text in enumerate(UPLOADS):
        (tmp_path / f"{number}.csv").write_text(text)
        done = command("statistics", "encrypt", "study", f"{number}.csv", "--out", f"{number}.rfa", "--json")
        assert done.code == 0, done.err
    return tmp_path


def test_out_replaces_only_files_of_the_same_kind(command, study):
    secret = (study / "study/secret.rfc").read_bytes()
    refused = command("statistics", "encrypt", "study", "0.csv", "--out", "study/secret.rfc")
    assert refused.code != 0
    assert "is not an upload of this study" in refused.err
    assert command("statistics", "aggregate", "study", "*.rfa", "--out", "study/public.rfc").code != 0
    assert command("statistics", "aggregate", "study", "*.rfa", "--out", "0.rfa").code != 0
    assert (study / "study/secret.rfc").read_bytes() == secret
    assert command("statistics", "encrypt", "study", "1.csv", "--out", "0.rfa").code == 0


def test_three_parties_run_a_study(command, study):
    done = command("statistics", "aggregate", "study", "*.rfa", "--out", "result.rfr", "--json")
    assert done.json == {"result": "result.rfr", "uploads": 3, "records": 6, "refused": []}
    found = command("statistics", "decrypt", "study", "result.rfr", "--regress", "dose", "--json").json
    assert found["columns"]["age"]["mean"] == 39
    assert found["columns"]["dose"]["mean"] == pytest.approx(58.5 / 6)
    assert set(found["regression"]["coefficients"]) == {"age"}
    shown = command("statistics", "decrypt", "study", "result.rfr")
    assert "mean of age" in shown.out
    assert "6 records of 3 uploads" in shown.out


def test_a_refused_upload_is_named_and_can_be_skipped(command, study):
    data = bytearray((study / "1.rfa").read_bytes())
    data[len(data) // 2] ^= 1
    (study / "1.rfa").write_bytes(data)
    done = command("statistics", "aggregate", "study", "*.rfa", "--out", "result.rfr", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "io_checksum")
    assert "1.rfa" in done.json["error"]["problem"]
    done = command("statistics", "aggregate", "study", "*.rfa", "--out", "result.rfr", "--keep-going", "--json")
    assert (done.json["uploads"], [one["upload"] for one in done.json["refused"]]) == (2, ["1.rfa"])


def test_the_name_of_an_upload_is_not_expanded_as_a_pattern(command, study):
    """A file is named `[0-1]*.rfa`. A shell has already expanded the patterns that a user wrote. Therefore the command
    expands an argument only if no file has this name."""
    (study / "[0-1]*.rfa").write_bytes((study / "2.rfa").read_bytes())
    (study / "2.rfa").unlink()
    (study / "again.rfa").symlink_to("0.rfa")
    for given in (["0.rfa", "1.rfa", "[0-1]*.rfa", "again.rfa"], ["*.rfa"], ["*.rfa", "0.rfa", "./1.rfa"]):
        done = command("statistics", "aggregate", "study", *given, "--out", "result.rfr", "--json")
        assert (done.json["uploads"], done.json["records"]) == (3, 6), given
        assert "again.rfa skipped: the same file" in done.err
    (study / "[0-1]*.rfa").unlink()  # now it is a pattern, which matches 0.rfa and 1.rfa
    done = command("statistics", "aggregate", "study", "0.rfa", "1.rfa", "[0-1]*.rfa", "--out", "result.rfr", "--json")
    assert done.json["uploads"] == 2


def test_records_are_not_awaited_from_a_pipe(command, study):
    os.mkfifo(study / "pipe")
    done = command("statistics", "encrypt", "study", "pipe", "--out", "x.rfa")
    assert done.code == 1
    assert "not a regular file" in done.err


@pytest.mark.parametrize(("text", "wrong"), [("age,dose,age\n1,2,3\n", "twice"), ("age,dose\n30,1,2\n", "more cells")])
def test_cells_that_belong_to_no_column_or_two_are_refused(command, study, text, wrong):
    (study / "bad.csv").write_text(text)
    done = command("statistics", "encrypt", "study", "bad.csv", "--out", "bad.rfa")
    assert done.code == 2
    assert wrong in done.err


@pytest.mark.parametrize(
    ("text", "problem", "fix"),
    [
        ("age\n30\n", "bad.csv has no column 'dose' in its first line", "as in age,dose"),
        ("age;dose\n30;1\n", "bad.csv has no column 'age' in its first line", "as in age,dose"),
        ("age, dose\n30,1\n", "bad.csv has no column 'dose' in its first line", "without spaces between"),
        ("age,dose\n" + "1,2\n" * 4, "bad.csv has 4 records; the study allows 3 records per upload", "several files"),
    ],
)
def test_a_table_that_does_not_fit_the_study_is_refused_with_its_fault(command, study, text, problem, fix):
    (study / "bad.csv").write_text(text)
    done = command("statistics", "encrypt", "study", "bad.csv", "--out", "bad.rfa", "--json")
    assert (done.code, done.json["error"]["problem"]) == (2, problem)
    assert fix in done.json["error"]["fix"]


def test_a_study_of_variances_refuses_a_regression_in_words_of_the_command(command, tmp_path):
    (tmp_path / "0.csv").write_text("age\n30\n")
    create = ("statistics", "create", "study", "--column", "age:0:120", "--unsealed", "--uploads", 2)
    for arguments in (create, ("statistics", "encrypt", "study", "0.csv", "--out", "0.rfa")):
        assert command(*arguments).code == 0
    assert command("statistics", "aggregate", "study", "0.rfa", "--out", "r").code == 0
    done = command("statistics", "decrypt", "study", "r", "--regress", "age", "--json")
    assert (done.code, "--wanted regressions" in done.json["error"]["fix"]) == (2, True)


def test_a_table_may_begin_with_a_byte_order_mark(command, study):
    (study / "marked.csv").write_bytes(b"\xef\xbb\xbf" + UPLOADS[0].encode())
    done = command("statistics", "encrypt", "study", "marked.csv", "--out", "marked.rfa", "--json")
    assert done.code == 0, done.err
    assert done.json["records"] == 2


@pytest.mark.parametrize(
    "cell", ["3_0", "nan", "inf", "-Infinity", "\u0663", "\uff13", "3\u00a0", "0x1e", "", "3 0", "1e"]
)
def test_cells_that_are_numbers_only_to_python_are_refused(command, study, cell):
    (study / "bad.csv").write_text(f"age,dose\n{cell},1\n", encoding="utf-8")
    done = command("statistics", "encrypt", "study", "bad.csv", "--out", "bad.rfa")
    assert done.code == 2
    assert "line 2: no number for 'age'" in done.err
    assert command("statistics", "create", "other", "--unsealed", "--column", f"age:0:{cell}").code == 2
    assert command("statistics", "create", "other", "--unsealed", "--column", f"age:0:9:{cell}").code == 2


@pytest.mark.parametrize("second", ["age:0:9", "age:0:120"])
def test_a_column_is_given_once_and_has_a_name(command, tmp_path, second):
    for columns in (("--column", "age:0:120", "--column", second), ("--column", ":0:9")):
        done = command("statistics", "create", "other", "--unsealed", *columns)
        assert done.code == 2, done.out
        assert not (tmp_path / "other").exists()


def test_decimal_numbers_of_every_form_are_read(command, study):
    (study / "good.csv").write_text("age,dose\n +30 ,1.5\n3e1,\t.5\n30.,15e-1\n", encoding="utf-8")
    done = command("statistics", "encrypt", "study", "good.csv", "--out", "good.rfa", "--json")
    assert done.code == 0, done.err
    assert done.json["records"] == 3


def test_the_fault_of_a_table_is_named_as_an_editor_shows_it(command, tmp_path):
    columns = ("--column", "age:0:120", "--column", "w, x:0:9", "--wanted", "means", "--uploads", 2)
    assert command("statistics", "create", "study", *columns, "--unsealed").code == 0

    def error(text, encoding="utf-8"):
        (tmp_path / "bad.csv").write_bytes(text.encode(encoding))
        return command("statistics", "encrypt", "study", "bad.csv", "--out", "0.rfa", "--json").json["error"]

    for text, line in (
        ("\n\n30,much\n", 4),
        ('30,1,"a\nb\r\nc"\n\n30,much,"d\ne"\n', 6),
        ('30,"1\n41,2\n42,3\n', 2),  # a quote without an end
        ('30,1,\n30,2,3,"4\n5"\n', 3),
    ):
        assert f"bad.csv, line {line}" in error(f'age,"w, x",note\n{text}')["problem"]
    for encoding in ("utf-16", "latin-1"):
        assert "it is not UTF-8 text" in error("größe\n1\n", encoding)["problem"]
    assert error("age,w, x\n1,1\n")["fix"].endswith('as in age,"w, x"')


def test_bad_input_is_refused_with_a_fix(command, study):
    (study / "bad.csv").write_text("age,dose\n30,much\n")
    done = command("statistics", "encrypt", "study", "bad.csv", "--out", "bad.rfa")
    assert done.code == 2
    assert "line 2" in done.err
    assert command("statistics", "create", "other", "--column", "age").code == 2
    assert command("statistics", "create", "study", *OPTIONS).code == 1  # the old secret key would be lost
    assert command("statistics", "decrypt", "study", "0.rfa").code == 1


def test_the_demonstration_is_right_and_reports_its_cost(command):
    done = command("statistics", "demo", "--users", 20, "--records", 5, "--json")
    assert done.code == 0, done.err
    assert done.json["right"] is True
    assert done.json["uploads"] == 20
    assert done.json["regression"]["coefficients"]["age"] == pytest.approx(0.9, abs=0.3)
    assert "1. keys: bgv" in done.err


def test_the_demonstration_fails_if_a_total_is_wrong(command, monkeypatch):
    from ringfort.cli import statistics_demo

    monkeypatch.setattr(statistics_demo, "_moments", lambda table: 0)
    done = command("statistics", "demo", "--users", 4, "--records", 2)
    assert done.code == 1
    assert "A TOTAL IS WRONG" in done.out


def test_analyst_and_user_see_the_same_fingerprint_of_study_and_keys(command, study):
    (study / "user").mkdir()
    for name in ("study.json", "public.rfc"):
        (study / "user" / name).write_bytes((study / "study" / name).read_bytes())
    mark = command("statistics", "fingerprint", "study", "--json").json["fingerprint"]
    assert command("statistics", "fingerprint", "user").out.strip() == mark
    text = (study / "user/study.json").read_text()
    (study / "user/study.json").write_text(text.replace("120", "121"))
    assert command("statistics", "fingerprint", "user", "--json").json["fingerprint"] != mark
    assert command("statistics", "create", "other", *OPTIONS, "--json").json["fingerprint"] != mark


def test_the_fingerprint_of_the_analyst_is_that_of_her_sealed_keys(command, tmp_path):
    """Whoever stores the folder may replace the public keys beside the sealed keys. The command must not print the
    fingerprint of these other keys."""
    (tmp_path / "words").write_text("four words of mine\n")
    sealed = ("--passphrase-file", "words")
    mark = command("statistics", "create", "study", "-c", "age:0:9", *sealed, "--json").json["fingerprint"]
    assert command("statistics", "fingerprint", "study", *sealed).out.strip() == mark
    assert command("statistics", "fingerprint", "study", "--json").json["error"]["code"] == "passphrase"
    command("statistics", "create", "thief", "-c", "age:0:9", "--unsealed")
    honest = (tmp_path / "study/public.rfc").read_bytes()
    (tmp_path / "study/public.rfc").write_bytes((tmp_path / "thief/public.rfc").read_bytes())
    done = command("statistics", "fingerprint", "study", *sealed, "--json")
    assert done.json["error"]["code"] == "parameters_mismatch"
    assert "other public keys" in done.json["error"]["problem"]
    assert command("statistics", "fingerprint", "study", "--json").json["error"]["code"] == "passphrase"
    (tmp_path / "study/secret.rfc").unlink()  # without a secret key, a passphrase is refused
    assert command("statistics", "fingerprint", "study", *sealed, "--json").json["error"]["code"] == "key_missing"
    (tmp_path / "study/public.rfc").write_bytes(honest)
    assert command("statistics", "fingerprint", "study").out.strip() == mark  # a user's folder has no secret key


def test_a_secret_is_written_in_the_clear_only_on_request(command, tmp_path, monkeypatch):
    monkeypatch.delenv("RINGFORT_PASSPHRASE", raising=False)
    refused = command("statistics", "create", "study", "-c", "age:0:9", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "secret_refused")
    assert "--unsealed" in refused.json["error"]["fix"]
    assert not (tmp_path / "study").exists()


@pytest.mark.parametrize("kept", ["study.json", "public.rfc", "secret.rfc"])
def test_no_file_of_a_study_is_replaced_by_another_study(kept, command, tmp_path):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / kept).write_bytes(b"kept")
    refused = command("statistics", "create", "study", "-c", "age:0:9", "--unsealed", "--json")
    assert refused.json["error"]["code"] == "io_write"
    assert kept in refused.json["error"]["problem"]
    assert [(file.name, file.read_bytes()) for file in (tmp_path / "study").iterdir()] == [(kept, b"kept")]


def test_a_passphrase_is_a_whole_line_of_its_file(tmp_path):
    from ringfort.cli.options import passphrase

    file = tmp_path / "words"
    for line in ("ab\vvery long", "a\fb", "a\x1cb", "a\u0085b", "a\u2028b", "a\rb", " ab "):
        for end in ("", "\n", "\r\n", "\nsecond"):
            file.write_bytes((line + end).encode())
            assert passphrase(file, False) == line
    file.write_bytes(b"a" * (1 << 16) + b"\nsecond")
    assert passphrase(file, False) == "a" * (1 << 16)
    for line in (b"a" * ((1 << 16) + 1), b"a" * (1 << 17)):
        file.write_bytes(line + b"\nsecond")
        with pytest.raises(rf.errors.IoLimit, match="more than 64 KiB"):  # the line is refused and not cut
            passphrase(file, False)
    if os.path.exists("/dev/zero"):  # an endless file
        with pytest.raises(rf.errors.IoLimit, match="more than 64 KiB"):
            passphrase(Path("/dev/zero"), False)
    file.write_bytes(b"\nab")
    with pytest.raises(rf.errors.Passphrase, match="empty"):
        passphrase(file, False)
    file.write_bytes(b"\xff")
    with pytest.raises(rf.errors.IoOpen, match="not UTF-8"):
        passphrase(file, False)


def test_a_regression_without_a_target_or_on_itself_is_refused(command, study):
    assert command("statistics", "aggregate", "study", "*.rfa", "--out", "result.rfr").code == 0
    for options, told in ((["--on", "age"], "--regress"), (["--regress", "age", "--on", "age"], "among the features")):
        done = command("statistics", "decrypt", "study", "result.rfr", *options)
        assert done.code != 0
        assert told in done.err
