#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The command that a report ends with is one that this program takes, through a shell and with every word whole.
. "$(dirname "$0")/lib.sh"
make_run=$2
r="$work/a tree"
make_repo "$r" 4
id() { git -C "$r" rev-parse "v$1"; }

# run_of NAME RULE...: a run that named v2, asked with these rules.
run_of() {
	local name=$1 rule facts=
	shift
	for rule in "$@"; do facts+="fact option.probe.rule $rule"$'\n'; done
	"$make_run" "$work/$name" <<RUN
fact repo $r
fact good.0 $(id 0)
fact bad $(id 3)
fact run.outcome proven
fact culprit.commit $(id 2)
fact culprit.parents $(id 1)
fact option.build.scope module
fact option.guest.probelimit 90
fact option.probe.exec $work/it's a test
fact option.probe.execargs --size 8 \$(false)
fact option.probe.pack $work/b
${facts}trial confirm $(id 2) bad x seen
trial confirm-parent $(id 1) good x seen
RUN
}

# takes NAME COMMAND KEY=VALUE...: the report's command is for COMMAND, and sets these.
takes() {
	local name=$1 command=$2 line want
	shift 2
	line=$("$bisect" report "$work/$name" | grep "^  amdgpu-bisect $command ") ||
		{ fail "$name: no command to go on with $command"; return; }
	line=${line#  amdgpu-bisect}
	eval "\"\$bisect\" $line --show-config" >"$work/config" 2>"$work/err" ||
		{ fail "$name: refused: $line: $(cat "$work/err")"; return; }
	for want; do
		grep -F -- "${want#*=}" "$work/config" | grep -q "^${want%%=*}\b" ||
			fail "$name: not $want: $(grep "^${want%%=*}\b" "$work/config")"
	done
	# What is not asked for is not said.
	! grep -q -- '--repeats' <<<"$line" || fail "$name: $line"
	echo "ok   $name: $line" | cut -c1-160
}

run_of code "console /it's \$HOME/"
takes code test "bisect.repo=$r" build.scope=module guest.probelimit=90 "probe.exec=$work/it's a test" \
	"probe.execargs=--size 8 \$(false)" "probe.pack=$work/b" "probe.rule=console /it's \$HOME/"
run_of figure 'metric op_ms'
takes figure run prove.off=true "bisect.good=$(id 1 | cut -c1-12)" "bisect.bad=$(id 2 | cut -c1-12)" \
	'probe.rule=metric op_ms' build.scope=module
finish
