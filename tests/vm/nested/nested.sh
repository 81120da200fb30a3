#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Real VFIO, emulated: nested.sh PROGRAM GUEST-AGENT-DIR CACHE INITS WORK [CASE...]
#
#   this machine   QEMU without KVM: q35 with an IOMMU and emulated cards that bear AMD's vendor id
#   outer guest    this machine's kernel and, over read-only 9p, its files; kvm_amd (TCG emulates SVM);
#                  amdgpu-bisect runs here, with the history and the cache of outside (inside.sh)
#   inner guest    libvirt's, with the card: amdgpu-bisect's own guest
#
# INITS has nested-init, the outer guest's, and wedge-agent, which hangs the card of the inner one.
#
# Cases: preflight (no IOMMU; no interrupt remapping), bisect (what is refused; a run with the card, killed and
# resumed), canary (a card that hangs); without: these. By name alone: cards (a run with two of them), and tree,
# which prints what the tests in tests/unit/guest/cards were captured by. NESTED_IOMMU=amd is another IOMMU;
# NESTED_PLAIN=PROGRAM is tried in the place of PROGRAM where there are guests: one without sanitizers, which take
# an emulated processor of an emulated processor two to three times as long.
set -euo pipefail
bisect=$(realpath "${1:?usage: nested.sh PROGRAM PARTS CACHE INITS WORK [CASE...]}")
parts=$(realpath "${2:?}")
cache=${3:?}
inits=$(realpath "${4:?}")
work=${5:?}
shift 5
cases=${*:-preflight bisect canary}
here=$(cd "$(dirname "$0")" && pwd)
skip() { echo "SKIP: $*"; exit 77; }
die() { echo "FAIL: $*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || skip "the outer guest reads this machine's files as root"
for tool in qemu-system-x86_64 cpio gzip modprobe git; do
	command -v "$tool" >/dev/null || skip "$tool is not installed; ./quickstart packages test"
done
release=$(ls /boot/vmlinuz-* 2>/dev/null | sed 's#.*/vmlinuz-##' | sort -V | tail -n 1)
[ -n "$release" ] || skip "no kernel below /boot; ./quickstart packages"
for m in 9p 9pnet_virtio virtio_pci vfio-pci kvm-amd aty128fb snd-hda-intel e1000; do
	modprobe -S "$release" --show-depends "$m" >/dev/null 2>&1 ||
		skip "kernel $release has no module $m"
done

rm -rf "$work"
mkdir -p "$work" "$cache"
cache=$(realpath "$cache")
share=$(realpath "$work")/share
mkdir -p "$share/bisect" "$share/guest-agent"
cp -rL "$parts"/{amdgpu-bisect-agent,copy-regimes,mirror,kconfigs} "$share/guest-agent/"
cp "$here/inside.sh" "$inits/wedge-agent" "$share/"

# The outer guest's initramfs.
make_initramfs() {
	local root=$work/initramfs m f
	mkdir -p "$root"
	cp "$inits/nested-init" "$root/init"
	printf 'share %s\ncache %s\n' "$share" "$cache" >"$root/shares"
	for m in virtio_pci 9pnet_virtio 9p; do
		modprobe -S "$release" --show-depends "$m"
	done | sed -n 's/^insmod \(\S*\).*/\1/p' | awk '!seen[$0]++' >"$work/modules"
	while read -r f; do
		m=$(basename "$f")
		m=${m%%.ko*}.ko
		case $f in
		*.xz) xz -dc "$f" ;;
		*.zst) zstd -dcq "$f" ;;
		*.gz) gzip -dc "$f" ;;
		*) cat "$f" ;;
		esac >"$root/$m"
		echo "/$m" >>"$root/order"
	done <"$work/modules"
	(cd "$root" && find . | cpio -o -H newc 2>/dev/null | gzip -1) >"$work/initramfs.gz"
}

# A history with a known answer. Of the demo only that is wanted; its run is ended as soon as it begins.
make_history() {
	local pid culprit
	[ ! -e "$share/history.git" ] || return 0
	export XDG_CACHE_HOME=$cache XDG_STATE_HOME=$work/state
	"$bisect" demo --seed 15 --commits 32 --dir "$work/demo" >"$work/demo.out" 2>"$work/demo.err" &
	pid=$!
	for _ in $(seq 3000); do
		[ -e "$work/demo/run/run.db" ] && break
		kill -0 "$pid" 2>/dev/null || die "the demo ended early: $(cat "$work/demo.err")"
		sleep 0.2
	done
	kill -KILL "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
	culprit=$(sed -n 's/^culprit=//p' "$work/demo/answer")
	[ -n "$culprit" ] || die "no answer was kept"
	# Without a work tree, whose thousands of files would be read again over 9p.
	git clone -q --bare "$work/demo/linux" "$share/history.git"
	echo "$culprit" >"$share/culprit"
	in_history rev-parse "$culprit~3" >"$share/good"
	in_history rev-list --first-parent --reverse "$culprit..HEAD" | sed -n 2p >"$share/bad"
}

in_history() { git -C "$share/history.git" "$@"; }

# What a case tries inside, built here: it comes in by the cache.
make_artifacts() {
	local culprit good bad revisions
	culprit=$(cat "$share/culprit") good=$(cat "$share/good") bad=$(cat "$share/bad")
	revisions=("$culprit" "$culprit^" "$culprit^^")
	[ "$1" = canary ] || mapfile -t -O 3 revisions < <(in_history rev-list "$good..$bad"; echo "$good")
	"$share/bisect/amdgpu-bisect" build "${revisions[@]}" --repo "$share/history.git" \
		>"$work/build.out" 2>&1 || die "the artifacts were not built: $(tail -n 5 "$work/build.out")"
}

# Enough for what is refused before anything is built.
make_repository() {
	git init -q "$share/small"
	mkdir -p "$share/small/drivers/gpu/drm/amd"
	: >"$share/small/drivers/gpu/drm/amd/Makefile"
	git -C "$share/small" add .
	git -C "$share/small" -c user.name=A -c user.email=a@example.org commit -q -m 'drm/amd: begin'
}

# program FILE: what is tried.
program() { cp "$1" "$share/bisect/amdgpu-bisect"; }

# QEMU 7.2 can lose the timer's interrupt of a guest that has guests; such a one sleeps forever, unless
# something else wakes a task of it: a byte a second on its second serial port does.
heartbeat() { while printf . && sleep 1; do :; done 2>/dev/null; }

# outer CASE IOMMU LIMIT: the outer guest, from power on to power off; what it says goes to CASE.log. Times are
# measured in a guest of it, two emulations deep, so it comes before what else the machine has to do, if it may.
outer() {
	local case=$1 iommu=() args='' cards size=(-m 1280 -smp 1) accel=tcg,thread=single
	case $2 in
	intel) iommu=(-device "intel-iommu,intremap=on"); args=intel_iommu=on ;;
	amd) iommu=(-device "amd-iommu,intremap=on"); args=amd_iommu=on ;;
	unremapped) iommu=(-device "intel-iommu,intremap=off"); args=intel_iommu=on ;;
	none) args=intel_iommu=on ;;
	esac
	echo "$case" >"$share/case"
	echo "$cache" >"$share/cache"
	# The card with its audio function, which is the boot display too; and one more beside a network card,
	# behind a bridge that makes them one group. Or one alone behind a port, since its reset is the bus'.
	cards=(-device 'ati-vga,addr=5.0,multifunction=on'
		-audiodev 'none,id=a' -device 'intel-hda,addr=5.1' -device 'hda-duplex,audiodev=a'
		-device 'pcie-pci-bridge,id=b,addr=6' -device 'ati-vga,bus=b,addr=1,x-device-id=0x5159'
		-device 'e1000,bus=b,addr=2')
	case $case in
	canary | cards) cards=(-device 'pcie-root-port,id=p,addr=5,chassis=5' -device 'ati-vga,bus=p') ;;
	esac
	[ "$case" != cards ] || {
		cards+=(-device 'pcie-root-port,id=q,addr=6,chassis=6' -device 'ati-vga,bus=q')
		size=(-m 2048 -smp 2) accel=tcg,thread=multi
	}
	SECONDS=0
	heartbeat | timeout "$3" nice -n -10 qemu-system-x86_64 -nodefaults -display none -no-reboot \
		-machine q35,kernel-irqchip=split -accel "$accel" -cpu EPYC,+svm "${size[@]}" \
		"${iommu[@]}" -vga none "${cards[@]}" \
		-fsdev local,id=h,path=/,security_model=none,readonly=on,multidevs=remap \
		-device virtio-9p-pci,fsdev=h,mount_tag=host,addr=8 \
		-fsdev "local,id=x,path=$share,security_model=none,multidevs=remap" \
		-device virtio-9p-pci,fsdev=x,mount_tag=share,addr=9 \
		-fsdev "local,id=c,path=$cache,security_model=none,multidevs=remap" \
		-device virtio-9p-pci,fsdev=c,mount_tag=cache,addr=10 \
		-kernel "/boot/vmlinuz-$release" -initrd "$work/initramfs.gz" \
		-append "console=ttyS0 quiet loglevel=4 panic=-1 no_timer_check $args ${NESTED_APPEND:-}" \
		-serial "file:$work/$case.log" -serial stdio >"$work/$case.qemu" 2>&1 || true
	echo "$case: $SECONDS s"
	[ -z "${NESTED_SHOW:-}" ] || cat "$work/$case.log"
	failure() { grep -A 60 'NESTED-FAIL' "$work/$case.log"; }
	grep -q 'NESTED-OK' "$work/$case.log" ||
		die "$case: $(failure || tail -n 20 "$work/$case.log" "$work/$case.qemu")"
	grep 'NESTED-SAYS' "$work/$case.log" || true
}

make_initramfs
make_repository
for c in $cases; do
	case $c in
	preflight)
		program "$bisect"
		outer no-iommu none 180
		outer unremapped unremapped 180
		;;
	tree) # the machine as tests/unit/guest/cards has it
		program "$bisect"
		outer tree "${NESTED_IOMMU:-intel}" 300
		sed -n 's/^TREE //p' "$work/tree.log" | tr -d '\r'
		;;
	bisect | canary | cards)
		program "${NESTED_PLAIN:-$bisect}"
		make_history
		make_artifacts "$c"
		outer "$c" "${NESTED_IOMMU:-intel}" 1500
		;;
	*) die "no case $c" ;;
	esac
done
