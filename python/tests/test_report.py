# SPDX-License-Identifier: Apache-2.0
"""Tests the pages of reports: tables, headings, colours, legends and ticks of plots."""

import re
from pathlib import Path

from ringfort.plot import Axis, Palette, Series, bars, xy
from ringfort.report import Report


def kinds(*rows):
    """Tells, for each column, whether its head and its cells have the class of numbers."""
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


def test_a_long_name_has_several_lines_in_the_legend_below_which_the_next_begins():
    name = "sixteen threads of two processors with 42 cores"
    svg = xy(Axis("x"), Axis("y"), [Series(name, [(1, 1), (2, 2)]), Series("next", [(1, 1)])])
    assert f"<title>{name}</title>" in svg
    lines = re.findall(r'<text x="702.0" y="([\d.]+)" text-anchor="start">(.*?)</text>', svg)
    assert [text for _, text in lines] == ["sixteen threads of two", "processors with 42 cores", "next"]
    heights = [float(y) for y, _ in lines]
    assert all(below - above >= 15 for above, below in zip(heights, heights[1:]))


def test_published_points_are_squares_of_one_colour_that_no_other_series_has():
    page = Report("title")
    for name in ("a", "b"):
        svg = xy(
            Axis("x"),
            Axis("y"),
            [Series(name, [(1, 1)]), Series("the paper", [(2, 2), (3, 3)], published=True)],
            page.palette,
        )
        assert svg.count('class="published"') == 3  # two points, and one in the legend
        assert set(re.findall(r'published"[^>]* stroke="(#\w+)"', svg)) == {"#111111"}
        assert "#111111" not in page.palette.colours(["a", "b", "c", "d", "e", "f", "g", "h"])


def test_ticks_have_no_exponents_and_lines_do_not_lie_on_each_other():
    ticks = r'text-anchor="middle">([^<]*)</text>'
    svg = xy(Axis("n", log=True), Axis("ms"), [Series("a", [(1000, 1), (10**6, 2)])])
    assert {"1,000", "10,000", "100,000", "1,000,000"} <= set(re.findall(ticks, svg))
    svg = xy(Axis("n"), Axis("cycles"), [Series("a", [(1, 10000), (2, 10100)]), Series("b", [(1, 10400)])])
    heights = sorted(float(y) for y in re.findall(r'<circle cx="[\d.]+" cy="([\d.]+)"', svg))
    assert min(below - above for above, below in zip(heights, heights[1:])) > 50
    stacked = bars(["a", "b"], Axis("mm²"), [("part", [100.0, 101.0])])
    assert ">0</text>" in stacked  # bars begin at zero


def test_negative_values_are_inside_the_frame():
    svg = xy(Axis("x"), Axis("y"), [Series("a", [(1, -10), (2, -1)])])
    frame_top = min(float(y) for y in re.findall(r'y1="([\d.]+)"[^>]* stroke="#888"', svg))
    heights = [float(y) for y in re.findall(r'<circle cx="[\d.]+" cy="([-\d.]+)"', svg)]
    assert len(heights) == 2
    assert min(heights) >= frame_top


def test_a_summary_is_above_the_list_of_headings():
    page = Report("title")
    for name in ("a", "b", "c"):
        page.heading(name)
    page.summary("1 < 2")
    text = page.text()
    assert 0 < text.index('<p class="summary">1 &lt; 2</p>') < text.index("<nav>")


def test_no_caption_repeats_the_heading_above():
    page = Report("title")
    page.heading("Area")
    page.table("Area", ["a"], [[1]])
    page.plot("Area", xy(Axis("x"), Axis("y"), [Series("a", [(1, 1)])]))
    page.table("More", ["a"], [[1]], folded="Open me")
    text = page.text()
    assert "<caption>Area" not in text
    assert "<figcaption>" not in text
    assert "<details><summary>Open me</summary>" in text
    assert "<caption>More</caption>" in text


def test_a_map_is_darker_for_larger_numbers():
    page = Report("title")
    page.map("speed", "lanes", [1, 2], {4: [1.0, 2.0], 8: [3.0, 208500.0]})
    lightness = [int(value) for value in re.findall(r"hsl\(215 60% (\d+)%\)", page.text())]
    assert lightness[0] > lightness[-1]
    assert ">208,500</td>" in page.text()


def test_a_path_links_to_another_page():
    page = Report("title")
    page.table("", ["report"], [[Path("pim.html")]])
    assert '<a href="pim.html">pim.html</a>' in page.text()
