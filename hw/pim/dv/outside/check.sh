#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh BUILD SOURCES CC: installs the SDK, moves the installation, builds the program of this folder outside the
# tree in three ways, runs it, and reads the report of simulated time. Returns 77 without a compiler for DPUs.
# hw/pim/README.md explains the terms.
set -eu
build=$1 sources=$2 cc=$3
"$sources/../../sdk/pimcc" --check || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "check.sh: $*" >&2; exit 1; }

cmake --install "$build" --prefix "$folder/first" --component pim >/dev/null
mv "$folder/first" "$folder/sdk"
mkdir "$folder/project"
cp "$sources/dpu.c" "$sources/host.c" "$folder/project"
cd "$folder/project"
PATH=$folder/sdk/bin:$PATH
unset RINGFORT_PIM_REPORT RINGFORT_PIM_PROFILE

# 1. By ringfort-pim-config.
$(ringfort-pim-config --cc) -DNR_TASKLETS=11 -Wall -Wextra -Werror -o program dpu.c
# shellcheck disable=SC2046
$cc -std=c99 -Wall -Wextra -Werror host.c $(ringfort-pim-config --cflags --libs) -o host
[ "$(./host)" = "0 words are wrong" ] || fail "the program is wrong"

# 2. By pkg-config.
if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH=$(dirname "$(find "$folder/sdk" -name ringfort-pim.pc)")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046
  $cc -std=c11 host.c $(pkg-config --cflags --libs ringfort-pim) -o host2
  ./host2 >/dev/null
fi

# 3. By the vendor's names.
PATH=$(ringfort-pim-config --bindir):$PATH
dpu-upmem-dpurte-clang -DNR_TASKLETS=16 -O2 -g -o program3 dpu.c
# shellcheck disable=SC2046
$cc -std=c11 -DDPU_BINARY='"./program3"' host.c $(dpu-pkg-config --cflags --libs dpu) -o host3
./host3 >/dev/null
if dpu-pkg-config --nonsense 2>/dev/null; then fail "dpu-pkg-config takes any argument"; fi

# The simulated time of the unchanged host program is the same in every run, also if the program does not free its DPUs.
./host >silent 2>&1
RINGFORT_PIM_REPORT=1 ./host >/dev/null 2>text
RINGFORT_PIM_REPORT=$folder/lines ./host >/dev/null
RINGFORT_PIM_REPORT=$folder/lines ./host unfreed >/dev/null
RINGFORT_PIM_REPORT=$folder/other RINGFORT_PIM_PROFILE=timing=prim-2021 ./host >/dev/null
[ "$(cat silent)" = "0 words are wrong" ] || fail "a report comes unasked"
grep -q 'system 1, 70 DPUs of profile mwaisela-4210R: [0-9.]* ms of simulated time' text || fail "$(cat text)"
[ "$(wc -l <"$folder/lines")" = 2 ] && [ "$(uniq "$folder/lines" | wc -l)" = 1 ] ||
  fail "runs differ: $(cat "$folder/lines")"
launch='"launch": {"count": 1, "ms": [0-9.]*, "bytes": 0, "cycles": [1-9][0-9]*, "estimated": false}'
grep -q "$launch" "$folder/lines" || fail "$(cat "$folder/lines")"
grep -q '"to_dpu": {"count": 1, "ms": [0-9.]*, "bytes": 1146880}' "$folder/lines" || fail "$(cat "$folder/lines")"
grep -q '"profile": "prim-2021"' "$folder/other" || fail "RINGFORT_PIM_PROFILE does nothing"
if RINGFORT_PIM_PROFILE=timing=nowhere ./host >/dev/null 2>text; then fail "a wrong profile is accepted"; fi
grep -q nowhere text || fail "the message does not name the profile"
if RINGFORT_PIM_REPORT=$folder/no/folder ./host >/dev/null 2>text; then fail "an impossible report is accepted"; fi
if RINGFORT_PIM_PROFILE=cycles=100 ./host >/dev/null 2>text; then fail "the limit of cycles does nothing"; fi
grep -q 'DPU 0 of the set.*100 cycles' text || fail "$(cat text)"
