# SPDX-License-Identifier: Apache-2.0
"""Command run.py NAME [libFuzzer's options and folders]. Runs one target of targets.py under Atheris, with coverage of
Python code.

Writes the first inputs (inputs.py) to the first folder, unless libFuzzer merges folders.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

FOLLOWED = ["ringfort.search", "ringfort.statistics", "ringfort.encrypted", "ringfort.values", "html", "json"]


def main() -> None:
    with atheris.instrument_imports(include=FOLLOWED):
        import targets
    import inputs

    name = sys.argv.pop(1)
    sys.argv[0] = (
        f"{sys.executable} {Path(__file__).resolve()} {name}"  # when libFuzzer merges folders, it starts this command
    )
    folders = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    if folders and "-merge=1" not in sys.argv:
        for number, data in enumerate(inputs.first(name)):
            (Path(folders[0]) / f"first-{number}").write_bytes(data)
    atheris.Setup(sys.argv, targets.TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
