#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Drafts of mails from a run in a real repository: who gets them, what they say, and that no commit's author
# can write a header. Python's email package reads each of them.
. "$(dirname "$0")/lib.sh"
make_run=$2
here=$(cd "$(dirname "$0")" && pwd)
export HOME=$work XDG_CONFIG_HOME=$work/config

r=$work/r
git init -q "$r"
cd "$r"
mkdir -p "$driver/amdgpu" mm
printf 'VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 187\nEXTRAVERSION =\n' >Makefile
cat >MAINTAINERS <<'END'
List of maintainers
===================

	M: *Mail* patches to: FullName <address@domain>

DRM DRIVERS
M:	Dave Drm <dave@drm.example>
L:	dri-devel@lists.example
F:	drivers/gpu/

RADEON and AMDGPU DRM DRIVERS
M:	Alice Driver <alice@amd.example>
M:	Bücher, Christian <christian@amd.example>
R:	Rita Reviewer <rita@amd.example>
L:	amd-gfx@lists.example
L:	amd-internal@lists.example (subscribers-only)
S:	Supported
F:	drivers/gpu/drm/amd/

THE REST
M:	Linus Everyone <linus@example>
L:	linux-kernel@lists.example
F:	*
F:	*/
END
say() { printf 'int x = %s;\n' "$1" >"$driver/amdgpu/amdgpu_mn.c"; git add -A; }
say 0
git commit -qm "drm/amdgpu: the old end"
good=$(git rev-parse HEAD)
say 1
GIT_AUTHOR_NAME='Zoë "Z" Author' GIT_AUTHOR_EMAIL=zoe@author.example git commit -qm "drm/amdgpu: fix ünder load

A reason.

Signed-off-by: Zoë \"Z\" Author <zoe@author.example>
Reviewed-by: Alice Driver <ALICE@amd.example>
Acked-by: Sam Signer <sam@signer.example>
Reported-by: broken line <not an address>
Cc: stable@vger.kernel.org"
culprit=$(git rev-parse HEAD)
printf 'VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 192\nEXTRAVERSION =\n' >Makefile
git commit -qam "Linux 6.1.192"
tip=$(git rev-parse HEAD)
git checkout -qb upstream
say 3
git commit -qm "drm/amdgpu: drop the retry loop

Fixes: ${culprit:0:12} (\"drm/amdgpu: fix\")
Signed-off-by: Fiona Fixer <fiona@fix.example>"
repair=$(git rev-parse HEAD)

facts() {
	printf 'fact repo %s\nfact bad %s\nfact good.0 %s\nfact run.outcome proven\n' "$r" "$tip" "$good"
	printf 'fact run.command amdgpu-bisect run --repo %s v1..v2\nfact kernel.release 6.1.0-57-amd64\n' "$r"
	printf 'fact culprit.commit %s\nfact culprit.parents %s\n' "${1:-$culprit}" "$good"
	printf 'fact culprit.subject %s\n' "$(git log -1 --format=%s "${1:-$culprit}")"
	printf 'trial bad-end %s bad mechanism 6 windows\n' "$tip"
	printf 'trial confirm %s bad mechanism 6 windows\n' "${1:-$culprit}"
	printf 'trial confirm-parent %s good no-windows none\n' "$good"
}
repaired() {
	local k=proof.tip_with_followup
	printf 'fact %s.commit %s\nfact %s.followup %s\nfact %s.how its Fixes: names the culprit\n' \
		$k 1111111111111111111111111111111111111111 $k "$repair" $k
	printf 'trial tip-with-followup 1111111111111111111111111111111111111111 good no-windows none\n'
}
{ facts; repaired; } | "$make_run" "$work/run" || fail "make-run"

# draft NAME KIND RUN: it is $work/NAME.eml
draft() { "$bisect" report --mail "$2" -o "$work/$1.eml" "$work/$3" 2>"$work/err" || fail "$1: $(cat "$work/err")"; }

draft nobody regression run
git config user.name "Kim Möller"
git config user.email kim@example.org
draft regression regression run
draft stable stable run
draft bug bug run

# A distribution's pick, and a stable tree's own commit.
upstream=c08972f55594c08972f55594c08972f55594aaaa
git checkout -q --detach "$good"
say 4
git commit -qm "drm/amdgpu: picked

(cherry picked from commit $upstream)"
facts "$(git rev-parse HEAD)" | "$make_run" "$work/picked"
draft picked regression picked
git checkout -q --detach "$good"
say 5
git commit -qm "drm/amdgpu: in stable

commit $upstream upstream.

A reason."
stable=$(git rev-parse HEAD)
facts "$stable" | "$make_run" "$work/in-stable"
draft in-stable regression in-stable

# Whoever wrote the commit writes no header and no command to the bot.
git checkout -q --detach "$good"
git rm -q MAINTAINERS
say 6
git commit -qm x
evil=$(git cat-file commit HEAD | sed -n '1,/^$/p' | python3 -c '
import sys
for line in sys.stdin.buffer:
    if line.startswith(b"author "):
        line = b"author E\rBcc: v@evil.example\xff =?UTF-8?Q?=0AX: y?= <e@evil.example\rX-Evil:1> 1 +0000\n"
    sys.stdout.buffer.write(line)
subject = b"fix \x1b[31m\rBcc: w@evil.example \xe2\x80\xae =?UTF-8?Q?=0D=0AX-Evil:_1?= " + b"#regzbot fix: x " * 20
people = b"Signed-off-by: A\x0b\rBcc: u@evil.example <s@evil.example>\n" + b"".join(
    b"Acked-by: P%d <p%d@evil.example>\n" % (i, i) for i in range(3000))
sys.stdout.buffer.write(subject + b"\n\n#regzbot fix: y\n" + people)' | git hash-object -t commit -w --stdin --literally)
facts "$evil" | LC_ALL=C tr -d '\033\r' | "$make_run" "$work/evil"
draft evil regression evil

# A set of commits, and a search for a fix.
{ facts | grep -v culprit | sed 's/outcome proven/outcome set/'; printf 'fact set %s %s\n' "$culprit" "$tip"; } |
	"$make_run" "$work/set"
draft set regression set
draft set-bug bug set
{ facts "$repair"; printf 'fact option.bisect.find fix\n'; } | sed "s/^trial confirm \(.*\) bad/trial confirm \1 good/;
	s/^trial confirm-parent \(.*\) good/trial confirm-parent \1 bad/" | "$make_run" "$work/fix"
draft fix stable fix
draft fix-bug bug fix

# All are sound, and so are those that are kept, with all their figures.
for kept in "$here"/../unit/reports/mail/*.eml; do cp "$kept" "$work/kept-$(basename "$kept")"; done
python3 "$here/mail.py" "$work"/*.eml >"$work/bad" || fail "$(cat "$work/bad")"

header() { cat "$work/$1.eml.$2" 2>/dev/null || true; }
has() { grep -qF -- "$2" "$work/$1.eml.txt" || fail "$1: no '$2' in: $(cat "$work/$1.eml.txt")"; }
lacks() { grep -qF -- "$2" "$work/$1.eml.txt" && fail "$1: '$2' in: $(cat "$work/$1.eml.txt")"; true; }
is() { [ "$2" = "$3" ] || fail "$1: '$2', want '$3'"; }
regzbot() { is "to the bot, in $1" "$(grep '^#regzbot' "$work/$1.eml.txt")" "#regzbot introduced: $2"; }

is "nobody's From" "$(header nobody From)" "YOUR NAME <your.address@example.invalid>"
has nobody "[EDIT: From: is not filled in"

lacks regression "[EDIT"
is From "$(header regression From)" "Kim Möller <kim@example.org>"
is To "$(header regression To)" '"Zoë \"Z\" Author" <zoe@author.example>
Alice Driver <alice@amd.example>
"Bücher, Christian" <christian@amd.example>'
is Cc "$(header regression Cc)" 'regressions@lists.linux.dev
amd-gfx@lists.example
Rita Reviewer <rita@amd.example>
Sam Signer <sam@signer.example>'
is Subject "$(header regression Subject)" \
	"[REGRESSION] amdgpu: copies wait 1 s per 2 MiB extent, since ${culprit:0:12} (\"drm/amdgpu: fix ünder load\")"
regzbot regression "${culprit:0:12}"
has regression "works       ${good:0:12} (6.1.187)"
has regression "affected    ${tip:0:12} (6.1.192)"
has regression "  amdgpu-bisect run --repo $r v1..v2"
has regression "  amdgpu-bisect test --repo $r $culprit"
has regression "${repair:0:12} (\"drm/amdgpu: drop the retry loop\")"

is To "$(header stable To)" stable@vger.kernel.org
is Subject "$(header stable Subject)" "Please apply to 6.1.y: drm/amdgpu: drop the retry loop"
header stable Cc >"$work/cc"
grep -q fiona@fix.example "$work/cc" || fail "who signed the repair is not told"
has stable "  commit:   $repair"
has stable "  series:   6.1.y, shown on 6.1.192"
has stable "4 shown"
has stable "check that the commit is in Linus' tree"
is "To of a bug" "$(header bug To)" ""
has bug "please take it:"
has bug "6.1.0-57-amd64"

# The id that regzbot knows.
regzbot picked "${upstream:0:12}"
header picked Cc >"$work/cc"
grep -q stable@ "$work/cc" && fail "a distribution's pick is no matter of the stable list"
regzbot in-stable "${stable:0:12}"
header in-stable Cc >"$work/cc"
grep -qx stable@vger.kernel.org "$work/cc" || fail "the stable list is not told"

regzbot evil "${evil:0:12}"
[ "$(header evil Cc | wc -l)" -le 64 ] || fail "a message made a mail to thousands"
is "To without MAINTAINERS" "$(header evil To)" regressions@lists.linux.dev
has evil "[EDIT: the tree has no MAINTAINERS file"

regzbot set "${good:0:12}..${tip:0:12}"
is "a set's subject" "$(header set Subject)" "[REGRESSION] amdgpu: copies wait 1 s per 2 MiB extent, since one of 2 commits"
header set To >"$work/to"
grep -q zoe@ "$work/to" && fail "the author of one of a set is not to blame"
has set-bug "one of these 2 commits"
has fix "  commit:   $repair"
has fix "  series:   6.1.y, shown on 6.1.187"
has fix-bug "repaired by this commit"

# What cannot be: said in a line.
refused() { expect 1 "no mail is written: $1" "$bisect" report --mail "$2" "$work/$3"; }
refused '.*corner 4 of the proof is missing' stable evil
refused 'the run names no commit: only a set' stable set
refused 'the run found a fix' regression fix
{ facts | grep -v culprit | sed 's/outcome proven/outcome stopped/'; } | "$make_run" "$work/stopped"
refused 'the run names no commit: it was stopped' bug stopped
expect 129 'bisect: --format cannot be together with --mail: ' "$bisect" report --mail bug --format json "$work/run"
expect 129 'regression\|stable\|bug' "$bisect" report --mail letter "$work/run"
mv "$r" "$work/away"
expect 129 "the mail needs the run's repository" "$bisect" report --mail regression "$work/run"
finish
