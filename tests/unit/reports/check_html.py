# SPDX-License-Identifier: GPL-2.0-or-later
"""check_html.py PAGE...: every element closed in order, nothing fetched, no script."""
import html.parser
import sys

VOID = {"meta", "br", "hr", "img", "link", "input"}
KNOWN = set(
    "html head meta title style body main header section h1 h2 p ul li span i code pre div details "
    "summary table thead tbody tr th td small dl dt dd footer svg g rect line path circle polyline "
    "text".split()
)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.wrong = [], []

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        if tag not in KNOWN:
            self.wrong.append(f"element {tag}")
        for name, value in attrs:
            if name in ("src", "href", "style") or name.startswith("on"):
                self.wrong.append(f"attribute {name}={value}")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")


failed = 0
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as f:  # strict: the page must be UTF-8
        text = f.read()
    page = Page()
    page.feed(text)
    page.close()
    page.wrong += [f"<{t}> is not closed" for t in page.open]
    if "url(" in text or "@import" in text:
        page.wrong.append("something is fetched")
    for w in page.wrong[:10]:
        print(f"{name}: {w}", file=sys.stderr)
        failed = 1
sys.exit(failed)
