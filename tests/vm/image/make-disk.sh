#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The disk that vm/disk boots, of this machine's release and without HIP: made unless one of the same inputs is
# there. What cannot be had here (root, a program, the archive) leaves it out and says so; else it must work.
set -euo pipefail
recipe=${1:?usage: make-disk.sh DISK-GUEST DIRECTORY}
dir=${2:?usage: make-disk.sh DISK-GUEST DIRECTORY}

mkdir -p "$dir"
rm -f "$dir/path" "$dir/why"
rc=0
disk=$("$recipe" --no-hip --dir "$dir" 2> >(tee "$dir/log" >&2)) || rc=$?
case $rc in
0) printf '%s' "$disk" >"$dir/path"; exit 0 ;;
129) ;;
*) grep -q 'packages cannot be fetched' "$dir/log" || exit "$rc" ;;
esac
tail -n 1 "$dir/log" >"$dir/why"
exit 77
