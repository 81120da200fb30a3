#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# part.sh TARBALL DIR: the part of a kernel's source that a config, `make modules_prepare` and the driver's one unit
# are made of, a ninth of its files: as DIR/linux, packed as DIR/linux.tar, and as the commit "base" of DIR/repo.
# Kconfig reads every Kconfig; the driver's lists of registers are most of its size, and the unit reads none.
set -euo pipefail
tarball=$1
dir=$2
rm -rf "$dir" "$dir.new"
mkdir -p "$dir.new/linux"
cd "$dir.new"
top=$({ tar -tf "$tarball" 2>/dev/null || true; } | head -n 1 | cut -d/ -f1)
parts=(Makefile Kbuild include scripts certs arch/x86 security/selinux/include kernel/bounds.c kernel/time/timeconst.bc
	tools/{Makefile,objtool,build,lib,include,scripts,arch/x86,bpf/resolve_btfids}
	drivers/Makefile drivers/gpu/Makefile drivers/gpu/drm/{Makefile,amd})
tar -xf "$tarball" -C linux --strip-components=1 --wildcards --exclude '*/amd/include/asic_reg/*' \
	--exclude '*/include/dt-bindings/*' '*/Kconfig*' "${parts[@]/#/$top/}"
tar -cf linux.tar linux
cp -r linux repo
cd repo
rm -f .gitignore
git init -q
git config core.compression 0
git config gc.auto 0
git add -A
git -c user.name=t -c user.email=t@t commit -q -m base
git tag base
mv "$dir.new" "$dir"
