# SPDX-License-Identifier: Apache-2.0
"""A FastAPI service that computes means and variances of columns that it cannot read, and its client.

    python examples/15_service.py               both in this process, without a network
    uvicorn --app-dir examples 15_service:app   the service alone; needs pip install "ringfort[service]"

The client sends its public keys once, and then one ciphertext per request. A real service authenticates its clients. In
this example, a client only states a name.
"""

import logging
import uuid
from typing import Annotated

import httpx2
import numpy as np
from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response
from fastapi.responses import JSONResponse
from fastapi.testclient import TestClient

import ringfort as rf

MOST_BYTES = 64 << 20
MOST_KEYS = 4
app = FastAPI(title="statistics of encrypted columns")
stored: dict[tuple[str, str], rf.PublicKeys] = {}  # public keys, by the name of the client and the id of the key


async def body_of(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise HTTPException(413, f"send at most {MOST_BYTES} bytes")
    return bytes(body)


Body = Annotated[bytes, Depends(body_of)]
Client = Annotated[str, Header(alias="x-client")]


@app.exception_handler(rf.Error)
async def refused(_: Request, error: rf.Error) -> JSONResponse:
    return JSONResponse({"code": error.code, "problem": error.problem, "fix": error.fix}, 400)


@app.exception_handler(KeyError)
async def incomplete(_: Request, error: KeyError) -> JSONResponse:
    return JSONResponse({"code": "incomplete", "problem": f"the body has no {error}", "fix": "send it"}, 400)


@app.put("/keys")
def put_keys(body: Body, client: Client) -> dict[str, str]:
    keys = rf.loads(body)["keys"]  # rf.loads refuses a secret key
    if not isinstance(keys, rf.PublicKeys):
        raise HTTPException(400, "the member keys is not a set of public keys")
    known = stored.get((client, keys.id))
    if known is not None and known.fingerprint != keys.fingerprint:
        raise HTTPException(409, "other keys with this id are stored")
    if known is None and sum(name == client for name, _ in stored) >= MOST_KEYS:
        raise HTTPException(429, f"a client may store {MOST_KEYS} sets of keys")
    stored[client, keys.id] = keys
    return {"id": keys.id, "fingerprint": keys.fingerprint}


@app.post("/statistics")
def statistics(body: Body, client: Client) -> Response:
    needed = rf.inspect(body).entries["x"].key_id
    if (keys := stored.get((client, needed))) is None:
        raise HTTPException(404, f"put the keys {needed} first")
    with rf.request_id(uuid.uuid4().hex):  # all log records of this request have its id
        x = rf.loads(body, keys.context, keys=keys)["x"]
        if not isinstance(x, rf.EncryptedArray):
            raise HTTPException(400, "the member x is not an encrypted array")
        answer = rf.dumps(mean=x.mean(axis=0), variance=x.var(axis=0))
    return Response(answer, media_type="application/octet-stream")


class Owner:
    """Runs the client, which alone has the secret key."""

    def __init__(self, http: httpx2.Client, name: str) -> None:
        self.http, self.headers = http, {"x-client": name}
        self.context = rf.Context(depth=2, precision=16)
        self.keys = self.context.keygen()

    def send_keys(self) -> None:
        sent = self.http.put("/keys", content=rf.dumps(keys=self.keys.public), headers=self.headers).raise_for_status()
        assert sent.json()["fingerprint"] == self.keys.public.fingerprint

    def statistics(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        body = rf.dumps(x=self.context.encrypt(table, self.keys))
        answer = self.http.post("/statistics", content=body, headers=self.headers).raise_for_status()
        found = rf.loads(answer.content, self.context, keys=self.keys)
        return found["mean"].decrypt(self.keys), found["variance"].decrypt(self.keys)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    owner = Owner(TestClient(app), "clinic")
    owner.send_keys()
    table = np.random.default_rng(0).normal(1, 2, (200, 4))
    mean, variance = owner.statistics(table)
    print("means", mean.round(3), "variances", variance.round(3))
    assert np.allclose(mean, table.mean(axis=0), atol=1e-3)
    assert np.allclose(variance, table.var(axis=0), atol=1e-3)
