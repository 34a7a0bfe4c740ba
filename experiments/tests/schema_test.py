#!/usr/bin/env python3
"""Checks the shipped experiments, and mistakes, against the schema that the program prints.

usage: schema_test.py PROGRAM EXPERIMENTS; exit code 77 where jsonschema or PyYAML is missing.
"""
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
    import yaml
except ImportError:
    sys.exit(77)

MISTAKES = [
    "problems: [ledger-48]\narms: [vector-loads]\nmeasur: {}\n",
    "problems: [ledger-49]\narms: [vector-loads]\n",
    "problems: [ledger-48]\narms: []\n",
    "problems: [ledger-48]\narms: [{name: a, use: [{corner-pair: {thread: 512}}]}]\n",
    "problems: [ledger-48]\narms: [{name: a, use: [{corner-pair: {threads: 5000}}]}]\n",
    "problems: [ledger-48]\narms: [{name: a, use: [{corner-pairs: {}}]}]\n",
    "problems: [ledger-48]\narms: [a]\nmeasure: {modes: [hot]}\n",
    "problems: [ledger-48]\narms: [a]\nmeasure: {budget: 3}\n",
    "problems: [ledger-48]\narms: [a]\nclaims: [{text: t, source: s, arm: a}]\n",
    "problems: [ledger-48]\narms: [a]\nclaims: [{text: t, source: s, arm: a, speedup: 2x, time: 1 s}]\n",
    "problems: [ledger-48]\nablation: {base: [vector-loads], factors: {f: }, design: ful}\n",
]

program, experiments = sys.argv[1:]
schema = json.loads(subprocess.run([program, "schema"], check=True, capture_output=True).stdout)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
failures = 0
for file in sorted(pathlib.Path(experiments).glob("*.yaml")):
    for error in validator.iter_errors(yaml.safe_load(file.read_text())):
        print(f"{file.name}: {list(error.path)}: {error.message[:300]}")
        failures += 1
for text in MISTAKES:
    if validator.is_valid(yaml.safe_load(text)):
        print(f"the schema takes: {text!r}")
        failures += 1
sys.exit(failures > 0)
