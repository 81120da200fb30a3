#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# plain.sh SOURCE BUILD: the program without sanitizers and debug information.
set -euo pipefail
cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O1 >/dev/null
cmake --build "$2" --target amdgpu-bisect -- --quiet
"$2/bisect/amdgpu-bisect" --version
