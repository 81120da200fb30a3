#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# plan against the git program: the same candidates, and a first step as good as git's.
. "$(dirname "$0")/lib.sh"

r=$work/r
make_repo "$r" 20
cd "$r"
for b in 1 2 3; do
	git checkout -qb "side$b" "v$((b * 4))"
	for i in 1 2 3; do
		printf 'int s%d_%d;\n' "$b" "$i" >"$driver/amdgpu/side$b.c"
		git add -A
		git commit -qm "side $b.$i"
		git commit -q --allow-empty -m "touches nothing"
	done
	git checkout -q main
	git merge -q --no-ff -m "Merge side$b" "side$b"
done
printf 'x\n' >unrelated
git add -A
git commit -qm "elsewhere"

"$bisect" plan --format json v0..main >"$work/plan.json"
jq_() { python3 -c 'import json,sys
d=json.load(open(sys.argv[1]))
print("\n".join(sorted(c["commit"] for c in d["candidates"])) if sys.argv[2]=="c" else d[sys.argv[2]] if sys.argv[2]!="n" else d["next"][0]["commit"])' "$work/plan.json" "$1"; }

git rev-list v0..main -- "$driver" | sort >"$work/want"
jq_ c >"$work/have"
diff -u "$work/want" "$work/have" || fail "candidates differ from git rev-list"
[ "$(jq_ candidates_total)" = "$(wc -l <"$work/want")" ] || fail "the count is not the list's"

# Each commit's distance as git counts it: the chosen one must have the largest.
next=$(jq_ n)
git rev-list --bisect-all v0..main -- "$driver" >"$work/all"
best=$(sed -n 's/.*dist=\([0-9]*\).*/\1/p' "$work/all" | sort -rn | head -n 1)
ours=$(sed -n "s/^$next .*dist=\([0-9]*\).*/\1/p" "$work/all")
[ "$best" = "$ours" ] || fail "first step has distance '$ours', the best is $best"

# --scope auto is settled, and the reason said; nothing but the driver is the candidates' here.
"$bisect" plan --scope auto v0..main >"$work/out"
grep -q "^scope module: the candidates' files are those of $driver\$" "$work/out" ||
	fail "no reason for scope module: $(cat "$work/out")"
mkdir -p mm
printf 'x\n' >mm/hmm.c
git add -A
git commit -qm "mm: change"
"$bisect" plan --scope auto --path "$driver" --path mm v0..main >"$work/out"
grep -q "^scope kernel: mm/hmm.c changes in 1 of " "$work/out" || fail "no reason for scope kernel"
grep -q "at scope kernel$" "$work/out" || fail "the time is not that of scope kernel"
"$bisect" plan --path "$driver" --path mm v0..main >"$work/out"
grep -q "^warning: scope unit does not see it: mm/hmm.c" "$work/out" || fail "no warning"
"$bisect" plan --scope auto --tree whole --format json v0..main >"$work/plan.json"
[ "$(jq_ scope)" = kernel ] || fail "JSON does not have the settled scope"
[ "$(jq_ scope_why)" = "mm/hmm.c differs between the ends" ] || fail "JSON does not say why"
expect 129 'no such file' "$bisect" plan --fragment none.config v0..main
expect 129 'none.patch' "$bisect" plan --apply none.patch v0..main

# Without a limit to paths, empty commits count as well.
"$bisect" plan --every-commit --format json v0..main >"$work/plan.json"
git rev-list v0..main | sort >"$work/want"
jq_ c >"$work/have"
diff -u "$work/want" "$work/have" || fail "with --every-commit candidates differ from git rev-list"
finish
