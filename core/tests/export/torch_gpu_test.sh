#!/bin/sh
# Exports an operator for PyTorch in all forms of level sizes with gradients, builds it and has it check itself.
# usage: torch_gpu_test.sh MSDA; needs a GPU, nvcc, and a python3 with PyTorch
set -eu
python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
arch=$(python3 -c 'import torch; a, b = torch.cuda.get_device_capability(); print(f"sm_{a}{b}" + "a" * (a == 9))')
"$1" export fastest fastest-few-queries --problem ddetr-encoder --problem rtdetr-decoder --format torch --arch "$arch" \
  --gradients gradients-precise,gradients-repeatable --output "$folder/op"
cd "$folder/op"
python3 build.py
python3 check.py --quick
