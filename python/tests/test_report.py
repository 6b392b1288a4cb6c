# SPDX-License-Identifier: Apache-2.0
"""Columns of a report's tables are aligned as a whole."""

import re

from ringfort.plot import Axis, Palette, Series, bars, xy
from ringfort.report import Report


def kinds(*rows):
    """Returns, for each column, the classes of its head and cells."""
    page = Report("title")
    page.table("caption", [f"c{i}" for i in range(len(rows[0]))], rows)
    table = re.search(r"<table>.*</table>", page.text(), re.DOTALL).group()
    lines = [re.findall(r"<t[hd]( class=\"number\")?>", line) for line in table.split("<tr>")[1:]]
    return [{bool(cell) for cell in column} for column in zip(*lines, strict=True)]


def test_a_column_of_numbers_is_right_aligned_as_a_whole():
    assert kinds((1.5, "3 ms", ""), (-2, "~0.5 s", "7"), (10**6, "-3 dB", "\u22121"), ("<1", "+2", "")) == [{True}] * 3


def test_one_text_aligns_its_column_left():
    assert kinds(("64K over n log2 n", "1"), ("cycles", "row-b2/t1"), ("2^-129", "2")) == [{False}, {False}]


def test_a_page_with_several_parts_has_a_list_of_them():
    page = Report("title")
    page.heading("First <part>")
    page.heading("Second")
    assert "<nav>" not in page.text()
    page.heading("Third")
    links = re.findall(r'<a href="#(part-\d)">(.*?)</a>', page.text())
    assert links == [("part-1", "First &lt;part&gt;"), ("part-2", "Second"), ("part-3", "Third")]
    assert all(f'<h2 id="{name}">{text}</h2>' in page.text() for name, text in links)


def legend(svg):
    """Returns the colour of each name in a plot."""
    return dict(re.findall(r'<g><title>(.*?)</title><rect .*?fill="(.*?)"/>', svg))


def test_a_name_keeps_its_colour_in_every_plot_of_a_page():
    def drawn(*names):
        return xy(Axis("x"), Axis("y"), [Series(name, [(1, 1), (2, 2)]) for name in names], page.palette)

    page = Report("title")
    first, second = legend(drawn("host", "DPUs")), legend(drawn("copies", "DPUs", "host"))
    stacked = legend(bars(["a"], Axis("y"), [("DPUs", [1.0]), ("rest", [2.0])], page.palette))
    assert len({*first.values()}) == 2
    assert len({*second.values()}) == 3
    assert first["host"] == second["host"]
    assert first["DPUs"] == second["DPUs"] == stacked["DPUs"]
    assert stacked["rest"] not in second.values()
    assert legend(drawn("DPUs"))["DPUs"] == first["DPUs"]


def test_names_of_one_plot_differ_in_colour_after_many_plots():
    palette = Palette()
    for i in range(20):
        assert len({*palette.colours(["always", f"name {i}", f"other {i}"])}) == 3


def test_a_long_name_is_cut_in_the_legend_and_whole_in_its_title():
    name = "sixteen threads of two processors with 42 cores"
    svg = xy(Axis("x"), Axis("y"), [Series(name, [(1, 1), (2, 2)])])
    assert f"<title>{name}</title>" in svg
    assert f">{name}</text>" not in svg
    assert "sixteen threads of two …</text>" in svg
