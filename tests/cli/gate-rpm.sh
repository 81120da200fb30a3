#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# gate with packages that rpmbuild made, of Red Hat's names and of SUSE's, before anything is booted.
. "$(dirname "$0")/lib.sh"
command -v rpmbuild >/dev/null || { echo "SKIP: no rpmbuild to make packages with"; exit 77; }

refused() { # REGEX OLD NEW
	rm -rf "$work/out-dir"
	expect 129 "$1" "$bisect" gate --quiet --out "$work/out-dir" --old "$2" --new "$3"
}

# build SPEC: packages into $work/pkg, compressed as Fedora does
build() {
	rm -rf "$work/rpm" "$work/pkg"
	mkdir -p "$work/pkg"
	rpmbuild --define "_topdir $work/rpm" --define "_sourcedir $work/src" --define 'debug_package %{nil}' \
		--define '_binary_payload w3.zstdio' --define '_source_payload w3.zstdio' \
		--target x86_64 -ba "$1" >"$work/rpm.log" 2>&1 || fail "rpmbuild: $(tail -n 3 "$work/rpm.log")"
	find "$work/rpm" -name '*.rpm' -exec mv {} "$work/pkg" \;
}

mkdir -p "$work/src/linux-6.1.9"
printf 'VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 9\n' >"$work/src/linux-6.1.9/Makefile"
tar -C "$work/src" -czf "$work/src/linux-6.1.9.tar.gz" linux-6.1.9
printf -- '--- a/Makefile\n+++ b/Makefile\n' >"$work/src/patch-6.1-redhat.patch"
printf 'CONFIG_64BIT=y\nCONFIG_X86_64=y\nCONFIG_DRM_AMDGPU=m\nCONFIG_HMM_MIRROR=y\n' >"$work/src/config"

cat >"$work/red.spec" <<'SPEC'
Name: kernel
Version: 6.1.9
Release: 300.fc40
Summary: x
License: GPL-2.0-only
Source0: linux-6.1.9.tar.gz
Source1: patch-6.1-redhat.patch
%global rel %{version}-%{release}.%{_target_cpu}
%description
x
%package core
Summary: x
%description core
x
%package modules
Summary: x
%description modules
x
%package devel
Summary: x
%description devel
x
%install
mkdir -p %{buildroot}/lib/modules/%{rel}/kernel %{buildroot}/usr/src/kernels/%{rel} %{buildroot}/etc
echo image >%{buildroot}/lib/modules/%{rel}/vmlinuz
cp %{_sourcedir}/config %{buildroot}/lib/modules/%{rel}/config
touch %{buildroot}/lib/modules/%{rel}/modules.order %{buildroot}/lib/modules/%{rel}/modules.builtin
touch %{buildroot}/lib/modules/%{rel}/kernel/x.txt %{buildroot}/usr/src/kernels/%{rel}/Module.symvers
ln -s /usr/src/kernels/%{rel} %{buildroot}/lib/modules/%{rel}/build
touch %{buildroot}/etc/never-unpacked
%files
%files core
/lib/modules/%{rel}
/etc/never-unpacked
%exclude /lib/modules/%{rel}/kernel
%files modules
/lib/modules/%{rel}/kernel
%files devel
/usr/src/kernels/%{rel}
SPEC

build "$work/red.spec"
core=$work/pkg/kernel-core-6.1.9-300.fc40.x86_64.rpm
# All pieces are found, beside the package that only brings them along; what the source lacks is said next.
refused 'has no drivers/gpu/drm/amd' "$work/pkg" "$work/pkg"
refused 'has no drivers/gpu/drm/amd' "$core" "$core"
refused 'holds no kernel.s image by its name' "$work/pkg/kernel-devel-6.1.9-300.fc40.x86_64.rpm" "$core"
rel=6.1.9-300.fc40.x86_64
for f in "lib/modules/$rel/vmlinuz" "lib/modules/$rel/config" "lib/modules/$rel/kernel/x.txt" \
	"lib/modules/$rel/modules.dep" "usr/src/kernels/$rel/Module.symvers" usr/src/linux-source-6.1.9.tar.gz; do
	ls "$XDG_CACHE_HOME"/amdgpu-bisect/packages/*/"$f" >"$work/found" || fail "$f was not unpacked"
done
[ -z "$(find "$work/cache" "$work/out-dir" -name never-unpacked -o -name build -type l)" ] ||
	fail "more than is needed was unpacked"

# What is missing, of two kernels, cut, or not what it is named.
mkdir "$work/kept"
mv "$work"/pkg/kernel-devel-* "$work/kept"
refused 'lacks kernel-devel-\*.x86_64.rpm of version 6.1.9-300.fc40' "$work/pkg" "$work/pkg"
mv "$work"/kept/* "$work/pkg"
cp "$core" "$work/pkg/kernel-core-6.1.8-300.fc40.x86_64.rpm"
refused 'several kernels, kernel-core-6.1.8-300.fc40 and kernel-core-6.1.9-300.fc40' "$work/pkg" "$work/pkg"
refused 'lacks kernel-modules' "$work/pkg/kernel-core-6.1.8-300.fc40.x86_64.rpm" "$work/pkg"
rm "$work/pkg/kernel-core-6.1.8-300.fc40.x86_64.rpm"
cp "$work/pkg/kernel-modules-6.1.9-300.fc40.x86_64.rpm" "$work/pkg/kernel-modules-extra-6.1.9-300.fc40.x86_64.rpm"
refused 'its header says that it is kernel-modules-6.1.9-300.fc40.x86_64.rpm' "$work/pkg" "$work/pkg"
rm "$work/pkg/kernel-modules-extra-6.1.9-300.fc40.x86_64.rpm"
size=$(stat -c %s "$core")
for cut in 50 200 "$((size - 60))"; do
	cp "$core" "$work/core"
	truncate -s "$cut" "$core"
	refused 'kernel-core-6.1.9-300.fc40.x86_64.rpm cannot be read as an RPM package: ' "$work/pkg" "$work/pkg"
	mv "$work/core" "$core"
done
printf x >"$work/pkg/linux-image-6.1.0-9-amd64_6.1.9-1_amd64.deb"
refused 'lacks linux-headers' "$work/pkg" "$work/pkg"
rm "$work"/pkg/*.deb

# Patches of a source package are not applied, so one of the driver is no small thing.
printf -- '--- a/drivers/gpu/drm/amd/x.c\n+++ b/drivers/gpu/drm/amd/x.c\n' >"$work/src/patch-6.1-redhat.patch"
build "$work/red.spec"
refused 'patch-6.1-redhat.patch changes drivers/gpu/drm/amd' "$work/pkg" "$work/pkg"

cat >"$work/suse.spec" <<'SPEC'
Name: kernel-default
Version: 6.1.9
Release: 150600.23.7
Summary: x
License: GPL-2.0-only
%global rel %{version}-150600.23-default
%description
x
%package devel
Summary: x
%description devel
x
%package -n kernel-source
Summary: x
%description -n kernel-source
x
%install
obj=%{buildroot}/usr/src/linux-6.1.9-150600.23-obj/x86_64/default
tree=%{buildroot}/usr/src/linux-6.1.9-150600.23
mkdir -p %{buildroot}/usr/lib/modules/%{rel}/kernel $obj $tree/scripts
echo image >%{buildroot}/usr/lib/modules/%{rel}/vmlinuz
cp %{_sourcedir}/config %{buildroot}/usr/lib/modules/%{rel}/config
touch %{buildroot}/usr/lib/modules/%{rel}/modules.order %{buildroot}/usr/lib/modules/%{rel}/modules.builtin
touch %{buildroot}/usr/lib/modules/%{rel}/kernel/x.txt $obj/Module.symvers
cp %{_sourcedir}/linux-6.1.9/Makefile $tree/Makefile
printf '#!/bin/sh\n' >$tree/scripts/x.sh
chmod +x $tree/scripts/x.sh
%files
/usr/lib/modules/%{rel}
%files devel
/usr/src/linux-6.1.9-150600.23-obj
%files -n kernel-source
/usr/src/linux-6.1.9-150600.23
SPEC

build "$work/suse.spec"
refused 'has no drivers/gpu/drm/amd' "$work/pkg" "$work/pkg"
tree=$(echo "$XDG_CACHE_HOME"/amdgpu-bisect/packages/*/usr/src/linux-source-6.1.9-150600.23)
[ -x "$tree/scripts/x.sh" ] || fail "a script of the source cannot be run"
[ -z "$(find "$work/cache" -name '*.tmp' -o -name 'draft-*')" ] || fail "half an unpacked kernel is left"
finish
