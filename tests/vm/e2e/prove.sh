#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# All five corners of a planted culprit, whose repair lies on another branch; a follow-up that collides is missing
# with its file; what patches do to the culprit, as validate says it; which missing follow-up completes the tree, as
# audit --test says it.
. "$(dirname "$0")/lib.sh"
d=$work/demo
export GIT_AUTHOR_NAME=D GIT_AUTHOR_EMAIL=d@example.invalid GIT_COMMITTER_NAME=D GIT_COMMITTER_EMAIL=d@example.invalid

"$bisect" demo --commits 32 --seed 21 --dir "$d" --no-prove --quiet >/dev/null || die "the demo gave $?"
culprit=$(answer "$d")
g() { git -C "$d/linux" "$@"; }

# The repair, written on the culprit, and one that changes the same lines otherwise than the tip has them.
g worktree add -q --detach "$work/wt" "$culprit"
git -C "$work/wt" revert -n HEAD
git -C "$work/wt" commit -q -m "drm/amdgpu: read the sequence anew" -m "Fixes: ${culprit:0:12} (\"$(g log -1 --format=%s "$culprit")\")"
g branch next "$(git -C "$work/wt" rev-parse HEAD)"
file=$(g diff --name-only "$culprit^" "$culprit")
git -C "$work/wt" checkout -q --detach "$(g rev-list --max-parents=0 HEAD)"
sed -i '/notifier_seq/s/$/ \/* another *\//' "$work/wt/$file"
git -C "$work/wt" commit -q -a -m "drm/amdgpu: quite another"
g branch other "$(git -C "$work/wt" rev-parse HEAD)"
g worktree remove --force "$work/wt"
before=$(g for-each-ref && g status --porcelain)

"$bisect" prove "$d/run" >"$work/proof" || die "prove gave $?: $(cat "$work/proof")"
grep -A 9 '^Proof' "$work/proof"
"$bisect" report "$d/run" --format json >"$work/report.json"
for corner in parents_good itself_bad tip_without tip_with_followup good_end_with; do
	[ "$(json "$work/report.json" "culprit.proof.$corner.state")" = shown ] || die "$corner is not shown"
	[ "$(json "$work/report.json" "culprit.proof.$corner.controls.windows")" = 0 ] || die "$corner: a control waited"
done
[ "$(json "$work/report.json" culprit.proof.tip_with_followup.followup.commit)" = "$(g rev-parse next)" ] ||
	die "another follow-up"
[ "$(json "$work/report.json" culprit.proof.good_end_with.windows)" -ge 5 ] || die "too few windows"
# Once more nothing is tried.
trials=$(json "$work/report.json" run.trials)
"$bisect" prove "$d/run" >"$work/proof" || die "prove once more gave $?"
"$bisect" report "$d/run" --format json >"$work/report.json"
[ "$(json "$work/report.json" run.trials)" = "$trials" ] || die "it was tried once more"

"$bisect" prove "$d/run" --follow-up other >"$work/proof" || die "prove gave $?: $(cat "$work/proof")"
"$bisect" report "$d/run" --format json >"$work/report.json"
[ "$(json "$work/report.json" culprit.proof.tip_with_followup.state)" = missing ] || die "what collides is not missing"
[ "$(json "$work/report.json" culprit.proof.tip_with_followup.conflicts.0)" = "$file" ] || die "the file is not named"
[ "$(g for-each-ref && g status --porcelain)" = "$before" ] || die "the repository was touched"

# validate: the repair, and a comment, whose artifact is the base's.
g diff "$culprit" "$culprit^" >"$work/repair.patch"
g show "$culprit:$file" >"$work/a"
{ cat "$work/a"; printf '\n/* nothing */\n'; } >"$work/b"
diff -u --label "a/$file" --label "b/$file" "$work/a" "$work/b" >"$work/comment.patch" || true
"$bisect" validate --repo "$d/linux" --base "$culprit" --apply "$work/comment.patch" >"$work/table" || die "validate gave $?"
grep -q 'no effect (same-artifact)' "$work/table" || die "a comment: $(cat "$work/table")"
grep -q 'not booted' "$work/table" || die "booted for nothing: $(cat "$work/table")"
"$bisect" validate --repo "$d/linux" --base "$culprit" --apply "$work/repair.patch" --apply "$work/comment.patch" \
	--rounds 1 >"$work/table" || die "validate gave $?: $(cat "$work/table")"
cat "$work/table"
grep -q 'repairs (windows-gone)' "$work/table" || die "the repair does not repair"
rc=0
"$bisect" validate --repo "$d/linux" --base "$culprit^" --apply "$culprit" --rounds 1 >"$work/table" || rc=$?
[ "$rc" = 1 ] || die "what breaks gave $rc: $(cat "$work/table")"
grep -q 'breaks (windows-came)' "$work/table" || die "the culprit does not break: $(cat "$work/table")"

# The tree has the culprit and not its repair, nor a remark on it that changes nothing; as a commit, and as a patch
# from another repository.
g worktree add -q --detach "$work/wt" next
sed -i '0,/^int amdgpu_hmm_range_get_pages(/s//\/* well *\/\n&/' "$work/wt/$file"
git -C "$work/wt" commit -q -a -m "drm/amdgpu: a remark" -m "Fixes: ${culprit:0:12} (\"$(g log -1 --format=%s "$culprit")\")"
g branch after "$(git -C "$work/wt" rev-parse HEAD)"
g worktree remove --force "$work/wt"
git clone -q --bare "$d/linux" "$work/upstream.git"
for from in after "$work/upstream.git:after"; do
	rc=0
	"$bisect" audit --repo "$d/linux" --upstream "$from" --tree HEAD --test --rounds 1 >"$work/audit" 2>"$work/err" || rc=$?
	[ "$rc" = 1 ] || die "audit --test gave $rc: $(cat "$work/audit" "$work/err")"
	grep -q 'Tried on the tree: 1 of 2 findings completes the pair' "$work/audit" || die "audit: $(cat "$work/audit")"
	grep -q 'by itself *bad' "$work/audit" || die "the tree is bad: $(cat "$work/audit")"
	tr -s ' \n' ' ' <"$work/audit" >"$work/words"
	grep -q 'read the sequence anew.*tried completes the pair: it repairs (windows-gone)' "$work/words" ||
		die "the repair completes nothing: $(cat "$work/audit")"
done
cat "$work/audit"
