# SPDX-License-Identifier: GPL-2.0-or-later
"""check_ktap.py FILE: version line, plan and nesting as in Documentation/dev-tools/ktap.rst."""
import re
import sys

RESULT = re.compile(r"(ok|not ok) (\d+)(?: ([^#]*?))?(?: ?# ?(SKIP|TODO|XFAIL|TIMEOUT|ERROR)(?: [^#]*)?)?$")


def fail(at, what):
    sys.exit(f"{sys.argv[1]}: line {at + 1}: {what}")


def level(lines, at, depth):
    """One level from its version line on. Returns where it ends, and whether all in it is ok."""
    pad = "  " * depth
    if at >= len(lines) or lines[at] != pad + "KTAP version 1":
        fail(at, "no version line")
    at += 1
    if depth and not re.fullmatch(pad + r"# Subtest: \S.*", lines[at]):
        fail(at, "a nested level without its name")
    at += bool(depth)
    plan = re.fullmatch(pad + r"1\.\.([1-9]\d*)", lines[at])
    if not plan:
        fail(at, "no plan")
    at, all_ok = at + 1, True
    for n in range(1, int(plan[1]) + 1):
        inner_ok = None
        while at < len(lines) and lines[at].startswith(pad + "# "):
            if "Subtest:" in lines[at][:12 + len(pad)]:
                fail(at, "a diagnosis that names a level")
            at += 1
        if at < len(lines) and lines[at].startswith(pad + "  "):
            at, inner_ok = level(lines, at, depth + 1)
        m = RESULT.fullmatch(lines[at][len(pad):]) if at < len(lines) and lines[at].startswith(pad) else None
        if not m:
            fail(at, "no result")
        if int(m[2]) != n:
            fail(at, f"number {m[2]}, want {n}")
        if inner_ok is not None and inner_ok != (m[1] == "ok"):
            fail(at, "a level that differs from what is in it")
        all_ok &= m[1] == "ok"
        at += 1
    return at, all_ok


with open(sys.argv[1], encoding="utf-8", newline="\n") as f:
    text = f.read()
if re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text) or not text.endswith("\n"):
    sys.exit(f"{sys.argv[1]}: a control character, or no last line break")
LINES = text[:-1].split("\n")
end, _ = level(LINES, 0, 0)
if end != len(LINES):
    fail(end, "more than was planned")
