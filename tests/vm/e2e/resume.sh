#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Killed at any moment with SIGKILL, then resumed, a run names the same culprit; Ctrl-C leaves a run
# that can be resumed and no guest behind.
. "$(dirname "$0")/lib.sh"
d=$work/demo
common=(--seed 12 --dir "$d" --no-prove)

start() { "$bisect" "$@" >"$work/out" 2>"$work/err" & pid=$!; }

start demo "${common[@]}"
for i in $(seq 600); do
	[ -e "$d/run/run.db" ] && break
	kill -0 "$pid" 2>/dev/null || die "ended early: $(cat "$work/err")"
	sleep 0.2
done
# Moments spread over building, booting, probing and writing.
for pause in 6 3 9 1 5 2.5 7; do
	sleep "$pause"
	kill -KILL "$pid" 2>/dev/null || break
	wait "$pid" 2>/dev/null || true
	"$bisect" status "$d/run" >"$work/status" || die "status after a kill gave $?"
	grep -qE '^state +(interrupted|proven)' "$work/status" || die "state: $(cat "$work/status")"
	start resume "$d/run"
done
sleep 4
if kill -INT "$pid" 2>/dev/null; then
	rc=0
	wait "$pid" || rc=$?
	if [ "$rc" != 0 ]; then
		[ "$rc" = 130 ] || die "Ctrl-C gave $rc: $(tail -n 3 "$work/err")"
		grep -q 'amdgpu-bisect resume' "$work/err" || die "Ctrl-C does not say how to go on"
	fi
	"$bisect" resume "$d/run" >"$work/out" 2>"$work/err" || die "resume gave $?: $(tail -n 3 "$work/err")"
else
	wait "$pid" || die "the last part gave $?: $(tail -n 3 "$work/err")"
fi
"$bisect" report "$d/run" --format json >"$work/report.json"
[ "$(json "$work/report.json" culprit.commit)" = "$(answer "$d")" ] || die "another commit was named"
sleep 3
# A guest boots from the cache, which is this test's; other controllers' guests are not ours to count.
pgrep -fa "qemu-system.*$XDG_CACHE_HOME/" && die "guests are left"
echo "killed and resumed: $(answer "$d")"
