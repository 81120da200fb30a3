#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A stored validation is printed again: its rows with what was measured, in text and JSON, and one that broke off says so.
. "$(dirname "$0")/lib.sh"
make_run=$2
golden=$(cd "$(dirname "$0")/../golden" && pwd)
id() { printf '%040d' "$1"; }

# What the kernel's probes saw of one copy.
cp "$golden/../fuzz/corpus/wire/sample-evidence" "$work/probes.jsonl"
rows() {
	cat <<-RUN
	fact validate.base $(id 1)
	fact validate.0.name base
	fact validate.0.commit $(id 1)
	fact validate.0.effect bad
	fact validate.0.rule mechanism
	fact validate.0.reason all windows
	fact validate.1.name repair.patch
	fact validate.1.commit $(id 2)
	fact validate.1.effect repairs
	fact validate.1.rule windows-gone
	fact validate.1.reason no windows any more
	copies validate $(id 1) $golden/two-and-four-windows/agent.jsonl
	probes $work/probes.jsonl
	copies validate $(id 2) $golden/stock-good/agent.jsonl
	RUN
}
{ rows; echo 'fact validate.rows 2'; } | "$make_run" "$work/whole"
rows | "$make_run" "$work/broken-off"

"$bisect" report "$work/whole" >"$work/text" || fail "report of a validation"
grep -q '^base .*, 2 w$' "$work/text" || fail "no windows of the base in: $(cat "$work/text")"
grep -q '^base  *bad (mechanism): all windows$' "$work/text" || fail "no verdict of the base in: $(cat "$work/text")"
grep -q '^repair.patch  *repairs (windows-gone): no windows any more$' "$work/text" || fail "no effect in: $(cat "$work/text")"
told='rw-p resident  *4 MiB  *98.7 % inside, 4021 calls, 4017 of them -EBUSY'
grep -A 3 "^What the kernel's probes saw" "$work/text" | grep -A 2 '^and calls' | grep -q '^  base$' || fail "whose copies the kernel saw is not said in: $(cat "$work/text")"
grep -q "^    $told" "$work/text" || fail "what the kernel saw is not in: $(cat "$work/text")"
"$bisect" report --format json -o "$work/json" "$work/whole" || fail "as JSON"
python3 - "$work/json" <<-'END' || fail "JSON: $(cat "$work/json")"
	import json, sys
	d = json.load(open(sys.argv[1]))
	base, repair = d["builds"]
	assert d["format"] == "amdgpu-bisect validate"
	assert (base["effect"], repair["effect"], base["trials"]) == ("bad", "repairs", 1)
	windows = {r["bytes"]: r["windows"] for r in base["rows"] if r["regime"] == "rw-p resident"}
	assert sorted(windows.values()) == [2, 4], windows
	assert not any(r["windows"] for r in repair["rows"])
	assert [k["hmm_busy"] for k in base["kernel"]] == [4017] and repair["kernel"] == []
	END
# A gate and a test have no new end: what was tested is shown with its figures all the same.
"$make_run" "$work/test" <<-RUN || fail "a test's run"
	fact test.commit $(id 2)
	fact good.0 $(id 1)
	copies good-end $(id 1) $golden/stock-good/agent.jsonl
	copies test $(id 2) $golden/two-and-four-windows/agent.jsonl
	probes $work/probes.jsonl
	RUN
"$bisect" report "$work/test" >"$work/text" || fail "report of a test"
grep -q 'tested   0000000000 .*good-end 0000000000' "$work/text" || fail "no figures of what was tested in: $(cat "$work/text")"
grep -q "^    $told" "$work/text" || fail "what the kernel saw of a test is not in: $(cat "$work/text")"
"$bisect" report --format html "$work/test" | grep -q 'What the kernel saw' || fail "nor in HTML"

expect 129 'has not ended' "$bisect" report "$work/broken-off"
expect 129 'text or json, not as html' "$bisect" report --format html "$work/whole"
expect 129 'names no commit' "$bisect" report --mail bug "$work/whole"
finish
