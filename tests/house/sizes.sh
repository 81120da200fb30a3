#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sizes at which a file or room has to be split by meaning (docs/hacking.md).
set -euo pipefail
cd "${1:?usage: sizes.sh SOURCE-DIRECTORY}"
bad=0
while read -r n f; do
	case $f in
	total) continue ;;
	*.c) [ "$n" -le 800 ] || { echo "$f: $n lines, 800 at most"; bad=1; } ;;
	*.h) [ "$n" -le 300 ] || { echo "$f: $n lines, 300 at most"; bad=1; } ;;
	esac
done < <(find bisect reports guest-agent -name '*.[ch]' -exec wc -l {} + | awk '{print $1, $2}')
for room in $(find bisect reports guest-agent -type d | sort); do
	# Commands do not know of each other: they are no part of a whole, like a room's files are.
	n=$(find "$room" -maxdepth 1 -name '*.[ch]' ! -name 'cmd*' ! -name main.c -exec cat {} + | wc -l)
	[ "$n" -le 2500 ] || { echo "$room: $n lines, 2500 at most"; bad=1; }
done
# Longest functions: from a line that opens a body in column 0 to the one that closes it.
while read -r n where; do
	[ "$n" -le 100 ] || { echo "$where: a function of $n lines, 100 at most"; bad=1; }
done < <(find bisect reports guest-agent -name '*.c' -exec awk '
	FNR == 1 { start = 0 }
	/^\{/ { start = FNR }
	/^\}/ { if (start) print FNR - start - 1, FILENAME ":" start; start = 0 }' {} + | sort -rn | head -20)
[ "$bad" = 0 ] && echo "sizes: all within bounds"
exit "$bad"
