#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# clang-build.sh SOURCE BUILD: each file of the tree, with each set of flags it is compiled by, through the
# second compiler with -Werror. Warnings are the front end's, so nothing is generated: a third of the time.
set -euo pipefail
command -v clang >/dev/null || { echo "SKIP: clang is not installed; ./quickstart packages test"; exit 77; }
CC=clang cmake -S "$1" -B "$2" -G Ninja -DDEV=ON -DSANITIZE=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
python3 - "$2/compile_commands.json" <<'END' >"$2/checks"
import json, shlex, sys
seen = set()
for entry in json.load(open(sys.argv[1])):
    words = shlex.split(entry["command"])
    out = words.index("-o")
    del words[out:out + 2]
    line = shlex.join([*words, "-fsyntax-only"])
    if line not in seen:
        seen.add(line)
        print(line)
END
n=$(wc -l <"$2/checks")
[ "$n" -ge 300 ] || { echo "only $n files to compile"; exit 1; }
xargs -d '\n' -P "${CLANG_JOBS:-2}" -n 1 sh -c 'eval "$1" || exit 255' sh <"$2/checks" >/dev/null
echo "clang: $n compilations without a warning"
