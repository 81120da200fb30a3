#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# gate before anything is booted: what it takes for a kernel, what it refuses, and that nothing of it is ever green.
. "$(dirname "$0")/lib.sh"
command -v dpkg-deb >/dev/null || { echo "SKIP: no dpkg-deb to make packages with"; exit 77; }

make_repo "$work/r" 3
gate() { "$bisect" gate --quiet --out "$work/out-dir" "$@"; }
refused() { # CODE REGEX OPTION...
	rm -rf "$work/out-dir"
	expect "$1" "$2" gate "${@:3}"
}

refused 129 'want two kernels' --old v0
refused 129 "'v1': kernels are given by" v1
refused 129 'budget 5x: want a time' --old v0 --new v1 --budget 5x
refused 129 'budget 0m: want a time' --old v0 --new v1 --budget 0m
refused 129 'budget m: want a time' --old v0 --new v1 --budget m
refused 129 'by --good and --bad together' --old v0 --new v1 --good v0
refused 129 'judges copies' --old v0 --new v1 --exec /bin/true
refused 129 "^.*--new: .*'nothing'" --repo "$work/r" --old v0 --new nothing
refused 129 'is a file and .* is a revision' --repo "$work/r" --old "$work" --new v1

# Whatever ended it, CI gets files that say so.
refused 129 '9.9.9-none' --repo "$work/r" --old v0 --new v2 --release 9.9.9-none
grep -q '<error message="kernel 9.9.9-none: .* type="host"/>' "$work/out-dir/gate.junit.xml" || fail "no error in JUnit"
grep -q '^not ok 1 run$' "$work/out-dir/gate.ktap" || fail "KTAP is green"
expect 0 '' "$bisect" replay "$work/out-dir/gate.evidence"
grep -qF -- '--old v0 --new v2' "$work/out-dir/gate.evidence/README.txt" || fail "the command is not kept"
expect 129 "holds what a gate left, run;" gate --repo "$work/r" --old v0 --new v1
# CI keeps evidence and not runs: it must not be in the way after all was measured.
rm -rf "$work/out-dir/run"
expect 129 "holds what a gate left, gate.evidence;" gate --repo "$work/r" --old v0 --new v1

# deb NAME VERSION [FILE CONTENT]...: a package of these files
deb() {
	local root=$work/root name=$1 version=$2
	shift 2
	rm -rf "$root"
	mkdir -p "$root/DEBIAN"
	printf 'Package: %s\nVersion: %s\nArchitecture: amd64\nMaintainer: A <a@example.invalid>\nDescription: x\n' \
		"$name" "$version" >"$root/DEBIAN/control"
	while [ $# -gt 1 ]; do
		mkdir -p "$root/$(dirname "$1")"
		printf '%b' "$2" >"$root/$1"
		shift 2
	done
	dpkg-deb -Zgzip -z1 --root-owner-group -b "$root" "$work/pkg/${name}_${version}_amd64.deb" >"$work/deb.log"
}

config='CONFIG_64BIT=y\nCONFIG_X86_64=y\nCONFIG_DRM_AMDGPU=m\nCONFIG_HMM_MIRROR=y\n'
mkdir -p "$work/pkg" "$work/src/linux-source-6.1"
packages() { refused 129 "$1" --old "$work/pkg" --new "$work/pkg"; }

packages 'has no linux-image'
deb linux-image-amd64 6.1.9-1 usr/share/doc/x x
deb linux-image-6.1.0-9-amd64-dbg 6.1.9-1 usr/lib/debug/x x
packages 'has no linux-image'
deb linux-image-6.1.0-9-amd64 6.1.9-1 boot/vmlinuz-6.1.0-9-amd64 image boot/config-6.1.0-9-amd64 "$config" \
	lib/modules/6.1.0-9-amd64/modules.builtin '' lib/modules/6.1.0-9-amd64/modules.order '' \
	etc/never-unpacked x
packages 'lacks linux-headers-6.1.0-9-amd64_'
deb linux-headers-6.1.0-9-amd64 6.1.8-1 usr/src/linux-headers-6.1.0-9-amd64/Module.symvers ''
packages 'lacks linux-headers-6.1.0-9-amd64_.* of version 6.1.9-1'
deb linux-headers-6.1.0-9-amd64 6.1.9-1 usr/src/linux-headers-6.1.0-9-amd64/Module.symvers ''
packages 'lacks linux-source-'
printf 'VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 9\n' >"$work/src/linux-source-6.1/Makefile"
tar -C "$work/src" -czf "$work/source.tar.gz" linux-source-6.1
deb linux-source-6.1 6.1.9-1 usr/src/x x
packages 'no kernel source, though all packages of version 6.1.9-1 are there'
root=$work/root
rm -rf "$root/usr"
mkdir -p "$root/usr/src"
cp "$work/source.tar.gz" "$root/usr/src/linux-source-6.1.tar.gz"
dpkg-deb -Zgzip -z1 --root-owner-group -b "$root" "$work/pkg/linux-source-6.1_6.1.9-1_amd64.deb" >"$work/deb.log"
# Now all pieces are there, found in a root of their own; what the source lacks is said next.
packages 'has no drivers/gpu/drm/amd'
for f in boot/vmlinuz-6.1.0-9-amd64 lib/modules/6.1.0-9-amd64/modules.dep usr/src/linux-source-6.1.tar.gz; do
	ls "$XDG_CACHE_HOME"/amdgpu-bisect/packages/*/"$f" >"$work/found" || fail "$f was not unpacked"
done
[ -z "$(find "$work/cache" "$work/out-dir" -name never-unpacked)" ] || fail "more than is needed was unpacked"

# A compression that libarchive runs a program for is none: what a package holds is not given to programs.
mkdir -p "$work/bin" "$work/kept"
printf '#!/bin/sh\n: >"%s/was-run"\n' "$work" >"$work/bin/lrzip"
chmod +x "$work/bin/lrzip"
cp "$work"/pkg/linux-source-6.1_* "$work/kept/"
printf 'LRZI\0\6%01000d' 0 >"$root/usr/src/linux-source-6.1.tar.gz"
dpkg-deb -Zgzip -z1 --root-owner-group -b "$root" "$work/pkg/linux-source-6.1_6.1.9-1_amd64.deb" >"$work/deb.log"
PATH=$work/bin:$PATH packages 'linux-source-6.1.tar.gz: cannot be read as a tarball'
[ ! -e "$work/was-run" ] || fail "a program was given what is in a package"
cp "$work"/kept/* "$work/pkg/"

# Signed and unsigned lie together where Ubuntu has both: one kernel, of which the signed image is taken.
cp "$work/pkg/linux-image-6.1.0-9-amd64_6.1.9-1_amd64.deb" "$work/pkg/linux-image-unsigned-6.1.0-9-amd64_6.1.9-1_amd64.deb"
packages 'has no drivers/gpu/drm/amd'
rm "$work/pkg/linux-image-unsigned-6.1.0-9-amd64_6.1.9-1_amd64.deb"

# Two kernels in a place are told apart by the image; a package that is cut is named.
deb linux-image-6.1.0-8-amd64 6.1.8-1 boot/vmlinuz-6.1.0-8-amd64 image
packages 'has several kernels, 6.1.0-8-amd64 and 6.1.0-9-amd64'
refused 129 'has no drivers/gpu/drm/amd' --old "$work/pkg/linux-image-6.1.0-9-amd64_6.1.9-1_amd64.deb" \
	--new "$work/pkg/linux-image-6.1.0-9-amd64_6.1.9-1_amd64.deb"
refused 129 'is no linux-image-' --old "$work/pkg/linux-headers-6.1.0-9-amd64_6.1.9-1_amd64.deb" --new "$work/pkg"
rm "$work/pkg/linux-image-6.1.0-8-amd64_6.1.8-1_amd64.deb"
truncate -s 300 "$work/pkg/linux-headers-6.1.0-9-amd64_6.1.9-1_amd64.deb"
packages 'linux-headers-6.1.0-9-amd64_6.1.9-1_amd64.deb cannot be read as a Debian package'
[ -z "$(find "$work/cache" -name '*.tmp' -o -name 'draft-*')" ] || fail "half an unpacked kernel is left"
finish
