# SPDX-License-Identifier: Apache-2.0
"""Tests the rows (measurements), comparisons, tables and pages of benchmarks. A peer is another library that does the
same work. No test depends on how long anything takes.
"""

import io
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import ringfort as rf
from ringfort.bench import describe, rows, show
from ringfort.bench.cancer import cancer_records
from ringfort.bench.peers import against_hexl, against_lattigo, against_leveled, against_seal, against_tfhe_ntt
from ringfort.bench.rows import Row, Versus
from ringfort.bench.run import MEASURES, _beside_published, run_benchmark
from ringfort.bench.show import cells, is_extrapolated, write_report
from ringfort.bench.show_search import search_report
from ringfort.report import Report

ROW_FIELDS = {"name", "device", "params", "unit", "min", "median", "max", "limit_share", "versus"}


def children():
    """Returns the processes that this process started and that still run."""
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def row(name, median=10.0, unit="ms/word", **params):
    return Row(name, "cpu", params, unit, median / 2, median, median * 2)


def test_a_comparison_is_our_median_divided_by_theirs():
    assert row("x").against("peer", "1.0", 40.0).versus == (Versus("peer", "1.0", 40.0, 0.25),)


def test_summary_is_minimum_median_maximum():
    assert rows.summary([3, 1, 2, 10]) == (1, 2.5, 10)


@pytest.mark.parametrize(
    ("name", "unit", "theirs"),
    [
        ("search/sequential/w24/t1", "s", [2662.6]),
        ("search/sequential/t1", "ms/word", [pytest.approx(110_942, abs=1)]),
        ("search/literal/w96/t2", "s", [13.7]),
        ("search/literal/s2/t2", "ms/word", [154.0]),
        ("search/literal/s4/t2", "ms/word", []),
        ("search/literal/t1", "ms/word", [119.0, 20.0]),
        ("search/gsw128/t1", "ms/word", []),
        ("search/row-b2/t1", "ms/word", []),
    ],
)
def test_published_numbers_are_compared_only_with_the_same_work(name, unit, theirs):
    assert [v.median for v in _beside_published(row(name, unit=unit)).versus] == theirs


def test_modmul_benchmark_prints_one_json_document_in_the_stated_shape(command):
    done = command("bench", "modmul", "--quick", "--json", "-")
    assert done.code == 0, done.err
    document = done.json
    assert set(document) == {"machine", "rows"}
    assert {"cpu", "cores", "isa", "os", "compiler"} <= document["machine"].keys()
    assert all(set(found) == ROW_FIELDS for found in document["rows"])
    assert all(0 < found["min"] <= found["median"] <= found["max"] for found in document["rows"])
    assert all(found["limit_share"] > 0 for found in document["rows"])
    names = {found["name"] for found in document["rows"]}
    assert {f"modmul/{kind}/q28" for kind in ("builtin", "barrett", "dhem", "proposed", "shoup", "montgomery")} <= names


def test_benchmark_writes_a_file_and_a_page_and_prints_a_table(command, tmp_path):
    done = command("bench", "modmul", "--quick", "--json", "rows.json", "--html", "page.html")
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert "modmul/shoup/q60" in done.out
    assert "of the limit: the multiplications alone" in done.out
    page = (tmp_path / "page.html").read_text()
    assert "<svg" in page
    assert "modmul/shoup/q60" in page
    assert "<script" not in page
    assert "src=" not in page


@pytest.mark.parametrize(
    ("name", "only", "found"),
    [
        ("modmul", ("modmul/shoup/q60", "modmul/dhem/q6"), ["modmul/dhem/q60", "modmul/shoup/q60"]),
        ("ntt", ("ntt/inverse/n1024/q30",), ["ntt/inverse/n1024/q30"]),
        ("polymul", ("polymul/composed/n2048/q5",), ["polymul/composed/n2048/q50"]),
        ("inner_product", ("kernel/decompose/bits",), ["kernel/decompose/bits"]),
        ("limbs", ("limbs/tensor/n8192",), ["limbs/tensor/n8192/q50/limbs4"]),
    ],
)
def test_only_the_requested_rows_are_measured(command, name, only, found):
    chosen = [argument for prefix in only for argument in ("--only", prefix)]
    done = command("bench", name, "--quick", "--json", "-", *chosen)
    assert [row["name"] for row in done.json["rows"]] == found


CANCER = ("compile", "keygen", "encrypt", "compute", "decrypt", "accuracy")


def test_the_inference_benchmark_plans_its_parameters_and_needs_no_peer(monkeypatch):
    monkeypatch.setenv("RINGFORT_PEERS", "/nowhere/python")
    said = []
    rows = run_benchmark("inference", said.append, quick=True)
    assert [row.name for row in rows] == [
        *(f"inference/logistic/100x30/{what}" for what in ("encrypt", "compute", "decrypt")),
        *(f"inference/cancer/100x30/{what}" for what in CANCER),
    ]
    assert [row.unit for row in rows] == ["ms"] * 8 + ["%"]
    assert all(row.params["bits"] >= 20 and not row.versus for row in rows)
    for package in ("tenseal", "concrete-python", "concrete-ml"):
        assert any(f"its program failed in /nowhere/python; run pip install {package} there" in text for text in said)


def test_the_job_on_an_array_is_planned_and_needs_no_peer(monkeypatch):
    monkeypatch.setenv("RINGFORT_PEERS", "/nowhere/python")
    said = []
    rows = run_benchmark("arrays", said.append, quick=True)
    assert [row.name for row in rows] == [
        f"arrays/1000x64/{what}" for what in ("encrypt", "compute", "decrypt", "whole")
    ]
    assert rows[3].min >= sum(row.min for row in rows[:3])
    assert all(row.unit == "ms" and row.params["bits"] >= 20 for row in rows)
    assert any("run pip install tenseal there" in text for text in said)


def test_inference_is_compared_with_every_peer_that_runs(tmp_path, monkeypatch):
    interpreter = tmp_path / "python"
    interpreter.write_text(
        '#!/bin/sh\nname=${1##*peer_}\n[ "$OMP_NUM_THREADS" = 1 ] && printf \'{"peer": "%s", "version": "1", "rows": '
        '{"inference/logistic/100x30/encrypt": 8, "inference/logistic/100x30/compute": 9, '
        '"inference/logistic/100x30/decrypt": 7}}\' "${name%.py}"\n'
    )
    interpreter.chmod(0o755)
    monkeypatch.setenv("RINGFORT_PEERS", str(interpreter))
    (found,) = run_benchmark("inference", [].append, quick=True, only=("inference/logistic/100x30/compute",))
    assert [(other.peer, other.median) for other in found.versus] == [("tenseal", 9), ("concrete", 9)]


def test_trained_inference_is_as_accurate_as_in_the_clear_and_peers_get_the_same_records(tmp_path, monkeypatch):
    interpreter = tmp_path / "python"
    interpreter.write_text(
        f"#!{sys.executable}\nimport json, pathlib, sys\ngiven = json.load(sys.stdin)\n"
        "name = pathlib.Path(sys.argv[1]).stem\n"
        "rows = {given['name'] + '/accuracy': len(given['records']) + len(given['records'][0])}\n"
        "if name == 'peer_concrete_ml':\n    rows[given['name'] + '/compile'] = len(given['train'])\n"
        "print(json.dumps({'peer': name, 'version': '1', 'rows': rows}))\n"
    )
    interpreter.chmod(0o755)
    monkeypatch.setenv("RINGFORT_PEERS", str(interpreter))
    rows = run_benchmark("inference", [].append, quick=True, only=("inference/cancer/",))
    assert [row.name for row in rows] == [f"inference/cancer/100x30/{what}" for what in CANCER]
    found = {row.name.rpartition("/")[2]: [(peer.peer, peer.median) for peer in row.versus] for row in rows}
    assert found["accuracy"] == [("peer_tenseal_linear", 130), ("peer_concrete_ml", 130)]
    assert found["compile"] == [("peer_concrete_ml", 469)]  # the other peer does not have this row
    given, classifier = cancer_records()
    in_the_clear = 100 * classifier.score(given["records"], given["labels"])
    assert rows[-1].median == pytest.approx(in_the_clear, abs=0.5)
    assert in_the_clear > 90


def test_without_scikit_learn_inference_has_no_records_of_breast_cancer(monkeypatch):
    monkeypatch.setenv("RINGFORT_PEERS", "/nowhere/python")
    monkeypatch.setitem(sys.modules, "sklearn", None)
    said = []
    assert len(run_benchmark("inference", said.append, quick=True)) == 3
    assert said[-1] == "no records of breast cancer: run pip install scikit-learn"


def test_the_benchmark_of_threads_compares_with_one_thread_and_ends_its_busy_processes():
    said, before = [], children()
    wanted = ("threads/bfv/n16384/8+1/add", "threads/array/add")
    rows = run_benchmark("threads", said.append, quick=True, threads=2, only=wanted)
    assert [row.name for row in rows] == [wanted[0], "threads/array/add/idle", "threads/array/add/busy"]
    assert all([peer.peer for peer in row.versus] == ["one thread"] for row in rows)
    assert rows[1].params == {"ciphertexts": 8, "n": 16384, "threads": 2}
    assert set(children()) <= set(before)
    with pytest.raises(rf.InvalidArgument, match="at least two"):
        run_benchmark("threads", said.append, quick=True, threads=1)
    with pytest.raises(rf.InvalidArgument, match="no row begins with nothing"):
        run_benchmark("threads", said.append, quick=True, threads=2, only=("nothing",))
    with pytest.raises(rf.InvalidArgument, match="emu:0 has no CPU threads"):
        run_benchmark("threads", said.append, device="emu:0", quick=True, threads=2)


def test_a_time_of_an_operation_includes_the_wait_for_the_device():
    name, device = "bfv/n8192/4+1/multiply/t1", "emu:0,checks=off"
    [row] = run_benchmark("ops", lambda _: None, device=device, quick=True, threads=1, only=(name,))
    # The call itself returns after some 20 us. No emulator computes the 400 million products of words in 5 ms.
    assert row.median > 5000
    assert row.limit_share is None


def test_the_search_benchmark_returns_the_requested_rows():
    said = []
    found = run_benchmark("search", said.append, quick=True, threads=2, only=("search/gsw128-cw/t1",))
    assert [r.name for r in found] == ["search/gsw128-cw/t1"]
    assert found[0].params["hash_bits"] == 64
    # For each word, a search reads 8 - 1 ciphertexts and one row. A ciphertext has 4 rows. A row has 2 polynomials of
    # 2048 words, and such a word has 8 bytes.
    assert found[0].params["limit_bytes"] == 7 * 4 * 2 * 2048 * 8 + 2 * 2048 * 8
    assert found[0].params["limit_GB_per_s"] > 0
    if rf.cpu_cap().used in ("avx512", "ifma"):
        least = max(
            found[0].params["limit_bytes"] / found[0].params["limit_GB_per_s"],
            found[0].params["limit_vectors"] / 2 / found[0].params["limit_GHz"],
        )
        assert found[0].limit_share == pytest.approx(least / 1e6 / found[0].median)
    assert said == ["measuring search/gsw128-cw/t1"]


def test_the_row_engine_on_the_published_parameters_reports_its_own_preset():
    (found,) = run_benchmark("search", lambda _: None, quick=True, only=("search/row-b2/cold/t1",))
    assert (found.params["preset"], found.params["engine"]) == ("paper-row", "row")


def test_an_exception_in_the_progress_function_stops_the_search_benchmark():
    class Enough(Exception):
        pass

    def stop(line):
        raise Enough

    with pytest.raises(Enough):
        run_benchmark("search", stop, quick=True, only=("search/gsw128-cw/t1",))


@pytest.mark.parametrize(
    "arguments",
    [
        ("sort",),
        ("ntt", "--device", "nowhere"),
        ("modmul", "--device", "nowhere"),
        ("search", "--threads", "-1"),
        ("search", "--only", "nothing"),
        ("arrays", "--quick", "--only", "nothing"),
        ("inference", "--quick", "--only", "nothing"),
        ("modmul", "--only", "nothing"),
        ("pim", "--quick", "--only", "pim/table1/nothing"),
        ("modmul", "--html", "-"),
        ("modmul", "--quick", "--json", "rows", "--html", "./rows"),
        ("gpu-ntt", "--times", "-"),
    ],
)
def test_unknown_benchmark_device_row_or_thread_count_is_bad_input(command, arguments):
    found = command("bench", *arguments)
    assert found.code == 2
    assert "fix: " in found.err


@pytest.mark.parametrize("name", ["arrays/1000x64/nothing", "inference/logistic/100x30/nothing", "inference/cancer/x"])
def test_a_row_that_does_not_exist_is_refused_before_anything_is_encrypted(monkeypatch, name):
    monkeypatch.setattr(rf.Context, "encrypt", lambda *_, **__: pytest.fail("measures"))
    with pytest.raises(rf.InvalidArgument, match="no row begins with"):
        run_benchmark(name.partition("/")[0], [].append, quick=True, only=(name,))


@pytest.mark.parametrize("name", ["modmul", "arrays", "inference", "search", "pim"])
def test_a_benchmark_that_chooses_no_device_refuses_one(command, name):
    for device in ("cpu", "bogus"):
        found = command("bench", name, "--quick", "--device", device)
        assert (found.code, found.err.splitlines()[0]) == (2, f"error: --device is not an option of {name}")


def test_wall_times_of_simulators_are_not_measured(command):
    for name, device in (("ntt", "rpu"), ("limbs", "pim"), ("ops", "pim:ranks=2"), ("threads", "rpu")):
        found = command("bench", name, "--quick", "--device", device)
        refusal = f"error: {name} measures wall times, but a model computes the times of {device}"
        assert (found.code, found.err.splitlines()[0]) == (2, refusal)
    refused = command("bench", "ntt", RINGFORT_DEVICE="emu:0").err.splitlines()[0]
    assert refused == "error: ntt measures no device called 'emu:0'"


def test_a_benchmark_that_ignores_a_number_of_threads_refuses_one(command):
    found = command("bench", "modmul", "--quick", "--threads", "2", "--only", "nothing")
    assert (found.code, found.err.splitlines()[0]) == (2, "error: --threads is not an option of modmul")


def test_rows_that_could_not_be_written_are_not_measured(command, monkeypatch):
    monkeypatch.setattr("ringfort.cli.bench.run_benchmark", lambda *_, **__: pytest.fail("it was measured"))
    found = command("bench", "modmul", "--json", "nowhere/rows.json")
    assert found.code == 1
    assert "nowhere/rows.json cannot be written" in found.err
    found = command("bench", "modmul", "--html", "/proc/none/page.html")
    assert found.code == 1
    assert "/proc/none/page.html cannot be written" in found.err


def test_an_output_path_is_checked_without_following_a_link_or_waiting_for_a_pipe(command, tmp_path, monkeypatch):
    def stop(*_, **__):
        raise rf.errors.Stopped("here", "go on")

    monkeypatch.setattr("ringfort.cli.bench.run_benchmark", stop)
    (tmp_path / "link").symlink_to(tmp_path / "home")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "kept").write_text("rows of before")
    for name, told in (("link", "here"), ("kept", "here"), ("pipe", "not a regular file")):
        assert told in command("bench", "modmul", "--json", name).err
        assert sorted(os.listdir(tmp_path)) == ["kept", "link", "pipe"]
    assert (tmp_path / "kept").read_text() == "rows of before"


def test_rows_are_unchanged_if_the_peer_cannot_be_built(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = []
    assert against_tfhe_ntt([row("ntt/forward/n1024/q30")], said.append) == [row("ntt/forward/n1024/q30")]
    assert "it needs cargo and a clone" in said[0]
    assert against_lattigo([row("ntt/forward/n1024/q50")], said.append, quick=True) == [row("ntt/forward/n1024/q50")]
    assert "it needs go and a clone" in said[1]
    assert against_hexl([row("ntt/forward/n1024/q50")], said.append, quick=True) == [row("ntt/forward/n1024/q50")]
    assert "HEXL: it needs cmake and a clone" in said[2]


GO = """#!/bin/sh
echo "$@" >> arguments
echo '{"peer": "A peer", "version": "1", "rows": {"ntt/forward/n1024/q50": 40.0, "ckks/n8192/3+1/add/t1": 20.0}}'
"""


def test_transforms_and_operations_are_compared_with_the_program_of_a_clone(tmp_path, monkeypatch):
    program = tmp_path / "clone/bench/against/lattigo"
    program.mkdir(parents=True)
    (program / "go.mod").write_text("module a\n")
    (tmp_path / "go").write_text(GO)
    (tmp_path / "go").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.chdir(program)
    said = []
    ours = [row("ntt/forward/n1024/q50"), row("ntt/forward/n1024/q30")]
    transforms = against_lattigo(ours, said.append, quick=True)
    assert [[v.ratio for v in found.versus] for found in transforms] == [[0.25], []]
    sets = against_lattigo(
        [row("ckks/n8192/3+1/add/t1"), row("ckks/n8192/3+1/add/t2"), row("bfv/n8192/4+1/add/t1")],
        said.append,
        quick=False,
    )
    assert [len(found.versus) for found in sets] == [1, 0, 0]
    assert (program / "arguments").read_text() == "run . --quick ntt\nrun . ckks/n8192/3+1 bfv/n8192/4+1\n"
    (tmp_path / "go").write_text("#!/bin/sh\nexit 1\n")
    assert against_lattigo(ours, said.append, quick=True) == ours
    assert "no comparison with Lattigo" in said[-1]


# This program replaces CMake. Configuring succeeds only if CMAKE_PREFIX_PATH is set. Building copies a program.
CMAKE = """#!/bin/sh
[ -n "$CMAKE_PREFIX_PATH" ] || exit 1
[ "$1" = --build ] || exit 0
cp ../../../../program "$2/against-$(basename "$PWD")"
"""
INSTALLED = """#!/bin/sh
echo "$@" >> arguments
echo '{"peer": "A peer", "version": "1", "rows": {"ntt/forward/n1024/q50": 40.0, "bfv/n8192/4+1/add/t1": 20.0}}'
"""


def test_installed_libraries_are_compared_if_cmake_finds_them(tmp_path, monkeypatch):
    for name in ("hexl", "seal"):
        (tmp_path / "clone/bench/against" / name).mkdir(parents=True)
        (tmp_path / "clone/bench/against" / name / "CMakeLists.txt").touch()
    for name, text in (("cmake", CMAKE), ("program", INSTALLED)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.delenv("CMAKE_PREFIX_PATH", raising=False)
    monkeypatch.chdir(tmp_path / "clone")
    transforms = [row("ntt/forward/n1024/q50"), row("ntt/forward/n1024/q30")]
    sets = [row("bfv/n8192/4+1/add/t1"), row("bfv/n8192/4+1/add/t2"), row("ckks/n8192/3+1/add/t1")]
    said = []
    assert against_hexl(transforms, said.append, quick=True) == transforms
    assert against_seal(sets, said.append, quick=True) == sets
    assert [line for line in said if "does not find it" in line] == said[1::2]
    monkeypatch.setenv("CMAKE_PREFIX_PATH", "/opt/peers")
    assert [len(found.versus) for found in against_hexl(transforms, said.append, quick=True)] == [1, 0]
    assert [len(found.versus) for found in against_seal(sets, said.append, quick=False)] == [1, 0, 0]
    assert (tmp_path / "clone/bench/against/hexl/arguments").read_text() == "--quick\n"
    assert (tmp_path / "clone/bench/against/seal/arguments").read_text() == "bfv/n8192/4+1 ckks/n8192/3+1\n"
    (tmp_path / "program").write_text("#!/bin/sh\nexit 1\n")
    assert against_seal(sets, said.append, quick=True) == sets
    assert "no comparison with an installed SEAL" in said[-1]


def test_the_search_report_shows_table_1_and_figure_1(tmp_path):
    found = [
        _beside_published(row(name, unit=unit))
        for name, unit in (
            ("search/literal/t1", "ms/word"),
            ("search/gsw128/t1", "ms/word"),
            ("search/literal/s2/t2", "ms/word"),
            ("search/literal/s6/t2", "ms/word"),
            ("search/sequential/w24/t1", "s"),
            ("search/literal/w24/t2", "s"),
        )
    ]
    machine = describe()
    page = write_report(tmp_path / "p.html", "t", machine, found, search_report("t", found)).read_text()
    assert page.count("<svg") == 4
    assert "2,662.6" in page
    assert "literal, 2 threads, here" in page


def test_a_page_leaves_out_columns_without_content_and_says_one_core(tmp_path):
    machine = {**describe(), "cores": 1}
    bare = write_report(tmp_path / "a.html", "t", machine, [row("x"), row("y")]).read_text()
    assert "of the limit" not in bare
    assert "versus" not in bare
    assert ", 1 core, " in bare
    beside = write_report(tmp_path / "b.html", "t", machine, [row("x"), row("y").against("peer", "1", 4.0)]).read_text()
    assert "of the limit" not in beside
    assert "versus" in beside


def test_labels_of_an_axis_do_not_overlap():
    figure = pytest.importorskip("matplotlib.figure").Figure(figsize=(8, 2), layout="constrained")
    axes = figure.add_subplot()
    show.bars(axes, [replace(row("x"), min=100000, median=125000, max=150000)])
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
    assert len(boxes) >= 3
    assert all(left.x1 < right.x0 for left, right in zip(boxes, boxes[1:]))


def test_scaled_rows_are_marked_as_extrapolated():
    measured, scaled = row("x"), replace(row("x"), params={"scaled_from_words": 24})
    assert [is_extrapolated(one) for one in (measured, scaled)] == [False, True]
    assert "extrapolated" not in cells(measured)[2]
    assert cells(scaled)[2] == cells(measured)[2] + " (extrapolated)"


def test_cells_show_every_comparison():
    assert "peer 1.0 40 (0.25)" in cells(row("x").against("peer", "1.0", 40.0))[-1]


@pytest.mark.parametrize("width", [72, 80, 120])
def test_a_narrow_terminal_shows_every_number_and_no_empty_column(width):
    long = row("ntt/forward/n65536/q30/by/a/method", median=123456.0)
    long = long.against("HEXL", "1.2.5", 12345.6).against("tfhe-ntt", "0.3", 999.0)
    console = Console(width=width, file=io.StringIO())
    console.print(show.terminal_table("a table", [long, row("short", median=77.0)], width))
    text = console.file.getvalue()
    assert "…" not in text
    assert all(number in text for number in ("123,456", "61,728", "246,912", "12,346", "77"))
    assert "limit" not in text
    assert (long.name in text) == (width >= 120)
    assert max(map(len, text.splitlines())) <= width


def test_a_report_escapes_its_texts(tmp_path):
    report = Report("<t>")
    report.paragraph("a < b & c")
    report.table("<c>", ["<h>"], [["<script>"], [1]])
    text = report.write(tmp_path / "deep/page.html").read_text()
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    with pytest.raises(rf.IoWrite):
        report.write("/proc/none/page.html")


def test_the_help_says_what_each_benchmark_measures(command):
    shown = " ".join(command("bench", "--help").out.split())
    assert all(f" {name}: {what}." in shown for name, what in MEASURES.items())


def test_only_operations_with_the_requested_prefix_are_measured(command):
    done = command("bench", "ops", "--quick", "--threads", "1", "--only", "bgv/n8192/4+1/add", "--json", "-")
    assert done.code == 0, done.err
    (found,) = done.json["rows"]
    assert found["name"] == "bgv/n8192/4+1/add/t1"
    assert found["params"] == {"n": 8192, "data_primes": 4, "special_primes": 1, "threads": 1}
    assert set(found) == ROW_FIELDS
    assert found["unit"] == "us"


PEER = """#!/bin/sh
echo '{"peer": "A peer", "version": "1", "rows": {"ckks/n8192/3+1/add/t1": 40.0, "other": 1.0}}'
"""


def test_operations_are_compared_with_the_same_rows_of_peers_and_a_missing_peer_is_reported(tmp_path, monkeypatch):
    interpreter = tmp_path / "python"
    interpreter.write_text(PEER)
    interpreter.chmod(0o755)
    monkeypatch.setenv("RINGFORT_PEERS", str(interpreter))
    ours = [row("ckks/n8192/3+1/add/t1", unit="us"), row("ckks/n8192/3+1/add/t2", unit="us")]
    said = []
    found = against_leveled(ours, said.append, quick=True, threads=1)
    assert [v.ratio for v in found[0].versus] == [0.25, 0.25]
    assert found[1].versus == ()
    monkeypatch.setenv("RINGFORT_PEERS", str(tmp_path / "nothing"))
    assert against_leveled(ours, said.append, quick=True, threads=1) == ours
    assert any("pip install openfhe tenseal" in line for line in said)
