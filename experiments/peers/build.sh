#!/usr/bin/env bash
# Builds kernels of others as libraries for experiments/peers.yaml. See --help.
set -euo pipefail

here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
include=$here/../../core/include  # of the sources, or of an installed package
if [[ ! -d $include ]]; then include=$here/../../../../include; fi
readonly here include

usage() {
  cat <<'EOF'
Usage: build.sh [OPTION...]

Builds adapters of kernels that others have published, each against a checkout that you have, as
libraries for experiments/peers.yaml. What is not asked for is not built, and its arms are skipped.

  --ddetr DIR    fundamentalvision/Deformable-DETR         -> libddetr.so   fp32
  --mmcv DIR     open-mmlab/mmcv                           -> libmmcv.so    fp32, fp16
  --hf DIR       huggingface/kernels-community             -> libhf.so      fp32, fp16, bf16
  --dcnv4 DIR    OpenGVLab/DCNv4                           -> libdcnv4.so   fp16, bf16
  --author FILE  a program of the documents' author with ms_deformable_im2col_cuda(), such as
                 DrXuQian/ai-benchmark's tma_experiments/deform_attn.cu  -> libauthor.so   fp16
  --twin         the hand-written twin of `fastest`        -> libtwin.so    fp16
  --torch        the adapter of PyTorch operators; needs PyTorch          -> libtorch_op.so
  --triton       a kernel in Triton; needs Triton          -> libtriton.so  fp16, fp32

  --all DIR      every one of the checkouts that lies in DIR under the name of its repository, the
                 twin, and PyTorch and Triton where python3 has them
  --arch NAME    architecture of the GPU, as nvcc says it (default: of the GPU here, else sm_90a)
  --fast-math    nvcc's --use_fast_math, which none of the owners sets
  --output DIR   where the libraries go (default: lib beside this script)
  --help         this text

NVCC, CXX and PYTHON name the compilers and Python (default: nvcc, g++, python3).
Exit codes: 0 built; 1 a compiler failed; 2 wrong usage; 3 something is missing here.
EOF
}

fail() {
  printf 'build.sh: %s\n' "$2" >&2
  exit "$1"
}

python=${PYTHON:-python3}
cxx=${CXX:-g++}
nvcc=${NVCC:-}
arch=''
output=$here/lib
fast_math=()
declare -A source=()  # by the library's name: the checkout, or "" where none is needed

# needs_value OPTION COUNT: whether one of COUNT words that are left is its value.
needs_value() {
  if (($2 < 2)); then fail 2 "$1 needs a value"; fi
}

has_python_module() { "$python" -c "import $1" >/dev/null 2>&1; }

take_all() {
  local directory=$1 name
  for name in Deformable-DETR:ddetr mmcv:mmcv kernels-community:hf DCNv4:dcnv4; do
    if [[ -d $directory/${name%:*} ]]; then source[${name#*:}]=$directory/${name%:*}; fi
  done
  local author=$directory/ai-benchmark/tma_experiments/deform_attn.cu
  if [[ -f $author ]]; then source[author]=$author; fi
  source[twin]=''
  if has_python_module torch; then source[torch]=''; fi
  if has_python_module triton; then source[triton]=''; fi
}

if (($# == 0)); then
  usage >&2
  exit 2
fi
while (($#)); do
  case $1 in
    --help) usage && exit 0 ;;
    --twin | --torch | --triton) source[${1#--}]='' ;;
    --fast-math) fast_math=(--use_fast_math) ;;
    --ddetr | --mmcv | --hf | --dcnv4 | --author | --all | --arch | --output)
      needs_value "$1" $#
      case $1 in
        --all) take_all "$2" ;;
        --arch) arch=$2 ;;
        --output) output=$2 ;;
        *) source[${1#--}]=$2 ;;
      esac
      shift
      ;;
    *) fail 2 "unknown option '$1'; see --help" ;;
  esac
  shift
done

find_nvcc() {
  if [[ -z $nvcc ]]; then nvcc=$(command -v nvcc || true); fi
  if [[ -z $nvcc && -x /usr/local/cuda/bin/nvcc ]]; then nvcc=/usr/local/cuda/bin/nvcc; fi
  if [[ -z $nvcc ]]; then fail 3 'there is no nvcc; set NVCC'; fi
}

find_arch() {
  if [[ $arch ]]; then return; fi
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 || true)
  arch=sm_${capability/./}
  if [[ ! $capability || $arch == sm_90 ]]; then arch=sm_90a; fi
}

# The file that an adapter includes must be there: a wrong directory is said so, not by the compiler.
needs() {
  if [[ ! -f $1 ]]; then fail 3 "there is no $1; is the checkout the right one?"; fi
}

# compile NAME SOURCE [FLAG...]
compile() {
  local name=$1 file=$2
  shift 2
  find_nvcc
  find_arch
  printf 'lib%s.so\n' "$name"
  # What PyTorch compiles extensions with; a library of CUDA's headers warns of its own deprecations.
  "$nvcc" -shared -o "$output/lib$name.so" "$file" -O3 -std=c++17 -arch "$arch" -cudart shared \
    --expt-relaxed-constexpr -Xcompiler -fPIC,-fvisibility=hidden,-w -w \
    -Xlinker -rpath,"$(dirname -- "$(dirname -- "$nvcc")")/lib64" \
    -I "$include" -I "$here" "${fast_math[@]}" "$@"
}

# compile_torch NAME SOURCE [FLAG...]: one that uses PyTorch's types, by the stand-ins for its headers.
compile_torch() {
  compile "$@" -I "$here/stand-in" -DCUDA_HAS_FP16=1 -D__CUDA_NO_HALF_OPERATORS__ \
    -D__CUDA_NO_HALF_CONVERSIONS__ -D__CUDA_NO_HALF2_OPERATORS__
}

build_ddetr() {
  needs "$1/models/ops/src/cuda/ms_deform_im2col_cuda.cuh"
  compile_torch ddetr "$here/ddetr.cu" -I "$1/models/ops/src"
}

build_mmcv() {
  needs "$1/mmcv/ops/csrc/common/cuda/ms_deform_attn_cuda_kernel.cuh"
  compile_torch mmcv "$here/mmcv.cu" -I "$1/mmcv/ops/csrc" -I "$1/mmcv/ops/csrc/common" \
    -I "$1/mmcv/ops/csrc/common/cuda"
}

build_hf() {
  needs "$1/deformable-detr/deformable_detr/ms_deform_im2col_cuda.cuh"
  compile_torch hf "$here/hf.cu" -I "$1/deformable-detr"
}

build_dcnv4() {
  needs "$1/DCNv4_op/src/cuda/flash_deform_im2col_cuda.cuh"
  compile_torch dcnv4 "$here/dcnv4.cu" -I "$1/DCNv4_op/src"
}

build_author() {
  needs "$1"
  compile author "$here/author.cu" -DAUTHOR_SOURCE="\"$(readlink -f -- "$1")\""
}

build_twin() { compile twin "$here/twin.cu"; }

build_torch() {
  if ! has_python_module torch; then fail 3 "$python has no PyTorch"; fi
  printf 'libtorch_op.so\n'
  local flags
  mapfile -t flags < <("$python" "$here/torch_flags.py")
  if ((${#flags[@]} == 0)); then fail 3 "$python does not say how its PyTorch is used"; fi
  "$cxx" -shared -fPIC -O2 -std=c++17 -fvisibility=hidden -o "$output/libtorch_op.so" \
    "$here/torch_op.cpp" -I "$include" "${flags[@]}"
}

build_triton() {
  if ! has_python_module triton; then fail 3 "$python has no Triton"; fi
  find_nvcc
  find_arch
  printf 'libtriton.so\n'
  "$python" "$here/triton_build.py" --arch "$arch" --include "$include" --nvcc "$nvcc" \
    --output "$output/libtriton.so"
}

mkdir -p -- "$output"
failed=()
for name in ddetr mmcv hf dcnv4 author twin torch triton; do
  if [[ ! -v source[$name] ]]; then continue; fi
  ("build_$name" "${source[$name]}") || failed+=("$name:$?")
done
if ((${#failed[@]})); then
  printf 'build.sh: not built: %s\n' "${failed[*]%:*}" >&2
  for one in "${failed[@]}"; do if [[ $one == *:3 ]]; then exit 3; fi; done
  exit 1
fi
