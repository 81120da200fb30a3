#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Evidence folders: a run of recorded copies is judged again from the folder alone, and what was tampered with is named.
. "$(dirname "$0")/lib.sh"
make_run=$2
golden=$(cd "$(dirname "$0")/../golden" && pwd)
id() { printf '%040d' "$1"; }

"$make_run" "$work/run" <<RUN
fact run.command amdgpu-bisect run --repo linux v1..v2
fact run.outcome proven
fact tool.version 0
fact band.trial 1
copies good-end $(id 1) $golden/moved-control/baseline.jsonl
copies bad-end $(id 2) $golden/two-and-four-windows/agent.jsonl
copies search $(id 3) $golden/moved-control/agent.jsonl $golden/moved-control/baseline.jsonl
trial search $(id 4) skip build a.c:1: error: no such thing
RUN
mkdir -p "$work/run/candidates/$(id 2 | cut -c1-12)/2"
{ seq 20000; echo 'the last line of a console'; } >"$work/run/candidates/$(id 2 | cut -c1-12)/2/console.log"

# What it would leave out, it refuses: no report is taken for another.
apart() { expect 129 "bisect: $1 cannot be together with --evidence: " "$bisect" report --evidence "$work/evidence" "${@:2}" "$work/run"; }
apart --mail --mail bug
apart --format --format json
apart --output -o "$work/out.txt"
[ ! -e "$work/evidence" ] || fail "a refused folder was begun"
expect 0 '' "$bisect" report --evidence "$work/evidence" "$work/run"
expect 129 'is not empty' "$bisect" report --evidence "$work/evidence" "$work/run"
(cd "$work/evidence" && sha256sum --quiet -c MANIFEST.sha256) || fail "sha256sum -c"
grep -qF 'amdgpu-bisect run --repo linux v1..v2' "$work/evidence/README.txt" || fail "the command is not in README.txt"
grep -q 'the last line of a console' "$work/evidence/console/2.txt" || fail "no end of the console"
[ "$(head -n 1 "$work/evidence/console/2.txt")" != 1 ] || fail "the whole console, not its end"
python3 -m json.tool "$work/evidence/report.json" >"$work/out" || fail "report.json is no JSON"

# On another machine there is neither the run nor a repository: only a copy of the folder.
cp -r "$work/evidence" "$work/clone"
mv "$work/run" "$work/gone"
mv "$work/evidence" "$work/evidence-gone"
expect 0 '' "$bisect" replay "$work/clone"
grep -q '^4 trials: 3 judged again from their copies, 0 of .*, 1 without copies, .*; 0 differ$' "$work/out" ||
	fail "replay said: $(cat "$work/out")"

# tampered NAME SED-SCRIPT FILE: a clone that differs in one file; with "sealed" its manifest is made anew.
tampered() {
	rm -rf "$work/t"
	cp -r "$work/clone" "$work/t"
	sed -i "$1" "$work/t/$2"
	[ "${3:-}" = sealed ] || return 0
	(cd "$work/t" && awk '{print $2}' MANIFEST.sha256 | xargs sha256sum >"$work/sums" && mv "$work/sums" MANIFEST.sha256)
}

# differs REGEX: replay says no, with such a line
differs() {
	local rc=0
	"$bisect" replay "$work/t" >"$work/out" || rc=$?
	[ "$rc" = 1 ] && grep -q "$1" "$work/out" || fail "replay gave $rc, not 1 with $1: $(cat "$work/out")"
}

slower='s/"elapsed_ns":\([0-9]*\)/"elapsed_ns":4\1/'
tampered "$slower" samples/1.jsonl
expect 128 'samples/1.jsonl is not the file' "$bisect" replay "$work/t"
tampered "$slower" samples/2.jsonl sealed
differs '^trial 2, 000000000000: recorded bad (mechanism, 6 of 6 windows), judged again '
# The band is the folder's, not the program's: in a wider one the control has not moved.
tampered 's/"band_slack_ns":.*,/"band_slack_ns": 9000000000,/' rules.json sealed
differs '^trial 3, .*recorded weak (control-moved, .*), judged again good (no-windows'
tampered 's/"verdict":"bad"/"verdict":"good"/' trials.jsonl sealed
differs '^trial 2, .*recorded good (mechanism, '

# Cut short, taken away, put elsewhere, or no such folder.
tampered '$d' samples/3.jsonl
expect 128 'samples/3.jsonl is not the file' "$bisect" replay "$work/t"
tampered '$d' samples/3.jsonl sealed
expect 128 'samples/3.jsonl has [0-9]* copies' "$bisect" replay "$work/t"
tampered 's/"elapsed_ns"/"elapsed"/' samples/3.jsonl sealed
expect 128 'samples/3.jsonl: line 1 is not' "$bisect" replay "$work/t"
tampered 's/"role":"search"/"role":"x"/' trials.jsonl sealed
expect 128 'trials.jsonl: line 3 is not' "$bisect" replay "$work/t"
tampered '/samples/d' MANIFEST.sha256
expect 128 'samples/1.jsonl is not in the evidence' "$bisect" replay "$work/t"
tampered 's,  rules.json,  ../rules.json,' MANIFEST.sha256
expect 128 'is no digest and name' "$bisect" replay "$work/t"
tampered '' rules.json
rm "$work/t/rules.json"
mkfifo "$work/t/rules.json"
expect 128 'rules.json is missing' "$bisect" replay "$work/t"
: >"$work/t/MANIFEST.sha256"
expect 128 'rules.json is not in' "$bisect" replay "$work/t"
# What anyone may have made of it: a name twice, a trial twice, texts with an end inside, a way out by a link.
tampered '1p' MANIFEST.sha256
expect 128 'MANIFEST.sha256: README.txt is there twice|MANIFEST.sha256: .* is there twice' "$bisect" replay "$work/t"
tampered '2p' trials.jsonl sealed
expect 128 'trials.jsonl: line 3 is not' "$bisect" replay "$work/t"
tampered '1s/"same_as":""/"same_as":"x"/' trials.jsonl sealed
expect 128 'trials.jsonl: line 1 is not' "$bisect" replay "$work/t"
tampered '1s/$/\x00/' trials.jsonl sealed
expect 128 'trials.jsonl is no text' "$bisect" replay "$work/t"
tampered '' rules.json
mv "$work/t/samples" "$work/t/elsewhere"
ln -s elsewhere "$work/t/samples"
expect 128 'samples/1.jsonl is missing' "$bisect" replay "$work/t"
tampered '' rules.json
: >"$work/t/band.jsonl"
expect 128 'band.jsonl is not in the evidence' "$bisect" replay "$work/t"
# A verdict cannot be kept from being judged by calling its rule something else.
tampered 's/"rule":"mechanism"/"rule":"build"/' trials.jsonl sealed
differs '^trial 2, .*recorded bad (build, .*, and no rule of judgement is called so$'
# What takes long can be ended.
tampered '' rules.json
truncate -s 60M "$work/t/0"
sum=$(sha256sum <"$work/t/0" | cut -d' ' -f1)
for i in $(seq 100); do
	ln "$work/t/0" "$work/t/$i"
	echo "$sum  $i" >>"$work/t/MANIFEST.sha256"
done
expect 130 'stopped' timeout --preserve-status -s TERM 0.7 "$bisect" replay "$work/t"

expect 129 'is no evidence folder' "$bisect" replay "$work"
expect 129 'want an evidence folder' "$bisect" replay

# A folder that could not be finished is not left to be taken for one, or to be in the way.
"$make_run" "$work/half" <<RUN
fact config.1.file config-1
trial search $(id 4) skip build a.c:1: error: no such thing
RUN
mkdir "$work/half/config-1"
expect 128 'config-1' "$bisect" report --evidence "$work/half-evidence" "$work/half"
[ ! -e "$work/half-evidence" ] || fail "half a folder is left"
rmdir "$work/half/config-1"
mkfifo "$work/half/config-1"
expect 0 '' "$bisect" report --evidence "$work/half-evidence" "$work/half"

# A program's verdicts do not come from copies.
"$make_run" "$work/own" <<RUN
fact option.probe.exec /bin/true
trial good-end $(id 1) good exit ended with 0
RUN
expect 129 'used --exec' "$bisect" report --evidence "$work/own-evidence" "$work/own"
[ ! -e "$work/own-evidence" ] || fail "a refused folder was begun"
finish
