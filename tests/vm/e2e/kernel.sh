#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Scope kernel: a history that changes mm/hmm.c and its header too. Each candidate's own kernel is built,
# by a trimmed config, and booted; the planted commit is named and proven. The same again builds nothing.
. "$(dirname "$0")/lib.sh"
d=$work/demo

# Of the run's builds: how many came from the cache, how many were made, and how long each of these took [s].
builds() {
	python3 - "$1/run.db" <<'END'
import sqlite3, sys
rows = list(sqlite3.connect(sys.argv[1]).execute(
    "SELECT detail, elapsed_ns FROM stage WHERE stage = 'build' ORDER BY id"))
made = [ns / 1e9 for detail, ns in rows if detail == "built"]
print(sum(detail == "cached" for detail, _ in rows), len(made), *(f"{s:.1f}" for s in made))
END
}
demo() { "$bisect" demo --touch-core --commits 32 --seed 6 --no-prove --dir "$d" "$@" >"$work/out" 2>"$work/err"; }

demo || die "the demo gave $?: $(tail -n 5 "$work/err") $(tail -n 20 "$work/out")"
want=$(answer "$d")
[ "$(json "$d/run/report.json" culprit.commit)" = "$want" ] || die "another commit is named: $(cat "$work/out")"
grep -q '^.*scope kernel, because of --touch-core' "$work/err" || die "the scope is not said: $(cat "$work/err")"
read -r _ made first rest < <(builds "$d/run")
[ "$made" -ge 1 ] || die "nothing was built"

# What was booted is the candidate's: each guest's kernel is an artifact, and not the same for all.
booted=0
touched=0
for xml in "$d"/run/candidates/*/*/domain.xml; do
	image=$(sed -n 's:.*<kernel>\(.*\)</kernel>.*:\1:p' "$xml")
	case $image in
	"$(realpath "$XDG_CACHE_HOME")"/amdgpu-bisect/guest/*) die "$xml: the distribution's kernel was booted" ;;
	"$(realpath "$XDG_CACHE_HOME")"/amdgpu-bisect/*) ;;
	*) die "$xml: $image is no artifact" ;;
	esac
	readelf -h "$image" | grep -q 'Type: *EXEC' || die "$image is no vmlinux"
	sha256sum <"$image" >>"$work/images"
	booted=$((booted + 1))
	commit=$(basename "$(dirname "$(dirname "$xml")")")
	# What a proof makes is no part of the history.
	git -C "$d/linux" cat-file -e "$commit" 2>/dev/null || continue
	files=$(git -C "$d/linux" diff-tree --no-commit-id --name-only -r "$commit")
	if grep -q '^\(mm/hmm.c\|include/linux/hmm.h\)$' <<<"$files"; then
		touched=$((touched + 1))
		grep -q '"hello"' "$(dirname "$xml")/agent.jsonl" || die "$commit changes the core, and no agent answered"
	fi
done
[ "$booted" -ge 4 ] || die "only $booted guests were started"
[ "$touched" -ge 1 ] || die "no commit that changes the core was booted"
[ "$(sort -u "$work/images" | wc -l)" -ge 2 ] || die "all guests booted one kernel"
# The function lies in the driver and what it calls in the kernel: both are the candidate's.
json "$d/run/report.json" culprit.proof.parents_good.state | grep -qx shown || die "parents not shown good"
echo "$booted guests, $touched of them by a commit that changes the core; first kernel $first s, then $rest s"

demo || die "the second run gave $?: $(tail -n 5 "$work/err")"
read -r cached made rest < <(builds "$d/run")
[ "$made" = 0 ] && [ "$cached" -ge 4 ] || die "the second run made $made builds ($rest s), $cached were cached"
echo "the same again: $cached builds, all from the cache"
