#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# static.sh clang-tidy|cppcheck|format SOURCE BUILD: the checks that need no running program.
set -euo pipefail
what=$1
src=$2
build=$3
cd "$src"
have() { command -v "$1" >/dev/null || { echo "SKIP: $1 is not installed; ./quickstart packages test"; exit 77; }; }

case $what in
clang-tidy)
	have clang-tidy
	mapfile -t files < <(find bisect reports guest-agent/agent guest-agent/probes -name '*.c' | sort)
	# The path analysis is nine tenths of the time, minutes of it: TIDY_DEEP=1, before a release.
	depth=(--checks='-clang-analyzer-*')
	[ -z "${TIDY_DEEP:-}" ] || depth=()
	printf '%s\n' "${files[@]}" | xargs -P "${TIDY_JOBS:-$(nproc)}" -n 8 clang-tidy -p "$build" --quiet \
		--warnings-as-errors='*' "${depth[@]}" 2>/dev/null
	;;
cppcheck)
	have cppcheck
	cppcheck --quiet --enable=warning,performance,portability --error-exitcode=1 --inline-suppr \
		--std=c11 -D_GNU_SOURCE -I bisect -I . -j "$(nproc)" \
		--suppressions-list=tests/house/cppcheck.suppress \
		bisect reports guest-agent/agent guest-agent/probes
	;;
esac
echo "$what: nothing found"
