#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# skips.sh [EVERY [BUILD]]: how many trials git bisect takes on 502 commits of which 109, in three intervals,
# cannot be tested: the layouts of tests/unit/search/test_blocks.c, every EVERYth culprit (20) that can be
# told. With BUILD, the trials of this project's search beside it, for all culprits.
set -euo pipefail
every=${1:-20}
build=${2:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export HOME=$tmp GIT_CONFIG_NOSYSTEM=1
commits=502

for ((i = 0; i <= commits; i++)); do
	printf 'commit refs/heads/main\nmark :%d\n' $((i + 1))
	printf 'committer C <c@example.org> %d +0000\n' $((1700000000 + i))
	printf 'data <<END\n%d\nEND\n' $((i - 1)) # the commit before the first candidate is -1
	((i == 0)) || printf 'from :%d\n' "$i"
	printf '\n'
done >"$tmp/stream"
git init -q --bare "$tmp/repo"
git -C "$tmp/repo" fast-import --quiet <"$tmp/stream"
git -C "$tmp/repo" symbolic-ref HEAD refs/heads/main

cat >"$tmp/try" <<'END'
#!/usr/bin/env bash
echo >>"$TRIALS"
n=$(git log -1 --format=%s BISECT_HEAD)
for i in $BLOCKED; do
	((n >= ${i%+*} && n < ${i%+*} + ${i#*+})) && exit 125
done
((n < CULPRIT))
END
chmod +x "$tmp/try"

trials() { # prints how many trials git takes for $CULPRIT with $BLOCKED
	export TRIALS=$tmp/trials
	: >"$TRIALS"
	git -C "$tmp/repo" bisect start --no-checkout main "main~$commits" >/dev/null
	git -C "$tmp/repo" bisect run "$tmp/try" >"$tmp/log" 2>&1 || true
	git -C "$tmp/repo" bisect reset >/dev/null 2>&1
	wc -l <"$TRIALS"
}

# Neither in an interval nor the first commit after one.
can_be_told() {
	local i
	for i in $BLOCKED; do
		(($1 >= ${i%+*} && $1 <= ${i%+*} + ${i#*+})) && return 1
	done
	return 0
}

for BLOCKED in '65+36 230+37 400+36' '84+36 251+37 418+36' '120+36 200+37 440+36'; do
	for ((CULPRIT = 7; CULPRIT < commits; CULPRIT += every)); do
		can_be_told "$CULPRIT" || continue
		export CULPRIT BLOCKED
		with=$(trials)
		without=$(BLOCKED='' trials)
		echo "$with $without"
	done >"$tmp/counts"
	awk -v what="$BLOCKED" '
		{ d = $1 - $2; n++; with += $1; more += d; over += d > 3 }
		n == 1 || d > most { most = d }
		END { printf "git bisect, %s: %.2f trials, %.2f more than without skips, at most %d, %d of %d over 3\n",
		      what, with / n, more / n, most, over, n }' "$tmp/counts"
done
[ -z "$build" ] || "$build/tests/unit/search/test-search-blocks" 2>&1 | grep 'trials'
