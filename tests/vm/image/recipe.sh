#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The disk guest's recipe without its long part: naming, reuse, manifest, the cap, and each error, with a
# mmdebstrap that does what the test says.
set -euo pipefail
recipe=${1:?usage: recipe.sh DISK-GUEST}
work=$(mktemp -d "${TMPDIR:-/tmp}/amdgpu-bisect-recipe.XXXXXX")
trap 'rm -rf "$work"' EXIT
die() { printf 'FAIL: %s\n' "$*" >&2; exit 1; }

mkdir "$work/bin" "$work/out"
cat >"$work/bin/mmdebstrap" <<'FAKE'
#!/bin/sh
# Keeps what it was asked for, and "downloads" a list of packages.
echo run >>"$FAKE_DIR/runs"
printf '%s\n' "$@" >"$FAKE_DIR/args"
[ -z "${FAKE_ERROR:-}" ] || { echo "$FAKE_ERROR"; exit 1; }
for a; do
	case $a in
	--customize-hook=download*) echo 'package libc6 2.36-9' >"${a##* }" ;;
	*/disk-*.part.*) echo "an image" >"$a" ;;
	esac
done
echo 'I: success'
FAKE
printf '#!/bin/sh\n' >"$work/bin/genext2fs"
cp "$work/bin/genext2fs" "$work/bin/newuidmap"
chmod +x "$work/bin/"*
export FAKE_DIR=$work PATH=$work/bin:$PATH
runs() { [ ! -e "$work/runs" ] || wc -l <"$work/runs"; }
# make ARGUMENTS: into $image; its words into $work/words.
make() { image=$("$recipe" --suite trixie --sources "$work/s.sources" --dir "$work/out" "$@" 2>"$work/words"); }
printf 'Types: deb\nURIs: http://example.org/debian\nSuites: trixie\nComponents: main\n' >"$work/s.sources"

# Made once; a name of its own for other inputs.
make || die "$(cat "$work/words")"
first=$image
[ -s "$first" ] || die "no image: $image"
[ "$(stat -c %a "$first")" = 444 ] || die "the base can be written"
grep -qx 'package libc6 2.36-9' "$first.manifest" || die "no package in the manifest"
grep -qx 'suite trixie' "$first.manifest" || die "no suite in the manifest"
grep -qx "image $(sha256sum <"$first" | cut -d' ' -f1) 9 bytes" "$first.manifest" || die "no digest in the manifest"
grep -q 'libamdhip64-5' "$work/args" || die "no HIP runtime"
[ "$("$recipe" --suite trixie --sources "$work/s.sources" --print-key)" = "${first##*/}" ] || die "another key"
make || die "again: $(cat "$work/words")"
[ "$image" = "$first" ] && [ "$(runs)" = 1 ] || die "made twice"
make --refresh || die "refresh: $(cat "$work/words")"
[ "$image" = "$first" ] && [ "$(runs)" = 2 ] || die "not refreshed"
make --no-hip || die "no-hip: $(cat "$work/words")"
[ "$image" != "$first" ] || die "without HIP it has the same name"
! grep -q 'libamdhip64-5' "$work/args" || die "HIP in spite of --no-hip"
[ -z "$(ls "$work/out" | grep part)" ] || die "half an image is left"

# At most two are kept, the last used.
touch -d '2001-01-01' "$first" "$first.manifest"
make --include strace || die "include: $(cat "$work/words")"
[ ! -e "$first" ] && [ ! -e "$first.manifest" ] || die "the oldest is kept"
[ "$(ls "$work/out" | grep -c '^disk-[0-9a-f]*$')" = 2 ] || die "not two are kept"
cp "$work/s.sources" "$work/kept"
echo '# another' >>"$work/s.sources"
before=$image
make --include strace || die "sources: $(cat "$work/words")"
[ "$image" != "$before" ] || die "other sources have the same name"

# Without --sources, this machine's; under another name where they do not name the release.
find_sources() { # SUITE: the last arguments of mmdebstrap
	"$recipe" --suite "$1" --dir "$work/out" --refresh >/dev/null 2>"$work/words" || die "$(cat "$work/words")"
	grep -A9 -x "$1" "$work/args" | grep -E '\.(list|sources)$' >"$work/found" || true
}
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
if grep -qsrE "(^|[[:space:]])$suite([[:space:]-]|\$)" /etc/apt/sources.list /etc/apt/sources.list.d; then
	find_sources "$suite"
	[ -s "$work/found" ] || die "this machine's sources are not used"
	find_sources nosuchrelease
	[ -s "$work/found" ] || die "this machine's sources are not renamed"
	grep -q "no apt source here names nosuchrelease" "$work/words" || die "it is not said"
fi

# Those of the other distribution are its own, and its keys must be here.
os_id=$(. /etc/os-release && echo "$ID")
other=noble keyring=ubuntu components='main universe'
if [ "$os_id" = ubuntu ]; then other=trixie keyring=debian components=main; fi
if [ -r "/usr/share/keyrings/$keyring-archive-keyring.gpg" ]; then
	find_sources "$other"
	grep -qx "Components: $components" "$(cat "$work/found")" || die "not the sources of $other"
elif "$recipe" --suite "$other" --dir "$work/out" >/dev/null 2>"$work/words"; then
	die "$other is made without its keys"
else
	grep -q "$keyring-.*keyring" "$work/words" || die "no word of the keys: $(cat "$work/words")"
fi

# Errors: one line each, with what to do, and nothing left behind.
fails() { # WANTED CODE, WANTED WORDS, then arguments
	local code=$1 words=$2 got=0
	shift 2
	make --include "x$RANDOM$RANDOM" "$@" || got=$?
	[ "$got" = "$code" ] || die "'$words': code $got, not $code: $(cat "$work/words")"
	grep -q -- "$words" "$work/words" || die "'$words' is not in: $(cat "$work/words")"
	[ -z "$(ls "$work/out" | grep part)" ] || die "'$words': half an image is left"
}
export FAKE_ERROR
FAKE_ERROR='E: Could not connect to example.org:80' fails 128 'check the network'
FAKE_ERROR='Temporary failure resolving example.org' fails 128 'check the network'
FAKE_ERROR='E: Unable to locate package libamdhip64-5' fails 129 'leave it out (--no-hip)'
FAKE_ERROR='E: write error: No space left on device' fails 128 'no space is left'
FAKE_ERROR='E: something else' fails 128 'mmdebstrap failed: E: something else'
unset FAKE_ERROR
fails 129 "'--nonsense' is no option" --nonsense
fails 129 'wants a value' --suite
fails 129 'is no package' --include 'a b'
fails 129 'a release' --suite '../x'
fails 129 'cannot read the apt sources' --sources /nonexistent
printf '#!/bin/sh\necho "Filesystem 1M-blocks Used Available"; echo "x 10 9 1"\n' >"$work/bin/df"
chmod +x "$work/bin/df"
fails 128 'only 1 MiB free'
rm "$work/bin/df" "$work/bin/genext2fs"
command -v genext2fs >/dev/null || fails 129 'sudo apt install genext2fs'
rm "$work/bin/mmdebstrap"
command -v mmdebstrap >/dev/null || fails 129 'sudo apt install mmdebstrap'
echo "the recipe names, keeps and refuses as it should"
