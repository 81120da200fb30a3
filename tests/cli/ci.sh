#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The pieces for CI: well-formed, and every gate in them is a call that this program takes.
. "$(dirname "$0")/lib.sh"
ci=$(cd "$(dirname "$0")/../../docs/ci" && pwd)

for f in "$ci"/*.yml; do
	grep -q $'\t' "$f" && fail "$f: YAML knows no tabs"
	python3 - "$f" <<'PY' || fail "$f is no YAML that CI takes"
import sys
try:
    import yaml
except ImportError:
    print("python3-yaml is not installed: only looked for tabs in", sys.argv[1])
    sys.exit(0)
d = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))
jobs = d.get("jobs") or {k: v for k, v in d.items() if isinstance(v, dict) and "script" in v}
assert jobs, "no job"
for job in jobs.values():
    steps = job.get("steps") or [{"run": "\n".join(job["script"])}]
    assert any("amdgpu-bisect gate" in s.get("run", "") for s in steps), "a job without the gate"
PY
done
sh -n "$ci/debian/tests/amdgpu-gate" || fail "the autopkgtest is no shell script"
[ -x "$ci/debian/tests/amdgpu-gate" ] || fail "the autopkgtest cannot be run"
grep -qx 'Tests: amdgpu-gate' "$ci/debian/tests/control" || fail "control names another test"

"$bisect" gate --help >"$work/help"
n=0
while IFS= read -r -d '' f; do
	while read -r call; do
		n=$((n + 1))
		for flag in $(grep -o -- ' --[a-z][a-z-]*' <<<"$call"); do
			grep -q -- "$flag\b" "$work/help" || fail "$f: gate has no $flag"
		done
		# As it stands, with its own budget: what is refused is the kernels, which are not there.
		budget=$(sed -n 's/.*--budget \([0-9a-z]*\).*/\1/p' <<<"$call")
		expect 129 'neither . nor a directory above it is a git repository' \
			env -C "$work" "$bisect" gate --quiet --budget "$budget" --old ./none --new ./none
	done < <(grep -h '^[^#/]*amdgpu-bisect gate ' "$f")
done < <(find "$ci" -type f -print0)
[ "$n" = 4 ] || fail "$n calls of the gate, not one for each of four"
finish
