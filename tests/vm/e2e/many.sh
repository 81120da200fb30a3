#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two guests at once name the commit that one after the other names. A worker that is killed costs its trial; Ctrl-C
# ends all; with a controller that is killed its workers end by themselves, and the run is gone on with.
. "$(dirname "$0")/lib.sh"
d=$work/demo

start() { "$bisect" "$@" >"$work/out" 2>"$work/err" & pid=$!; }

# rows RUN SQL: of the run's store, a line each.
rows() { python3 -c 'import sqlite3,sys
for r in sqlite3.connect("file:%s/run.db?mode=ro" % sys.argv[1], uri=True).execute(sys.argv[2]): print(*r)' "$@"; }

# How many trials go on now, and in how many guests.
in_flight() { rows "$1" "SELECT count(DISTINCT detail) FROM stage JOIN trial USING (trial) LEFT JOIN ending USING (trial)
	WHERE stage = 'place' AND verdict IS NULL AND begun_s > strftime('%s') - 60" 2>/dev/null || echo 0; }
guests() { pgrep -fc "qemu-system.*$XDG_CACHE_HOME/" || true; }

wait_both() {
	for _ in $(seq 600); do
		kill -0 "$pid" 2>/dev/null || die "ended early: $(tail -n 3 "$work/err")"
		[ "$(in_flight "$1")" -ge 2 ] && [ "$(guests)" -ge 1 ] && return
		sleep 0.1
	done
	die "two trials never went on at once"
}

# none_left WHAT SECONDS: no guest, no worker of this test.
none_left() {
	for _ in $(seq $(($2 * 10))); do
		[ "$(guests)" = 0 ] && ! pgrep -f "worker --config $work/" >/dev/null && return
		sleep 0.1
	done
	die "$1: left behind: $(pgrep -fa "worker --config $work/|qemu-system.*$XDG_CACHE_HOME/" | cut -c 1-120)"
}

culprit() {
	"$bisect" report "$1" --format json >"$work/report.json"
	json "$work/report.json" culprit.commit
}

"$bisect" demo --commits 32 --seed 13 --dir "$d" --workers 2 >"$work/out" 2>"$work/err" || die "the demo gave $?: $(tail -n 3 "$work/err")"
want=$(answer "$d")
[ "$(rows "$d/run" "SELECT count(DISTINCT detail) FROM stage WHERE stage = 'place'")" = 2 ] || die "one worker made it all"
grep -q 'worker 2: ' "$work/err" || die "no line of worker 2: $(cat "$work/err")"
none_left "a finished run" 1
echo "two at once: $want after $(rows "$d/run" 'SELECT max(date_s) - min(begun_s) FROM trial JOIN ending USING (trial)') s"

good=$(git -C "$d/linux" rev-list --max-parents=0 HEAD)
r=$work/again
start run --repo "$d/linux" --dir "$r" --workers 2 "$good..HEAD"
wait_both "$r"
victim=$(pgrep -f "worker --config $r/.* 1\$")
kill -KILL "$victim"
for _ in $(seq 200); do
	rows "$r" "SELECT reason FROM ending WHERE rule = 'worker'" | grep -q 'signal 9' && break
	sleep 0.1
done
rows "$r" "SELECT reason FROM ending WHERE rule = 'worker'" | grep -q 'worker 1 was ended by signal 9' || die "nobody noticed"
wait_both "$r" # another one has its place
"$bisect" status "$r" | grep -c '^trying ' | grep -qx 2 || die "status: $("$bisect" status "$r")"

begun=$(date +%s%N)
kill -INT "$pid"
rc=0
wait "$pid" || rc=$?
echo "stopped after $((($(date +%s%N) - begun) / 1000000)) ms"
[ "$rc" = 130 ] || die "Ctrl-C gave $rc: $(tail -n 3 "$work/err")"
none_left "Ctrl-C" 1

start resume "$r"
wait_both "$r"
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
"$bisect" resume "$r" >"$work/out" 2>"$work/err" || die "resume gave $?: $(tail -n 3 "$work/err")"
[ "$(culprit "$r")" = "$want" ] || die "another commit was named"
none_left "the end" 1
echo "a worker killed, stopped, killed and resumed: $want"
