#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The manual names every option and key the program has, and the README's commands exist.
. "$(dirname "$0")/lib.sh"
src=$(cd "$(dirname "$0")/../.." && pwd)
man=$(cat "$src/docs/man/amdgpu-bisect.1")
low=${man,,}
for c in plan run resume prove validate gate status test build image report replay log visualize audit doctor demo; do
	"$bisect" "$c" --help >"$work/help" || fail "$c --help"
	grep -o -- '--[a-z][a-z-]*' "$work/help" | sort -u | while read -r flag; do
		[[ $man == *"${flag//-/\\-}"* ]] || echo "$c $flag"
	done >"$work/missing"
	[ -s "$work/missing" ] && fail "not in the manual: $(tr '\n' ' ' <"$work/missing")"
	"$bisect" "$c" --show-config | awk '{print $1}' | sort -u | while read -r key; do
		[[ $low == *"${key,,}"* ]] || echo "$key"
	done >"$work/missing"
	[ -s "$work/missing" ] && fail "keys not in the manual: $(tr '\n' ' ' <"$work/missing")"
	grep -q "^\.B $c$\|^\.B amdgpu-bisect $c" "$src/docs/man/amdgpu-bisect.1" || fail "$c is not in the manual"
done
man --warnings -l "$src/docs/man/amdgpu-bisect.1" 2>"$work/warn" >/dev/null || true
[ -s "$work/warn" ] && fail "man warns: $(cat "$work/warn")"
finish
