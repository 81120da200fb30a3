#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Histories that are no straight line, on real driver source in real guests: an end on another branch,
# before the change and mended on its own side; the fix found by the command that the run names; and a
# commit that came, went and came again.
. "$(dirname "$0")/lib.sh"
d=$work/demo

demo_history "$d" --seed 15 --commits 32
culprit=$(answer "$d")

cd "$d/linux"
git config user.name A
git config user.email a@example.org
git config commit.gpgsign false
other=$(git ls-files 'drivers/gpu/drm/amd/*.c' | sed -n 1p)
edit() { # subject: a commit that touches the driver and changes nothing
	printf '/* %s */\n' "$1" >>"$other"
	git commit -qam "drm/amd: $1"
	git rev-parse HEAD
}
undo() { git revert --no-edit "$1" >/dev/null && git rev-parse HEAD; }
run() { # directory, expected exit code, options
	rc=0
	"$bisect" run --repo . --dir "$work/$1" --repeats 1 --no-prove "${@:3}" >"$work/$1.out" 2>"$work/$1.err" || rc=$?
	[ "$rc" = "$2" ] || die "$1 gave $rc, want $2: $(tail -n 5 "$work/$1.err")"
	"$bisect" report "$work/$1" --format json >"$work/$1.json"
}
is() { # run, what, expected
	got=$(json "$work/$1.json" "$2")
	[ "$got" = "$3" ] || die "$1: $2 is $got, want $3"
}

# culprit - still - gone - quiet - back - tip, and before the culprit a branch with a good end
git checkout -q --detach "$culprit^"
side=$(edit 'a branch of its own')
git checkout -q --detach "$culprit"
still=$(edit 'still bad')
gone=$(undo "$culprit")
quiet=$(edit 'good for a while')
back=$(undo "$gone")
tip=$(edit 'bad again')
git checkout -q --detach "$still"
edit 'bad on the trunk' >/dev/null
trunk=$(edit 'and further on')

# The good end left the trunk before the change.
run before 0 --good "$side" --bad "$still"
is before culprit.commit "$culprit"
is before fork.base "$(git rev-parse "$culprit^")"
is before fork.state before

# The good end left it after the change and was mended on its own side; the run names what finds the fix.
run mended 4 --good "$quiet" --bad "$trunk"
is mended fork.base "$still"
is mended fork.state mended
grep -q 'forked off' "$work/mended.out" || die "mended: not said in the report"
next=$(json "$work/mended.json" fork.next)
printf '%s\n' "$next"
case $next in *"--find fix ${still:0:12}..${quiet:0:12}"*) ;; *) die "mended: the next command is $next" ;; esac
read -ra words <<<"${next#amdgpu-bisect run }"
run fix 0 "${words[@]}"
is fix culprit.commit "$gone"
grep -q '^First good commit' "$work/fix.out" || die "the fix is not called one"

# A log says bad below good, and both are true.
cat >"$work/log" <<LOG
git bisect start '$tip' '$culprit^'
git bisect bad $still
git bisect good $quiet
LOG
run turns 0 --good "$culprit^" --bad "$tip" --replay "$work/log"
is turns culprit.commit "$back"
is turns turns.0.introducer.commit "$culprit"
is turns turns.0.introducer.proven True
is turns turns.0.repairer.commit "$gone"
is turns turns.0.repairer.proven True
grep -q 'came, went and came again' "$work/turns.out" || die "turns: not said in the report"
echo "came with $culprit, went with $gone, came again with $back"
