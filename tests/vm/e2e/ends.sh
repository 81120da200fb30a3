#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An end that is not what was claimed: exit 4, said which and why; test REV gives 0, 1 and 125.
. "$(dirname "$0")/lib.sh"
d=$work/demo
"$bisect" demo --seed 14 --commits 32 --no-prove --dir "$d" --quiet >"$work/named" || die "the demo gave $?"
want=$(answer "$d")
[ "$(cat "$work/named")" = "$want" ] || die "named $(cat "$work/named")"
good=$(git -C "$d/linux" rev-list --max-parents=0 HEAD)
# On a terminal, where the live line must be gone before the report comes.
rc=0
TERM=xterm script -qec "'$bisect' run --repo '$d/linux' --dir '$work/r1' --good $good --bad $want^" "$work/tty" \
	</dev/null >/dev/null || rc=$?
sed 's/.*\r\x1b\[K//; s/\r$//' "$work/tty" >"$work/out"
[ "$rc" = 4 ] || die "a bad end that is good gave $rc: $(cat "$work/out")"
grep -q 'the bad end .* is good' "$work/out" || die "not said which end: $(cat "$work/out")"
grep -q '^No commit is named' "$work/out" || die "the report is not on lines of its own: $(cat "$work/out")"
rc=0
"$bisect" run --repo "$d/linux" --dir "$work/r2" --good "$want" --bad HEAD >"$work/out" 2>"$work/err" || rc=$?
[ "$rc" = 4 ] || die "a good end that is bad gave $rc: $(tail -n 2 "$work/err")"
grep -q 'good end' "$work/err" || die "not said which end: $(cat "$work/err")"
check() { # exit code, revision
	rc=0
	"$bisect" test --repo "$d/linux" --good "$good" "$2" >"$work/out" 2>"$work/err" || rc=$?
	[ "$rc" = "$1" ] || die "test $2 gave $rc, want $1: $(cat "$work/out" "$work/err")"
	cat "$work/out"
}
check 0 "$want^"
check 1 "$want"
check 125 "$(sed -n 's/^fault-build=\([0-9a-f]*\).*/\1/p' "$d/answer")"
check 125 "$(sed -n 's/^fault-slow=\([0-9a-f]*\).*/\1/p' "$d/answer")"
check 125 "$(sed -n 's/^fault-oops=\([0-9a-f]*\).*/\1/p' "$d/answer")"
check 125 "$(sed -n 's/^fault-hang=\([0-9a-f]*\).*/\1/p' "$d/answer")"
