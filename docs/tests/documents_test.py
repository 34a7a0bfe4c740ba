"""Holds every document against the tree and the program: no link leads nowhere, and each command line of msda
in a code block or in `code` is one that the program takes (--check-usage checks it and does nothing). Blocks
that begin with a $ are run as well, by guide_test.sh.

Usage: documents_test.py SOURCE_DIR PROGRAM
"""

import pathlib
import re
import shlex
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
program = sys.argv[2]
failures = []
checked = {"links": 0, "commands": 0}
# Of the script at the root of the tree, which the program does not know.
WRAPPER = {"test", "build", "sanitize", "tidy", "package"}


def documents():
    skipped = {"build", "results", "dist", ".git", ".cache"}
    for file in sorted(root.rglob("*.md")):
        parts = file.relative_to(root).parts
        if parts[0] not in skipped and not (parts[:2] == ("docs", "results") and parts[-1] != "README.md"):
            yield file


def complain(file, what):
    failures.append(f"{file.relative_to(root)}: {what}")


def anchors(file):
    """Of the headings, as GitHub makes them."""
    found = set()
    for line in file.read_text().splitlines():
        if heading := re.match(r"#+ (.*)", line):
            text = re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading[1]).lower()
            found.add(re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", text)))
    return found


def check_links(file, text):
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        checked["links"] += 1
        name, _, anchor = target.partition("#")
        there = (file.parent / name) if name else file
        if not there.exists():
            complain(file, f"link to {target}, which is not there")
        elif anchor and anchor not in anchors(there):
            complain(file, f"link to {target}, which has no such heading")


def split(text):
    """The code blocks, and the text outside them."""
    blocks, outside, block = [], [], None
    for line in text.splitlines():
        if line.strip().startswith("```"):
            if block is None:
                block = (line.strip()[3:], [])
            else:
                blocks.append(block)
                block = None
        elif block is not None:
            block[1].append(line)
        else:
            outside.append(line)
    return blocks, "\n".join(outside)


def shell_lines(language, lines):
    text = re.sub(r"\\\n\s*", " ", "\n".join(lines)).splitlines()
    if language == "console":
        return [line[2:] for line in text if line.startswith("$ ")]
    return text if language in ("", "sh", "bash") else []


def command_lines(blocks, outside):
    """What follows the program's name, in blocks also inside other commands."""
    for language, lines in blocks:
        for line in shell_lines(language, lines):
            yield from re.findall(r"(?:^|[\s\"])(?:\./|[\w$\"/]*/bin/)?msda\"? ([a-z-].*)", line)
    yield from re.findall(r"`(?:\./)?msda ([^`]*)`", outside.replace("\n", " "))


def check_command(file, line):
    line = re.split(r"\s#|[|<>;&]", line)[0].strip().rstrip('"')
    if "..." in line or not re.match(r"[a-z-]+(\s|$)", line):
        return
    words = shlex.split(line)
    checked["commands"] += 1
    if words[0] in WRAPPER:
        return
    if words[0] == "help" or words[-1] == "--help":
        words = [words[0], "--help"]
    else:
        words.append("--check-usage")
    said = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    # A command alone, as in "`msda run` prints", is the command and not a call of it.
    alone = len(words) == 2 and ": give " in said.stderr
    if said.returncode != 0 and not alone:
        complain(file, f"'msda {line}': {said.stderr.strip()}")


for document in documents():
    content = document.read_text()
    check_links(document, content)
    for command in command_lines(*split(content)):
        check_command(document, command)

for failure in failures:
    print(failure, file=sys.stderr)
if min(checked.values()) == 0:
    sys.exit("documents_test: there is nothing to check")
if failures:
    sys.exit(1)
print(f"documents_test: {checked['links']} links and {checked['commands']} commands, all well")
