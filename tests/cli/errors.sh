#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bad input: each gets one line that says what to do, and the right exit code.
. "$(dirname "$0")/lib.sh"
# For commands that open libvirt: LeakSanitizer's tracer may crash on its threads (cmake/room.cmake).
no_leaks=detect_leaks=0

r=$work/r
make_repo "$r" 6
git -C "$r" checkout -qb side v2
printf 'int y;\n' >"$r/$driver/amdgpu/b.c"
git -C "$r" add -A
git -C "$r" commit -qm "side"
git -C "$r" checkout -q main

plan() { expect "$1" "$2" "$bisect" plan --repo "$r" "${@:3}"; }
run() { expect "$1" "$2" "$bisect" run --repo "$r" "${@:3}"; }

# the ends
plan 0 '' v0..v5
plan 129 'swap the two' v5..v0
plan 129 'same' v3..v3
plan 0 '' side..v5
plan 129 "nonsense" nonsense..v5
plan 129 'too long to name a commit' --good v0 --bad "$(head -c 5000 /dev/zero | tr '\0' a)"
plan 129 'GOOD\.\.BAD' v0
plan 129 'GOOD\.\.BAD' v0...v5
plan 129 'no good end' --bad v5
plan 129 'no commit|touch' --path drivers/gpu/drm/nouveau v0..v5
run 129 'swap the two' v5..v0
run 129 'same' v3..v3
git -C "$r" tag blob "$(git -C "$r" rev-parse HEAD:$driver/amdgpu/a.c)"
plan 129 'blob' blob..v5

# the repository
expect 129 'repository' "$bisect" plan --repo "$work/none" v0..v5
mkdir "$work/empty" && git init -q "$work/empty"
expect 129 '.' "$bisect" plan --repo "$work/empty" v0..HEAD
git clone -q --depth 3 "file://$r" "$work/shallow" 2>/dev/null
expect 129 'unshallow' "$bisect" plan --repo "$work/shallow" HEAD~2..HEAD
cp -r "$r" "$work/missing"
victim=$(git -C "$work/missing" rev-parse v3^{tree})
rm -f "$work/missing/.git/objects/${victim:0:2}/${victim:2}"
expect 128 "${victim:0:8}|object" "$bisect" plan --repo "$work/missing" v0..v5
cp -r "$r" "$work/corrupt"
victim=$(git -C "$work/corrupt" rev-parse v3)
chmod u+w "$work/corrupt/.git/objects/${victim:0:2}/${victim:2}"
printf 'garbage' >"$work/corrupt/.git/objects/${victim:0:2}/${victim:2}"
expect 128 "${victim:0:8}|object|corrupt" "$bisect" plan --repo "$work/corrupt" v0..v5

# options and bisect.conf
plan 129 "unknown option '--scop', did you mean '--scope'" --scop unit v0..v5
plan 129 'not one of unit' --scope banana v0..v5
"$bisect" plan --repo "$r" --driver module v0..v5 2>&1 |
	grep -q 'driver counts at scope kernel alone, and this is scope unit' || fail "--driver is left out without a word"
"$bisect" plan --repo "$r" --scope kernel --driver module v0..v5 2>&1 |
	grep -q 'driver counts at' && fail "--driver is said not to count where it does"
plan 129 'needs a value' --good
run 129 'whole number' --memory 12x v0..v5
run 129 'two sizes' --sizes 4 v0..v5
run 129 'do not fit into a guest of 512 MiB; add --memory 1300' --sizes 4,600 v0..v5
expect 129 'window-table' "$bisect" test --repo "$r" --permission read v5
run 129 'multiple of 4' --offset 3 v0..v5
# options that mean nothing together
plan 129 'bisect: --path cannot be together with --every-commit: ' --every-commit --path drivers v0..v5
run 129 'bisect: --disk counts with --guest disk alone, and this is --guest initramfs' --disk x.qcow2 v0..v5
one() { expect 129 "$1" "$bisect" test --repo "$r" "${@:2}" v5; }
one '^amdgpu-bisect: --window-table cannot be together with --exec: ' --exec /bin/true --window-table
one '^amdgpu-bisect: --probe-args cannot be together with --exec: ' --exec /bin/true --probe-args '--random 3'
one '^amdgpu-bisect: --permission cannot be together with --exec: ' --exec /bin/true --permission vma
one '^amdgpu-bisect: --sizes cannot be together with --exec: ' --exec /bin/true --sizes 4,16
one '^amdgpu-bisect: --offset cannot be together with --exec: ' --exec /bin/true --offset 4
one 'bisect: --kernel-evidence cannot be together with --exec: ' --exec /bin/true --kernel-evidence
one 'bisect: --kernel-evidence cannot be together with --window-table: ' --window-table --kernel-evidence
one 'bisect: --window-table cannot be together with --probe-args: the table is' --probe-args --patterns --window-table
one 'bisect: --permission cannot be together with --probe-args: say it inside' --probe-args --patterns --permission read
one 'bisect: --repeats cannot be together with --window-table: ' --window-table --repeats 3
run 129 'bisect: --sizes cannot be together with --exec: ' --exec /bin/true --sizes 4,16 v0..v5
printf '[probe]\n\texec = /bin/true\n\tsizes = 4,16\n' >"$work/both.conf"
run 129 'both.conf: probe.sizes cannot be together with .*both.conf: probe.exec: ' --config "$work/both.conf" v0..v5
printf '[probe]\n\tsizes = 4,16\n\toffset = 8\n' >"$work/copies.conf"
one 'nothere: no such file' --config "$work/copies.conf" --exec nothere
cd "$work"
printf '[build]\n\tscop = unit\n' >bisect.conf
plan 129 "unknown key 'build.scop', did you mean 'build.scope'" v0..v5
printf '[build\n' >bisect.conf
plan 129 'bisect.conf' v0..v5
printf '[build]\n\tscope = banana\n' >bisect.conf
plan 129 'bisect.conf: build.scope.*not one of' v0..v5
printf '[bisect]\n\tgood = v0\n\tbad = v5\n[build]\n\tscope = module\n' >bisect.conf
plan 0 ''
"$bisect" plan --repo "$r" --scope unit --show-config >"$work/shown"
grep -qE '^build.scope +unit +flag$' "$work/shown" || fail "flag does not win: $(cat "$work/shown")"
grep -qE '^bisect.good +v0 +bisect.conf$' "$work/shown" || fail "origin of a file's value"
grep -qE '^build.cc +gcc +default$' "$work/shown" || fail "origin of a default"
rm bisect.conf
expect 129 'cannot|no such|nothere' "$bisect" plan --config nothere.conf v0..v5
expect 129 'no command' "$bisect" frobnicate
expect 129 "' .31m' is no command" "$bisect" "$(printf '\033[31m')"
expect 129 '.' "$bisect" test
expect 129 'want revisions' "$bisect" build --repo "$r"
expect 129 'nonsense' "$bisect" build --repo "$r" v0 nonsense
expect 129 'unknown option' "$bisect" build --repo "$r" --accel tcg v0
expect 129 'none' "$bisect" build --repo "$r" --source "$work/none" --idle v0
expect 129 'repository' "$bisect" build --repo "$work/none" v0
expect 129 'no run' "$bisect" report
expect 129 'no run' "$bisect" status nosuchrun
expect 129 'no run' "$bisect" resume

# a run's file that is damaged: nothing to go on with, so the advice is to start again, and only that
mkdir "$work/damaged"
head -c 5000 /dev/urandom >"$work/damaged/run.db"
for c in status report resume; do
	expect 128 'start the run again' "$bisect" "$c" "$work/damaged"
	grep -q 'go on with' "$work/err" && fail "$c of a damaged run says to go on with it"
done

# what a compiler or a guest said is text from outside
printf 'trial test %s skip build it \033[31msays \342\200\256this\n' "$(git -C "$r" rev-parse v1)" |
	"$2" "$work/said" || fail "make-run"
"$bisect" status "$work/said" >"$work/out" || fail "status of a run with odd text"
grep -q 'it ?\[31msays ?this' "$work/out" || fail "status prints text as it is: $(cat -v "$work/out")"

# no HOME: the user's own directory is meant, whoever that is
if [ "$(id -u)" = 0 ] && setpriv --reuid "$(id -u nobody)" --clear-groups test -x "$bisect" 2>/dev/null; then
	expect 129 "below $(getent passwd nobody | cut -d: -f6)/" env -u HOME -u XDG_STATE_HOME -u XDG_CACHE_HOME \
		setpriv --reuid "$(id -u nobody)" --clear-groups "$bisect" status nosuchrun
fi

# the question: a fix, other words, hints, doubt
plan 0 '' --find fix v0..v5
plan 129 'BAD\.\.GOOD or --bad' --find fix --good v5
plan 129 "not one of regression.fix" --find banana v0..v5
plan 129 "two revisions with --bad, 'v5' and 'v4'" --good v0 --bad v5 --bad v4
plan 129 "two revisions with --good" --find fix --bad v0 --good v5 --good v4
plan 0 '' --find fix --bad v0 --bad v1 --good v5
plan 129 "are both 'same'" --term-old same --term-new same v0..v5
plan 129 "'skip' is a command of git bisect" --term-old skip v0..v5
plan 129 "'bad' means the other state" --term-old bad v0..v5
plan 129 "'good' means the other state" --term-new good v0..v5
plan 129 "'bad' means the other state" --find fix --term-new bad v0..v5
plan 129 "'a b' is no word" --term-new 'a b' v0..v5
plan 129 "'..' is no word" --term-new '..' v0..v5
plan 129 'swap the two' --term-old slow --term-new fast v5..v0
plan 129 'no number from 0 to 0.45' --flaky 0.5 v0..v5
plan 129 'no number from 0 to 0.45' --flaky lots v0..v5
plan 129 'no number from 0.5 to 0.9999' --confidence 1 v0..v5
plan 129 'no number from 0.5 to 0.9999' --confidence 0.4 v0..v5
plan 129 'four places' --confidence 0.99999 v0..v5
plan 129 'whole number from 1 to 64' --workers 0 v0..v5
plan 129 'whole number from 1 to 64' -W 65 v0..v5
plan 0 '' -W 64 v0..v5
plan 129 "suspect: 'nobody' names no commit" --suspect nobody v0..v5
plan 0 '' --suspect side --suspect-file no/such/file --suspect-function no_such v0..v5
plan 129 'not one of on.off' --walk-cache maybe v0..v5
plan 129 'not one of text.json.dot' --format html v0..v5
expect 129 'not one of text.json$' "$bisect" status --format html
run 129 'control character' --append "$(printf 'a\033b')" v0..v5
plan 129 'control character' --path "$(printf 'a\nb')" v0..v5
plan 129 'the value is empty' --term-new '' v0..v5
plan 129 "unknown option '--limit'" --limit 3 v0..v5

# the kernel that candidates are built for
run 129 'linux-source|source' --source "$work/nosource" v0..v5
printf 'CONFIG_X=y\n' >"$work/config"
run 129 'config' --kconfig "$work/nothere" v0..v5
run 129 'linux-headers|release|9\.9' --release 9.9.9-none v0..v5

# the disk, rights
if [ "$(id -u)" = 0 ]; then
	mkdir "$work/full"
	if mount -t tmpfs -o size=64k tmpfs "$work/full" 2>/dev/null; then
		head -c 60000 /dev/zero >"$work/full/fill" 2>/dev/null || true
		ASAN_OPTIONS=$no_leaks expect 128 'space' "$bisect" run --repo "$r" --dir "$work/full/run" v0..v5
		umount "$work/full"
	else
		echo "note: no tmpfs can be mounted here; the full disk is tested in the store's unit test"
	fi
fi
XDG_CACHE_HOME=/proc/nothere expect 128 '/proc' "$bisect" run --repo "$r" --dir "$work/run1" v0..v5
ASAN_OPTIONS=$no_leaks expect 129 '.' "$bisect" run --repo "$r" --connect nonsense:///x --dir "$work/run2" v0..v5
[ -e "$work/run2" ] && fail "a wrong option made a run"

# output that cannot be written
if [ -e /dev/full ]; then
	rc=0
	"$bisect" plan --repo "$r" v0..v5 >/dev/full 2>"$work/err" || rc=$?
	[ "$rc" = 128 ] || fail "plan to a full device gave $rc"
	for c in --help --version 'plan --help' 'plan --show-config'; do
		rc=0
		# shellcheck disable=SC2086
		"$bisect" $c >/dev/full 2>"$work/err" || rc=$?
		[ "$rc" = 128 ] || fail "$c to a full device gave $rc"
	done
	ln -s /dev/full "$work/full-device"
	plan 128 'full' --output "$work/full-device" v0..v5
	[ -c /dev/full ] || fail "--output replaced a device by a file"
fi
rc=0
"$bisect" plan --repo "$r" v0..v5 >&- 2>"$work/err" || rc=$?
[ "$rc" = 128 ] || fail "plan without a standard output gave $rc"

# Without the three standard files the answer is the same exit code.
(
	exec <&- >&- 2>&-
	ASAN_OPTIONS=$no_leaks "$bisect" run --repo "$r" --connect nonsense:///x --dir "$work/closed" v0..v5
) || rc=$?
[ "$rc" = 129 ] || fail "run without standard files gave $rc"
[ -e "$work/closed" ] && fail "a wrong option made a run"

# patches for old commits
p=$work/fix.patch
printf -- '--- a/%s/amdgpu/a.c\n+++ b/%s/amdgpu/a.c\n@@ -1 +1 @@\n-int x = 0;\n+int x = 9;\n' "$driver" "$driver" >"$p"
plan 0 '' --apply "$p" v0..v5
plan 0 '' --apply "$p if-has v1 unless-has v3" --apply side v0..v5
plan 129 "no/such.patch is no file, and 'no/such.patch' names no commit" --apply no/such.patch v0..v5
plan 129 "if-has: 'v77' names no commit" --apply "$p if-has v77" v0..v5
plan 129 'ends with unless-has; name a revision' --apply "$p unless-has" v0..v5
plan 129 'names no patch' --apply 'if-has v1' v0..v5
plan 129 'is a directory, and' --apply "$work" v0..v5
printf 'no diff\n' >"$work/text"
plan 129 'text: there is no diff in it' --apply "$work/text" v0..v5
head -n 4 "$p" >"$work/cut.patch"
plan 129 'line 5 is missing: the patch ends in the middle of a hunk' --apply "$work/cut.patch" v0..v5
printf 'diff --git a/x b/x\nGIT binary patch\nliteral 0\n' >"$work/binary.patch"
plan 129 'line 2 changes a binary file' --apply "$work/binary.patch" v0..v5
sed "s,$driver,../..,g" "$p" >"$work/out.patch"
plan 129 'leaves the tree' --apply "$work/out.patch" v0..v5
sed "s,$driver/amdgpu/a.c,include/linux/hmm.h,g" "$p" >"$work/outside.patch"
plan 129 'add --path include/linux/hmm.h, or --tree whole' --apply "$work/outside.patch" v0..v5
plan 0 '' --tree whole --apply "$work/outside.patch" v0..v5
finish
