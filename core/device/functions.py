#!/usr/bin/env python3
"""Makes the tables of core/device/README.md from the device headers: every function of msda::simt and
msda::ptx with a body on every device, in the words of the comment before it.

usage: functions.py [--write]; without --write it says whether the document is up to date.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DEVICE = ROOT / "core/device/msda"
DOCUMENT = ROOT / "core/device/README.md"
HINTS = ROOT / "core/src/jit/compile_failure.cpp"
BEGIN, END = "<!-- begin: made by functions.py -->", "<!-- end -->"
# What a macro of ptx/memory.cuh declares with its first argument as the name.
MACROS = {
    "MSDA_PTX_LOAD": "Word {}(const Word* p)",
    "MSDA_PTX_LOAD_POLICY": "Word {}(const Word* p)",
    "MSDA_PTX_STORE": "void {}(Word* p, Word v)",
}


def first_sentence(words):
    """Up to the first full stop that ends a sentence."""
    end = re.search(r"[.:](?=\s+[A-Z]|$)", words)
    return words[: end.start()] if end else words


def without_macro_definitions(lines):
    inside = False
    for line in lines:
        inside = inside or line.startswith("#define")
        if not inside:
            yield line
        inside = inside and line.endswith("\\")


class Header:
    """The functions that a header declares, in its order: {name: (signatures, words)}."""

    def __init__(self, path):
        self.path = path
        self.functions = {}
        self.comment, self.template, self.declaration = [], "", ""
        for line in without_macro_definitions(path.read_text().splitlines()):
            self.read(line)

    def read(self, line):
        macro = re.match(r"(MSDA_\w+)\((\w+), .*?\)\s*(?://\s*(.*))?$", line)
        if not macro and line.split("(")[0] in MACROS:
            sys.exit(f"{self.path.relative_to(ROOT)}: '{line}' does not stand in one line")
        if self.declaration:
            self.declare(line.strip())
        elif line.startswith("///"):
            self.comment.append(line[3:].strip())
        elif line.startswith("template"):
            self.template = line
        elif line.startswith("__device__"):
            self.declare(line)
        elif macro and macro[1] in MACROS:
            self.add(macro[2], MACROS[macro[1]].format(macro[2]), macro[3] or "")
        elif not line.startswith("#") or line.startswith("#if __"):
            self.comment, self.template = [], ""

    def declare(self, text):
        """Adds a line to a declaration, and the declaration where it ends."""
        self.declaration = f"{self.declaration} {text}".strip()
        end = re.search(r"[{;]", self.declaration)
        if not end:
            return
        signature = self.declaration[: end.start()].strip()
        template, words = self.template, first_sentence(" ".join(self.comment))
        self.comment, self.template, self.declaration = [], "", ""
        if template.startswith("template <>"):
            return
        signature = re.sub(r"__device__|__forceinline__|\binline\b", "", signature)
        signature = re.sub(r"\s+", " ", signature).strip()
        name = re.search(r"(\w+)\(", signature)[1]
        values = re.findall(r"\bint (\w+)", template)
        if values:
            signature = signature.replace(name + "(", f"{name}<{', '.join(values)}>(", 1)
        self.add(name, signature, words)

    def add(self, name, signature, words):
        signatures, said = self.functions.setdefault(name, ([], words))
        if signature not in signatures:
            signatures.append(signature)
        self.functions[name] = (signatures, said or words)


def host_names():
    """Everything that the bodies for the device simt name, and what both kinds of device share."""
    text = "".join(path.read_text() for path in (DEVICE / "simt/host").glob("*.cuh"))
    shared = (DEVICE / "simt/thread.cuh").read_text() + (DEVICE / "ptx/matrix.cuh").read_text()
    common = re.sub(r"#if !defined\(MSDA_SIMT_HOST\).*?\n#endif\n", "", shared, flags=re.S)
    return set(re.findall(r"\b(\w+)\s*\(", text + common)) | set(re.findall(r"MSDA_HOST_\w+\((\w+)[,)]", text))


def opening(path):
    """The first sentence of a header's own comment."""
    lines = []
    for line in path.read_text().splitlines():
        if not line.startswith("// "):
            break
        lines.append(line[3:])
    return first_sentence(re.sub(r"\s*\([^()]*\)", "", " ".join(lines)))


def tables():
    known = host_names()
    paths = [DEVICE / "simt/thread.cuh", DEVICE / "simt/texture.cuh", *sorted(DEVICE.glob("ptx/*.cuh"))]
    text, silent = "", []
    for path in paths:
        name = path.relative_to(DEVICE)
        rows = ""
        for function, (signatures, words) in Header(path).functions.items():
            if function not in known:
                continue
            if not words:
                silent.append(f"{name}: {function}() has no comment that says what it does")
            shown = "<br>".join(f"`{signature}`" for signature in signatures)
            rows += f"| {shown} | {words} |\n"
        if rows:
            text += f"### {name}\n\n{opening(path)}.\n\n| function | what it does |\n| --- | --- |\n{rows}\n"
    if silent:
        sys.exit("\n".join(silent))
    return text


def instead():
    """CUDA's names that device code does not use, as the hints of the compiler's errors have them."""
    pairs = re.findall(r'\{"(\w+)", "([^"]+)"\}', HINTS.read_text())
    rows = "".join(f"| `{cuda}` | {f'`{ours}`' if '(' in ours else ours} |\n" for cuda, ours in pairs)
    return f"### In place of CUDA's names\n\n| CUDA | here |\n| --- | --- |\n{rows}"


def main():
    document = DOCUMENT.read_text()
    before, rest = document.split(BEGIN)
    after = rest.split(END)[1]
    fresh = f"{before}{BEGIN}\n\n{tables()}{instead()}\n{END}{after}"
    if sys.argv[1:] == ["--write"]:
        DOCUMENT.write_text(fresh)
    elif fresh != document:
        sys.exit(f"{DOCUMENT.relative_to(ROOT)} is not what the headers say: run core/device/functions.py --write")


main()
