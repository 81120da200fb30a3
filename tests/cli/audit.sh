#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# audit on generated pairs: what is planted is found, nothing else is; then its forms, its cache and what
# a history may hold to hurt it.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
src=$(cd "$here/../.." && pwd)
r=$work/pairs.git
audit() { "$bisect" audit -q --repo "$r" --upstream up --tree tree "$@"; }
# What is found is an answer, on standard output, and exit code 1.
answers() { [ "$1" = 1 ] && [ ! -s "$work/err" ] || fail "gave $1: $(head -c 600 "$work/err")"; }
found() { local rc=0; audit "$@" >"$work/out" 2>"$work/err" || rc=$?; answers "$rc"; }
found_by() { local rc=0; "$bisect" audit "$@" >"$work/out" 2>"$work/err" || rc=$?; answers "$rc"; }

python3 "$here/audit-pairs.py" make "$r" "$work/truth.json" 1 200
found -f json
cp "$work/out" "$work/first.json"
python3 "$here/audit-pairs.py" score "$work/truth.json" "$work/first.json" || fail "below the goals"
python3 "$src/tests/unit/reports/check_json.py" "$src/reports/schema/audit.schema.json" \
	"$work/first.json" || [ $? = 77 ] || fail "JSON is not as its schema says"

# The score can be missed: with all that is possible, new work and models are told as well.
found -f json --min-rank possible
python3 "$here/audit-pairs.py" score "$work/truth.json" "$work/out" >"$work/score" &&
	fail "--min-rank possible is as precise as likely: $(cat "$work/score")"
# ...and with a short distance untagged ones are missed.
found -f json --distance 1
python3 "$here/audit-pairs.py" score "$work/truth.json" "$work/out" >"$work/score" &&
	fail "--distance 1 finds all: $(cat "$work/score")"
found -f json --min-rank certain
grep -q '"rank": *"\(strong\|likely\)"' "$work/out" && fail "--min-rank certain lets others through"

# The rest needs fewer of them.
r=$work/small.git
python3 "$here/audit-pairs.py" make "$r" "$work/truth.json" 2 28
found -f json
cp "$work/out" "$work/first.json"
python3 "$here/audit-pairs.py" score "$work/truth.json" "$work/first.json" || fail "below the goals"

# SARIF: each result has its rule, a level and the two commits.
found -f sarif
python3 - "$work/out" "$work/first.json" <<'P' || fail "SARIF"
import json, sys
s, a = (json.load(open(f)) for f in sys.argv[1:3])
assert s["version"] == "2.1.0", s["version"]
run = s["runs"][0]
rules = run["tool"]["driver"]["rules"]
assert len(run["results"]) == len(a["findings"]) > 0
for result, f in zip(run["results"], a["findings"]):
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["level"] == {"certain": "error"}.get(f["rank"], "warning"), f["rank"]
    assert f["follow_up"]["commit"][:12] in result["message"]["text"]
    assert result["locations"] or not f["functions"]
P

# Text names what to try, in 100 columns.
found
grep -q '^  try it      amdgpu-bisect test --apply [0-9a-f]\{12\} [0-9a-f]\{12\}$' "$work/out" ||
	fail "text does not say what to try"
[ -z "$(awk 'length > 100' "$work/out")" ] || fail "text is wider than 100 columns"

# The tree in a repository of its own says the same.
git clone -q --single-branch --branch tree "$r" "$work/tree"
found_by -q --upstream "$r:up" --tree "$work/tree:tree" -f json
same() { python3 -c 'import json, sys
a, b = (json.load(open(f))["findings"] for f in sys.argv[1:3])
sys.exit(a != b)' "$work/first.json" "$work/out"; }
same || fail "two repositories give other findings than one"

# What is kept may be lost, cut or changed.
rm -rf "$XDG_CACHE_HOME"
found -f json
index=$(find "$XDG_CACHE_HOME" -name '*.index' | head -n 1)
[ -n "$index" ] || fail "nothing is kept"
cp "$index" "$work/index"
for at in 3 2000; do
	cp "$work/index" "$index"
	printf '\377\377\377' | dd of="$index" bs=1 seek="$at" conv=notrunc status=none
	found -f json
	same || fail "a changed index at $at changes the findings"
done
for size in 0 60 5000; do
	head -c "$size" "$work/index" >"$index"
	found -f json
	same || fail "an index cut to $size changes the findings"
done
found -f json --walk-cache off
same || fail "without a cache the findings are others"

# A stop in between leaves what was read, and the next one goes on.
rm -rf "$XDG_CACHE_HOME"
audit -f json >"$work/out" 2>/dev/null &
pid=$!
sleep 0.3
kill -INT "$pid" 2>/dev/null || true
rc=0
wait "$pid" || rc=$?
[ "$rc" = 130 ] || [ "$rc" = 1 ] || fail "a stop gives $rc"
found -f json
same || fail "after a stop the findings are others"

# --since: what the tree had by then is not asked about.
half=$(git -C "$r" rev-list --first-parent tree | sed -n 24p)
found -f json --since "$half"
python3 - "$work/first.json" "$work/out" "$r" "$half" <<'P' || fail "--since"
import json, subprocess, sys
a, b = (json.load(open(f))["findings"] for f in sys.argv[1:3])
old = set(subprocess.run(["git", "-C", sys.argv[3], "rev-list", sys.argv[4]], check=True,
                         capture_output=True, text=True).stdout.split())
assert [f for f in a if f["change"]["in_tree_as"] not in old] == b and 0 < len(b) < len(a)
P

# Ends and words.
expect 0 '' "$bisect" audit -q --repo "$r" --upstream up --tree up
expect 129 'name it: --upstream' "$bisect" audit -q --repo "$r"
expect 129 'nowhere' "$bisect" audit -q --repo "$r" --upstream nowhere --tree tree
expect 129 'too much' "$bisect" audit -q --repo "$r" --upstream up more
expect 129 'min-rank' "$bisect" audit -q --repo "$r" --upstream up --min-rank sure

# What a history may hold: a message of megabytes, mentions in a circle, no text at all, a deep tree.
h=$work/hostile
git init -q "$h"
mkdir -p "$h/$driver"
printf 'int f(void)\n{\n\tint there_is_a_value = 1;\n}\n' >"$h/$driver/a.c"
git -C "$h" add -A
git -C "$h" commit -qm 'drm/amdgpu: a first one'
git -C "$h" branch tree
{
	printf 'drm/amdgpu: the second one\n\n'
	yes 'Fixes: 0123456789ab ("drm/amdgpu: the third one") and commit 0123456789abcdef "a: b' |
		head -n 50000 || true # yes ends by a signal
} >"$work/message"
printf '\0\001\377int f(void)\n{\n' >"$h/$driver/a.c"
git -C "$h" commit -qaF "$work/message"
deep=$driver
for i in $(seq 300); do deep=$deep/d; done
mkdir -p "$h/$deep"
printf 'int g(void)\n{\n' >"$h/$deep/b.c"
head -c 300000 /dev/urandom >"$h/$driver/c.c"
git -C "$h" add -A
printf 'drm/amdgpu: the third one\n\nFixes: 0123456789ab ("drm/amdgpu: the second one")\nRevert "drm/amdgpu: the third one"\nThis reverts commit %s.\nFixes: (\n"\n' "$(git -C "$h" rev-parse HEAD)" |
	git -C "$h" commit -qF -
expect 0 '' "$bisect" audit -q --repo "$h" --upstream main --tree tree --min-rank possible
finish
