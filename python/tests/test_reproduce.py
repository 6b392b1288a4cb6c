# SPDX-License-Identifier: Apache-2.0
"""`ringfort reproduce`: the verdicts of figures, the page, and the command on one report."""

from __future__ import annotations

import json

import pytest

from ringfort.bench.reproduce import SYSTEMS, VERDICTS, Figure, figures, overview
from ringfort.bench.rows import Row


def document(**medians: float) -> dict[str, object]:
    return {"rows": [Row(name, "cpu", {}, "ms/word", m, m, m).as_dict() for name, m in medians.items()]}


def verdict_of(found: list[Figure], text: str) -> tuple[str, str]:
    return next((figure.ours, figure.verdict) for figure in found if text in figure.text)


def test_without_measurements_every_figure_is_listed_and_none_is_met():
    found = figures({})
    assert {figure.verdict for figure in found} == {"not measurable here"}
    assert {figure.paper for figure in found} == {"MartinsSousa16", "Lyashevsky23", "Shivdikar22"}


@pytest.mark.parametrize(("ms", "verdict"), [(118.0, "passed"), (130.0, "met"), (131.0, "not met")])
def test_a_smaller_time_passes_and_one_a_tenth_larger_is_met(ms, verdict):
    found = figures({"search": document(**{"search/literal/s6/t2": ms})})
    assert verdict_of(found, "6 words compared at once")[1] == verdict


def test_ratios_of_a_gpu_come_from_times_alone():
    slow, quick = "reduction/classical/q30", "reduction/proposed/q30"
    found = figures({"gpu-reduction": document(**{slow: 2.6, quick: 2.0})})
    assert verdict_of(found, "over the classical one") == ("1.3 times", "passed")
    assert [figure.note for figure in found if figure.verdict == "passed"] == [""]
    found = figures({"gpu-reduction": document(**{f"{slow}/model/H200": 2.6, f"{quick}/model/H200": 2.0})})
    assert verdict_of(found, "over the classical one") == ("", "not measurable here")


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
    found = [Figure("Soni23", "Figure 4", "time", "6.7 us", "6.6 us", verdict) for verdict in VERDICTS]
    text = overview(found, {"rpu": "rpu.html"}, {"search": "no space"}).text()
    assert "search could not be run: no space" in text
    assert "The ring processor [Soni23]" in text
    assert "rpu.html" in text
    assert text.count("6.6 us") == len(VERDICTS)


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


def test_an_unknown_report_is_refused(command):
    done = command("reproduce", "--only", "gpu")
    assert done.code == 2
    assert "the names are search, gpu-ntt, gpu-ops, gpu-matmul, gpu-reduction, pim, rpu" in done.err
