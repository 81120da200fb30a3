#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same by way of ssh, as to another machine: a server on the loopback, with keys made for the test.
# shellcheck source=tests/vm/remote/lib.sh
. "$(dirname "$0")/lib.sh"

sshd=$(PATH=$PATH:/usr/sbin:/sbin command -v sshd) || { echo "no sshd here"; exit 77; }
command -v ssh ssh-keygen >/dev/null || { echo "no ssh here"; exit 77; }

ssh-keygen -q -t ed25519 -N '' -f "$private/host"
ssh-keygen -q -t ed25519 -N '' -f "$private/user"
cp "$private/user.pub" "$private/authorized"
printf '#!/bin/sh\nexec ssh -o UserKnownHostsFile=/dev/null "$@"\n' >"$private/ssh"
chmod +x "$private/ssh"
mkdir -p /run/sshd
daemon_start
port=$((20000 + RANDOM % 20000))
# Where it is, the test's daemon is the machine's.
nsenter -m -t "$(daemon_pid)" "$sshd" -D -e -f /dev/null -p "$port" -h "$private/host" \
	-o "AuthorizedKeysFile=$private/authorized" -o ListenAddress=127.0.0.1 -o StrictModes=no \
	-o UsePAM=no -o PermitRootLogin=prohibit-password -o PidFile=none </dev/null 2>"$work/sshd.log" &
sshd_pid=$!
disown
for _ in $(seq 100); do
	grep -q listening "$work/sshd.log" && break
	sleep 0.1
done
uri="qemu+ssh://root@127.0.0.1:$port/system?keyfile=$private/user&command=$private/ssh&no_verify=1&no_tty=1"

echo "a guest of another machine"
expect "$(try none)" 'done: *'
grep -q 'amdgpu-bisect-agent: .* begins' "$private/none/console.log" || die "the console did not come"
no_guest

echo "the way there breaks: a host failure, and no guest runs on"
begin 60000
pkill -9 -P "$sshd_pid" # the one there is
kill -9 "$sshd_pid"     # and no other
wait "$trial" && die "no failure: $(cat "$work/idle.end")"
expect "$(cat "$work/idle.end")" 'host: the connection to libvirt *lost*then try again*'
no_guest
echo "all as expected"
