# SPDX-License-Identifier: Apache-2.0
"""spirv_to_spir.py MODULE.spv OUT.bc TRANSLATOR: translates SPIR-V to SPIR, for drivers that read only SPIR.

The translator is llvm-spirv of LLVM 14 or 15. It refuses null constants of integers (OpConstantNull), which the
compiler writes in place of the constant zero. Therefore this program first rewrites these constants. It also renames
the functions that rotate a word, spirv.llvm_fshl_*. The reason is that the translator would replace calls of these
names by an instruction that the simulator oclgrind does not know.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HEADER_WORDS = 5
TYPE_INT, CONSTANT, CONSTANT_NULL = 21, 43, 46  # opcodes


def without_null_integers(module: list[int]) -> list[int]:
    """Returns the words of the module with OpConstant 0 for each OpConstantNull of an integer."""
    rewritten, widths, at = module[:HEADER_WORDS], {}, HEADER_WORDS
    while at < len(module):
        count, opcode = module[at] >> 16, module[at] & 0xFFFF
        words = module[at : at + count]
        if opcode == TYPE_INT:
            widths[words[1]] = words[2]
        elif opcode == CONSTANT_NULL and words[1] in widths:
            value = [0] * (2 if widths[words[1]] == 64 else 1)
            words = [(3 + len(value)) << 16 | CONSTANT, *words[1:], *value]
        rewritten += words
        at += count
    return rewritten


def main() -> None:
    source, target, translator = sys.argv[1:]
    data = Path(source).read_bytes()
    module = [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]
    rewritten = Path(target).with_suffix(".integers.spv")
    data = b"".join(word.to_bytes(4, "little") for word in without_null_integers(module))
    rewritten.write_bytes(data.replace(b"spirv.llvm_fshl", b"spirv_llvm_fshl"))
    subprocess.run([translator, "-r", str(rewritten), "-o", target], check=True)


if __name__ == "__main__":
    main()
