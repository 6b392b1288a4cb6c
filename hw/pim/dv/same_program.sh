#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# same_program.sh PIMCC SOURCE: compiles the program in one step, and with separate objects of the run-time library in
# another folder, and compares the bytes. Returns 77 without a compiler for DPUs. hw/pim/README.md explains the terms.
set -eu
pimcc=$1 source=$2
"$pimcc" --check || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/other"
cd "$folder"
"$pimcc" -DNR_TASKLETS=16 -DSTACK_SIZE_DEFAULT=256 -o whole "$source"
cd other
"$pimcc" --runtime ../runtime
"$pimcc" --runtime-from="$folder/runtime" -DNR_TASKLETS=16 -DSTACK_SIZE_DEFAULT=256 -o parts "$source"
cmp ../whole parts
