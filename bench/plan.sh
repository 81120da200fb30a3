#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# plan against git, side by side, three times each in turn; medians and their ratio.
set -euo pipefail
[ $# -ge 4 ] || { echo "usage: plan.sh PROGRAM REPO GOOD BAD [PATH]" >&2; exit 129; }
program=$1 repo=$2 good=$3 bad=$4 path=${5:-drivers/gpu/drm/amd}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# One run: wall seconds and peak memory [KiB] of a command, appended to a file.
once() { # file, command...
	local file=$1
	shift
	python3 - "$file" "$@" <<'PY'
import os, subprocess, sys, time
start = time.monotonic()
rc = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL).returncode
wall = time.monotonic() - start
import resource
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if rc:
    sys.exit(f"{sys.argv[2]} gave {rc}")
open(sys.argv[1], "a").write(f"{wall:.3f} {peak}\n")
PY
}

for _ in 1 2 3; do
	once "$tmp/ours" "$program" plan --repo "$repo" --good "$good" --bad "$bad" --path "$path" --format json
	once "$tmp/git" git -C "$repo" rev-list --bisect-all "$good..$bad" -- "$path"
done
python3 - "$tmp/ours" "$tmp/git" <<'PY'
import statistics, sys
rows = {}
for name, file in (("plan", sys.argv[1]), ("git", sys.argv[2])):
    data = [list(map(float, l.split())) for l in open(file)]
    wall = [d[0] for d in data]
    rows[name] = (statistics.median(wall), max(d[1] for d in data) / 1024)
    print(f"{name:5} {rows[name][0]:8.2f} s ({min(wall):.2f} to {max(wall):.2f})  {rows[name][1]:8.1f} MiB")
print(f"ratio {rows['plan'][0] / rows['git'][0]:8.2f}    {'':16}{rows['plan'][1] / rows['git'][1]:8.2f}")
PY
