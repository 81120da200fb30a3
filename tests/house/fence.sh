#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The fence: which room may include what (docs/hacking.md). Prints each crossing and fails on any.
# With --self-test it proves on planted crossings that it can fail.
set -euo pipefail
root=${1:?usage: fence.sh SOURCE-DIRECTORY}
bad=0

complain() { printf '%s: %s\n' "$1" "$2"; bad=1; }

# Rooms in the order of the house; a room sees itself and those before it. wire/ is shared by the
# rooms named here; base/ by all.
order='base range search build guest measure judge store demo'
uses_wire=' guest measure judge store '

# room_of FILE: its room goes to $room.
room_of() {
	case $1 in
	bisect/*/*) room=${1#bisect/} room=${room%%/*} ;;
	bisect/*) room=controller ;;
	reports/*) room=reports ;;
	guest-agent/mirror/*) room=mirror ;;
	guest-agent/*) room=agent ;;
	*) room=other ;;
	esac
}

sees() { # room, included room
	local room=$1 other=$2 r
	[ "$room" = "$other" ] && return 0
	[ "$other" = base ] && [ "$room" != mirror ] && return 0
	case $room in
	controller) return 0 ;;
	reports) case $other in wire|measure|judge|store) return 0 ;; esac; return 1 ;;
	agent) case $other in wire|mirror) return 0 ;; esac; return 1 ;;
	mirror|wire) return 1 ;;
	esac
	[ "$other" = wire ] && case $uses_wire in *" $room "*) return 0 ;; *) return 1 ;; esac
	for r in $order; do
		[ "$r" = "$room" ] && return 1
		[ "$r" = "$other" ] && return 0
	done
	return 1
}

# One library, one room.
library_rooms() {
	case $1 in
	git2.h|git2/*) echo 'range' ;;
	libdeflate.h) echo 'range' ;;
	libvirt/*) echo 'guest' ;;
	libxml/*) echo 'guest' ;;
	sqlite3.h) echo 'store' ;;
	cjson/*|cJSON.h) echo 'wire' ;;
	archive.h|archive_entry.h) echo 'build guest demo' ;;
	libkmod.h) echo 'build guest' ;;
	gelf.h|libelf.h|elf.h) echo 'build guest agent' ;;
	nettle/*) echo 'base' ;;
	pcre2.h) echo 'reports' ;;
	hip/*|cuda*) echo 'probes' ;;
	*) echo '*' ;;
	esac
}

# judge_include ROOM KIND INCLUDE: what is wrong with it goes to $wrong; empty: nothing.
judge_include() {
	local room=$1 inc=$3 target allowed
	wrong=''
	if [ "$2" = local ]; then
		case $inc in
		reports/*) target=reports ;;
		guest-agent/mirror/*) target=mirror ;;
		guest-agent/*) target=agent ;;
		*/*) target=${inc%%/*} ;;
		*) return 0 ;;
		esac
		[ -d "$root/bisect/$target" ] || [ "$target" = reports ] || [ "$target" = mirror ] ||
			[ "$target" = agent ] || [ "$room" != agent ] || return 0
		sees "$room" "$target" || wrong="room $room must not include \"$inc\""
		return 0
	fi
	allowed=$(library_rooms "$inc")
	[ "$allowed" = '*' ] && return 0
	case " $allowed " in *" $room "*) return 0 ;; esac
	wrong="<$inc> belongs to: $allowed; room $room must not include it"
}

# The same include in the same room is looked at once: a process each takes minutes.
declare -A known
check_include() { # FILE KIND INCLUDE
	local file=$1 room inc=$3 key
	room_of "$file"
	[ "$room" != other ] && [ "$room" != mirror ] || return 0
	key="$room $2 $inc"
	if [ -z "${known[$key]+x}" ]; then
		judge_include "$room" "$2" "$inc"
		known[$key]=$wrong
	fi
	[ -z "${known[$key]}" ] || complain "$file" "${known[$key]}"
	case $2:$room:${file##*/} in system:range:range.h | system:guest:guest.h | system:store:store.h | system:wire:wire.h)
		[ "$(library_rooms "$inc")" = '*' ] || complain "$file" "a room header must not show <$inc>" ;;
	esac
}

# The pure rooms do no I/O and read no clock.
check_pure() {
	local file
	while read -r file; do
		complain "$file" "search, measure and judge are pure: no I/O, no clock, no chance"
	done < <(cd "$root" && grep -rnE --include='*.[ch]' \
		'\b(fopen|open|read|write|printf|fprintf|puts|getenv|time|clock_gettime|clock_now_ns|rand|random)[ \t]*\(' \
		bisect/search bisect/measure bisect/judge |
		sed -nE 's/^([^:]*):[0-9]+:/\1 /p' | grep -vE 'snprintf|vsnprintf|^\S+ *\S*\s*(\*|//)' | cut -d' ' -f1 | sort -u)
}

run_all() {
	local file kind inc
	known=()
	while read -r file kind inc; do
		check_include "$file" "$kind" "$inc"
	done < <(cd "$root" && find bisect reports guest-agent -name '*.[ch]' -print0 | sort -z |
		xargs -0 -r grep -HE '^[ \t]*#[ \t]*include[ \t]*["<]' |
		sed -nE -e 's/^([^:]*):[ \t]*#[ \t]*include[ \t]*"([^"]*)".*/\1 local \2/p' \
			-e 's/^([^:]*):[ \t]*#[ \t]*include[ \t]*<([^>]*)>.*/\1 system \2/p')
	check_pure
}

if [ "${2:-}" = --self-test ]; then
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	mkdir -p "$tmp"/bisect/{base,range,search,build,guest,wire,measure,judge,store,demo} \
		"$tmp"/reports "$tmp"/guest-agent/mirror
	root=$tmp
	plant() { # file, line
		rm -f "$tmp"/bisect/*/*.c "$tmp"/bisect/*.c "$tmp"/reports/*.c "$tmp"/guest-agent/*.c
		printf '%s\n' "$2" >"$tmp/$1"
		bad=0
		run_all >/dev/null
	}
	while IFS='|' read -r want file line; do
		plant "$file" "$line"
		[ "$bad" = "$want" ] || { echo "self-test: $file with '$line' gave $bad, want $want"; exit 1; }
	done <<-'CASES'
	1|bisect/search/a.c|#include <git2.h>
	1|bisect/search/a.c|#include "judge/judge.h"
	1|bisect/range/a.c|#include "wire/wire.h"
	1|bisect/base/a.c|#include "range/range.h"
	1|bisect/judge/a.c|#include "store/store.h"
	1|bisect/guest/a.c|#include <sqlite3.h>
	1|reports/a.c|#include "guest/guest.h"
	1|bisect/main.c|#include <libvirt/libvirt.h>
	1|guest-agent/a.c|#include "store/store.h"
	1|bisect/measure/a.c|int x = printf("no");
	0|bisect/judge/a.c|#include "measure/measure.h"
	0|bisect/range/a.c|#include <git2.h>
	0|bisect/store/a.c|#include "wire/wire.h"
	0|bisect/main.c|#include "guest/guest.h"
	CASES
	echo "fence: it can fail"
	exit 0
fi

run_all
[ "$bad" = 0 ] && echo "fence: nothing crosses it"
exit "$bad"
