# SPDX-License-Identifier: GPL-2.0-or-later
"""check_json.py SCHEMA REPORT...: exit 0 valid, 1 not, 77 if jsonschema is not installed."""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)

with open(sys.argv[1], encoding="utf-8") as f:
    schema = json.load(f)
jsonschema.Draft7Validator.check_schema(schema)
wrong = 0
for name in sys.argv[2:]:
    with open(name, encoding="utf-8") as f:
        report = json.load(f)
    for e in jsonschema.Draft7Validator(schema).iter_errors(report):
        print(f"{name}: {'/'.join(map(str, e.path))}: {e.message}", file=sys.stderr)
        wrong = 1
sys.exit(wrong)
