#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A gate's bisection that goes on without the gate, as far as it is without a guest: what it needs of the packages is
# unpacked again, and what is gone is named.
. "$(dirname "$0")/lib.sh"
make_run=$2
command -v dpkg-deb >/dev/null || { echo "SKIP: no dpkg-deb to make packages with"; exit 77; }
release=6.1.0-9-amd64
make_repo "$work/r" 3

deb() { # NAME VERSION, of what lies in $work/root
	mkdir -p "$work/root/DEBIAN" "$work/pkg"
	printf 'Package: %s\nVersion: %s\nArchitecture: amd64\nMaintainer: A <a@example.invalid>\nDescription: x\n' \
		"$1" "$2" >"$work/root/DEBIAN/control"
	dpkg-deb -Zgzip -z1 --root-owner-group -b "$work/root" "$work/pkg/$1_$2_amd64.deb" >"$work/deb.log"
	rm -rf "$work/root"
}
put() { mkdir -p "$work/root/$(dirname "$1")" && printf '%b' "$2" >"$work/root/$1"; }
put boot/vmlinuz-$release image
put boot/config-$release 'CONFIG_64BIT=y\nCONFIG_X86_64=y\nCONFIG_DRM_AMDGPU=m\nCONFIG_HMM_MIRROR=y\n'
put lib/modules/$release/modules.order ''
put lib/modules/$release/modules.builtin ''
deb linux-image-$release 6.1.9-1
put usr/src/linux-headers-$release/Module.symvers ''
deb linux-headers-$release 6.1.9-1
mkdir -p "$work/src/linux-source-6.1/drivers/gpu/drm/amd" "$work/root/usr/src"
printf 'VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 9\n' >"$work/src/linux-source-6.1/Makefile"
tar -C "$work/src" -czf "$work/root/usr/src/linux-source-6.1.tar.gz" linux-source-6.1
deb linux-source-6.1 6.1.9-1

# Where a gate unpacks them; it ends before its first build, as the source has no driver.
expect 129 '' "$bisect" gate --quiet --out "$work/gate" --old "$work/pkg" --new "$work/pkg"
root=$(echo "$XDG_CACHE_HOME"/amdgpu-bisect/packages/*)
[ -e "$root/boot/vmlinuz-$release" ] || fail "nothing was unpacked"

# What a gate leaves of a bisection that was stopped.
id() { git -C "$work/r" rev-parse "$1"; }
"$make_run" "$work/bisect" <<-RUN || fail "no run"
	fact run.outcome stopped
	fact repo $work/r
	fact good.0 $(id v0)
	fact bad $(id v2)
	fact option.bisect.path $driver
	fact option.gate.new $work/pkg
	fact option.build.release $release
	fact option.build.source $root/usr/src/linux-source-6.1.tar.gz
	fact option.build.config $root/boot/config-$release
	fact option.build.symvers $root/usr/src/linux-headers-$release/Module.symvers
	fact option.guest.image $root/boot/vmlinuz-$release
	fact option.guest.modules $root/lib/modules/$release
	fact tool.version 0
RUN
resume() { expect 129 "$1" "$bisect" resume --quiet "$work/bisect"; }

# All is there: the next thing that is missing is the driver's module, which these packages have not.
resume 'modules.dep knows no amdgpu.ko'
rm -rf "$root"
resume 'modules.dep knows no amdgpu.ko'
[ -e "$root/boot/vmlinuz-$release" ] || fail "it was not unpacked again"
# Without the packages what is unpacked is enough, and what is not there is named.
mv "$work/pkg" "$work/away"
resume 'modules.dep knows no amdgpu.ko'
rm -rf "$root"
resume "$root/.* is not there"
# Other packages in their place are another kernel.
mv "$work/away" "$work/pkg"
touch "$work/pkg"/*.deb
resume "$root/.* is not there"
finish
