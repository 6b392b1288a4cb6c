# SPDX-License-Identifier: Apache-2.0
"""Tests `ringfort reproduce`, which compares figures of papers with ours. Tests the verdicts (such as "met"), the page,
and the command for one report.
"""

from __future__ import annotations

import json
import re

import pytest

from ringfort.bench.pim import paper
from ringfort.bench.reproduce import SYSTEMS, VERDICTS, Figure, figures, overview
from ringfort.bench.rows import Row


def document(**medians: float) -> dict[str, object]:
    return {"rows": [Row(name, "cpu", {}, "ms/word", m, m, m).as_dict() for name, m in medians.items()]}


def verdict_of(found: list[Figure], text: str) -> tuple[str, str]:
    return next((figure.ours, figure.verdict) for figure in found if text in figure.text)


def test_without_measurements_every_figure_is_listed_and_only_counts_have_verdicts():
    found = figures({})
    counted = [figure for figure in found if figure.text.startswith("integer operations of a work-item")]
    assert [(figure.published, figure.verdict) for figure in counted] == [
        ("48 operations", "not met"),
        *((f"{n} operations", "passed") for n in ("157", "456", "1,156")),
    ]
    assert {figure.verdict for figure in found if figure not in counted} == {"not measurable here"}
    assert {figure.paper for figure in found} == {"MartinsSousa16", "Lyashevsky23", "Shivdikar22"}


@pytest.mark.parametrize(("ms", "verdict"), [(118.0, "passed"), (130.0, "met"), (131.0, "not met")])
def test_a_smaller_time_passes_and_one_a_tenth_larger_is_met(ms, verdict):
    found = figures({"search": document(**{"search/literal/s6/t2": ms})})
    assert verdict_of(found, "6 words compared at once")[1] == verdict


def test_ratios_of_a_gpu_come_from_times_alone():
    slow, quick = "reduction/classical/q30", "reduction/proposed/q30"
    found = figures({"gpu-reduction": document(**{slow: 2.6, quick: 2.0})})
    assert verdict_of(found, "over the classical one") == ("1.3 times", "passed")
    assert [figure.note for figure in found if figure.verdict == "passed" and figure.where != "Table 1"] == [""]
    found = figures({"gpu-reduction": document(**{f"{slow}/model/H200": 2.6, f"{quick}/model/H200": 2.0})})
    assert verdict_of(found, "over the classical one") == ("", "not measurable here")


def test_each_figure_of_xehe_is_compared_with_its_own_gpu():
    ratios = {"mul_lin": 2.0, "mul_lin_rs": 3.2, "sqr_lin_rs": 2.4, "mul_lin_rs_mod_sw_add": 2.2, "rotate": 2.5}
    rows = {f"routine/{step}/{name}/n32768/speedup": r for step in ("radix8", "callers") for name, r in ratios.items()}
    rows |= {f"variant/forward/{name}/harvey/n32768/q62/b1024": us for name, us in (("naive", 10.0), ("radix8", 2.0))}
    found = figures(
        {"gpu-ops": document(**rows), "gpu-matmul": document(**{"matmul/cache/10x9x8/n16384/speedup": 2.8})}
    )
    verdicts = {(f.where, f.text.split(":")[0], f.published): f.verdict for f in found if f.paper == "Lyashevsky23"}
    radix8 = "radix8, 1024 transforms of 32768 points, GPU of "
    assert verdicts["Figures 17, 18", radix8 + "two tiles, one used", "4.23 times"] == "passed"
    assert verdicts["Figure 23", radix8 + "one tile", "5.47 times"] == "met"
    assert verdicts["Figure 24", "mul_lin", "2.32 times"] == "not met"
    assert verdicts["Figure 22", "the best of five routines", "3.05 times"] == "passed"
    assert verdicts["Figure 24", "five routines, mean", "1.92 times"] == "passed"
    assert verdicts["Figure 25", "matMul_10x9x8", "2.79 times"] == "passed"
    assert verdicts["Figure 26", "matMul_10x9x8", "2.82 times"] == "met"
    assert verdicts["Figure 26", "matMul_100x10x1", "3.11 times"] == "not measurable here"


def test_a_claim_about_memory_is_contradicted_only_if_the_papers_own_numbers_exclude_it():
    rows = dict.fromkeys((claim["row"] for claim in paper()["claims"]), 1.0)
    found = [figure for figure in figures({"pim": document(**rows)}) if figure.paper == "Mwaisela24"]
    verdicts = {figure.text[:29]: figure.verdict for figure in found if not figure.published}
    assert verdicts == {
        "copies of 2^20 coefficients t": "not met",
        "copies to the DPUs take longe": "not met",
        "convolving 2^10 coefficients,": "not measurable here",
        "convolving 2^18 coefficients,": "contradicted",
        "multiplication and convolutio": "contradicted",
    }
    assert {figure.published for figure in found} >= {"0.143 times", "at most 1 times", "97 times"}


def test_statements_about_the_ring_processor_keep_their_verdicts():
    said = {"where": "Figure 4", "text": "time", "unit": "us", "paper": 6.7, "model": 6.9, "origin": "predicted"}
    said |= {"tolerance": 0.1, "contradiction": ""}
    statements = [
        {**said, "verdict": "within"},
        {**said, "verdict": "missed"},
        {**said, "verdict": "contradicted", "contradiction": "the two areas differ"},
    ]
    found = [figure for figure in figures({"rpu": {"statements": statements}}) if figure.paper == "Soni23"]
    assert [figure.verdict for figure in found] == ["met", "not met", "contradicted"]
    assert found[2].note == "the two areas differ"
    assert found[0].published == "6.7 us"


def test_the_page_counts_verdicts_and_names_what_failed(tmp_path):
    found = [Figure("Soni23", "Figure 4", "time", "6.7 us", "6.6 us", verdict) for verdict in (*VERDICTS, "passed")]
    text = overview(found, {"rpu": "rpu.html"}, {"search": "no space"}).text()
    assert "search could not be run: no space" in text
    row = next(line for line in text.split("<tr>") if "The ring processor [Soni23]" in line)
    assert re.findall(r"<td class=.number.>(\d+)</td>", row) == ["6", "2", "1", "1", "1", "1"]
    assert "rpu.html" in row
    assert text.count("6.6 us") == len(found)


def test_the_page_has_links_to_all_reports_of_a_system():
    names = ("gpu-ntt", "gpu-ops", "gpu-matmul")
    text = overview([], {name: f"{name}.html" for name in names}, {}).text()
    assert re.findall(r'<a href="(gpu[^"]*)">', text) == [f"{name}.html" for name in names]


def test_every_system_has_a_command_of_ringfort():
    assert [system.paper for system in SYSTEMS] == [
        *("MartinsSousa16", "Lyashevsky23", "Shivdikar22", "Mwaisela24", "Soni23")
    ]
    assert all(words[0] in ("bench", "rpu") for system in SYSTEMS for words in system.commands.values())


def test_the_command_makes_the_report_and_the_page(command, tmp_path):
    done = command("reproduce", "--quick", "--out", "page", "--device", "emu:0", "--only", "gpu-reduction", "--json")
    assert done.code == 0, done.err
    assert {"index.html", "figures.json", "gpu-reduction.html", "gpu-reduction.json"} == {
        path.name for path in (tmp_path / "page").iterdir()
    }
    assert done.json["problems"] == {}
    assert json.loads((tmp_path / "page/figures.json").read_text()) == done.json


def test_a_report_that_fails_is_named_and_the_others_are_made(command, tmp_path):
    done = command("reproduce", "--quick", "--out", "page", "--device", "emu:9", "--only", "gpu-reduction", "--json")
    assert done.code == 1
    assert "emu:9" in done.json["problems"]["gpu-reduction"]
    assert "could not be run" in (tmp_path / "page/index.html").read_text()


def test_modules_of_the_current_folder_are_not_imported(command, tmp_path):
    for name in ("json", "numpy", "ringfort"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the current folder')")
    done = command("reproduce", "--quick", "--out", "page", "--device", "emu:9", "--only", "gpu-reduction", "--json")
    assert "emu:9" in done.json["problems"]["gpu-reduction"]


def test_an_unknown_report_is_refused(command):
    done = command("reproduce", "--only", "gpu")
    assert done.code == 2
    assert "the names are search, gpu-ntt, gpu-ops, gpu-matmul, gpu-reduction, pim, rpu" in done.err
