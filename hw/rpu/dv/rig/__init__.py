# SPDX-License-Identifier: Apache-2.0
"""Random B512 programs, one program for each illegal case, and an oracle that executes the instruction file itself."""
