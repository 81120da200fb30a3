#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Guests of a libvirt daemon: nothing of ours can be read by its QEMU, the daemon dies, the controller
# dies; each trial ends in its right class, and nothing is left.
# shellcheck source=tests/vm/remote/lib.sh
. "$(dirname "$0")/lib.sh"

daemon_start

echo "files stay, half ones are sent anew, others are left alone"
expect "$(short)" 'no-boot: *0.0.0-idle*'
grep -q '^EIP=' "$private/short/registers.txt" || die "no registers by way of the daemon"
first=$(volumes)
[ "$(printf '%s\n' "$first" | wc -l)" = 2 ] || die "kernel and initramfs were to be sent, not $first"
echo mine >"$pool/amdgpu-bisect-notes"
expect "$(short)" 'no-boot: *'
[ "$(volumes)" = "$first" ] || die "what was there was sent again"
half=$(printf '%s\n' "$first" | head -n 1)
changed=$(printf '%s\n' "$first" | tail -n 1)
truncate -s 4096 "$half" && rm "$half.whole"
sleep 0.1
printf x | dd of="$changed" bs=1 conv=notrunc status=none
expect "$(short)" 'no-boot: *'
[ "$(volumes | wc -l)" = 4 ] || die "two files were to be sent anew: $(volumes)"
touch -d '-20 min' "$half" "$changed"
touch -d '-30 min' "$changed.whole"
expect "$(short)" 'no-boot: *'
[ "$(volumes | grep -cxF -e "$half" -e "$changed")" = 0 ] || die "dead uploads stay"
[ "$(cat "$pool/amdgpu-bisect-notes")" = mine ] || die "somebody else's file was touched"

echo "the memory of a guest in trouble comes here, and nothing of it stays there"
before=$(find "$pool" -type f | sort)
expect "$(CORE=on short)" 'no-boot: *see vmcore*'
[ "$(head -c 12 "$private/short/vmcore")" = makedumpfile ] || die "no memory came"
[ "$(find "$pool" -type f | sort)" = "$before" ] || die "left there: $(find "$pool" -type f)"
rm "$private/short/vmcore"

echo "a disk guest writes to a disk of its own there, which goes with it"
truncate -s 4M "$private/base"
expect "$(DISK=$private/base short)" 'no-boot: *'
grep -q '<driver name="qemu" type="qcow2"/>' "$private/short/domain.xml" || die "it had no disk of its own"
grep -qF "$private" "$private/short/domain.xml" && die "QEMU was given a path of ours"
sum=$(sha256sum <"$private/base")
[ "$(sha256sum <"$(find "$pool" -name "amdgpu-bisect-${sum%% *}-????????")")" = "$sum" ] || die "the base was written to"
[ "$(find "$pool" -name 'amdgpu-bisect-*-????????' -newer "$private/base" | wc -l)" = 1 ] ||
	die "the base alone was to be sent and to stay: $(ls -l "$pool")"

echo "a guest without a path of ours"
expect "$(try none)" 'done: *'
grep -q 'amdgpu-bisect-agent: .* begins' "$private/none/console.log" || die "the console did not come"
grep -qF "$private" "$work"/log/qemu/ab-*.log && die "QEMU was given a path of ours"
grep -q "^ *-chardev pty" "$work"/log/qemu/ab-*.log || die "the console was no pty"
no_guest

echo "a panic is read off the stream"
expect "$(APPEND=amdgpu_bisect.fault=panic-early try panic)" 'panic: *Attempted to kill init*'

echo "the daemon is killed and comes back: the trial is tried once more"
begin 15000
[ "$(ps -o user= -p "$guest")" = nobody ] || die "QEMU is not another user's"
orphan=$guest
daemon_kill
kill -0 "$orphan" || die "the guest was to go on"
daemon_start
wait "$trial" || die "not carried on: $(cat "$work/idle.end")"
expect "$(cat "$work/idle.end")" 'no-boot: *'
kill -0 "$orphan" 2>/dev/null && die "the guest that nobody attended was left"
no_guest

echo "the daemon is killed for good: a host failure, and the next start ends what is left"
begin 60000
daemon_kill
start=$SECONDS
wait "$trial" && die "no failure: $(cat "$work/idle.end")"
expect "$(cat "$work/idle.end")" 'host: the connection to libvirt *lost*then try again*'
[ $((SECONDS - start)) -lt 40 ] || die "it took $((SECONDS - start)) s"
kill -0 "$guest" || die "the guest was to go on"
daemon_start
expect "$(short)" 'no-boot: *'
no_guest

echo "a controller that is killed leaves no guest, and one that lives keeps its own"
begin 60000
expect "$(short)" 'no-boot: *'
kill -0 "$guest" || die "another controller's guest was ended"
kill -9 "$(pgrep -P "$trial" || echo "$trial")"
no_guest

echo "no such pool is said before anything is sent"
expect "$("$once" "$agent" "$probe" none "$private/x" "$private/cache" "$uri" nowhere 2>/dev/null || true)" \
	'usage: * has no storage pool nowhere*pool-create-as*'
echo "all as expected"
