"""Builds the extension beside this file: python3 build.py [--arch 90a ...]

Needs PyTorch 2.1 or newer, its CUDA's nvcc (CUDA_HOME or PATH), and a C++20 compiler. From 2.10 on the extension is
of PyTorch's stable ABI and serves later versions too; before, and with --classic, it is for the version at hand."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

try:
    import torch
    from torch.utils import cpp_extension
except ImportError as error:
    sys.exit(f"build.py: needs PyTorch 2.1 or newer, which {sys.executable} does not have: {error}")

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = "@PACKAGE@"
ASKED = "@ARCHITECTURES@".split()  # for the export
TARGET = "0x020a000000000000"  # the stable ABI of PyTorch 2.10


def images():
    """The architectures that each kernel of the export has NVRTC's code for: "90a", or "120+" for PTX."""
    kernels = json.loads((HERE / "src" / "export.json").read_text())["kernels"]
    def short(name):
        return name.removeprefix("sm_") if name.startswith("sm_") else name.removeprefix("compute_") + "+"
    return [[short(image["architecture"]) for image in kernel["images"]] for kernel in kernels]


def covers(image, architecture):
    number, wanted = int(image.rstrip("a+")), int(architecture.rstrip("af"))
    if image.endswith("a"):
        return number == wanted
    return number <= wanted and (image.endswith("+") or number // 10 == wanted // 10)


def architectures(given):
    if given or ASKED:
        return given or ASKED
    if torch.cuda.is_available():
        found = {torch.cuda.get_device_capability(i) for i in range(torch.cuda.device_count())}
        # 90a and the like have the instructions that the kernels for them may use.
        return sorted(f"{major}{minor}" + ("a" if major >= 9 else "") for major, minor in found)
    carried = sorted({image for kernel in images() for image in kernel if not image.endswith("+")})
    return carried or sys.exit("build.py: there is no GPU here: name architectures, --arch 80 90a")


def from_source(wanted):
    """Whether nvcc has to compile the table's kernels: where one of them has no code for an architecture."""
    missing = sorted({a for a in wanted for kernel in images() if not any(covers(i, a) for i in kernel)})
    if missing:
        print(f"build.py: the export has no code of all kernels for {' '.join(missing)}: nvcc builds them from the "
              "source; its code may be slower than what was measured", flush=True)
    return bool(missing)


def nvcc():
    home = os.environ.get("CUDA_HOME") or cpp_extension.CUDA_HOME
    places = [pathlib.Path(home) / "bin" / "nvcc"] if home else []
    found = next((str(p) for p in places if p.exists()), None) or shutil.which("nvcc")
    return found or sys.exit("build.py: no nvcc: set CUDA_HOME")


def run(*commands):
    """At the same time."""
    begun = []
    for command in commands:
        print(" ".join(map(str, command)), flush=True)
        begun.append(subprocess.Popen(list(map(str, command))))
    if any([one.wait() for one in begun]):
        sys.exit("build.py: a compiler failed; its words are above")


def cpp_libraries():
    """PyTorch's own C++ libraries, before the compiler's: exceptions do not cross to PyTorch where
    a compiler links its libraries statically."""
    maps = pathlib.Path("/proc/self/maps").read_text().splitlines()
    files = {line.split()[-1] for line in maps if "/" in line}
    return sorted(f for f in files if pathlib.Path(f).name.startswith(("libstdc++.so", "libgcc_s.so")))


def version():
    return tuple(int(part) for part in torch.__version__.split(".")[:2])


def binding(classic):
    """How ops.cpp is compiled, and what the extension is linked with."""
    if not classic:
        return ["-std=c++20", f"-DTORCH_TARGET_VERSION={TARGET}"], ["-ltorch_cpu", "-ltorch_cuda"]
    abi = int(torch.compiled_with_cxx11_abi())
    return (["-std=c++20" if version() >= (2, 10) else "-std=c++17", "-DMSDA_CLASSIC",
             f"-D_GLIBCXX_USE_CXX11_ABI={abi}"],
            ["-ltorch_cpu", "-ltorch_cuda", "-ltorch", "-lc10", "-lc10_cuda"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--arch", nargs="+", metavar="SM", help="80, 86, 89, 90a, 100a, ... (default: those\nof the export, else of the GPUs here)")
    parser.add_argument("--classic", action="store_true", help="by PyTorch's C++ API, for this version alone")
    asked = parser.parse_args()
    wanted = architectures(asked.arch)
    if version() < (2, 1):
        sys.exit(f"build.py: PyTorch {torch.__version__} lacks what the operator needs: 2.1 or newer")
    options, torch_libraries = binding(asked.classic or version() < (2, 10))
    codes = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in wanted]
    if from_source(wanted):
        codes.append("-DMSDA_FROM_SOURCE=1")
    else:  # the general kernel on later devices
        last = max(wanted, key=lambda a: int(a.rstrip("af"))).rstrip("af")
        codes.append(f"-gencode=arch=compute_{last},code=compute_{last}")
    build = HERE / "build"
    build.mkdir(exist_ok=True)
    compiler = nvcc()
    cuda = pathlib.Path(compiler).parent.parent
    kernels, operators = build / "kernels.o", build / "ops.o"
    hidden = ["-fPIC", "-fvisibility=hidden"]
    includes = [f"-isystem{p}" for p in cpp_extension.include_paths()] + [f"-isystem{cuda / 'include'}"]
    host = os.environ.get("CXX", "c++")
    run([compiler, "-std=c++20", "--expt-relaxed-constexpr", "-O3", "-lineinfo", "--threads=0", *codes, "-Xcompiler",
         ",".join(hidden), "-c", HERE / "src" / "@NAME@.cu", "-o", kernels],
        [host, *options, "-O2", *hidden, *includes, "-c", HERE / "src" / "ops.cpp", "-o", operators])
    libraries = [f"-L{p}" for p in cpp_extension.library_paths()] + [f"-L{cuda / 'lib64'}"]
    run([host, "-shared", kernels, operators, *libraries, *torch_libraries, "-lcudart", *cpp_libraries(),
         "-o", HERE / PACKAGE / "_C.so"])


if __name__ == "__main__":
    main()
