# SPDX-License-Identifier: Apache-2.0
"""Tests that the default number of threads follows the affinity of the process, the quotas of its control groups, and
RINGFORT_THREADS."""

import os

import pytest

import ringfort as rf
from ringfort.cores import usable_cores
from ringfort.errors import InvalidArgument

CORES = len(os.sched_getaffinity(0))


@pytest.fixture(autouse=True)
def no_setting(monkeypatch):
    monkeypatch.delenv("RINGFORT_THREADS", raising=False)


def tree(folder, groups, files):
    for path, text in {"proc/self/cgroup": groups, **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


V1 = "sys/fs/cgroup/cpu/"
QUOTAS = {
    "none": ("0::/\n", {"sys/fs/cgroup/cpu.max": "max 100000\n"}, 64),
    "half a core": ("0::/a/b\n", {"sys/fs/cgroup/a/b/cpu.max": "50000 100000\n"}, 1),
    "one and a half": ("0::/a\n", {"sys/fs/cgroup/a/cpu.max": "150000 100000\n"}, 2),
    "that of an ancestor": (
        "0::/a/b\n",
        {"sys/fs/cgroup/a/cpu.max": "300000 100000", "sys/fs/cgroup/a/b/cpu.max": "max 100000"},
        3,
    ),
    "a container, whose group is the root it sees": ("0::/docker/1\n", {"sys/fs/cgroup/cpu.max": "100000 50000\n"}, 2),
    "version 1": (
        "4:memory:/m\n1:cpu:/k\n",
        {V1 + "k/cpu.cfs_quota_us": "350000\n", V1 + "k/cpu.cfs_period_us": "100000\n"},
        4,
    ),
    "version 1 without a quota": (
        "1:cpu:/\n",
        {V1 + "cpu.cfs_quota_us": "-1\n", V1 + "cpu.cfs_period_us": "100000\n"},
        64,
    ),
    "version 1, two controllers": (
        "2:cpu,cpuacct:/\n",
        {
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "100000\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
        },
        1,
    ),
    "no control groups": ("", {}, 64),
    "strange files": ("0::/a/../..\n:\nnothing\n", {"sys/fs/cgroup/cpu.max": "\n"}, 64),
    "a period of zero": ("0::/\n", {"sys/fs/cgroup/cpu.max": "100000 0\n"}, 64),
}


@pytest.mark.parametrize("name", QUOTAS)
def test_threads_follow_the_smallest_quota(name, tmp_path, monkeypatch):
    groups, files, expected = QUOTAS[name]
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)))
    assert usable_cores(tree(tmp_path, groups, files)) == expected


def test_threads_never_exceed_the_cores_that_the_process_may_use(tmp_path, monkeypatch):
    root = tree(tmp_path, "0::/\n", {"sys/fs/cgroup/cpu.max": "3200000 100000\n"})
    assert usable_cores(root) == min(CORES, 32)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {5})
    assert usable_cores(root) == 1
    assert usable_cores(tmp_path / "nowhere") == 1


def test_a_variable_sets_the_threads_of_contexts(monkeypatch):
    monkeypatch.setenv("RINGFORT_THREADS", "3")
    options = {"depth": 1, "n": 2048, "insecure": "a test"}
    assert rf.Context(**options).threads == 3
    assert rf.Context(threads=5, **options).threads == 5
    for wrong in ("0", "-1", "two", "1.5", "5000", "9" * 30, "\u0663"):
        monkeypatch.setenv("RINGFORT_THREADS", wrong)
        with pytest.raises(InvalidArgument, match="RINGFORT_THREADS"):
            rf.Context(**options)
