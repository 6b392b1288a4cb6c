# SPDX-License-Identifier: Apache-2.0
"""Tests the benchmark of processing in memory, which runs on the simulated UPMEM system. Tests the rows, the times of
the hosts, the claims of [Mwaisela24], and the page.
"""

import json
import re
from dataclasses import replace

import pytest

from ringfort.bench.pim import beside_hosts, claims, experiments, figure_of, paper
from ringfort.bench.pim_table1 import table1_rows
from ringfort.bench.rows import Row
from ringfort.bench.show_pim import claim_lines, pim_report, table1_lines
from ringfort.errors import InvalidArgument


def row(name, median, unit="ms", **params):
    return Row(name, "pim", params, unit, median, median, median)


def test_a_row_of_a_figure_is_compared_with_the_papers_host_and_this_cpu():
    here = row("pim/host-cpu/add17/threads1", 2.0, "ns/coefficient", threads=1, count=1024)
    found = beside_hosts([row("pim/fig3a/n1024/dpu", 0.25, n=1024, dpus=1024), here], paper())[0]
    assert [v.median for v in found.versus] == [pytest.approx(0.03 + 1.3e-6 * 1024), pytest.approx(2e-6 * 1024)]
    assert [v.version for v in found.versus] == ["[Mwaisela24]", "measured here"]


def test_the_time_of_a_convolution_on_this_cpu_grows_with_the_square_of_its_length():
    here = row("pim/host-cpu/convolution17/threads2", 0.5, "ns/product", threads=2, count=2048**2)
    found = beside_hosts([row("pim/fig3c/n4096/with_copies", 1.0, n=4096, dpus=64), here], paper())[0]
    assert [v.median for v in found.versus] == [pytest.approx(0.5e-6 * 4096**2)]
    assert found.versus[0].version == "scaled from a measurement here of 4.19e+06 products"


def test_the_page_begins_with_a_summary_and_marks_extrapolated_times():
    here = row("pim/host-cpu/convolution17/threads2", 0.5, "ns/product", threads=2, count=2048**2)
    same = replace(here, params={"threads": 2, "count": 4096**2})
    for host, marked in ((here, True), (same, False)):
        rows = beside_hosts([row("pim/fig3c/n4096/with_copies", 1.0, n=4096, dpus=64), host], paper())
        rows += [row("pim/alpha/native/bytes1024", 7.4, "operations/word"), row("pim/alpha/native/bytes64", 0.9)]
        text = pim_report("pim", rows).text()
        assert ("(extrapolated)</th>" in text) is marked
        assert '<td class="number">8.389</td>' in text
        headings = re.findall(r"<h2 .*?>(.*?)</h2>", text)
        assert text.index('<p class="summary">') < text.index("<nav>")
        assert "Figure 3c: block-local convolution (partial product, as in the paper)" in headings
        assert all(f">{heading}</a></li>" in text for heading in headings)
        assert "0.9 to 7.4" in text


def test_rows_of_copies_are_not_compared():
    assert figure_of(row("pim/fig3a/n1024/to_dpus", 1.0)) == ""
    assert figure_of(row("pim/fig3c-full/n1024/dpu", 1.0)) == "fig3c-full"


@pytest.mark.parametrize(("median", "holds"), [(0.03, False), (0.22, True), (0.4, False)])
def test_a_claim_holds_within_its_factor(median, holds):
    found = next(c for c in claims([row("pim/fig3a/n1024/dpu", median)]) if c.paper == "0.143")
    assert found.basis == "time of the host fitted to ratios like this one"
    assert found.holds is holds
    assert found.model == pytest.approx((0.03 + 1.3e-6 * 1024) / median)


def test_a_claim_that_cannot_be_reproduced_states_the_reason():
    lines = claim_lines([row("pim/fig3c/n262144/dpu", 2.7)])
    assert len(lines) == 1
    assert "1397" in lines[0]
    assert "not reproducible: " in lines[0]
    assert "0.556" in lines[0]


def test_every_claim_names_a_host_and_a_row_of_an_experiment():
    names = experiments()
    data = paper()
    for claim in data["claims"]:
        assert claim["row"].split("/")[1] in names
        assert "not_reproducible" in claim or claim["host"] in data["hosts"]
    assert {bar["row"].split("/")[1] for bar in data["bars"]} <= {*names, "resident", "mean"}


def test_rows_that_no_benchmark_produces_are_refused():
    with pytest.raises(InvalidArgument):
        experiments(["pim/fig9"])


def test_benchmark_writes_rows_a_page_and_the_claims(command, tmp_path):
    only = ("pim/fig3a", "pim/fig3c/n1024", "pim/table2", "pim/transfer/sdk-2024")
    options = [word for prefix in only for word in ("--only", prefix)]
    done = command("bench", "pim", "--quick", *options, "--json", "rows.json", "--html", "page.html")
    assert done.code == 0, done.err
    found = {one["name"]: one for one in json.loads((tmp_path / "rows.json").read_text())["rows"]}
    assert all(name.startswith(only) for name in found)
    times = [found[f"pim/fig3a/n1048576/{name}"]["median"] for name in ("dpu", "to_dpus", "from_dpus", "with_copies")]
    assert sum(times[:3]) == pytest.approx(times[3])
    assert found["pim/table2/add"]["median"] == pytest.approx(1 / 3)
    assert found["pim/fig3a/n1024/dpu"]["params"]["cycles"] in ("simulated", "estimated")
    assert "paper 5, model" in done.out
    page = (tmp_path / "page.html").read_text()
    assert "Claims of the paper" in page
    assert "Figure 3a" in page
    assert "src=" not in page


def test_a_report_of_estimated_cycles_is_marked():
    text = pim_report("pim", [row("pim/fig3a/n1024/dpu", 0.2, n=1024, cycles="estimated")]).text()
    assert "No compiler for DPUs" in text


def test_table_1_counts_what_the_definitions_of_the_schemes_say():
    rows = {row.name.removeprefix("pim/table1/"): row for row in table1_rows()}
    limbs, special = (rows["bgv/EvalMult/additions"].params[name] for name in ("limbs", "special"))

    def counts(primitive):
        return [rows[f"bgv/{primitive}/{what}"].median for what in ("multiplications", "additions")]

    assert counts("EvalAdd") == [0, 2 * limbs]
    assert counts("EvalMult") == [4 * limbs, limbs]
    assert counts("Decrypt") == [limbs, limbs]
    assert counts("Relinearize")[0] == -(-limbs // special) * 2 * (limbs + special)  # a digit has `special` primes
    assert rows["bfv/EvalMult/multiplications"].median > rows["bgv/EvalMult/multiplications"].median


def test_table_1_agrees_with_the_papers_words_and_is_shown():
    rows = table1_rows()
    lines = table1_lines(rows)
    assert len(lines) == len(paper()["table1"]) == 6
    assert not any("DISAGREES" in line for line in lines)
    assert "Table I: polynomial work of the primitives" in pim_report("pim", rows).text()
    wrong = [replace(row, median=1.0) if "EvalAdd/multiplications" in row.name else row for row in rows]
    assert sum("DISAGREES" in line for line in table1_lines(wrong)) == 1


def test_table_1_alone_needs_no_model(command):
    done = command("bench", "pim", "--only", "pim/table1/bgv", "--json", "-")
    assert done.code == 0, done.err
    assert {row["name"].split("/")[3] for row in done.json["rows"]} == set(paper()["table1"])


def test_the_report_lists_fitted_times_and_chosen_sizes():
    text = pim_report("pim", [row("pim/fig7/n65536/with_copies", 2.0), row("pim/fig4/n8388608/dpu", 0.5)]).text()
    assert "Fitted times of hosts" in text
    assert text.count("size chosen by us") == 3
    assert "time of the host published; size chosen by us" in text
