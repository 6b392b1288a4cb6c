# SPDX-License-Identifier: Apache-2.0
"""Random B512 programs, one program for each illegal case, and an oracle, which executes the semantics of
isa/b512.yml."""
