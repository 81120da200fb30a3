# SPDX-License-Identifier: GPL-2.0-or-later
# A libvirt daemon of the test's own: its files lie in a directory that only its process sees as /etc/libvirt
# and so on, so that one that the machine has is left alone. Its QEMU runs as nobody.
# shellcheck shell=bash
set -euo pipefail

once=${1:?usage: TEST REMOTE-ONCE AGENT PROBE IDLE-KERNEL}
agent=${2:?}
probe=${3:?}
idle=${4:?}
daemon=$(PATH=$PATH:/usr/sbin:/sbin command -v libvirtd) || { echo "no libvirtd here"; exit 77; }
[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null ||
	{ echo "a daemon of its own wants root and mounts"; exit 77; }

work=$(mktemp -d "${TMPDIR:-/tmp}/amdgpu-bisect-remote.XXXXXX")
private=$work/private # nothing below is for anybody else: agent, cache and logs
uri="qemu:///system?socket=$work/run/libvirt-sock"
pool=$work/lib/amdgpu-bisect # as the test sees it
sshd_pid=''
chmod 711 "$work"
mkdir -m 700 "$private"

die() { printf 'FAIL: %s\n' "$*" >&2; exit 1; }

# QEMUs of this test's daemon: only they see its directory as libvirt's.
qemus() {
	local pid
	for pid in $(pgrep -f 'qemu-system-x86_64 .*guest=ab-' || true); do
		grep -qF " ${work#"$(stat -c %m "$work" | sed 's#/$##')"}/lib " "/proc/$pid/mountinfo" 2>/dev/null && echo "$pid"
	done
	return 0
}

daemon_pid() { cat "$work/run/pid" 2>/dev/null || true; }

daemon_start() {
	unshare -m --propagation private bash -c '
		set -e
		for p in etc:/etc/libvirt lib:/var/lib/libvirt cache:/var/cache/libvirt \
			log:/var/log/libvirt run:/run/libvirt; do
			mkdir -p "${p#*:}"
			mount --bind "$1/${p%%:*}" "${p#*:}"
		done
		exec "$2" -f /etc/libvirt/libvirtd.conf -p "$1/run/pid"' - "$work" "$daemon" \
		</dev/null >>"$work/daemon.log" 2>&1 &
	disown # its death is no news
	for _ in $(seq 200); do
		[ -S "$work/run/libvirt-sock" ] && kill -0 "$(daemon_pid)" 2>/dev/null && return 0
		sleep 0.1
	done
	cat "$work/daemon.log" >&2
	die "the daemon does not start"
}

# As a crash does: guests go on, nobody is told.
daemon_kill() {
	local pid
	pid=$(daemon_pid)
	kill -9 "$pid"
	while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
	rm -f "$work"/run/libvirt-* "$work/run/pid"
}

finish() {
	local pid
	for pid in $(qemus) $(daemon_pid) $sshd_pid; do kill -9 "$pid" 2>/dev/null || true; done
	wait 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT

mkdir -p "$work"/{etc,lib,cache,log,run}
cat >"$work/etc/libvirtd.conf" <<CONF
unix_sock_dir = "/run/libvirt"
unix_sock_rw_perms = "0700"
auth_unix_rw = "none"
auth_unix_ro = "none"
CONF
# Where /dev/kvm is not for its QEMU, libvirt takes what it knows of QEMU for outdated, and asks it 13 times a guest.
group=$(stat -c %G /dev/kvm 2>/dev/null || id -gn nobody)
cat >"$work/etc/qemu.conf" <<CONF
user = "nobody"
group = "$group"
stdio_handler = "file"
namespaces = []
cgroup_controllers = []
CONF

# try LABEL: one trial; its last line is how it ended.
try() {
	"$once" "$agent" "$probe" "$1" "$private/$1" "$private/cache" "$uri" \
		2>"$private/$1.progress"
}

# short: one whose guest says one line.
short() { KERNEL=$idle BOOT_MS=1000 try short; }

# begin MS: a trial in the background whose guest says one line and nothing more for so long; $trial is its
# pid, $guest QEMU's.
begin() {
	rm -rf "$private/idle"
	KERNEL=$idle BOOT_MS=$1 try idle >"$work/idle.end" &
	trial=$!
	for _ in $(seq 600); do
		grep -q 'Linux version 0.0.0-idle' "$private/idle/console.log" 2>/dev/null && break
		kill -0 "$trial" 2>/dev/null || die "it ended too early: $(cat "$work/idle.end")"
		sleep 0.1
	done
	guest=$(qemus)
	[ -n "$guest" ] || die "no guest: $(cat "$private/idle.progress")"
}

expect() { # TEXT PATTERN
	# shellcheck disable=SC2254
	case $1 in $2) echo "$1" ;; *) die "'$1' is not '$2'" ;; esac
}

no_guest() {
	for _ in $(seq 100); do
		[ -z "$(qemus)" ] && return 0
		sleep 0.1
	done
	die "a guest is left: $(qemus)"
}

volumes() { find "$pool" -type f -name 'amdgpu-bisect-*-????????' | sort; }
