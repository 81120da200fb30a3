#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# While guests test, what may come next is built: some of it is used, what loses is stopped, the culprit is the
# same. Stopped or killed in the middle of such a build, a run leaves no make and no compiler behind.
. "$(dirname "$0")/lib.sh"
d=$work/demo
run=$work/again
common=(--ccache off --ahead on --no-prove)

fresh() { rm -rf "$XDG_CACHE_HOME/amdgpu-bisect/artifacts"; }
start() { "$bisect" "$@" >"$work/out" 2>"$work/err" & pid=$!; }

# Processes that work in this cache's trees, or build into it; guests are not among them.
builders() {
	local p
	for p in /proc/[0-9]*; do
		case $(readlink "$p/cwd" 2>/dev/null) in
		"$XDG_CACHE_HOME"/amdgpu-bisect/trees/*) tr '\0' ' ' <"$p/cmdline" 2>/dev/null; echo ;;
		esac
	done
	pgrep -fa -- "--config $run/ahead.conf|--directory=$XDG_CACHE_HOME/" || true
}

none_left() {
	for _ in $(seq 50); do
		[ -z "$(builders)" ] && return
		sleep 0.1
	done
	die "$1: builds are left: $(builders)"
}

# At idle priority: a compiler that works in a tree, or, where the machine is so busy that none is reached before
# the guest is done, the program that would call it.
wait_ahead() {
	local p
	for _ in $(seq 3000); do
		kill -0 "$pid" 2>/dev/null || die "ended early: $(tail -n 3 "$work/err")"
		for p in $(pgrep -x 'cc1|make' || true) $(pgrep -f -- "--config $run/ahead.conf" || true); do
			case $(readlink "/proc/$p/cwd" 2>/dev/null) in
			"$XDG_CACHE_HOME"/*) ;;
			*) grep -qz ahead.conf "/proc/$p/cmdline" 2>/dev/null || continue ;;
			esac
			chrt -p "$p" 2>/dev/null | grep -q SCHED_IDLE && return
		done
		sleep 0.05
	done
	die "nothing is built ahead"
}

demo_history "$d" --commits 32 --seed 13
want=$(answer "$d")
good=$(git -C "$d/linux" rev-list --max-parents=0 HEAD)
fresh
start run --repo "$d/linux" --dir "$run" "${common[@]}" "$good..HEAD"
wait_ahead
begun=$(date +%s%N)
kill -INT "$pid"
rc=0
wait "$pid" || rc=$?
echo "stopped after $((($(date +%s%N) - begun) / 1000000)) ms"
[ "$rc" = 130 ] || die "Ctrl-C gave $rc: $(tail -n 3 "$work/err")"
none_left "Ctrl-C"

start resume "$run"
wait_ahead
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
none_left "SIGKILL"
"$bisect" resume "$run" --ahead on >"$work/out" 2>"$work/err" || die "resume gave $?: $(tail -n 3 "$work/err")"
"$bisect" report "$run" --format json >"$work/report.json"
[ "$(json "$work/report.json" culprit.commit)" = "$want" ] || die "another commit was named"
none_left "the end"
"$bisect" report "$run" | sed -n 's/^ *ahead  *//p' >"$work/ahead"
cat "$work/ahead"
grep -qE '^[0-9]+ built while guests ran, [1-9][0-9]* of them used' "$work/ahead" || die "nothing was used"
[ -s "$run/ahead.conf" ] || die "no options were kept"
# What is named there is what the run built: the very keys.
"$bisect" build --config "$run/ahead.conf" --repo "$d/linux" --dir "$work/b" "$want" >"$work/out" || die "build gave $?"
grep -q "^cached ${want:0:12}: " "$work/out" || die "built under another key: $(cat "$work/out")"
while read -r path; do [ -s "$path" ] || die "no module at $path"; done < <(sed -n 's/^  //p' "$work/out")
echo "with builds ahead, stopped and killed: $want"
