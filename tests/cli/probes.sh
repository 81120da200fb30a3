#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of docs/probes.md are whole: programs that compile and run, files and options that are taken.
. "$(dirname "$0")/lib.sh"
src=$(cd "$(dirname "$0")/../.." && pwd)
page=$src/docs/probes.md

# Below each heading "### ..." its files: "`NAME`:", and then a block that is indented by four blanks.
awk -v out="$work/page" '
	/^### / { n++; name = ""; system("mkdir -p " out "/" n); next }
	/^`[A-Za-z0-9._-]+`:$/ { name = n ? substr($0, 2, length($0) - 3) : ""; next }
	/^[^ ]/ { name = "" }
	name != "" && (/^    / || (/^$/ && begun[n, name])) {
		begun[n, name] = 1
		print substr($0, 5) >(out "/" n "/" name)
	}
	n && name == "" && /^    (cc|amdgpu-bisect) / { print substr($0, 5) >(out "/" n "/commands") }' "$page"
[ "$(find "$work/page" -name bisect.conf | wc -l)" = 3 ] || fail "want three examples with a bisect.conf"
make_repo "$work/r" 2
git -C "$work/r" tag v6.8 v0
git -C "$work/r" tag v6.9 v1
for kind in 'exit$' 'metric ' 'console '; do
	for d in "$work"/page/*/; do
		(cd "$d" && "$bisect" run --show-config) >"$work/shown" || continue
		rule=$(awk '$1 == "probe.rule" && $NF == "bisect.conf" { $1 = $2 = $NF = ""; print }' "$work/shown")
		[[ ${rule:-  exit} =~ ^\ *$kind ]] && continue 2
	done
	fail "no example for the rule $kind"
done

check() {
	local d=$1 key value exec args
	cd "$d"
	# each key is one that run has, and the file's value is the one that counts
	"$bisect" run --show-config >"$work/shown" 2>"$work/err" || { fail "$d: $(cat "$work/err")"; return; }
	git config --file bisect.conf --list | grep -v '^rule\.' >"$work/keys"
	while IFS='=' read -r key value; do
		awk -v k="$key" -v v="$value" '$1 == k && $2 == v && $NF == "bisect.conf" { ok = 1 } END { exit !ok }' \
			"$work/shown" || fail "$key = $value is not what counts: $(grep "^$key " "$work/shown")"
	done <"$work/keys"
	[ "$(git config --file bisect.conf --list | grep -c '^rule\.')" = "$(grep -c '^probe.rule .*bisect.conf$' "$work/shown")" ] ||
		fail "$d: not every rule is taken"
	# the program
	if grep -q '^cc ' commands; then
		(set -e; eval "$(grep '^cc ' commands | sed 's/^cc /cc -Wall -Wextra -Werror /')") || fail "$d: does not compile"
	fi
	exec=$(git config --file bisect.conf probe.exec)
	args=$(git config --file bisect.conf probe.execargs || true)
	case $exec in
	*.sh)
		[ "$(head -n 1 "$exec")" = '#!/bin/sh' ] || fail "$exec begins otherwise than a script"
		sh -n "$exec" || fail "$exec is no script"
		chmod +x "$exec"
		# what it calls must be in sh itself: nothing else is packed
		rc=0
		PATH=/nowhere "./$exec" >"$work/out" 2>"$work/err" || rc=$?
		! grep -q 'not found' "$work/err" || fail "$exec calls what sh has not: $(cat "$work/err")"
		;;
	*)
		rc=0
		"./$exec" "$work/nothere" >"$work/out" 2>"$work/err" || rc=$?
		[ "$rc" = 125 ] || fail "$exec without its device gave $rc"
		"./$exec" /dev/null >"$work/out" || fail "$exec $args"
		tail -n 1 "$work/out" | grep -qxE '\{"metrics":\{"[a-z_]+":[0-9.]+\}\}' || fail "$exec says $(cat "$work/out")"
		grep -q "\"$(git config --file bisect.conf --get-regexp '^rule\..*\.metric$' | awk '{ print $2 }')\"" "$work/out" ||
			fail "$exec: another figure than the rule names"
		;;
	esac
	# the command is taken up to the kernel that it builds for
	while read -r command; do
		# shellcheck disable=SC2086
		expect 129 'nothere' "$bisect" ${command#amdgpu-bisect } --repo "$work/r" --source "$work/nothere"
	done < <(grep '^amdgpu-bisect ' commands)
}
for d in "$work"/page/*/; do check "$d"; done
cd "$work"

# every option that the page names is one
"$bisect" run --help >"$work/help"
"$bisect" test --help >>"$work/help"
grep -o -- '--[a-z][a-z-]*' "$page" | sort -u | while read -r flag; do
	[ "$flag" = --size ] && continue # an argument of a program there
	grep -q -- "$flag\b" "$work/help" || echo "$flag"
done >"$work/missing"
[ -s "$work/missing" ] && fail "no options: $(tr '\n' ' ' <"$work/missing")"
finish
