#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A history with planted half-applied pairs, and how many of them an audit finds.

audit-pairs.py make REPO TRUTH [SEED [PAIRS]]   branches up and tree; the truth as JSON
audit-pairs.py score TRUTH AUDIT.json           recall and precision per kind; exit 1 below the goals

PAIRS of each kind are half in the tree, and as many are whole: both there, or neither. Between them
lie commits that must not be taken for follow-ups: of other lines of the same functions, too late, new
work that takes one of the change's lines along, of a whole subsystem, of changes that the tree lacks,
and some that name a change as their model.
"""
import json
import random
import subprocess
import sys

DAY = 86400
KINDS = ["fixes", "fixes-subject", "prose-id", "prose-subject", "revert", "undo", "beside"]
UNTAGGED = {"undo", "beside"}
WORDS = ["queue", "ring", "fence", "clock", "panel", "plane", "firmware", "buffer", "engine", "memory"]
DIR = "drivers/gpu/drm/amd/amdgpu"


class Import:
    def __init__(self, repo):
        subprocess.run(["git", "init", "-q", "--bare", repo], check=True)
        self.p = subprocess.Popen(["git", "-C", repo, "fast-import", "--quiet", "--cat-blob-fd=1"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.mark = 0

    def commit(self, branch, when, author_when, message, files, parent=None):
        self.mark += 1
        out = [f"commit refs/heads/{branch}\nmark :{self.mark}\n"
               f"author A <a@example.org> {author_when} +0000\n"
               f"committer C <c@example.org> {when} +0000\n"
               f"data {len(message.encode())}\n{message}\n"]
        if parent:
            out.append(f"from {parent}\n")
        for name, text in files.items():
            out.append(f"M 100644 inline {name}\ndata {len(text.encode())}\n{text}\n")
        self.p.stdin.write("".join(out).encode())
        self.p.stdin.write(f"get-mark :{self.mark}\n".encode())
        self.p.stdin.flush()
        return self.p.stdout.readline().decode().strip()

    def close(self):
        self.p.stdin.close()
        if self.p.wait():
            sys.exit("fast-import failed")


class Tree:
    """Files as functions as lines; an edit replaces one line by several."""

    def __init__(self, files):
        self.files = {f: {n: list(l) for n, l in fs.items()} for f, fs in files.items()}

    def text(self, name):
        return "".join(f"int {n}(struct state *s)\n{{\n" + "".join(f"\t{x}\n" for x in l) + "}\n\n"
                       for n, l in self.files[name].items())

    def edit(self, edits):
        touched = {}
        for name, function, old, new in edits:
            lines = self.files[name][function]
            if old not in lines:
                continue
            at = lines.index(old)
            lines[at:at + 1] = new
            touched[name] = None
        return {name: self.text(name) for name in touched}


def line(rng, tag):
    return f"s->{rng.choice(WORDS)}_{tag} = {rng.choice(WORDS)}_{tag}_of(s, {rng.randrange(1000)});"


def body(rng, tag):
    return [line(rng, f"{tag}_{i}") for i in range(12)]


class Pair:
    def __init__(self, k, kind, state, rng):
        self.k, self.kind, self.state = k, kind, state
        self.file = f"{DIR}/unit{k // 12}.c"
        self.function = f"unit{k // 12}_do_{rng.choice(WORDS)}_{k}"
        self.lines = body(rng, f"p{k}")
        self.change = self.follow = None

    def plan(self, rng):
        f, n, l = self.file, self.function, self.lines
        word = rng.choice(WORDS)
        self.subject = f"drm/amdgpu: {rng.choice(['add', 'rework', 'fix', 'update', 'enable'])} {word} of part {self.k}"
        self.follow_subject = f"drm/amdgpu: {rng.choice(['adjust', 'rework', 'fix', 'tune', 'limit', 'guard'])} {word} {self.k}"
        self.at = rng.randrange(30, 300)
        self.days = rng.randrange(1, 80)
        if self.kind == "beside":
            # A line moves up; the follow-up takes away what is left of where it was.
            self.subject = f"drm/amdgpu: fix {n}"
            self.follow_subject = f"drm/amdgpu: {rng.choice(['drop loop in', 'simplify', 'rework'])} {n}"
            self.a = [(f, n, l[6], []), (f, n, l[3], [l[6], l[3]])]
            self.f = [(f, n, l[5], []), (f, n, l[7], [line(rng, f"b{self.k}")])]
            return
        at = rng.randrange(2, 10)
        new = [line(rng, f"a{self.k}_{i}") for i in range(rng.randrange(1, 5))]
        self.a = [(f, n, l[at], new)]
        if self.kind == "revert":
            self.f = [(f, n, new[0], [l[at]])] + [(f, n, x, []) for x in new[1:]]
        elif self.kind in UNTAGGED or rng.random() < 0.5:
            n_f = rng.randrange(1, len(new) + 1)
            self.f = [(f, n, x, [line(rng, f"f{self.k}_{i}")]) for i, x in enumerate(new[:n_f])]
        else:
            other = l[(at + 5) % 12]
            self.f = [(f, n, other, [other, line(rng, f"f{self.k}")])]

    def follow_message(self, rng):
        i, s = self.change[:12], self.subject
        text = f"{self.follow_subject}\n\nAs seen on a board of the lab.\n"
        if self.kind == "fixes":
            return text + f"\nFixes: {i} (\"{s}\")\nSigned-off-by: A <a@example.org>\n"
        if self.kind == "fixes-subject":
            return text + f"\nFixes: 0123456789ab (\"{s}\")\nCc: stable@vger.kernel.org\n"
        if self.kind == "prose-id":
            return text + f"\nThis has been broken since commit {i}, which took the\nwrong lock.\n"
        if self.kind == "prose-subject":
            return text + f"\nThe regression was introduced by\n\"{s}\"\nsome weeks ago.\n"
        if self.kind == "revert":
            return f"Revert \"{s}\"\n\nThis reverts commit {self.change}.\n\nIt broke a board.\n"
        return text


def carried_message(rng, style, subject, rest, upstream):
    if style == "stable":
        return f"{subject}\n\ncommit {upstream} upstream.\n\n{rest}"
    if style == "autosel":
        return f"{subject}\n\n[ Upstream commit {upstream} ]\n\n{rest}"
    if style == "pick":
        return f"{subject}\n\n{rest}\n(cherry picked from commit {upstream})\n"
    return f"{subject}\n\n{rest}"


def carry(imp, tree, rng, commit, message, edits, when, authored):
    subject, _, rest = message.partition("\n\n")
    style = rng.choice(["stable", "autosel", "pick", "mail"])
    return imp.commit("tree", when, authored, carried_message(rng, style, subject, rest, commit),
                      tree.edit(edits))


def distract(pairs, rng):
    """Commits that are no follow-ups: when, subject, edits."""
    out = []
    for p in pairs:
        f, n, l = p.file, p.function, p.lines
        r = rng.random()
        used = {e[2] for e in p.a} | {e[2] for e in p.f}
        if r < 0.4:     # another line of the function, far from the change
            where = l.index(p.a[0][2])
            free = [x for i, x in enumerate(l) if x not in used and abs(i - where) > 4]
            if free and p.kind != "beside":
                x = rng.choice(free)
                out.append((p.at + rng.randrange(2, 80), f"drm/amdgpu: {rng.choice(['fix', 'tune', 'support'])} other part {p.k}",
                            [(f, n, x, [line(rng, f"d{p.k}")])]))
        elif r < 0.5 and p.kind != "beside" and p.state == "none":
            # soon, and the change's own line, but the tree has not the change
            out.append((p.at + rng.randrange(1, 60), f"drm/amdgpu: fix early part {p.k}",
                        [(f, n, p.a[0][3][-1], [line(rng, f"e{p.k}")])]))
        elif r < 0.65 and p.state == "both" and p.kind != "beside":
            # new work on top: one of the change's lines among many that were there before it
            free = [x for x in l if x not in used][:6]
            out.append((p.at + rng.randrange(2, 80), f"drm/amdgpu: support more of part {p.k}",
                        [(f, n, x, [line(rng, f"w{p.k}_{i}")]) for i, x in enumerate(free)] +
                        [(f, n, p.a[0][3][-1], [line(rng, f"w{p.k}")])]))
        elif r < 0.8 and p.kind not in UNTAGGED and len(p.a[0][3]) > 1:
            # the change's own line, but long after
            out.append((p.at + rng.randrange(200, 330), f"drm/amdgpu: fix late part {p.k}",
                        [(f, n, p.a[0][3][-1], [line(rng, f"l{p.k}")])]))
    for i in range(6):  # a sweep over many functions, some of their lines the changes' own
        some = rng.sample(pairs, 24)
        edits = [(p.file, p.function, x, [x + f" /* {i} */"]) for p in some for x in p.lines[10:]]
        edits += [(p.file, p.function, p.a[0][3][-1], [p.a[0][3][-1] + f" /* {i} */"])
                  for p in some[:4] if p.kind not in UNTAGGED and p.a[0][3]]
        out.append((400 + i, f"drm/amdgpu: mark steps of all units, {i}", edits))
    return out


def make(repo, truth, seed=1, per_kind=None):
    rng = random.Random(seed)
    total = per_kind or 200
    pairs = []
    for k in range(2 * total):
        kind = KINDS[k % len(KINDS)]
        state = "half" if k < total else rng.choice(["both", "none"])
        pairs.append(Pair(k, kind, state, rng))
    rng.shuffle(pairs)
    base = {}
    for p in pairs:
        base.setdefault(p.file, {})[p.function] = p.lines
        p.plan(rng)
    up, tree = Tree(base), Tree(base)
    imp = Import(repo)
    start = 1600000000
    imp.commit("up", start, start, "drm/amdgpu: units\n", {f: up.text(f) for f in base})
    imp.commit("tree", start + DAY, start + DAY, "packaging: a release\n", {"debian": "1\n"}, ":1")
    events = [(p.at, 0, p, None) for p in pairs] + [(p.at + p.days, 1, p, None) for p in pairs]
    events += [(when, 2, None, d) for d in distract(pairs, rng) for when in [d[0]]]
    events.sort(key=lambda e: (e[0], e[1], e[2].k if e[2] else 0))
    planted = []
    for day, what, p, d in events:
        when = start + day * DAY + rng.randrange(DAY // 2)
        later = when + 5 * DAY
        if what == 2:
            files = up.edit(d[2])
            text = "For the next board.\n"
            near = [p for p in pairs if p.change and p.state != "none"]
            if near and rng.random() < 0.3:     # a model is no culprit
                p = rng.choice(near)
                text = rng.choice([f"Similar to commit {p.change[:12]} (\"{p.subject}\").\n",
                                   f"The same as what\n\"{p.subject}\" did for the other unit.\n"])
            imp.commit("up", when, when, d[1] + "\n\n" + text, files)
        elif what == 0:
            rest = "Needed by the next board.\n"
            p.change = imp.commit("up", when, when, f"{p.subject}\n\n{rest}", up.edit(p.a))
            if p.state != "none":
                carry(imp, tree, rng, p.change, f"{p.subject}\n\n{rest}", p.a, later, when)
        else:
            message = p.follow_message(rng)
            p.follow = imp.commit("up", when, when, message, up.edit(p.f))
            if p.state == "both":
                carry(imp, tree, rng, p.follow, message, p.f, later, when)
            if p.state == "half":
                planted.append({"kind": p.kind, "change": p.change, "follow_up": p.follow})
    imp.close()
    with open(truth, "w", encoding="utf-8") as f:
        json.dump({"seed": seed, "half": planted, "whole": 2 * total - len(planted)}, f)


def score(truth, audit):
    with open(truth, encoding="utf-8") as f:
        truth = json.load(f)
    with open(audit, encoding="utf-8") as f:
        found = json.load(f)["findings"]
    kinds = {(p["change"], p["follow_up"]): p["kind"] for p in truth["half"]}
    have = {(x["change"]["commit"], x["follow_up"]["commit"]): x["reason"] for x in found}
    bad = False
    for group, want, min_precision, reasons in [
            ("tagged", 1.0, 1.0, {"fixes", "reverts", "blames", "names"}),
            ("untagged", 0.95, 0.8, {"rewrites", "beside"})]:
        planted = {p for p, k in kinds.items() if (k in UNTAGGED) == (group == "untagged")}
        hits = planted & have.keys()
        said = {p for p, r in have.items() if r in reasons}
        wrong = said - kinds.keys()
        recall = len(hits) / len(planted)
        precision = 1 - len(wrong) / len(said) if said else 1.0
        print(f"{group}: {len(planted)} planted, {len(hits)} found, recall {recall:.3f}; "
              f"{len(said)} said, {len(wrong)} wrong, precision {precision:.3f}")
        bad |= recall < want or precision < min_precision
    for kind in KINDS:
        planted = [p for p, k in kinds.items() if k == kind]
        print(f"  {kind}: {sum(p in have for p in planted)} of {len(planted)}")
    return bad


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3], *map(int, sys.argv[4:]))
    else:
        sys.exit(score(sys.argv[2], sys.argv[3]))
