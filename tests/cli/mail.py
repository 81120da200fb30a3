# SPDX-License-Identifier: GPL-2.0-or-later
"""Drafts as a mail program reads them: mail.py FILE...

Prints what is wrong with them and fails; beside each it writes FILE.txt, its text, and FILE.NAME for each header as
people see it, addresses one a line.
"""
import email
import email.policy
import sys


def parse(path):
    with open(path, "rb") as f:
        raw = f.read()
    return raw, email.message_from_bytes(raw, policy=email.policy.default)


def check(raw, mail):
    bad = [f"{d!r}" for d in mail.defects]
    for name in mail.keys():
        bad += [f"{name}: {d!r}" for d in mail[name].defects]
        if mail.keys().count(name) > 1:
            bad.append(f"{name}: twice")
    for name in "From", "Subject", "Date", "MIME-Version", "Content-Type", "Content-Transfer-Encoding":
        if name not in mail:
            bad.append(f"no {name}")
    # What a commit says may not become a header of its own.
    known = {"From", "To", "Cc", "Subject", "Date", "X-Unsent", "MIME-Version", "Content-Type",
             "Content-Transfer-Encoding"}
    bad += [f"a header that nobody wrote: {n}" for n in mail.keys() if n not in known]
    head, text = raw.split(b"\n\n", 1)
    bad += [f"long header line: {line}" for line in head.split(b"\n") if len(line) > 78]
    for line in text.decode("utf-8").split("\n"):
        # Only what is quoted may be longer: it stands apart, by two columns or more.
        if len(line) > 75 and not line.startswith("  "):
            bad.append(f"long line: {line}")
        if len(line.encode()) > 998:
            bad.append(f"too long for any mail: {line[:80]}")
    if b"\r" in raw or b"\0" in raw or b"\x1b" in raw:
        bad.append("a control character")
    if mail.get_content_type() != "text/plain" or mail.get_content_charset() != "utf-8":
        bad.append(f"{mail['Content-Type']}")
    if "flowed" in mail["Content-Type"]:
        bad.append("format=flowed")
    return bad


def read(path):
    raw, mail = parse(path)
    for name in mail.keys():
        h = mail[name]
        with open(f"{path}.{name}", "w", encoding="utf-8") as f:
            print("\n".join(str(a) for a in h.addresses) if hasattr(h, "addresses") else h, file=f)
    with open(f"{path}.txt", "w", encoding="utf-8") as f:
        f.write(mail.get_content())
    return [f"{path}: {words}" for words in check(raw, mail)]


bad = [words for path in sys.argv[1:] for words in read(path)]
print("\n".join(bad))
sys.exit(bool(bad))
