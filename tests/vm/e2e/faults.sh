#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Guests that misbehave for some candidates: each is a skip with its reason, within its limit, and
# the bisect still names the planted commit or, when a lying guest hides it, a set that holds it.
. "$(dirname "$0")/lib.sh"
hostile=${3:?usage: faults.sh PROGRAM CACHE HOSTILE-AGENT}
d=$work/demo

demo_history "$d" --seed 13
want=$(answer "$d")
good=$(git -C "$d/linux" rev-list --max-parents=0 HEAD)

# Every second commit gets a fault, the culprit, its parents and the ends excepted; tests/vm/guest tries
# every fault by itself.
faults=(flood lie half-line panic-in-probe exit-after-hello bad-json huge-line wrong-nonce hang-in-load deaf)
spare=" $want $(git -C "$d/linux" rev-list --parents -n 1 "$want") $(git -C "$d/linux" rev-parse HEAD) $good "
list='' n=0 i=0
for commit in $(git -C "$d/linux" rev-list --topo-order HEAD); do
	i=$((i + 1))
	case $spare in *" $commit "*) continue ;; esac
	[ $((i % 2)) = 0 ] || continue
	list="$list${list:+,}${faults[n % ${#faults[@]}]}@${commit:0:7}"
	n=$((n + 1))
done
# Where trials may lie each commit is booted, whatever its artifact: else few of these would be.
rc=0
"$bisect" run --repo "$d/linux" --dir "$work/faulty" --no-prove --flaky 0.0001 --agent "$hostile" --boot-limit 25 --start cold \
	--append "amdgpu_bisect.fault=$list" \
	--good "$good" \
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
met = 0
for c in r["candidates"]:
    fault = planted.get(c["commit"][:7])
    if fault and c["trials"]:
        met += 1
        print(f"{fault:18} {c['verdict']}: {c['reason']}")
        ok &= c["verdict"] == "skip" and bool(c["reason"]) and "same as" not in c["reason"]
if not met:
    print("no fault was met")
sys.exit(not (ok and met))
PY
echo "every fault met was a skip; named or held: $want"
