# SPDX-License-Identifier: Apache-2.0
"""Tests the service of example 15: correct statistics, separate keys for each client, and refusals with reasons."""

import importlib.util
import logging
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

import ringfort as rf

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/15_service.py"
TABLE = np.random.default_rng(1).normal(0, 1, (20, 3))


@pytest.fixture(scope="module")
def service():
    spec = importlib.util.spec_from_file_location("service_example", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def owner(service):
    owner = service.Owner(TestClient(service.app), "clinic")
    owner.send_keys()
    return owner


def post(owner, body, **headers):
    return owner.http.post("/statistics", content=body, headers=owner.headers | headers)


def test_statistics_are_right_and_their_records_name_the_request(service, owner, caplog):
    caplog.set_level(logging.DEBUG, "ringfort")
    mean, variance = owner.statistics(TABLE)
    np.testing.assert_allclose(mean, TABLE.mean(axis=0), atol=1e-3)
    np.testing.assert_allclose(variance, TABLE.var(axis=0), atol=1e-3)
    served = {r.operation: r.request_id for r in caplog.records if getattr(r, "request_id", "")}
    assert set(served) == {"loads", "mean", "var", "dumps"}
    assert len(set(served.values())) == 1
    assert set(service.stored) == {("clinic", owner.keys.public.id)}


def test_an_upload_of_a_secret_is_refused(service, owner):
    body = rf.dumps(keys=owner.keys, unsealed=True)
    answer = owner.http.put("/keys", content=body, headers=owner.headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "secret_refused")
    assert all(isinstance(keys, rf.PublicKeys) for keys in service.stored.values())


def test_keys_are_those_of_the_client(owner):
    body = rf.dumps(x=owner.context.encrypt(TABLE, owner.keys))
    assert post(owner, body).status_code == 200
    answer = post(owner, body, **{"x-client": "somebody else"})
    assert answer.status_code == 404
    assert owner.keys.public.id in answer.json()["detail"]


def test_bad_bodies_are_refused_with_a_code(service, owner, monkeypatch):
    body = rf.dumps(x=owner.context.encrypt(TABLE, owner.keys))
    nothing, junk = rf.dumps(y=owner.context.encrypt(TABLE, owner.keys)), b"{}" * 50
    codes = {b"": "io_truncated", body[:-1]: "io_length", body + b"x": "io_length", junk: "io_magic"}
    codes[nothing] = "incomplete"
    for bad, code in codes.items():
        answer = post(owner, bad)
        assert (answer.status_code, answer.json()["code"]) == (400, code)
    monkeypatch.setattr(service, "MOST_BYTES", len(body) - 1)
    assert post(owner, body).status_code == 413


def test_objects_of_another_kind_are_refused(service, owner):
    keys, x = owner.keys.public, owner.context.encrypt(TABLE, owner.keys)
    stored = dict(service.stored)
    assert post(owner, rf.dumps(x=keys)).status_code == 400
    answer = owner.http.put("/keys", content=rf.dumps(keys=x, others=keys), headers=owner.headers)
    assert answer.status_code == 400
    assert service.stored == stored


def test_keys_replace_no_others_and_are_few(service, owner, monkeypatch):
    mine, others = owner.keys.public, owner.context.keygen(rotations=[]).public
    body = rf.dumps(keys=mine)

    def put():
        return owner.http.put("/keys", content=body, headers=owner.headers)

    monkeypatch.setattr(service, "stored", {("clinic", mine.id): others})
    assert put().status_code == 409
    assert service.stored == {("clinic", mine.id): others}
    monkeypatch.setattr(service, "stored", {("clinic", str(i)): others for i in range(service.MOST_KEYS)})
    assert put().status_code == 429
    monkeypatch.setattr(service, "stored", {("clinic", mine.id): mine})
    assert put().status_code == 200
