#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the machine does meanwhile: a signal while the answer is written, a file that is lost while it is read.
. "$(dirname "$0")/lib.sh"

r=$work/r
git init -q --bare "$r"
git -C "$r" config fastimport.unpackLimit 0
python3 - >"$work/import" <<'EOF'
import random
r = random.Random(1)
for i in range(3000):
    text = "subject %d\n\n" % i
    if i == 2999:
        text += "%0100000x\n" % r.getrandbits(400000)
    print("commit refs/heads/main\ncommitter C <c@example.invalid> %d +0000\ndata %d\n%s" % (10**9 + i, len(text), text))
    print("M 644 inline drv/a\ndata %d\n%d\n" % (len(str(i)), i))
EOF
git -C "$r" fast-import --quiet <"$work/import"

# A reader that is slow, and a stop meanwhile: not a failure of the machine. The write that the signal meets
# ends early or, if some of it was taken already, goes on; then the answer is whole and the stop came late.
for signal in INT TERM HUP; do
	python3 - "$bisect" "$r" "$signal" >"$work/out" 2>&1 <<'EOF' || fail "stopped by SIG$signal: $(cat "$work/out")"
import json, os, signal, subprocess, sys, time
p = subprocess.Popen([sys.argv[1], "plan", "--format", "json", "-C", sys.argv[2], "-p", "drv", "main~2999..main"],
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
first = os.read(p.stdout.fileno(), 1)
time.sleep(1)  # it fills the pipe, and waits
p.send_signal(getattr(signal, "SIG" + sys.argv[3]))
out, err = p.communicate(timeout=60)
lines = [l for l in err.decode().split("\n") if l]
print(p.returncode, lines)
if p.returncode == 0:
    json.loads(first + out)
    sys.exit(len(lines) != 0)
sys.exit(p.returncode != 130 or len(lines) != 1 or "stopped" not in lines[0])
EOF
done

# What is missing is said before the history is made, not after.
expect 129 'none: no such agent' "$bisect" demo --quiet --dir "$work/demo" --agent "$work/none"
[ ! -e "$work/demo" ] || fail "a history was made for a demo that cannot run"

# a cache that can only be read
mkdir -p "$work/ro"
if [ "$(id -u)" = 0 ] && mount -t tmpfs tmpfs "$work/ro" 2>/dev/null; then
	trap 'umount "$work/ro" 2>/dev/null || true; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
	mkdir "$work/ro/amdgpu-bisect"
	mount -o remount,ro "$work/ro"
	XDG_CACHE_HOME=$work/ro expect 128 'amdgpu-bisect cannot be written; .* XDG_CACHE_HOME' \
		"$bisect" demo --quiet --dir "$work/demo"
	umount "$work/ro"
else
	echo "note: no tmpfs can be mounted here; a cache that can only be read is not tested"
fi

# a pack that is cut short while it is read: a hole of a file system that has no room to fill it
mkdir "$work/full"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=2m tmpfs "$work/full" 2>/dev/null; then
	trap 'umount "$work/full" 2>/dev/null || true; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
	cp -r "$r" "$work/full/r"
	chmod u+w "$work"/full/r/objects/pack/*
	pack=$(echo "$work"/full/r/objects/pack/*.pack)
	size=$(stat -c %s "$pack")
	fallocate --punch-hole --offset 8192 --length $((size - 16384)) "$pack"
	cat /dev/zero >"$work/full/fill" 2>/dev/null || true
	expect 128 'cut short' "$bisect" plan -C "$work/full/r" -p drv "$(git -C "$r" rev-parse main~2000)..main"
	umount "$work/full"
else
	echo "note: no tmpfs can be mounted here; a lost file is not tested"
fi
finish
