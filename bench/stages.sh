#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where the time of finished runs went, from their reports.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: stages.sh PROGRAM RUN..." >&2; exit 129; }
program=$1
shift
for run in "$@"; do "$program" report "$run" --format json | tr -d '\n'; echo; done | python3 -c '
import json, statistics, sys
stages, runs = {}, 0
for line in sys.stdin:
    r = json.loads(line)
    runs += 1
    for c in r["candidates"] + r.get("others", []):
        for t in c["trials"]:
            for k, v in t["stages"].items():
                if v:
                    stages.setdefault(k, []).append(v / 1000)
total = sum(map(sum, stages.values()))
print(f"{runs} runs, {total:.0f} s in stages")
for k, v in stages.items():
    print(f"{k:12} n {len(v):4}  median {statistics.median(v):7.2f} s  {min(v):7.2f} to {max(v):7.2f}  share {sum(v) / total:5.1%}")
'
