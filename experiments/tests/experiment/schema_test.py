#!/usr/bin/env python3
"""Compares the schema that the program prints with what the program itself takes.

The shipped experiments must fit; and of many small files, one value at one key changed in each, the
schema and `msda validate` must take the same ones.

usage: schema_test.py PROGRAM EXPERIMENTS; exit code 77 where jsonschema or PyYAML is missing.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError:
    sys.exit(77)

# Those of libyaml, where it is there, take a tenth of the time.
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def load(text):
    return yaml.load(text, Loader=Loader)


PROBES = [
    "0", "1", "-1", "2.5", "0.5", "1.0e+20", "5000000", "word", "''", "a/b", "true", "[]", "[1]", "[word]",
    "[[2, 3]]", "[[2, 3, 4]]", "[[0, 3]]", "{}", "{a: 1}", "1%", "0%", "100%", "101%", "1.5 %", "2 s",
    "500 ms", "0 s", "2 weeks", "1 h", "warm", "[warm, cold]", "[warm, warm]", "[hot]", "fp16", "fp8",
    "{value: fp16}", "{values: fp16}", "{output: fp8}", "local", "unifrom", "zero-border", "{compile: 3 s}",
    "{compile: 3}", "{compil: 3 s}", "cpu", "cuda:0", "'cuda:'", "simt:5:races", "2x", "+5%", "5%", "1..2x",
    "at most 2x", "724 us", "3 TFLOP/s", "473 GB/s", "4 FLOP/B", "85%", "2.0e-4", "hung", "hangs",
    "{other: 724 us}", "ledger-48", "[dram__bytes.sum]", "[a b]", "[Speed-Of-Light]", "{dram__bytes.sum: 0}",
    "{dram__bytes.sum: at most 2e9}", "{dram__bytes.sum: few}", "{dram__bytes.sum: -1}", "{a: 1, b: 2}", "{A: 1}",
]

HEAD = {"problems": ["ledger-48"], "arms": ["vector-loads", {"name": "other", "use": ["corner-pair"]}]}
PROBLEM = {"name": "p", "queries": 3, "levels": [[4, 4]]}
CLAIM = {"text": "t", "source": "s", "arm": "other"}
ABLATION = {"base": ["vector-loads"], "factors": {"unroll": "loop-unrolling"}, "design": "full"}

# Names of arms, problems and folders, and what belongs together, are beyond a schema.
BEYOND = {"preset", "input", "dir", "spatial_size", "arm", "over", "problem", "mode", "against", "base", "factors",
          "all", "requires", "excludes", "generators", "resolution", "random", "list", "seed", "baseline", "most_processes", "use",
          "outputs", "padding", "low", "high"}

# Speedups have no exponents; a schema sees the number and not how it is written.
NOTATION = {("claim.speedup", "1.0e+20"), ("claim.speedup", "2.0e-4")}


def probes(schema):
    """By key: the file with a probe there, and the part of the schema and of the file that the probe is in."""
    keys = lambda node: sorted(set(node["properties"]) - BEYOND)
    top = schema["properties"]
    for key in ("name", "summary", "device"):
        yield key, lambda value: {**HEAD, key: value}, schema, lambda file: file
    for place in ("measure", "profile"):
        for key in keys(top[place]):
            yield f"{place}.{key}", lambda value: {**HEAD, place: {key: value}}, top[place], lambda file: file[place]
    for key in keys(top["problems"]["items"]["anyOf"][1]):
        yield ("problem." + key, lambda value: {**HEAD, "problems": [{**PROBLEM, key: value}]}, top["problems"],
               lambda file: file["problems"])
    for key in keys(top["claims"]["items"]):
        quantity = {} if {"required": [key]} in top["claims"]["items"]["oneOf"] else {"speedup": "2x"}
        yield ("claim." + key, lambda value: {**HEAD, "claims": [{**CLAIM, **quantity, key: value}]}, top["claims"],
               lambda file: file["claims"])
    for key in keys(top["arms"]["items"]["anyOf"][1]):
        made_of = {} if key == "external" else {"use": ["vector-loads"]}
        yield ("arm." + key, lambda value: {**HEAD, "arms": ["corner-pair", {"name": "n", **made_of, key: value}]},
               top["arms"], lambda file: file["arms"])
    yield ("arm.use.best",
           lambda value: {**HEAD, "arms": ["corner-pair", {"name": "n", "use": {"best": {"error": value}}}]},
           top["arms"], lambda file: file["arms"])
    for key in keys(top["space"]):
        family = {"together": True} if key == "worst" else {}
        yield ("space." + key, lambda value: {**HEAD, "space": {"factors": {"loop-unrolling": None}, **family, key: value}},
               top["space"], lambda file: file["space"])
    for key in keys(top["ablation"]):
        yield ("ablation." + key, lambda value: {**HEAD, "ablation": {**ABLATION, key: value}}, top["ablation"],
               lambda file: file["ablation"])


MISTAKES = [
    "problems: [ledger-48]\narms: [vector-loads]\nmeasur: {}\n",
    "problems: [ledger-49]\narms: [vector-loads]\n",
    "problems: [ledger-48]\narms: []\n",
    "problems: [ledger-48]\n",
    "problems: [ledger-48]\narms: [{name: a, use: [{corner-pair: {thread: 512}}]}]\n",
    "problems: [ledger-48]\narms: [{name: a, use: [{corner-pair: {threads: 5000}}]}]\n",
    "problems: [ledger-48]\narms: [{name: a, use: [{corner-pair: {others: 3}}]}]\n",
    "problems: [ledger-48]\narms: [{name: a, use: [{corner-pairs: {}}]}]\n",
    "problems: [ledger-48]\narms: [a]\nclaims: [{text: t, source: s, arm: a}]\n",
    "problems: [ledger-48]\narms: [a]\nclaims: [{text: t, source: s, arm: a, speedup: 2x, time: 1 s}]\n",
    "problems: [ledger-48]\nablation: {base: [vector-loads], factors: {f: }, design: ful}\n",
    "problems: [ledger-48]\narms: [a]\nspace: {factors: {}}\n",
    "problems: [ledger-48]\narms: [a]\nspace: {factors: {a: }, requires: [{when: {a: none}}]}\n",
    "problems: [ledger-48]\narms: [a]\nspace: {factors: {a: }, worst: 0.1}\n",
    "problems: [ledger-48]\narms: [a]\nspace: {factors: {a: }, worst: 0.1, together: false}\n",
    "problems: [ledger-48]\narms: [{name: a}]\n",
    "problems: [ledger-48]\narms: [{name: a, external: {symbol: f}}]\n",
    "problems: [ledger-48]\narms: [{name: a, use: [vector-loads], external: {library: a.so}}]\n",
    "problems: [ledger-48]\narms: [{name: a, use: {best: {}}}]\n",
    "problems: [{preset: ledger-48, distribution: unifrom}]\narms: [vector-loads]\n",
]

program, experiments = sys.argv[1:]
schema = json.loads(subprocess.run([program, "schema"], check=True, capture_output=True).stdout)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
failures = 0


def fail(text):
    global failures
    print(text)
    failures += 1


for file in sorted(pathlib.Path(experiments).glob("*.yaml")):
    if file.name in ("exports.yaml", "winners.yaml"):  # lists of problems and of what searches found
        continue
    for error in validator.iter_errors(load(file.read_text())):
        fail(f"{file.name}: {list(error.path)}: {error.message[:300]}")
for text in MISTAKES:
    if validator.is_valid(load(text)):
        fail(f"the schema takes: {text!r}")

with tempfile.TemporaryDirectory() as directory:
    files = {}
    for key, document_of, part, inside in probes(schema):
        # What lies beside the part is the same in each file and right, so that the part decides.
        of_part = validator.evolve(schema=part)
        whole = document_of("word")
        if validator.is_valid(whole) != of_part.is_valid(inside(whole)):
            fail(f"{key}: the whole schema does not say what its part says")
        for number, probe in enumerate(PROBES):
            if (key, probe) in NOTATION:
                continue
            file = pathlib.Path(directory, f"{key}-{number}.yaml")
            document = document_of("PROBE")
            file.write_text(yaml.dump(document, Dumper=Dumper, default_flow_style=True).replace("PROBE", probe))
            by_schema = of_part.is_valid(inside(load(file.read_text())))
            files[file] = (f"{key}: {probe}", by_schema)
    validated = subprocess.run([program, "validate", *files], check=False, capture_output=True, text=True)
    taken = {line.split(": ok")[0] for line in validated.stdout.splitlines() if ": ok" in line}
    for file, (what, by_schema) in files.items():
        by_program = str(file) in taken
        if by_schema != by_program:
            fail(f"{what}: the schema {'takes' if by_schema else 'refuses'} it, the program does not agree")
    if not 0 < len(taken) < len(files):
        fail(f"the program takes {len(taken)} of {len(files)} files")
sys.exit(failures > 0)
