# SPDX-License-Identifier: Apache-2.0
"""Tests the output of commands. With --json, it is one JSON document in every case. Text from strangers cannot control
the terminal."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import ringfort as rf
from ringfort import progress, units
from ringfort import search as rs
from ringfort.cli import app as commands
from ringfort.cli import output

STRANGE = "[bold]x[/] [/nothing] :smile: \x1b[2J\x07 \u202e \u3000end"
CLEAN = "[bold]x[/] [/nothing] :smile: \ufffd[2J\ufffd \ufffd \u3000end"


def run(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **options.pop("env", {})}
    called = [sys.executable, "-m", "ringfort", *map(str, arguments)]
    return subprocess.run(called, env=environment, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "query", "--json"),
        ("search", "query", "--nothing", "--json"),
        ("search", "nothing", "--json"),
        ("search", "search", "--threads", "many", "--json"),
        ("search", "keygen", "--unsealed", "--out", "keys", "--hash-bits", 2**40, "--json"),
        ("search", "keygen", "--unsealed", "--out", "keys", "--hash-bits", -1, "--json"),
        ("search", "estimate", "--words", 2**70, "--documents", 1, "--json"),
        ("search", "estimate", "--words", 1000, "--documents", 1, "--threads", 2**33, "--json"),
        ("bench", "nothing", "--json", "-"),
        ("bench", "--json=-"),
    ],
)
def test_bad_input_is_one_json_document_and_exit_code_2(command, arguments):
    found = command(*arguments)
    assert (found.code, found.json["error"]["code"]) == (2, "invalid_argument"), found.err
    assert found.json["error"]["fix"]
    assert "Traceback" not in found.err


def test_without_a_terminal_progress_is_lines_with_rate_and_remaining_time(capsys, monkeypatch):
    clock = iter([0.0, 1.0, 4.0, 5.0, 10.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with output.Speaker(as_json=True).progress("indexing", 1000, "word") as tell:
        for done in (100, 200, 250, 500):
            tell(done)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines() == [
        "indexing: 200/1,000 words, 50 words/s, 16 s left",
        "indexing: 500/1,000 words, 50 words/s, 10 s left",
    ]


def test_on_a_terminal_progress_is_a_bar_with_rate_and_remaining_time(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    speaker = output.Speaker(as_json=False)
    speaker.err = output._Console(force_terminal=True, width=100, record=True, file=io.StringIO())
    with speaker.progress("searching", 40, "word") as tell:
        tell(10)
    shown = speaker.err.file.getvalue()
    assert "searching" in shown
    assert "10/40 words" in shown
    assert "left" in shown


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (units.size(999), "999 B"),
        (units.size(9_216), "9.22 KB"),
        (units.size(1.64e9), "1.64 GB"),
        (units.duration(0.00079), "790 µs"),
        (units.duration(0.79), "790 ms"),
        (units.duration(99.9), "99.9 s"),
        (units.duration(200), "3 min 20 s"),
        (units.duration(7500), "2 h 5 min"),
        (units.number(208_500.4), "208,500"),
        (units.number(0.0003909), "0.0003909"),
        (units.number(1.20), "1.2"),
        (units.number(0), "0"),
        (units.number(-99.996), "-100"),
        (units.number(1.2e-7), "1.2 · 10⁻⁷"),
        (units.number(1e9), "10⁹"),
        (units.power(2, -129), "2⁻¹²⁹"),
        (units.symbol("us/million"), "µs/million"),
        (units.symbol("runs / s mm2"), "runs / s mm²"),
        (units.quantity(1, "word"), "1 word"),
        (units.quantity(2000, "word"), "2,000 words"),
        (units.rate(342.4, "word"), "342 words/s"),
        (units.rate(3.42, "word"), "3.4 words/s"),
    ],
)
def test_sizes_times_and_rates_have_readable_units(text, wanted):
    assert text == wanted


@pytest.mark.parametrize(
    ("raised", "code", "name"),
    [
        (KeyboardInterrupt, 130, "interrupted"),
        (typer.Abort, 130, "interrupted"),
        (MemoryError, 1, "out_of_memory"),
        (TypeError("x"), 1, "internal"),
    ],
)
def test_every_end_of_a_command_is_reported_once(command, monkeypatch, raised, code, name):
    def broken():
        raise raised

    monkeypatch.setattr(commands, "devices", broken)
    found = command("devices", "--json")
    assert (found.code, found.json["error"]["code"]) == (code, name)
    assert found.json["error"]["fix"]
    assert found.err.count("error: ") == 1
    assert "resumes" not in found.err


def test_group_without_a_command_shows_its_help(command):
    found = command("search")
    assert "keygen" in found.out + found.err
    assert "error:" not in found.err


@pytest.mark.parametrize("group", [[], ["search"], ["rpu", "ntt"], ["bench"]])
def test_every_command_shows_its_help_with_the_short_option(command, group):
    found, long = command(*group, "-h"), command(*group, "--help")
    assert "Usage" in found.out
    assert found.out == long.out


@pytest.mark.parametrize("arguments", [("devices", "--json"), ("devices",)])
def test_an_interrupt_during_the_imports_ends_the_command_without_a_traceback(tmp_path, arguments):
    (tmp_path / "numpy.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    ran = run(*arguments, env={"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}, stdout=subprocess.PIPE)
    assert (ran.returncode, ran.stderr) == (130, "error: interrupted\n")
    codes = [json.loads(line)["error"]["code"] for line in ran.stdout.splitlines()]
    assert codes == ["interrupted"] * ("--json" in arguments)


def test_programs_that_import_the_package_keep_their_handler_of_interrupts():
    program = "import sys; sys.argv[0] = 'ringfort'; import ringfort, signal; print(signal.getsignal(2).__name__)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert ran.stdout == "default_int_handler\n", ran.stderr


def test_a_named_command_is_the_same_without_the_other_commands():
    program = """
import sys
from ringfort.cli.app import command_for
for name in ("pim", "search"):
    alone = command_for([name]).commands[name]
    print(name, *sorted(alone.commands), sep=",")
print(*(name for name in sys.modules if name.startswith(("ringfort.cli.rpu", "ringfort.cli.statistics"))))
for name, command in command_for([]).commands.items():
    print(name, *sorted(getattr(command, "commands", ())), sep=",")
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    pim, search, others, *whole = ran.stdout.splitlines()
    assert (pim, others) == ("pim,op", ""), ran.stderr
    assert {pim, search} < set(whole)
    assert {line.partition(",")[0] for line in whole} == set(commands.MODULES)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_a_full_disk_under_standard_output_is_an_error_without_a_traceback(as_json):
    with open("/dev/full", "w") as full:
        done = run("devices", *as_json, stdout=full)
    assert done.returncode == 1
    assert done.stderr.startswith("error: standard output cannot be written")
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("bench", "-h"), ("search",)])
def test_a_full_disk_under_a_help_is_an_error_without_a_traceback(arguments):
    with open("/dev/full", "w") as full:
        done = run(*arguments, stdout=full)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0].startswith("error: standard output cannot be written: No space left")
    assert len(done.stderr.splitlines()) == 2


def test_ascii_streams_accept_every_text(tmp_path):
    asked = ("search", "query", "caf\u00e9", "--key", tmp_path / "nowhere \u65e5", "--out", "q")
    for as_json in ((), ("--json",)):
        done = run(*asked, *as_json, stdout=subprocess.PIPE, env={"PYTHONIOENCODING": "ascii"})
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
    assert json.loads(done.stdout)["error"]["problem"].count("\u65e5") == 1


def test_text_of_strangers_is_shown_without_control_of_the_terminal(command, tmp_path, mailbox):
    letter = rs.Document(f"<{STRANGE}>", STRANGE, ("word",), body=f"{STRANGE}\r\n\tnext".encode())
    with rs.Index.create(tmp_path / "idx", mailbox.keys) as index:
        index.add([letter], mailbox.keys)
    keys = ("-k", mailbox.folder / "keys")
    assert command("search", "query", "word", *keys, "-o", "q").code == 0
    assert command("search", "search", "-i", "idx", "-q", "q", "-o", "a").code == 0
    shown = command("search", "decrypt", "a", *keys, "-i", "idx", "--bodies", COLUMNS="200")
    assert shown.code == 0, shown.err
    assert shown.out.count(CLEAN) == 4
    assert not set(shown.out) & set("\x1b\x07\u202e\r")
    refused = command("search", "query", STRANGE, *keys, "-o", "other")
    assert "\x1b" not in refused.err
    assert refused.code == 2


@pytest.mark.parametrize("out", ["secret.rfk", "note.txt", "empty", "dead"])
def test_out_replaces_no_file_of_another_kind(command, tmp_path, mailbox, out):
    (tmp_path / "secret.rfk").write_bytes((mailbox.folder / "keys/secret.rfk").read_bytes())
    (tmp_path / "note.txt").write_text("mine")
    (tmp_path / "empty").touch()
    (tmp_path / "dead").symlink_to("nowhere")
    keys = ("-k", mailbox.folder / "keys")
    for _ in range(2):  # the second round replaces the query and the answer of the first
        assert command("search", "query", "fox", *keys, "-o", "q").code == 0
        assert command("search", "search", "-i", mailbox.index, "-q", "q", "-o", "a").code == 0
    before = (tmp_path / out).read_bytes() if out != "dead" else b""
    for arguments in (("query", "fox", *keys), ("search", "-i", mailbox.index, "-q", "q")):
        refused = command("search", *arguments, "-o", out, "--json")
        assert (refused.code, refused.json["error"]["code"]) == (1, "io_write")
    crossed = command("search", "search", "-i", mailbox.index, "-q", "q", "-o", "q", "--json")
    assert (crossed.code, crossed.json["error"]["code"]) == (1, "io_write")
    assert out == "dead" or (tmp_path / out).read_bytes() == before


@pytest.mark.parametrize("text", ["", "\n", "\nsecond line\n"])
def test_an_empty_passphrase_file_is_refused_before_key_generation(command, tmp_path, text):
    (tmp_path / "phrase").write_text(text)
    found = command("search", "keygen", "--out", "keys", "--passphrase-file", "phrase", "--json")
    assert (found.code, found.json["error"]["code"]) == (1, "passphrase")
    assert not (tmp_path / "keys").exists()


@pytest.mark.parametrize(("raised", "code"), [(EOFError, "passphrase"), (KeyboardInterrupt, "interrupted")])
def test_an_end_of_the_input_of_a_prompt_is_no_interrupt(command, monkeypatch, raised, code):
    def read(*_, **__):
        raise raised

    monkeypatch.setattr("getpass.getpass", read)
    error = command("search", "keygen", "--out", "keys", "--passphrase", "--json").json["error"]
    assert (error["code"], "--passphrase-file" in error["fix"]) == (code, code == "passphrase")


def test_a_file_of_another_type_is_refused_with_a_fix(command, mailbox):
    found = command("search", "decrypt", mailbox.folder / "keys/public.rfk", "-k", mailbox.folder / "keys", "--json")
    assert (found.code, found.json["error"]["code"]) == (1, "io_type")
    assert found.json["error"]["fix"]


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_failures_that_are_reported_if_possible(closed, tmp_path):
    called = f"exec '{sys.executable}' -m ringfort search keygen --unsealed --out keys --json {closed}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(["sh", "-c", called], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (tmp_path / "keys/secret.rfk").exists()
    assert "Traceback" not in ran.stderr
    if ">&-" in closed.split():
        assert ran.returncode == 1
        assert closed != ">&-" or "standard output cannot be written" in ran.stderr
    else:
        assert ran.returncode == 0
        assert json.loads(ran.stdout)["secret"] == "keys/secret.rfk"


@pytest.mark.filterwarnings("ignore::getpass.GetPassWarning")
def test_a_closed_standard_input_is_empty(command, mailbox, tmp_path):
    (tmp_path / "large.txt").write_text("word " * 1000)
    options = ("--key", mailbox.folder / "keys", "--out", "closed", "--json")
    assert "no message in -" in command("search", "index", "-", *options, stdin=None).json["error"]["problem"]
    assert "--yes" in command("search", "index", "large.txt", *options, stdin=None).json["error"]["fix"]
    asked = command("search", "keygen", "--out", "others", "--passphrase", "--json", stdin=None)
    assert asked.json["error"]["code"] == "passphrase"


def test_names_that_are_not_utf8_are_accepted(tmp_path):
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    (odd / "a.txt").write_text("soup")

    def json_of(*arguments, code=0):
        ran = run("search", *arguments, "--json", cwd=odd, stdout=subprocess.PIPE)
        assert ran.returncode == code, ran.stderr
        return json.loads(ran.stdout)

    json_of("keygen", "--unsealed", "--out", odd / "keys")
    json_of("index", odd / "a.txt", "--key", odd / "keys", "--out", odd / "index")
    json_of("query", "soup", "--key", odd / "keys", "--out", odd / "q")
    json_of("search", "--index", odd / "index", "--query", odd / "q", "--out", odd / "a")
    found = json_of("decrypt", odd / "a", "--key", odd / "keys", "--index", odd / "index")
    assert found["matches_in_all"] == 1
    json_of("inspect", odd / "q", odd / "keys/secret.rfk")
    assert json_of("verify", odd / "nothing", code=1)["error"]["code"] == "io_open"
    context = rf.Context(depth=1)
    keys = context.keygen(rotations=[])
    rf.save(odd / "arrays", x=context.encrypt([0.5], keys))
    assert rf.load(odd / "arrays", context, keys=keys.public)["x"].decrypt(keys).round(2).tolist() == [0.5]
    (odd / os.fsdecode(b"index/segment-\xff.rfs")).write_bytes(b"")
    for arguments in (
        ("verify", odd / "index"),
        ("search", "--index", odd / "index", "--query", odd / "q", "--out", odd / "b"),
    ):
        error = json_of(*arguments, code=1)["error"]
        assert error["code"] in ("io_open", "io_checksum")
        assert "segment-\ufffd.rfs" in error["problem"]
