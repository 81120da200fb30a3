# SPDX-License-Identifier: GPL-2.0-or-later
# What the whole-program tests share: they use one cache (kernel tree, guest image), one at a time.
# shellcheck shell=bash
set -euo pipefail

bisect=${1:?usage: TEST PROGRAM CACHE}
export XDG_CACHE_HOME=${2:?usage: TEST PROGRAM CACHE}
mkdir -p "$XDG_CACHE_HOME"
work=$(mktemp -d "${TMPDIR:-/tmp}/amdgpu-bisect-e2e.XXXXXX")
export XDG_STATE_HOME=$work/state
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=$work/gitconfig
git config --file "$work/gitconfig" advice.detachedHead false
# Everything this test started ends with it; then nothing of it may be left.
trap 'rm -rf "$work"' EXIT

die() { printf 'FAIL: %s\n' "$*" >&2; exit 1; }

# answer DIR: the planted commit of a demo; culprit RUN: the commit a run named.
answer() { sed -n 's/^culprit=//p' "$1/answer"; }

# demo_history DIR OPTION...: only the history of a demo; its run is ended as soon as it begins.
demo_history() {
	local dir=$1 pid
	shift
	"$bisect" demo --dir "$dir" "$@" >"$work/out" 2>"$work/err" &
	pid=$!
	for _ in $(seq 3000); do
		[ -e "$dir/run/run.db" ] && break
		kill -0 "$pid" 2>/dev/null || die "the demo ended early: $(cat "$work/err")"
		sleep 0.2
	done
	kill -KILL "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
	[ -n "$(answer "$dir")" ] || die "no answer was kept"
}

json() { python3 -c 'import json,sys
v=json.load(open(sys.argv[1]))
for k in sys.argv[2].split("."):
    v=v[int(k)] if isinstance(v,list) else v[k]
print(v)' "$@"; }
