"""Prints the flags, one a line, that a C++ compiler needs for the PyTorch of this Python."""
import os

import torch
from torch.utils import cpp_extension

flags = ["-D_GLIBCXX_USE_CXX11_ABI=%d" % torch._C._GLIBCXX_USE_CXX11_ABI, "-Wl,--no-as-needed"]
libraries = ["torch", "torch_cpu", "c10"]
includes = list(cpp_extension.include_paths())
if torch.version.cuda:
    flags.append("-DPEER_TORCH_CUDA")
    libraries += ["torch_cuda", "c10_cuda"]
    includes.append(os.path.join(cpp_extension.CUDA_HOME or "/usr/local/cuda", "include"))
# Headers of others are not ours to warn of.
flags += ["-isystem" + path for path in includes]
for path in cpp_extension.library_paths():
    flags += ["-L" + path, "-Wl,-rpath," + path]
flags += ["-l" + name for name in libraries]
print("\n".join(flags))
