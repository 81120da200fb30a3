#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `image`: what guests boot is made, listed, checked and removed; a disk by the recipe, with a mmdebstrap that
# does what the test says.
. "$(dirname "$0")/lib.sh"
guest=$XDG_CACHE_HOME/amdgpu-bisect/guest
image() { expect "$1" "$2" "$bisect" image "${@:3}"; }

image 0 ''
grep -q 'nothing was made yet' "$work/out" || fail "an empty cache: $(cat "$work/out")"
image 129 'want list, show NAME, build' mend
image 129 'wants a name' remove
image 129 "no image 'disk-1'" show disk-1
image 129 'belongs to .amdgpu-bisect image build' --disk debian-13
image 129 'say which with --disk' build --no-hip
image 129 'takes no name' build disk
image 129 'unknown option' build --suite trixie

mkdir "$work/bin"
cat >"$work/bin/mmdebstrap" <<'FAKE'
#!/bin/sh
printf '%s\n' "$@" >"$FAKE_DIR/args"
[ -z "${FAKE_ERROR:-}" ] || { echo "$FAKE_ERROR"; exit 1; }
for a; do
	case $a in
	--customize-hook=download*) echo 'package libc6 2.36-9' >"${a##* }" ;;
	*/disk-*.part.*) echo "an image" >"$a" ;;
	esac
done
FAKE
printf '#!/bin/sh\n' >"$work/bin/genext2fs"
cp "$work/bin/genext2fs" "$work/bin/newuidmap"
chmod +x "$work/bin/"*
export FAKE_DIR=$work PATH=$work/bin:$PATH
printf 'Types: deb\nURIs: http://example.org/debian\nSuites: trixie\nComponents: main\n' >"$work/s.sources"
disk() { image "$1" "$2" build --disk debian-13 --no-hip --sources "$work/s.sources" --include strace "${@:3}"; }
disk 0 ''
made=$(cat "$work/out")
[ "$(dirname "$made")" = "$guest" ] && [ -s "$made" ] || fail "no disk where --guest disk looks: $made"
grep -qx trixie "$work/args" || fail "debian-13 is not trixie: $(cat "$work/args")"
grep -q strace "$work/args" || fail "the package was left out"
grep -q libamdhip "$work/args" && fail "HIP in spite of --no-hip"
rm "$work/args"
disk 0 ''
[ ! -e "$work/args" ] && [ "$(cat "$work/out")" = "$made" ] || fail "made twice"
disk 0 '' --refresh
[ -e "$work/args" ] || fail "not refreshed"
FAKE_ERROR='E: Unable to locate package strace' disk 129 'lacks a package' --refresh --quiet
FAKE_ERROR='E: Could not connect to example.org:80' disk 128 'check the network' --refresh --quiet
image 129 "no package's name" build --disk trixie --include 'a b'

image 0 '' list
grep -q "^${made##*/} .* used just now, trixie, 1 packages" "$work/out" || fail "not listed: $(cat "$work/out")"
image 0 '' show disk-
grep -qx 'package libc6 2.36-9' "$work/out" && grep -qx "path $made" "$work/out" || fail "$(cat "$work/out")"
image 0 '' check
grep -qx "whole   ${made##*/}" "$work/out" || fail "$(cat "$work/out")"
chmod u+w "$made" && echo changed >"$made"
"$bisect" image check disk >"$work/out" && fail "a damaged disk is whole"
grep -q "^damaged ${made##*/}: " "$work/out" || fail "$(cat "$work/out")"
image 129 "no image 'nothing'" remove disk nothing
[ -e "$made" ] || fail "removed though the other name was wrong"
image 0 '' remove disk
[ -e "$made" ] || [ -e "$made.manifest" ] && fail "it is still there"
finish
