# SPDX-License-Identifier: Apache-2.0
"""Two processes and three files: the client keeps the secret key, the server computes without it.

Run it: python examples/08_client_and_server.py
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import ringfort as rf


def server(folder: Path) -> None:
    """Scores every row. The question contains the parameters and the public keys. This process has no secret."""
    # with trust_bound=False, load accepts only fresh encryptions
    question = rf.load(folder / "question.rfc", trust_bound=False)
    weights = np.array([0.5, -1.0, 2.0])
    rf.save(folder / "answer.rfc", scores=question["rows"] @ weights + 0.25)


def client(folder: Path) -> None:
    ctx = rf.Context(depth=1, magnitude=8)
    keys = ctx.keygen()
    rows = np.random.default_rng(3).normal(size=(40, 3)).clip(-8, 8)
    rf.save(folder / "keys.rfc", keys=keys, passphrase="only on this machine", strength=0)
    rf.save(folder / "question.rfc", rows=ctx.encrypt(rows, keys.public), keys=keys.public)

    subprocess.run([sys.executable, __file__, str(folder)], check=True)

    scores = rf.load(folder / "answer.rfc", ctx, keys=keys)["scores"]
    worst = np.abs(scores.decrypt(keys) - (rows @ [0.5, -1.0, 2.0] + 0.25)).max()
    print(
        f"{scores.shape[0]} scores, worst error {worst:.1e}, guaranteed below {2 ** -(scores.precision_bits + 1):.1e}"
    )
    assert worst < 2 ** -(scores.precision_bits + 1)
    for path in sorted(folder.iterdir()):
        print(f"{path.name:14} {path.stat().st_size / 1e6:8.1f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Without a folder: the client, which also starts the server.")
    parser.add_argument("folder", nargs="?", type=Path, help="for the server: the folder of the question")
    folder = parser.parse_args().folder
    if folder is None:
        client(Path(tempfile.mkdtemp()))
    elif (folder / "question.rfc").is_file():
        server(folder)
    else:
        parser.error(f"{folder} has no file question.rfc")
