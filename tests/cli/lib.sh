# SPDX-License-Identifier: GPL-2.0-or-later
# What the command-line tests share: a scratch place, small real repositories, and expectations.
# shellcheck shell=bash
set -euo pipefail

bisect=${1:?usage: TEST PROGRAM}
work=$(mktemp -d "${TMPDIR:-/tmp}/amdgpu-bisect-test.XXXXXX")
trap 'chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/state
export XDG_CACHE_HOME=${E2E_CACHE:-$work/cache}
export GIT_CONFIG_GLOBAL=$work/gitconfig GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid
export GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@example.invalid
# Or fast-import gives its memory back at each commit, to get it anew: most of its time.
export MALLOC_TRIM_THRESHOLD_=134217728 MALLOC_TOP_PAD_=1048576 MALLOC_MMAP_THRESHOLD_=33554432
printf '[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n[maintenance]\n\tauto = false\n' \
	>"$GIT_CONFIG_GLOBAL"
failures=0
driver=drivers/gpu/drm/amd

fail() {
	printf 'FAIL: %s\n' "$*"
	failures=$((failures + 1))
}

# A linear repository whose commits touch the driver: $1 directory, $2 number of commits, tagged v0...
make_repo() {
	local dir=$1 n=$2 i
	git init -q "$dir"
	mkdir -p "$dir/$driver/amdgpu"
	for ((i = 0; i < n; i++)); do
		printf 'int x = %d;\n' "$i" >"$dir/$driver/amdgpu/a.c"
		git -C "$dir" add -A
		git -C "$dir" commit -qm "drm/amdgpu: step $i"
		git -C "$dir" tag "v$i"
	done
}

# expect CODE REGEX COMMAND...: exit code, exactly one line on stderr (warnings aside) that matches.
# By bash alone: four programs for each line would cost as much as the one that is tested.
expect() {
	local code=$1 regex=$2 rc=0 lines=0 line last='' matches=''
	shift 2
	"$@" >"$work/out" 2>"$work/err" || rc=$?
	while IFS= read -r line || [ -n "$line" ]; do
		[ -z "$line" ] || lines=$((lines + 1))
		[[ $line =~ $regex ]] && matches=yes
		last=$line
	done <"$work/err"
	if [ "$rc" != "$code" ]; then
		fail "$* gave $rc, want $code: $(head -c 600 "$work/err")"
	elif [ "$code" != 0 ] && [ -z "$matches" ]; then
		fail "$*: '$(cat "$work/err")' does not match '$regex'"
	elif [ "$code" -ge 128 ] && [ "$lines" -gt 2 ]; then
		fail "$*: $lines lines of error, want one: $(cat "$work/err")"
	else
		printf 'ok   %3s  %s\n' "$rc" "${last:0:160}"
	fi
}

finish() {
	[ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
	echo "all as expected"
}
