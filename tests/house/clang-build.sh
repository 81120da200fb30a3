#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# clang-build.sh SOURCE BUILD: the whole tree with the second compiler and -Werror.
set -euo pipefail
command -v clang >/dev/null || { echo "SKIP: clang is not installed; ./quickstart packages test"; exit 77; }
CC=clang cmake -S "$1" -B "$2" -G Ninja -DDEV=ON -DSANITIZE=OFF
cmake --build "$2"
