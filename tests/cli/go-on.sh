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
	for rule in "$@"; do facts+="also option.probe.rule $rule"$'\n'; done
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

# config COMMAND WORD...: what these words ask, a line for each value; not where, of which range, nor where it is kept.
config() {
	"$bisect" "$@" --show-config 2>"$work/err" | sed -E '/ not set$/d; s/ +[^ ]+$//' |
		grep -vE '^(bisect\.(repo|good|bad|find|suspect[a-z]*)|run\.(dir|replay)|prove\.[a-z]+) '
}

# repeats COMMAND WORD...: a run that was asked these gives a command that asks the same of COMMAND.
repeats() {
	local command=$1 line key value name=asked-$((++asked)) rule=
	shift
	config "$command" "$@" >"$work/before" || { fail "refused: $*: $(cat "$work/err")"; return; }
	{
		printf 'fact repo %s\nfact good.0 %s\nfact bad %s\nfact run.outcome proven\n' "$r" "$(id 0)" "$(id 3)"
		printf 'fact culprit.commit %s\nfact culprit.parents %s\n' "$(id 2)" "$(id 1)"
		while read -r key value; do
			printf 'also option.%s %s\n' "$key" "$value"
		done <"$work/before"
		printf 'trial confirm %s bad x seen\n' "$(id 2)"
	} >"$work/facts"
	"$make_run" "$work/$name" <"$work/facts"
	line=$("$bisect" report "$work/$name" | grep "^  amdgpu-bisect $command ") ||
		{ fail "$*: no command to go on with $command"; return; }
	line=${line#  amdgpu-bisect "$command"}
	eval "config $command $line" >"$work/after" || { fail "refused: $line: $(cat "$work/err")"; return; }
	diff "$work/before" "$work/after" >"$work/diff" || fail "$line: $(cat "$work/diff")"
	# A default that is written out asks the same and tells nobody anything.
	for word in ${quiet:-}; do
		! grep -q -- "--$word\b" <<<"$line" || fail "$line: --$word is the default"
	done
	echo "ok   $command$line" | cut -c1-160
}

asked=0
quiet='path scope tree driver repeats sizes memory vcpus gpu accel start exec release jobs config=' repeats test
repeats test --scope module --path mm --path 'drivers/a b' --tree whole --apply 'a.patch if-has v1' --apply v2 \
	--driver module --release 6.1.0-1 --source '/usr/src/a b.tar.xz' --kconfig /c --fragment /f1 --fragment '/f 2' \
	--symvers /s --cc clang --compiler gcc-12 --compiler gcc-13 --jobs 3 --ccache off --cache-size 4096 \
	--guest disk --disk '/a disk.img' --memory 1024 --vcpus 2 --cpus 2-5,8 --image /boot/v --modules /lib/m \
	--connect 'qemu:///embed?root=/a' --pool p --accel tcg --start cold --append 'a=1 $(b) "c"' --gpu 0000:03:00.0 \
	--gpu-rom off --gpu-window 32 --give-screen --gpu-suspend --hugepages 2M --core on --agent ./agent \
	--runtime-dir / --runtime-deb a.deb --runtime-deb b.deb --firmware off --boot-limit 9 --load-limit 8 \
	--probe-limit 7 --sizes 2,4,8 --offset 4 --repeats 9 --kernel-evidence --retries 0
repeats test --exec "./it's" --exec-args '--a  "b"' --pack x --pack 'y z' --rule exit --rule 'console /\$HOME'\''s/' \
	--repeats 30
repeats run --exec ./t --rule 'metric op_ms' --rule 'console warn' --first-parent --follow --trust-deps --flaky 0.05 \
	--confidence 0.9 --term-old 'it is' --term-new "isn't" --ahead off --walk-cache off --scope kernel

# A file is as good as flags.
printf '[build]\n\tscope = module\n\tfragment = /f\n[probe]\n\texec = /bin/true\n[rule "a"]\n\tconsole = warn\n' \
	>"$work/file"
repeats test --config "$work/file"

# What it says for nothing beside another option is no option of the command, which would be refused. What a flag
# said is one, though it is the default: a file may say another thing where it is asked again.
"$make_run" "$work/gave-way" <<RUN
fact repo $r
fact culprit.commit $(id 2)
fact option.guest.disk /d.img
fact option.probe.sizes 2,4
fact option.probe.exec /bin/true
fact option.build.scope unit
fact options.said build.scope
trial confirm $(id 2) bad x seen
RUN
line=$("$bisect" report "$work/gave-way" | grep '^  amdgpu-bisect test ')
[ "$line" = "  amdgpu-bisect test --repo '$r' --scope unit --exec /bin/true $(id 2 | cut -c1-12)" ] ||
	fail "gave way: $line"
# Of several cards one takes one commit.
"$make_run" "$work/cards" <<RUN
fact repo $r
fact culprit.commit $(id 2)
fact option.guest.gpu 0000:03:00.0,0000:44:00.0
trial confirm $(id 2) bad x seen
RUN
"$bisect" report "$work/cards" | grep -q -- ' --gpu 0000:03:00.0 ' || fail 'several cards for one commit'
# Where the run lies is one word as well.
"$make_run" "$work/it's a run" <<RUN
fact repo $r
fact run.outcome stopped
RUN
"$bisect" status "$work/it's a run" | grep -qF "resume '$work/it'\\''s a run'" || fail 'resume is not quoted'

run_of code "console /it's \$HOME/"
takes code test "bisect.repo=$r" build.scope=module guest.probelimit=90 "probe.exec=$work/it's a test" \
	"probe.execargs=--size 8 \$(false)" "probe.pack=$work/b" "probe.rule=console /it's \$HOME/"
run_of figure 'metric op_ms'
takes figure run prove.off=true "bisect.good=$(id 1 | cut -c1-12)" "bisect.bad=$(id 2 | cut -c1-12)" \
	'probe.rule=metric op_ms' build.scope=module
finish
