#!/usr/bin/env python3
"""Checks the records of a run with every kind of ending, and broken ones, against their schema.

usage: record_schema_test.py PROGRAM PLUGINS; exit code 77 where jsonschema is missing.
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    sys.exit(77)

EXPERIMENT = """
device: cpu
problems: [{name: p, queries: 3, channels: 4, levels: [[4, 4]]}]
arms:
  - fixture
  - {name: crash, use: [{fixture: {behaviour: crash}}]}
  - {name: wrong, use: [{fixture: {behaviour: wrong}}]}
  - {name: throw, use: [{fixture: {behaviour: throw}}]}
  - {name: unsupported, use: [{fixture: {behaviour: unsupported}}]}
  - {name: hang, use: [{fixture: {behaviour: hang, after: 4}}]}
measure: {noise_pair: false, processes: 2, most_processes: 2, blocks: 2, samples: 2, timeout: 1 s}
"""

program, plugins = sys.argv[1:]
printed = subprocess.run([program, "schema", "--records"], check=True, capture_output=True).stdout
schema = json.loads(printed)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
failures = 0


def fail(text):
    global failures
    print(text)
    failures += 1


with tempfile.TemporaryDirectory() as directory:
    experiment = pathlib.Path(directory, "x.yaml")
    experiment.write_text(EXPERIMENT)
    results = pathlib.Path(directory, "results")
    subprocess.run(
        [program, "run", experiment, "--output", results, "--plugin-dir", plugins],
        check=False, capture_output=True)
    records = [json.loads(line) for line in (results / "records.jsonl").read_text().splitlines()]

statuses = {record["status"] for record in records}
if statuses != {"ok", "crashed", "wrong", "failed", "skipped", "hung"}:
    fail(f"the run has only {sorted(statuses)}")
for record in records:
    for error in validator.iter_errors(record):
        fail(f"{record['cell']}: {list(error.path)}: {error.message[:300]}")

good = next(record for record in records if record["status"] == "ok")
good["processes"][0]["before"] = {"sm_clock_mhz": 1980, "power_watts": 118.5, "throttled": []}
good["samples"][0]["throttled"] = ["sw-power-cap"]
if not validator.is_valid(good):
    fail("the schema refuses conditions")
for name in schema["required"]:
    broken = copy.deepcopy(good)
    del broken[name]
    if validator.is_valid(broken):
        fail(f"the schema takes a record without {name}")
for change in ({"schema": 5}, {"status": "fine"}, {"samples": [{"process": 0}]}, {"colour": "red"}):
    if validator.is_valid({**good, **change}):
        fail(f"the schema takes {change}")
sys.exit(failures > 0)
