#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The graph of what is left: its lanes, its marks, its bounds.
. "$(dirname "$0")/lib.sh"
make_run=$2

r=$work/r
make_repo "$r" 6
cd "$r"
side() { # NAME FROM FILE
	git checkout -qb "$1" "$2"
	printf 'int %s;\n' "$1" >"$driver/amdgpu/$3.c"
	git add -A
	git commit -qm "$1"
}
side side v2 side
git checkout -q main
git merge -q --no-ff -m "Merge side" side
side o1 main o1
side o2 main o2
git checkout -q main
printf 'int m;\n' >"$driver/amdgpu/m.c"
git add -A
git commit -qm 'main "quoted" \ on'
git merge -q -m "Octopus" o1 o2 >/dev/null 2>&1

stored() {
	{
		printf 'fact repo %s\nfact bad %s\nfact good.0 %s\n' "$r" "$(git rev-parse main)" "$(git rev-parse v0)"
		cat
	} | "$make_run" "$work/$1" || fail "make-run $1"
}
show() { LC_ALL=C "$bisect" visualize "$@" | sed 's/  [0-9a-f]\{12\}  / ID /'; }

{
	echo "trial search $(git rev-parse v1) good no-windows none"
	echo "trial search $(git rev-parse v3) skip build a.c: 'x' undeclared"
	echo "trial search $(git rev-parse v5) skip build a.c:12: 'x' undeclared"
} | stored run
show "$work/run" >"$work/have"
cat >"$work/want" <<'END'
10 left; the number says how many of them lie behind each, itself included
> next  + bad  - good  s skipped  x has the error of skipped ones  * not tried

+ ID 10  Octopus (merge)
+-+-.
| | * ID  7  o2
| * | ID  7  o1
> | | ID  7  main "quoted" \ on
+-+-'
* ID  6  Merge side (merge)
+-.
| * ID  2  side
s | ID  4  drm/amdgpu: step 5
x | ID  3  drm/amdgpu: step 4
s | ID  2  drm/amdgpu: step 3
+-'
* ID  1  drm/amdgpu: step 2
- ID     drm/amdgpu: step 1
END
diff -u "$work/want" "$work/have" || fail "the lanes"

# Each row of lines in a terminal that can draw them, and not otherwise.
if LC_ALL=C.UTF-8 locale -k LC_CTYPE 2>/dev/null | grep -q UTF-8; then
	LC_ALL=C.UTF-8 "$bisect" visualize "$work/run" | grep -q '^├─┬─╮$' || fail "no box-drawing lanes"
fi
LC_ALL=C "$bisect" visualize "$work/run" | grep -q '[^ -~]' && fail "what ASCII does not have"

# The newest only.
show --limit 4 "$work/run" >"$work/few"
grep -q '^6 older ones are not shown' "$work/few" || fail "nothing says that there are more"
[ "$(grep -c ' ID ' "$work/few")" = 4 ] || fail "a limit of 4: $(cat "$work/few")"

# For programs.
"$bisect" visualize --format json "$work/run" >"$work/json"
python3 - "$work/json" <<'END' || fail "the JSON"
import json, sys
d = json.load(open(sys.argv[1]))
marks = sorted(n["mark"] for n in d["nodes"])
assert d["left"] == 10 and d["shown"] == 11 and d["hidden"] == 0, d
assert marks == sorted(["new", "old", "next", "skip", "skip", "blocked"] + ["left"] * 5), marks
assert all(abs(n["mass"] - 0.1) < 1e-6 for n in d["nodes"] if n["left"])
known = {n["commit"] for n in d["nodes"]}
assert all(p in known for n in d["nodes"] if n["left"] for p in n["parents"])
END
"$bisect" visualize --format dot -o "$work/dot" "$work/run"
[ "$(grep -c -- '->' "$work/dot")" = 13 ] || fail "edges: $(cat "$work/dot")"
grep -qF 'main \"quoted\" \\ on' "$work/dot" || fail "a quote in a label"
if command -v dot >/dev/null; then
	dot -Tsvg "$work/dot" >/dev/null || fail "dot does not take it"
fi

# How likely each is, where trials may lie.
{
	echo "fact option.search.flaky 0.1"
	echo "trial search $(git rev-parse v5) good no-windows none"
} | stored flaky
show "$work/flaky" | grep -q ' ID *[0-9.]* %  Octopus' || fail "no chances: $(show "$work/flaky")"

expect 129 'no run' "$bisect" visualize nosuchrun
expect 129 'not one of text.json.dot' "$bisect" visualize --format html "$work/run"
expect 129 'whole number' "$bisect" visualize --limit x "$work/run"
mv "$r" "$work/moved"
expect 129 'repository' "$bisect" visualize "$work/run"
finish
