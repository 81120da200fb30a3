#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Guests that misbehave for some candidates: each is a skip with its reason, within its limit, and
# the bisect still names the planted commit or, when a lying guest hides it, a set that holds it.
. "$(dirname "$0")/lib.sh"
hostile=${3:?usage: faults.sh PROGRAM CACHE HOSTILE-AGENT}
d=$work/demo

# Which commits the search meets is known from a run without faults.
"$bisect" demo --seed 13 --dir "$d" --quiet >"$work/named" || die "the demo gave $?"
want=$(answer "$d")
[ "$(cat "$work/named")" = "$want" ] || die "named $(cat "$work/named")"
"$bisect" report "$d/run" --format json >"$work/report.json"
python3 - "$work/report.json" "$want" >"$work/met" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
near = {sys.argv[2]}
ends = set()
for c in r["candidates"]:
    roles = {t["role"] for t in c["trials"]}
    if "search" in roles and c["verdict"] in ("good", "bad") and c["commit"] not in near \
       and "confirm-parent" not in roles and "confirm_parent" not in roles:
        print(c["commit"][:12])
PY
mapfile -t met <"$work/met"
[ "${#met[@]}" -ge 2 ] || die "the search met only ${#met[@]} commits"

# As many faults as commits that the search meets; tests/vm/guest tries every one by itself.
faults=(flood lie half-line panic-early exit-after-hello no-hello bad-json hang-in-probe)
list=''
for ((j = 0; j < ${#met[@]} && j < ${#faults[@]}; j++)); do
	list="$list${list:+,}${faults[j]}@${met[j]}"
done
rc=0
"$bisect" run --repo "$d/linux" --dir "$work/faulty" --agent "$hostile" --boot-limit 25 \
	--append "amdgpu_bisect.fault=$list" \
	--good "$(git -C "$d/linux" rev-list --max-parents=0 HEAD)" \
	--quiet >"$work/named" 2>"$work/err" || rc=$?
[ "$rc" = 0 ] || [ "$rc" = 3 ] || die "$list: $rc $(tail -n 3 "$work/err")"
"$bisect" report "$work/faulty" --format json >"$work/report.json"
python3 - "$work/report.json" "$want" "$list" <<'PY' || die "$list: see above"
import json, sys
r = json.load(open(sys.argv[1]))
want, planted = sys.argv[2], dict(reversed(p.split("@")) for p in sys.argv[3].split(","))
named = (r.get("culprit") or {}).get("commit")
held = [s if isinstance(s, str) else s["commit"] for s in (r.get("set") or {}).get("commits", [])] \
    if isinstance(r.get("set"), dict) else [s if isinstance(s, str) else s["commit"] for s in (r.get("set") or [])]
ok = named == want or (not named and want in held)
if not ok:
    print("named", named, "set", held, "want", want)
for c in r["candidates"]:
    fault = planted.get(c["commit"][:12])
    if fault and c["trials"]:
        print(f"{fault:18} {c['verdict']}: {c['reason']}")
        ok &= c["verdict"] == "skip" and bool(c["reason"])
sys.exit(not ok)
PY
echo "every fault met was a skip; named or held: $want"
