#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Guests of a user's own daemon, qemu:///session: libvirt starts it, and it needs no right but to run QEMU. The
# user is nobody, with a home and a runtime directory of the test's own.
set -euo pipefail
once=${1:?usage: session.sh REMOTE-ONCE AGENT PROBE IDLE-KERNEL}
PATH=$PATH:/usr/sbin:/sbin
command -v libvirtd >/dev/null || { echo "no libvirtd here"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "becoming another user wants root"; exit 77; }

work=$(mktemp -d "${TMPDIR:-/tmp}/ab-session.XXXXXX") # sockets have long names as it is
die() { printf 'FAIL: %s\n' "$*" >&2; exit 1; }
# Nobody's daemons that were started for this home.
daemons() {
	local pid
	for pid in $(pgrep -u nobody 'libvirtd|virtlogd' || true); do
		grep -qzx "HOME=$work" "/proc/$pid/environ" 2>/dev/null && echo "$pid"
	done
	return 0
}
finish() {
	local pid
	for pid in $(daemons); do kill -9 "$pid" 2>/dev/null || true; done
	rm -rf "$work"
}
trap finish EXIT
# A root's daemon that was killed leaves the locks of its consoles, and nobody may not take them away.
for lock in /var/lock/LCK.._pts_*; do
	[ -f "$lock" ] && ! kill -0 "$(tr -cd 0-9 <"$lock")" 2>/dev/null && rm -f "$lock"
done
cp "$@" "$work/"
mkdir -m 700 "$work/run"
chown -R nobody "$work"
chmod 755 "$work"
here() { printf '%s/%s' "$work" "${1##*/}"; }
# try LABEL: as nobody; its last line is how it ended.
try() {
	setpriv --reuid nobody --regid nogroup --clear-groups env HOME="$work" XDG_RUNTIME_DIR="$work/run" \
		XDG_CACHE_HOME="$work/cache" XDG_CONFIG_HOME="$work/config" KERNEL="$(here "$4")" BOOT_MS=1000 CORE=on \
		"$(here "$once")" "$(here "$2")" "$(here "$3")" "$5" "$work/$5" "$work/cache" qemu:///session \
		2>"$work/progress" || cat "$work/progress" >&2
}
end=$(try "$@" one)
case $end in 'no-boot: '*0.0.0-idle*'see vmcore'*) ;; *) die "$end" ;; esac
[ "$(head -c 12 "$work/one/vmcore")" = makedumpfile ] || die "no memory came"
[ "$(stat -c %U "$work/one/vmcore")" = nobody ] || die "another user's"
sent=$(find "$work/cache/pool" -type f | sort)
end=$(try "$@" two)
case $end in 'no-boot: '*) ;; *) die "$end" ;; esac
[ "$(find "$work/cache/pool" -type f | sort)" = "$sent" ] || die "sent again, or left there: $sent"
pgrep -f "qemu-system.*guest=ab-.*$work" && die "a guest is left"
echo "a user's own daemon: $end"
