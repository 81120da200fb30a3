#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The main job: a history of 64 commits, bisected in guests, the planted commit named and proven.
# Then plain `git bisect run amdgpu-bisect test HEAD` on the same history finds the same commit, and
# the window law's table holds in every row.
. "$(dirname "$0")/lib.sh"
d=$work/demo

# The time of 8 MiB rw-p resident, all of it, in a window-law table.
row_ms() { awk '/^rw-p resident +8 MiB +aligned +0,1,2,3 / { sub(/ *\(.*/, ""); print $NF; exit }' "$1"; }

"$bisect" demo --seed 11 --dir "$d" || die "the demo gave $?"
want=$(answer "$d")
[ -n "$want" ] || die "no answer was kept"
"$bisect" report "$d/run" --format json >"$work/report.json"
[ "$(json "$work/report.json" culprit.commit)" = "$want" ] || die "report names another commit"
[ "$(json "$work/report.json" culprit.proof.parents_good.state)" = shown ] || die "parents not shown good"
[ "$(json "$work/report.json" culprit.proof.itself_bad.state)" = shown ] || die "culprit not shown bad"
"$bisect" report "$d/run" --format html >"$work/report.html"
"$bisect" status "$d/run" | grep -q "^culprit *$want" || die "status does not know the culprit"
grep -q "$want" <("$bisect" report "$d/run") || die "text report does not name the culprit"
"$bisect" resume "$d/run" >"$work/again" || die "resume of a finished run gave $?"
grep -q "$want" "$work/again" || die "resume of a finished run does not name the culprit"
[ "$(git -C "$d/linux" rev-list --count HEAD)" = 65 ] || die "not 65 commits"
[ "$(git -C "$d/linux" rev-list --merges --count HEAD)" -ge 3 ] || die "fewer than three merges"
[ -z "$(git -C "$d/linux" status --porcelain)" ] || die "the work tree is not clean"
git -C "$d/linux" fsck --no-progress 2>&1 | grep -v dangling && die "git fsck complains"

# The window law on the culprit, as a table; on its parent no copy takes a window.
"$bisect" test --repo "$d/linux" --window-table "$want" >"$work/table" || die "a row differs: $(cat "$work/table")"
cat "$work/table"
grep -q '9 rows, 0 differ; copies take whole windows' "$work/table" || die "the table is short"
for windows in 5 4 2 1; do
	awk -v w="$windows" '{ sub(/ *\(.*/, "") } $0 ~ /rw-p resident/ && $(NF-1) == w { n++ } END { exit !n }' "$work/table" ||
		die "no row of $windows windows"
done
"$bisect" test --repo "$d/linux" --window-table --permission read "$want" >"$work/table" || die "read: a row differs"
grep -q 'no copy took a whole window' "$work/table" || die "windows although only read was asked for"
"$bisect" test --repo "$d/linux" --window-table "$want^" >"$work/table" || die "the parent: a row differs"
grep -q 'no copy took a whole window' "$work/table" || die "the parent takes windows"
# The law on what nobody picked: random sizes, starts and presence.
"$bisect" test --repo "$d/linux" --probe-args '--random 12 --seed 7' "$want" >"$work/table" || die "a random row differs: $(cat "$work/table")"
grep -q '12 rows, 0 differ; copies take whole windows' "$work/table" || die "the random table: $(cat "$work/table")"

cd "$d/linux"
good=$(git rev-list --max-parents=0 HEAD)
git bisect start HEAD "$good" >/dev/null
PATH=$(dirname "$bisect"):$PATH git bisect run amdgpu-bisect test --quiet HEAD >"$work/git.log" 2>&1 ||
	die "git bisect run: $(tail -n 5 "$work/git.log")"
grep -q "^$want is the first bad commit" "$work/git.log" || die "git found another: $(tail -n 20 "$work/git.log")"
echo "git bisect run named $want as well"
