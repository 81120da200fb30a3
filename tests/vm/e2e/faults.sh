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

faults=(no-hello panic-early flood half-line lie bad-json exit-after-hello hang-in-probe huge-line wrong-nonce)
i=0
for ((k = 0; k < ${#faults[@]}; k += ${#met[@]})); do
	list=''
	for ((j = 0; j < ${#met[@]} && k + j < ${#faults[@]}; j++)); do
		list="$list${list:+,}${faults[k + j]}@${met[j]}"
	done
	i=$((i + 1))
	"$bisect" run --repo "$d/linux" --dir "$work/run$i" --agent "$hostile" --boot-limit 25 \
		--append "amdgpu_bisect.fault=$list" --good "$(git -C "$d/linux" rev-list --max-parents=0 HEAD)" \
		--quiet >"$work/named" 2>"$work/err" || [ $? = 3 ] || die "$list: $? $(tail -n 3 "$work/err")"
	"$bisect" report "$work/run$i" --format json >"$work/report.json"
	python3 - "$work/report.json" "$want" "$list" <<'PY' || die "$list: see above"
import json, sys
r = json.load(open(sys.argv[1]))
want, planted = sys.argv[2], dict(reversed(p.split("@")) for p in sys.argv[3].split(","))
ok = True
named = (r.get("culprit") or {}).get("commit")
held = named == want or want in [s if isinstance(s, str) else s["commit"] for s in (r.get("set") or [])]
if not held or (named and named != want):
    print("named", named, "set", r.get("set"), "want", want)
    ok = False
for c in r["candidates"]:
    fault = planted.get(c["commit"][:12])
    if fault and c["trials"]:
        print(f"{fault:18} {c['verdict']}: {c['reason']}")
        ok &= c["verdict"] == "skip" and bool(c["reason"])
sys.exit(not ok)
PY
done
echo "every fault was a skip; $want was named"
