"""Compiles triton_kernel.py ahead of time for all types and numbers of channels, and the library around
the results; called by build.sh."""
import argparse
import pathlib
import subprocess
import tempfile

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import triton_kernel

HERE = pathlib.Path(__file__).resolve().parent
TYPES = {"MSDA_FP32": "fp32", "MSDA_FP16": "fp16", "MSDA_BF16": "bf16"}
CHANNELS = (16, 32, 64)
ROWS = 16
WARPS = 4


def compiled(element, channels, capability):
    tensor = "*" + element
    types = dict(value=tensor, shapes="*i64", starts="*i64", locations=tensor, weights=tensor,
                 output=tensor, rows="i64", queries="i64", spatial_size="i64", heads="i32",
                 levels="i32", points="i32", CHANNELS="constexpr", ROWS="constexpr")
    pointers = ("value", "output", "locations", "weights")
    aligned = {(list(types).index(name),): [["tt.divisibility", 16]] for name in pointers}
    source = ASTSource(fn=triton_kernel.msda, signature=types,
                       constexprs={"CHANNELS": channels, "ROWS": ROWS}, attrs=aligned)
    return triton.compile(source, target=GPUTarget("cuda", capability, 32),
                          options={"num_warps": WARPS, "num_stages": 2})


def table_entry(code, channels, kernel):
    bytes_text = ",".join(str(byte) for byte in kernel.asm["cubin"])
    name = f"k{code}_{channels}"
    array = f"alignas(16) const unsigned char {name}[] = {{{bytes_text}}};"
    entry = (f'{{{code}, {channels}, {ROWS}, {32 * WARPS}, {kernel.metadata.shared}, '
             f'"{kernel.metadata.name}", {name}}},')
    return array, entry


def main():
    parser = argparse.ArgumentParser()
    for option in ("--arch", "--include", "--nvcc", "--output"):
        parser.add_argument(option, required=True)
    arguments = parser.parse_args()
    capability = int("".join(c for c in arguments.arch if c.isdigit()))
    parts = [table_entry(code, channels, compiled(element, channels, capability))
             for code, element in TYPES.items() for channels in CHANNELS]
    with tempfile.TemporaryDirectory() as directory:
        text = "\n".join(array for array, _ in parts)
        text += "\nconst Compiled kCompiled[] = {\n" + "\n".join(entry for _, entry in parts) + "\n};\n"
        (pathlib.Path(directory) / "triton_kernels.inc").write_text(text)
        subprocess.run([arguments.nvcc, "-shared", "-o", arguments.output, HERE / "triton.cu", "-O2",
                        "-std=c++17", "-cudart", "shared", "-Xcompiler",
                        "-fPIC,-fvisibility=hidden", "-I", arguments.include, "-I", HERE, "-I",
                        directory], check=True)


if __name__ == "__main__":
    main()
