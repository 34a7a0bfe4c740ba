"""Holds the inputs of each test that kept.sh keeps against the files that the test opens, which strace tells: what it
reads of the trees of sources and of the build is named in its command or lies in one of its inputs. Caches name what
they hold by its contents.

Usage: kept_inputs_test.py SOURCE_DIR BUILD_DIR; exit code 77 where there is no strace.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

source, build = (pathlib.Path(word).resolve() for word in sys.argv[1:])
if shutil.which("strace") is None:
    sys.exit(77)


def opened(command, folder, variables):
    """The files and folders of both trees that a command and its children opened."""
    with tempfile.NamedTemporaryFile("r", errors="replace") as log:
        subprocess.run(
            ["strace", "-f", "-qq", "-s", "4096", "-e", "trace=openat,open,execve", "-o", log.name, *command],
            cwd=folder, env=os.environ | variables, check=True, stdout=subprocess.DEVNULL,
        )
        for line in log:
            if found := re.search(r'(?:open|openat|execve)\((?:[^",]*, )?"(/[^"]*)".* = (?!-1)', line):
                path = pathlib.Path(os.path.normpath(found[1]))
                if path.is_relative_to(source) and path.exists():
                    yield path


def complaints(test):
    command = test["command"]
    split = command.index("--")
    known = [pathlib.Path(word) for word in command[1:split] + command[split + 1 :] if word.startswith("/")]
    properties = {one["name"]: one["value"] for one in test["properties"]}
    folder = pathlib.Path(properties["WORKING_DIRECTORY"])
    variables = dict(word.split("=", 1) for word in properties.get("ENVIRONMENT", []))
    for path in sorted(set(opened(command[split + 1 :], folder, variables))):
        # The folder that a test stands in is asked for, and not what is in it.
        if not any(path.is_relative_to(one) for one in [*known, build / "test-cache"]) and path != folder:
            yield f"{test['name']} opens {path}, which is not among its inputs"


with tempfile.TemporaryDirectory() as aside:  # ctest would begin the build's log anew, which the run around this writes
    (pathlib.Path(aside) / "CTestTestfile.cmake").write_text(f'subdirs("{build}")\n')
    listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=aside, capture_output=True, check=True).stdout
kept = [test for test in json.loads(listed)["tests"] if "/kept.sh" in test.get("command", [""])[0]]
if not kept:
    sys.exit("kept_inputs_test: no test is kept")
failures = [complaint for test in kept for complaint in complaints(test)]
for failure in failures:
    print(failure, file=sys.stderr)
if failures:
    sys.exit(1)
print(f"kept_inputs_test: {len(kept)} tests open what is among their inputs, and nothing else")
