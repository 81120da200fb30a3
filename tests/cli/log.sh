#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Logs against the git program: what git wrote leaves us what it leaves git, and what we write is taken by
# git, which then tries the commit that we would try.
. "$(dirname "$0")/lib.sh"
make_run=$2

r=$work/r
make_repo "$r" 24
cd "$r"
for b in 1 2 3; do
	git checkout -qb "side$b" "v$((b * 5))"
	for i in 1 2 3 4; do
		printf 'int s%d_%d;\n' "$b" "$i" >"$driver/amdgpu/side$b.c"
		git add -A
		git commit -qm "side $b.$i: it's \"quoted\""
	done
	git checkout -q main
	git merge -q --no-ff -m "Merge side$b" "side$b"
done
git commit -q --allow-empty -m "touches nothing"

planned() { # KEY: of the plan in $work/plan.json
	python3 -c 'import json,sys
d=json.load(open(sys.argv[1])); k=sys.argv[2]
print(d[k] if k!="ids" else "\n".join(sorted(c["commit"] for c in d["candidates"] if c["left"])))' \
		"$work/plan.json" "$1"
}

# What git has left: below the new commit, not below an old one; a skip leaves nothing out.
git_left() { # TERM-NEW TERM-OLD
	git rev-list "refs/bisect/$1" --not $(git for-each-ref --format='%(refname)' "refs/bisect/$2-*") -- \
		"$driver" | sort
}

# same_left NAME NEW OLD [OPTION...]: git's session that goes on now, replayed into a plan
same_left() {
	local name=$1 new=$2 old=$3
	shift 3
	git bisect log >"$work/$name.log"
	git_left "$new" "$old" >"$work/want"
	"$bisect" plan --format json --replay "$work/$name.log" "$@" >"$work/plan.json" || fail "$name: plan"
	planned ids >"$work/have"
	diff -u "$work/want" "$work/have" >"$work/diff" || fail "$name: $(cat "$work/diff")"
	[ "$(wc -l <"$work/want")" -gt 0 ] || fail "$name: nothing is left to compare"
	git bisect reset >/dev/null 2>&1
}

session() { "$@" >/dev/null 2>&1 || true; }

session git bisect start main v0 -- "$driver"
session git bisect good
session git bisect skip
session git bisect bad
same_left ends bad good

session git bisect start
session git bisect bad main
session git bisect good v2
session git bisect skip
session git bisect good
session git bisect bad
same_left later bad good

session git bisect start --term-old=slow --term-new=fast main v0 v3 -- "$driver"
session git bisect fast
session git bisect slow
same_left terms fast slow
"$bisect" plan --format json --replay "$work/terms.log" --find fix >"$work/plan.json" || fail "terms for a fix"
grep -q '"find": "fix"' "$work/plan.json" || fail "the words of a log hold for a fix too"

session git bisect start
session git bisect new main
session git bisect old v1
session git bisect new
same_left old-new new old

# A commit that no path of ours is touched by says what it says of the one below it.
session git bisect start --no-checkout
session git bisect bad main
session git bisect good v0
same_left outside bad good

# What we write: a run whose trials a test made up.
bad=$(git rev-parse main)
good=$(git rev-parse v0)
stored() { # NAME FIND: facts of a run; trials come from standard input
	{
		printf 'fact repo %s\nfact bad %s\nfact good.0 %s\n' "$r" "$bad" "$good"
		printf 'fact option.bisect.find %s\nfact option.bisect.path %s\n' "$2" "$driver"
		cat
	} | "$make_run" "$work/$1" || fail "make-run $1"
}

# read_back NAME NEW OLD: git takes the log; the left set is ours, and so is the quality of its next commit
read_back() {
	"$bisect" log "$work/$1" >"$work/$1.log" || fail "log $1"
	git bisect replay "$work/$1.log" >"$work/replayed" 2>&1 || fail "git does not take $1: $(cat "$work/replayed")"
	git_left "$2" "$3" >"$work/want"
	"$bisect" visualize --format json --limit 0 "$work/$1" >"$work/left.json" || fail "visualize $1"
	python3 -c 'import json,sys
print("\n".join(sorted(n["commit"] for n in json.load(open(sys.argv[1]))["nodes"] if n["left"])))' \
		"$work/left.json" >"$work/have"
	diff -u "$work/want" "$work/have" >"$work/diff" || fail "$1 read back: $(cat "$work/diff")"
	git bisect log >"$work/theirs"
	grep '^git bisect' "$work/$1.log" >"$work/ours.lines"
	grep '^git bisect' "$work/theirs" >"$work/theirs.lines"
	diff -u "$work/ours.lines" "$work/theirs.lines" >"$work/diff" || fail "$1: $(cat "$work/diff")"
}

{
	echo "trial good-end $good good no-windows none"
	echo "trial bad-end $bad bad mechanism all"
	echo "trial search $(git rev-parse side2) bad mechanism all"
	echo "trial search $(git rev-parse v4) good no-windows none"
} | stored regression regression
read_back regression bad good
next=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["next"][0])' "$work/left.json")
git rev-list --bisect-all refs/bisect/bad --not $(git for-each-ref --format='%(refname)' 'refs/bisect/good-*') \
	-- "$driver" >"$work/all"
ours=$(sed -n "s/^$next .*dist=\([0-9]*\).*/\1/p" "$work/all")
theirs=$(sed -n "s/^$(git rev-parse HEAD) .*dist=\([0-9]*\).*/\1/p" "$work/all")
[ -n "$ours" ] && [ "$ours" = "$theirs" ] || fail "next has distance '$ours', git's has '$theirs'"
git bisect reset >/dev/null 2>&1

{
	echo "trial search $(git rev-parse side2) bad mechanism all"
	echo "trial search $(git rev-parse v7) skip build a.c: 'x' undeclared"
	echo "trial user $(git rev-parse v2) good user line 3 of a log"
	echo "trial search $(git rev-parse v6) skip weak measurements that moved"
	echo "trial confirm $(git rev-parse main~2) bad mechanism above the lowest, a remark for git"
} | stored skips regression
read_back skips bad good
git bisect reset >/dev/null 2>&1

{
	echo "trial search $(git rev-parse v9) good no-windows none"
	echo "trial search $(git rev-parse v4) bad mechanism all"
} | stored fix fix
read_back fix new old
git bisect reset >/dev/null 2>&1
"$bisect" plan --format json --find fix --replay "$work/fix.log" >"$work/plan.json" || fail "our own log of a fix"
planned ids >"$work/again"
diff -u "$work/have" "$work/again" >"$work/diff" || fail "our own log of a fix: $(cat "$work/diff")"

# A found culprit, and a set.
{
	echo "trial search $(git rev-parse v8) bad mechanism all"
	echo "trial search $(git rev-parse v7) good no-windows none"
} | stored found regression
"$bisect" log "$work/found" | tail -n 1 >"$work/last"
grep -q "^# first bad commit: \[$(git rev-parse v8)\] drm/amdgpu: step 8$" "$work/last" || fail "$(cat "$work/last")"
{
	echo "trial search $(git rev-parse v9) bad mechanism all"
	echo "trial search $(git rev-parse v7) good no-windows none"
	echo "trial search $(git rev-parse v8) skip build a.c: 'x' undeclared"
} | stored set regression
"$bisect" log "$work/set" >"$work/set.log"
[ "$(grep -c '^# possible first bad commit' "$work/set.log")" = 2 ] || fail "a set in a log: $(cat "$work/set.log")"

# Bad ones.
plan() { expect 129 "$1" "$bisect" plan --replay "$work/wrong" "${@:2}"; }
printf 'git bisect start\nhello\n' >"$work/wrong"
plan 'wrong: line 2: no line of a'
printf 'git bisect bad %s\n' "$bad" >"$work/wrong"
plan 'wrong: line 1: a verdict before'
printf "git bisect start '%s' '%s'\ngit bisect bad 0123456789012345678901234567890123456789\n" "$bad" "$good" \
	>"$work/wrong"
plan 'wrong: line 2: .*0123456789'
printf "git bisect start '%s' '%s' 'nowhere'\n" "$bad" "$good" >"$work/wrong"
plan "wrong, whose start is in line 1: 'nowhere'"
printf "git bisect start '%s' '%s'\n" "$bad" "$good" >"$work/wrong"
plan 'leave one of the two out' --find fix
printf 'git bisect start\n' >"$work/wrong"
plan 'no good end'
expect 129 'nothere' "$bisect" plan --replay "$work/nothere"
expect 129 'no run' "$bisect" log nosuchrun
expect 129 'too much' "$bisect" log a b
finish
