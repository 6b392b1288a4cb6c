# SPDX-License-Identifier: Apache-2.0
"""Tests `ringfort bench gpu-...` on an emulated GPU: the rows, the default device, and the report of variants. A
variant is a transform with a schedule (its division into launches) and a reduction modulo q.
"""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import ringfort as rf
from ringfort._core import bench as core
from ringfort.bench import gpu
from ringfort.bench.gpu import SECTIONS, default_gpu, gpu_rows
from ringfort.bench.rows import LIMITS, Row
from ringfort.bench.show_gpu import gpu_report, points_of, times_of
from ringfort.bench.transform_times import transform_times
from ringfort.errors import DeviceUnknown, Internal, InvalidArgument

pytestmark = pytest.mark.names_device("emu:0")


def row(name: str, unit: str, median: float, **params: object) -> Row:
    return Row(name, "emu:0", params, unit, median, median, median)


def variant(name: str, us: float, passes: int, unit: str = "us", suffix: str = "") -> Row:
    params = {"n": 65536, "q_bits": 62, "batch": 1, "passes": passes}
    return row(f"variant/{name}/n65536/q62/b1{suffix}", unit, us, **params)


def test_reductions_have_counts_and_the_model_of_three_chips():
    said: list[str] = []
    facts, rows = gpu_rows("gpu-reduction", "emu:0", said.append, quick=True, only=("reduction/proposed/q30",))
    assert {r.name.removeprefix("reduction/proposed/q30/"): r.median for r in rows if r.unit != "us, model"} == {
        "launches": 1,
        "products": 5 * 8 * 16 * 512,
        "sectors": 128,
    }
    assert [r.name.rsplit("/", 1)[1] for r in rows if r.unit == "us, model"] == ["A100", "H200", "RTX 5090"]
    assert (facts["chip"], facts["section reductions"], facts["has_times"]) == ("emulated", "whole", False)
    assert said == ["emu:0: reductions, at most 60 s"]


@pytest.mark.parametrize("section", ["routines", "matmul"])
def test_sections_add_options_to_devices_with_and_without_a_number(section):
    for device in ("emu", "emu:0"):
        document = json.loads(core.gpu_document(device, [section], True, 60.0, lambda _: None))
        assert document["machine"][f"section {section}"] == "whole", device
        assert any("/naive/" in row["name"] or "/separate/" in row["name"] for row in document["rows"])


def test_devices_of_opencl_have_times():
    if refusal := rf.device_refusal("opencl:0"):
        pytest.skip(refusal)
    facts = json.loads(core.gpu_document("opencl:0", ["sanitizer"], True, 1.0, lambda _: None))["machine"]
    assert (facts["device"], facts["has_times"]) == ("opencl:0", True)


def test_a_cpu_or_an_unknown_section_is_refused():
    with pytest.raises(DeviceUnknown, match="emu:9"):
        core.gpu_document("emu:9", [], True, 1.0, lambda _: None)
    with pytest.raises(DeviceUnknown, match="it is no GPU"):
        core.gpu_document("cpu", [], True, 1.0, lambda _: None)
    with pytest.raises(InvalidArgument, match="the sections are answers, sanitizer, rates"):
        core.gpu_document("emu:0", ["times"], True, 1.0, lambda _: None)


def test_an_exception_in_the_progress_function_stops_the_run():
    def stop(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        core.gpu_document("emu:0", ["variants"], True, 60.0, stop)


def test_every_benchmark_of_gpus_has_sections_and_a_limit():
    assert all(sections and name in LIMITS for name, sections in SECTIONS.items())


def test_without_a_gpu_the_emulated_one_is_measured():
    assert default_gpu().split(":")[0] in ("emu", "cuda")
    with pytest.raises(DeviceUnknown, match="it is no GPU"):  # the default is not used if the caller names a CPU
        gpu_rows("gpu-reduction", "cpu", lambda _: None, quick=True)


@pytest.mark.parametrize(
    ("name", "unit", "params", "published"),
    [
        ("variant/forward/2d/proposed/n65536/q62/b1", "us", (65536, 62, 1), [16.4, 16.5]),
        ("variant/inverse/2d/proposed/n16384/q30/b1", "us", (16384, 30, 1), [10.0]),
        ("variant/forward/radix8/proposed/n65536/q62/b1", "us", (65536, 62, 1), []),
        ("variant/forward/2d/proposed/n65536/q62/b64", "us", (65536, 62, 64), []),
        ("variant/forward/tom/proposed/n65536/q30/b1024", "us", (65536, 30, 1024), [19.17]),
        ("variant/forward/2d/proposed/n65536/q62/b1/model/H200", "us, model", (65536, 62, 1), []),
        ("product/fused/proposed/n65536/q62/b1/middle", "us", (65536, 62, 1), [6.5]),
        ("routine/callers/rotate/n32768/speedup", "times", (32768, 60, 1), [2.32, 3.05]),
        ("matmul/cache/10x9x8/n16384/speedup", "times", (16384, 60, 1), [2.79, 2.82]),
        ("matmul/cache/3x2x2/n2048/speedup", "times", (2048, 60, 1), []),
    ],
)
def test_published_times_are_beside_the_same_work_only(monkeypatch, name, unit, params, published):
    measured = row(name, unit, 2.0, **dict(zip(("n", "q_bits", "batch"), params, strict=True)))
    facts = {"section reductions": "cut by the clock; missing: reduction/shoup/q62"}
    document = json.dumps({"machine": facts, "rows": [measured.as_dict()]})
    monkeypatch.setattr(core, "gpu_document", lambda *_: document)
    said: list[str] = []
    [found] = gpu_rows("gpu-reduction", "emu:0", said.append)[1]
    assert [versus.median for versus in found.versus] == published
    assert said == ["emu:0: reductions: cut by the clock; missing: reduction/shoup/q62"]


def test_a_section_that_fails_is_an_error(monkeypatch):
    failed = json.dumps({"machine": {"section reductions": "failed: a wrong product"}, "rows": []})
    monkeypatch.setattr(core, "gpu_document", lambda *_: failed)
    with pytest.raises(Internal, match="the section reductions failed: a wrong product"):
        gpu_rows("gpu-reduction", "emu:0", lambda _: None)


def test_measured_times_are_points_and_so_are_those_of_one_modelled_chip():
    measured = variant("forward/radix8/harvey", 5.0, 3)
    modelled = variant("inverse/2d/proposed", 7.0, 2, "us, model", "/model/H200")
    rows = [measured, modelled, variant("forward/2d/harvey", 9, 2, "us, model", "/model/A100")]
    rows.append(variant("forward/2d/harvey", 2, 2, "launches", "/launches"))
    points = points_of(rows)
    assert [(p.direction, p.schedule, p.reduction, p.us) for p in points] == [
        ("forward", "radix8", "harvey", 5.0),
        ("inverse", "2d", "proposed", 7.0),
    ]
    # 16 stages of 32768 butterflies; each of three passes reads and writes 65536 words of 8 bytes
    assert points[0].butterflies == 16 * 32768
    assert points[0].density == 16 * 32768 / (3 * 2 * 65536 * 8)
    assert times_of(rows) == [measured, modelled]


def test_the_report_has_published_times_and_speeds_over_the_naive_transform(tmp_path):
    rows = [
        variant("forward/naive/harvey", 40.0, 16),
        variant("forward/2d/harvey", 5.0, 2),
        variant("inverse/2d/harvey", 6.0, 2),
    ]
    text = gpu_report("GPU", rows).text()
    assert "V100 16.4, inverse 17.3; A100 16.5, inverse 18.7" in text  # [Shivdikar22, Table IV]
    assert "n = 65,536, 62-bit prime, batch of 1" in text
    assert "butterflies per byte of memory" in text
    titles = re.findall(r'<rect class="published"[^>]*><title>(.*?)</title>', text)
    assert titles == [
        f"published times {chip}: {16 * 32768 / (2 * 2 * 65536 * 8):.5g}, {16 * 32768 / us:.5g}"
        for chip, us in (("V100", 16.4), ("A100", 16.5))
    ]


def test_the_command_writes_rows_with_the_facts_of_the_gpu(command, tmp_path):
    path = tmp_path / "rows.json"
    done = command("bench", "gpu-reduction", "--quick", "--device", "emu:0", "--json", str(path))
    assert done.code == 0, done.err
    document = json.loads(path.read_text())
    assert document["machine"]["gpu"]["device"] == "emu:0"
    assert "reduction/classical/q30/model/H200" in done.out
    assert "reduction/classical/q30/products" not in done.out  # only the rows in the file have counts


def test_a_table_of_times_chooses_the_transforms_of_a_device(tmp_path):
    def both(name: str, us: float, **params: object) -> list[Row]:
        start, *rest = name.split("/", 1)
        return [row("/".join([start, direction, *rest]), "us", us, **params) for direction in ("forward", "inverse")]

    own = {"n": 2048, "q_bits": 60, "batch": 64}
    rows = [
        *both("ntt/n2048/q60/b64", 3.0, **own),
        *both("variant/radix8/proposed/n2048/q62/b64", 1.0, **own | {"q_bits": 62}),
        *both("variant/naive/dhem/n2048/q60/b64", 0.5, **own)[:1],  # without a row for the inverse transform
        *both("variant/tom/proposed/n2048/q62/b64", 0.1, **own | {"q_bits": 62}),
        row("variant/forward/radix16/proposed/n2048/q62/b64/launches", "launches", 1, **own),
        *both("ntt/n2048/q30/b1", 2.0, n=2048, q_bits=30, batch=1),
    ]
    table = transform_times("emulated", rows)
    assert table.splitlines()[1:] == [
        "emulated\t32\t11\t1\town\t4",
        "emulated\t64\t11\t64\town\t6",
        "emulated\t64\t11\t64\tradix8/proposed\t2",
    ]
    path = tmp_path / "times"
    path.write_text(table)
    device = f"emu:0,times={path}"
    context = rf.Context(depth=2, insecure="a test of times", n=2048, device="cpu")
    keys = context.keygen(rotations=[])
    with context.profile(device=device) as found:
        x = context.encrypt([1.0, 2.0], keys.to(device))
    assert x.device == device
    assert "tile8_proposed_forward_u64" in {launch.name for launch in found.launches}
    np.testing.assert_allclose(x.decrypt(keys), [1.0, 2.0], atol=1e-4)


@pytest.mark.parametrize("name", SECTIONS)
def test_a_beginning_without_rows_is_refused_before_anything_is_measured(monkeypatch, name):
    monkeypatch.setattr(gpu.core, "gpu_document", lambda *_: pytest.fail("measures"))
    with pytest.raises(InvalidArgument, match="no row begins with nothing or zzz/"):
        gpu_rows(name, "emu:0", lambda _: None, quick=True, only=("nothing", "zzz/"))


def test_a_beginning_that_only_the_measured_rows_lack_is_refused():
    with pytest.raises(InvalidArgument, match="no row begins with reduction/none"):
        gpu_rows("gpu-reduction", "emu:0", lambda _: None, quick=True, only=("reduction/none",))


def test_only_measured_times_are_written(command, tmp_path):
    table = tmp_path / "times"
    ran = command("bench", "gpu-reduction", "--device", "emu:0", "--quick", "--times", table)
    assert ran.code != 0
    assert "--times is an option of gpu-ntt" in ran.err
    ran = command("bench", "gpu-ntt", "--device", "emu:0", "--quick", "--times", table)
    assert ran.code != 0
    assert "measures no times" in ran.err
    ran = command("bench", "gpu-ntt", "--device", "cuda:0", "--times", table, "--only", "nothing")
    assert (ran.code, "--times needs all rows" in ran.err) == (2, True)
    assert not table.exists()
