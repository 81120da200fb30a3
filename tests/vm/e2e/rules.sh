#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Regressions without a window, by a program of the user's and a rule: a figure that is a third worse among noise of a
# tenth, and one warning of the kernel's. rules.sh PROGRAM CACHE HOSTILE-AGENT PROBE
. "$(dirname "$0")/lib.sh"
probe=$(realpath "${4:?usage: rules.sh PROGRAM CACHE HOSTILE-AGENT PROBE}")

# finds FAULT SEED RULE WORDS OPTION...: the planted commit, by this rule, and what the report says of it.
finds() {
	local d=$work/$1 fault=$1 seed=$2 rule=$3 words=$4
	shift 4
	"$bisect" demo --fault "$fault" --commits 32 --seed "$seed" --no-prove --exec "$probe" --rule "$rule" \
		--dir "$d" "$@" >"$work/out" 2>"$work/err" || die "$fault: $?: $(tail -n 5 "$work/err") $(cat "$work/out")"
	grep -q "^fault=$fault\$" "$d/answer" || die "another fault was planted: $(cat "$d/answer")"
	"$bisect" report "$d/run" --format json >"$work/report.json"
	[ "$(json "$work/report.json" culprit.commit)" = "$(answer "$d")" ] ||
		die "$fault: another commit is named: $(cat "$work/out")"
	grep -q "$words" "$work/report.json" || die "$fault: not said: $words"
	echo "$fault: $(answer "$d") by $rule"
}

finds slow 5 'metric work_ms' 'work_ms is .* higher is worse' --exec-args 180
finds warn 6 'console warn' 'the kernel said, as rule warn has it: WARNING: .*amdgpu_hmm_range_get_pages' --repeats 1
