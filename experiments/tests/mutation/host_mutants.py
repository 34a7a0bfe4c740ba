#!/usr/bin/env python3
"""How good the quick tests of host code are: one wrong edit at a time, built and tested where the tree lies.

    experiments/tests/mutation/host_mutants.py BUILD [--only TEXT] [--generated N] [--seed N] [--folder FOLDER TESTS...]

Edits are those of host_mutants.yaml, or N that are generated from the sources of a folder. Programs run without an
edit first: one that fails then finds nothing. A program that does not come to an end has not found anything either.
Files are put back whatever happens; one with changes of its own is not touched."""

import argparse
import pathlib
import random
import re
import signal
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
PATIENCE = 120  # seconds for a program of tests
# As generated.cpp has them, in C++ that the host compiles.
OPERATORS = (
    ("negated condition", r"\bif \((.*)\)( \{| return.*;| continue;| break;)$", r"if (!(\1))\2"),
    ("< for <=", r"([^<\- ]) < ([^<])", r"\1 <= \2"),
    ("one more", r"([\w)\]]) \+ 1\b(?!\.)", r"\1 + 2"),
    ("one less", r"([\w)\]]) - 1\b(?!\.)", r"\1 - 2"),
    ("plus for minus", r"([\w)\]]) - (\w)", r"\1 + \2"),
    ("or for and", r" && ", " || "),
    ("arguments exchanged", r"\b([a-z_]\w*\()([a-z]\w*), ([a-z]\w*)([,)])", r"\1\3, \2\4"),
    ("statement dropped",
     r"^(\s+)(?!return|const|auto|static|using|int|double|bool|break|continue|throw)[a-z][\w:.\[\]>-]*"
     r"(\(.*\)| [-+*|&]?= .*);$", r"\1;"),
)
OTHER = re.compile(r"^\s*(//|#|template|static_assert|using|namespace|struct|class)|constexpr|= default|^\S.*\)$")


def read_edits():
    for of_file in yaml.safe_load(pathlib.Path(__file__).with_suffix(".yaml").read_text()):
        for edit in of_file["edits"]:
            yield of_file["file"], edit["what"], edit["find"], edit["replace"], of_file["tests"]


def generated_edits(folder, tests):
    for path in sorted((ROOT / folder).glob("*.cpp")):
        text = path.read_text()
        for line in text.splitlines():
            if OTHER.search(line) or text.count(f"\n{line}\n") != 1:
                continue
            code = line.split("  //")[0]
            for name, find, replace in OPERATORS:
                edited = re.sub(find, replace, code, count=1)
                if edited != code:
                    yield (str(path.relative_to(ROOT)), f"{name}: {code.strip()}", f"\n{line}\n", f"\n{edited}\n", tests)


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, **options).returncode


def passes(build, program):
    """None where it does not come to an end."""
    try:
        return run([build / "bin" / program, "--gtest_brief=1"], cwd=build, timeout=PATIENCE) == 0
    except subprocess.TimeoutExpired:
        return None


def builds(build, programs):
    return run(["ninja", "-C", build, *programs]) == 0


def verdict(build, tests, sound):
    """Of the tests one after the other: the first is built in seconds, those of whole runs need the program too."""
    for test in tests:
        if not builds(build, [test]):
            return "no code"
        if test in sound and passes(build, test) is False:
            return test
    return "SURVIVED"


def attempt(build, edit, sound):
    file, _, find, replace, tests = edit
    path = ROOT / file
    text = path.read_text()
    if text.count(find) != 1:
        sys.exit(f"{file}: the text to edit is there {text.count(find)} times: {find}")
    if run(["git", "-C", ROOT, "diff", "--quiet", "--", file]) != 0:
        sys.exit(f"{file} has changes of its own")
    try:
        path.write_text(text.replace(find, replace))
        return verdict(build, tests, sound)
    finally:
        path.write_text(text)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--generated", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", nargs="+", default=["core/src/measure", "measure_test", "cheats_test", "bad_plugins_test"])
    options = parser.parse_args()
    build = options.build.resolve()
    edits = list(read_edits())
    if options.generated is not None:
        edits = list(generated_edits(options.folder[0], options.folder[1:]))
        edits = random.Random(options.seed).sample(edits, min(options.generated, len(edits)))
    edits = [edit for edit in edits if options.only in f"{edit[0]}: {edit[1]}"]
    programs = sorted({test for edit in edits for test in edit[4]})
    if not builds(build, programs):
        sys.exit("the programs of tests do not build without an edit")
    sound = {program for program in programs if passes(build, program)}
    found = wrong = 0
    for number, edit in enumerate(edits, 1):
        result = attempt(build, edit, sound)
        print(f"{number:3} {result:<14} {edit[0]}: {edit[1]}", flush=True)
        wrong += result != "no code"
        found += result not in ("no code", "SURVIVED")
    builds(build, programs)
    share = 100 * found / max(wrong, 1)
    print(f"{found} of {wrong} wrong edits found ({share:.1f}%); {len(edits) - wrong} do not compile; "
          f"{len(programs) - len(sound)} programs fail without an edit")
    return 0 if found == wrong or options.generated is not None else 1


if __name__ == "__main__":
    sys.exit(main())
