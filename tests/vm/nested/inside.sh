#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In the outer guest of nested.sh, as root: what it is asked, and NESTED-OK once all of it held.
set -uo pipefail
share=$1
case=$(cat "$share/case")
card=0000:00:05.0 audio=0000:00:05.1
devices=/sys/bus/pci/devices
bisect=$share/bisect/amdgpu-bisect
XDG_CACHE_HOME=$(cat "$share/cache")
export XDG_CACHE_HOME XDG_STATE_HOME=/tmp/state ASAN_OPTIONS=detect_leaks=0
ulimit -c 0
mkdir -p /run/lock /var/lib /var/log /var/cache /var/tmp
ln -s /run/lock /var/lock # libvirt locks the channel there
chmod 1777 /tmp /dev/shm

say() { echo "NESTED-SAYS [$(cut -d' ' -f1 /proc/uptime)] $*"; }
die() { echo "NESTED-FAIL: $*"; dmesg | tail -n 15; exit 1; }
driver() { basename "$(readlink "$devices/$1/driver" || echo none)"; }
is_bound() { [ "$(driver "$1")" = "$2" ] || die "$3: $1 is bound to $(driver "$1"), want $2"; }

# refuses TEXT ARGUMENT...: `test` ends as a wrong use, says TEXT in one line, and has built nothing.
refuses() {
	local want=$1 rc=0
	shift
	"$bisect" test HEAD --repo "$repo" "$@" >/tmp/out 2>/tmp/err || rc=$?
	[ "$rc" = 129 ] || die "$*: exit code $rc, want 129: $(cat /tmp/err)"
	grep -q -- "$want" /tmp/err || die "$*: not said '$want': $(cat /tmp/err)"
	! grep -q '^.*build' /tmp/err || die "$*: something was built: $(cat /tmp/err)"
	say "refused: $(tail -n 1 /tmp/err)"
}

# doctor adds up what a cache holds; over 9p that takes minutes, so it gets one that has but libvirt's part.
doctor() {
	mkdir -p /tmp/doctors/amdgpu-bisect
	cp -r "$XDG_CACHE_HOME/amdgpu-bisect/libvirt" /tmp/doctors/amdgpu-bisect/ 2>/dev/null
	XDG_CACHE_HOME=/tmp/doctors "$bisect" doctor >/tmp/doctor 2>&1
	# That lies in memory, where no kernel tree has room; nothing else may be missing.
	! grep '^NO ' /tmp/doctor | grep -qv '^NO  *disk '
}

# What sysfs shows of PCI, consoles and interrupts, a line each: "file PATH TEXT" with \n for line breaks,
# "link PATH TARGET", "dir PATH".
tree() {
	local d f
	for d in "$devices"/*; do
		for f in vendor device class boot_vga resource reset_method driver_override; do
			[ -f "$d/$f" ] && echo "TREE file ${d#/sys/}/$f $(sed ':a;N;$!ba;s/\n/\\n/g' "$d/$f")"
		done
		for f in driver iommu_group; do
			[ -L "$d/$f" ] && echo "TREE link ${d#/sys/}/$f $(readlink "$d/$f")"
		done
		for f in "$d"/graphics/* "$d"/drm/*; do
			[ -d "$f" ] && echo "TREE dir ${f#/sys/}"
		done
	done
	for f in /sys/class/vtconsole/*/{name,bind} /sys/kernel/irq/*/chip_name; do
		[ -f "$f" ] && echo "TREE file ${f#/sys/} $(cat "$f")"
	done
	for d in /sys/kernel/iommu_groups/* /sys/bus/pci/drivers/vfio-pci /sys/module/vfio; do
		[ -d "$d" ] && echo "TREE dir ${d#/sys/}"
	done
	return 0
}

host_drivers() {
	for m in aty128fb snd-hda-intel e1000 vfio-pci; do
		modprobe "$m" || die "modprobe $m"
	done
	udevadm settle 2>/dev/null
	sleep 1
}

# As it is before and after all: each function with its own driver.
as_before() {
	is_bound "$card" aty128fb "$1"
	[ -z "$audio" ] || is_bound "$audio" snd_hda_intel "$1"
	[ ! -e "/run/amdgpu-bisect/cards/$card" ] || die "$1: a journal is left"
}

# The guest of a run that is going on, once its kernel runs.
wait_guest() {
	for _ in $(seq 600); do
		pgrep -f 'guest=ab-' >/dev/null && return 0
		kill -0 "$1" 2>/dev/null || die "the run ended early: $(cat /tmp/first.err)"
		sleep 0.5
	done
	die "no guest was started: $(cat /tmp/first.err)"
}

# bisects WANT-RC COMMAND...: what it says goes to /tmp/out and /tmp/err.
bisects() {
	local want=$1 rc=0
	shift
	"$bisect" "$@" >/tmp/out 2>/tmp/err || rc=$?
	[ "$rc" = "$want" ] || die "$1: exit code $rc, want $want: $(cat /tmp/out /tmp/err
		find /tmp/run/candidates -name console.log -exec tail -n 5 {} +)"
}

# Every guest that answered had the card, by KVM.
all_had_it() {
	local dir guests=0
	for dir in /tmp/run/candidates/*/*/; do
		grep -q '"type":"sample"\|"type":"probe-end"' "$dir/agent.jsonl" 2>/dev/null || continue
		grep -q "card 0000:01:00.0 1002:5046" "$dir/agent.jsonl" ||
			die "a guest was without its card: $(head -n 5 "$dir/agent.jsonl")"
		grep -q 'managed="yes"' "$dir/domain.xml" || die "$dir: the card was not passed"
		grep -q '<domain.* type="kvm"' "$dir/domain.xml" || die "$dir: not by KVM"
		guests=$((guests + 1))
	done
	[ "$guests" -ge "$1" ] || die "only $guests guests answered"
	say "$guests guests had the card"
}

preflight() {
	refuses "its IOMMU group .* holds 0000:.* (8086:100e) as well, which the host uses by e1000" --gpu "$other"
	refuses "$card is the screen of the host's console" --gpu "$card"
	refuses 'none of 2 cards can be passed' --gpu auto
	refuses 'no AMD display or accelerator there' --gpu 0000:00:02.0
	refuses 'qemu+ssh://host/system is another' --gpu "$card" --connect qemu+ssh://host/system
	refuses '256 pages are needed' --gpu "$card" --hugepages 2M --memory 512
	doctor || die "doctor: $(cat /tmp/doctor)"
	say 'doctor was asked'
	grep -q '^ok  kvm ' /tmp/doctor || die "KVM runs no guest: $(cat /tmp/doctor)"
	grep -q "^    $card  1002:5046  .* aty128fb .* none" /tmp/doctor || die "doctor: $(cat /tmp/doctor)"
	grep -q "^      $audio  8086:2668  snd_hda_intel *goes along" /tmp/doctor || die "doctor: $(cat /tmp/doctor)"
	as_before 'after what was refused'
}

limits=(--memory 256 --repeats 1 --boot-limit 200 --load-limit 200 --probe-limit 200)

# A corner of a proof would be built in here, which takes hours. A copy is void if the outer guest took the inner
# one's processor away meanwhile, and under load most are; a copy costs little, so there are enough of them that
# one counts.
options=(--dir /tmp/run --give-screen --ahead off --no-prove "${limits[@]}" --repeats 5)

# A controller that is killed while its second guest has the card: nobody else gets it, and whoever comes next
# gives it back.
killed() {
	local pid
	"$bisect" run --repo "$repo" --good "$good" --bad "$bad" --gpu "$card" "${options[@]}" \
		>/tmp/first.out 2>/tmp/first.err &
	pid=$!
	for _ in $(seq 1200); do
		[ "$(ls /tmp/run/candidates/*/*/domain.xml 2>/dev/null | wc -l)" -ge 2 ] &&
			pgrep -f 'guest=ab-' >/dev/null && break
		kill -0 "$pid" 2>/dev/null || die "the run ended early: $(cat /tmp/first.out /tmp/first.err)"
		sleep 0.5
	done
	pgrep -f 'guest=ab-' >/dev/null || die "no second guest: $(cat /tmp/first.err)"
	is_bound "$card" vfio-pci 'while a guest has it'
	is_bound "$audio" vfio-pci 'while a guest has it'
	refuses "$card is in use by" --gpu "$card" --give-screen
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	is_bound "$card" vfio-pci 'after the kill'
	doctor
	grep -q "leftover .*$card, taken from aty128fb by a run that was killed" /tmp/doctor ||
		die "doctor tells of no leftover: $(cat /tmp/doctor)"
	say "killed with its second guest, and doctor tells of it"
}

# Each of these cards was in some guest, and two of the run's trials went on at once.
side_by_side() {
	python3 - "$@" <<'PY' || die 'see above'
import glob, sqlite3, sys
import xml.etree.ElementTree as ET
held = set()
for xml in glob.glob("/tmp/run/candidates/*/*/domain.xml"):
    for a in ET.parse(xml).iterfind(".//hostdev/source/address"):
        d, b, s, f = (int(a.get(k), 16) for k in ("domain", "bus", "slot", "function"))
        held.add(f"{d:04x}:{b:02x}:{s:02x}.{f:x}")
if not held >= set(sys.argv[1:]):
    sys.exit(f"guests had only {held}")
spans = sorted(sqlite3.connect("/tmp/run/run.db").execute(
    "SELECT begun_s, date_s FROM trial JOIN ending USING (trial)"))
if not any(later < end for (_, end), (later, _) in zip(spans, spans[1:])):
    sys.exit(f"never two at once: {spans}")
PY
	say 'two at once'
}

# Two bytes of the card's that wedge-agent.c knows: does it hang, and how often was it made to.
hangs() { od -An -tu1 -j 240 -N 1 "$devices/$card/config" | tr -d ' '; }
times() { od -An -tu1 -j 241 -N 1 "$devices/$card/config" | tr -d ' '; }
mend() { printf '\0' | dd of="$devices/$card/config" bs=1 seek=240 conv=notrunc status=none; }

# A real card may forget its trouble once it is taken off the bus; the emulated one forgets nothing, so that
# is done for it as soon as the kernel has found it anew.
forgets_when_found_anew() {
	local was now
	was=$(stat -c %i "$devices/$card/config")
	while :; do
		now=$(stat -c %i "$devices/$card/config" 2>/dev/null)
		[ -z "$now" ] || [ "$now" = "$was" ] || mend
		was=${now:-$was}
		sleep 0.1
	done
}

# climbed TEXT...: these rungs and no other, in this order, as people are told and as it is kept.
climbed() {
	local want
	printf '%s\n' "$@" >/tmp/want
	sed -n 's/.*\(the card fails the module known good\).*/\1/p
		s/.*\(after a .* the card \(works again\|still fails\)\).*/\1/p' /tmp/err >/tmp/got
	cmp -s /tmp/want /tmp/got || die "want $(cat /tmp/want), got $(cat /tmp/err)"
	while read -r want; do
		grep -aq "$want" /tmp/run/run.db* || die "not kept: $want"
	done </tmp/want
	say "climbed: $(tr '\n' ';' </tmp/got)"
}

# No verdict of what was tried while the card was at fault.
no_verdict() {
	"$bisect" report /tmp/run --format json --output /tmp/report.json || die 'no report'
	python3 - /tmp/report.json "$1" <<'PY' || die "a verdict on $1: see above"
import json, sys
for c in json.load(open(sys.argv[1]))["candidates"]:
    if c["commit"] == sys.argv[2] and c["verdict"] in ("good", "bad", "skip"):
        sys.exit(f"{c['verdict']}: {c['reason']}")
PY
}

# A card that hangs whatever is tried, from one commit's trial on: put aside with no verdict, over a restart,
# until it is released; then it hangs again, and a rescan mends it. The commit itself is good, and claimed
# to be bad, so the run is over as soon as it gets its verdict.
canary() {
	local wedger forgets
	wedger=$(git -C "$repo" rev-parse "$culprit^")
	bisects 128 run --repo "$repo" --good "$wedger^" --bad "$wedger" --gpu "$card" \
		--agent "$share/wedge-agent" --append "amdgpu_bisect.wedge=${wedger:0:12}" "${options[@]}" --repeats 15
	[ "$(times)" = 1 ] || die "the card was made to hang $(times) times: $(cat /tmp/err)"
	climbed 'the card fails the module known good' 'after a bus reset the card still fails' \
		'after a removal and rescan the card still fails'
	no_verdict "$wedger"
	as_before 'in quarantine'

	doctor
	grep -q "in quarantine since .*tried: bus reset, removal and rescan" /tmp/doctor ||
		die "doctor knows of no quarantine: $(cat /tmp/doctor)"
	bisects 128 resume /tmp/run
	grep -q "$card is in quarantine since .*doctor --release-card $card" /tmp/err ||
		die "it was used again: $(cat /tmp/err)"
	say "in quarantine: $(tail -n 1 /tmp/err)"

	mend
	bisects 0 doctor --release-card "$card"
	doctor
	! grep -q 'in quarantine' /tmp/doctor || die "still in quarantine: $(cat /tmp/doctor)"
	forgets_when_found_anew &
	forgets=$!
	bisects 4 resume /tmp/run
	kill "$forgets"
	grep -q "the bad end ${wedger:0:12} .* is good, not bad" /tmp/err || die "its verdict: $(cat /tmp/err)"
	[ "$(times)" = 2 ] && [ "$(hangs)" = 0 ] || die "hung $(times) times, now $(hangs)"
	climbed 'the card fails the module known good' 'after a bus reset the card still fails' \
		'after a removal and rescan the card works again'
	all_had_it 10
	as_before 'after all'
}

# All in one, since bash goes on with the next line of a script after some errors of an expansion.
main() {
	say "kernel $(uname -r), case $case"
	stty -F /dev/ttyS1 raw -echo && cat /dev/ttyS1 >/dev/null & # nested.sh, heartbeat()
	repo=$share/small
	case $case in
	tree)
		host_drivers
		tree
		;;
	no-iommu)
		host_drivers
		refuses 'no IOMMU' --gpu "$card"
		as_before 'without an IOMMU'
		;;
	unremapped)
		host_drivers
		refuses 'interrupts are not remapped' --gpu "$card"
		as_before 'without remapping'
		;;
	bisect)
		modprobe kvm-amd || die 'modprobe kvm-amd'
		host_drivers
		as_before 'at first'
		say 'the drivers are bound'
		other=$(basename "$(dirname "$(grep -l 0x5159 "$devices"/*/device)")")
		preflight
		repo=$share/history.git culprit=$(cat "$share/culprit")
		good=$(cat "$share/good") bad=$(cat "$share/bad")
		killed
		bisects 0 resume /tmp/run
		grep -q "$card given back to aty128fb" /tmp/err || die "the card was not given back first: $(cat /tmp/err)"
		grep -q "$culprit" /tmp/out || die "the culprit was not named: $(cat /tmp/out /tmp/err)"
		say "$(grep -m 1 "$culprit" /tmp/out)"
		all_had_it 5
		as_before 'after all'
		;;
	canary)
		modprobe kvm-amd || die 'modprobe kvm-amd'
		modprobe aty128fb || die 'modprobe aty128fb'
		modprobe vfio-pci || die 'modprobe vfio-pci'
		card=$(basename "$(dirname "$(grep -l 0x5046 "$devices"/*/device)")") audio=''
		as_before 'at first'
		[ "$(cat "$devices/$card/reset_method")" = bus ] ||
			die "its resets: $(cat "$devices/$card/reset_method")"
		repo=$share/history.git culprit=$(cat "$share/culprit")
		canary
		;;
	cards)
		modprobe kvm-amd || die 'modprobe kvm-amd'
		modprobe aty128fb || die 'modprobe aty128fb'
		modprobe vfio-pci || die 'modprobe vfio-pci'
		all=()
		for card in "$devices"/*; do
			[ "$(cat "$card/device")" != 0x5046 ] || all+=("$(basename "$card")")
		done
		[ "${#all[@]}" = 2 ] || die "cards: ${all[*]}"
		audio=''
		for card in "${all[@]}"; do as_before 'at first'; done
		repo=$share/history.git culprit=$(cat "$share/culprit")
		good=$(cat "$share/good") bad=$(cat "$share/bad")
		bisects 0 run --repo "$repo" --good "$good" --bad "$bad" --gpu "${all[0]},${all[1]}" "${options[@]}"
		grep -q "$culprit" /tmp/out || die "the culprit was not named: $(cat /tmp/out /tmp/err)"
		say "$(grep -m 1 "$culprit" /tmp/out)"
		all_had_it 4
		side_by_side "${all[@]}"
		for card in "${all[@]}"; do as_before 'after all'; done
		;;
	*) die "no case $case" ;;
	esac
	echo NESTED-OK
}
main
