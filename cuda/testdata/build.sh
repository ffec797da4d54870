#!/bin/sh
# Builds kernels.fatbin, with nvcc 11.8, the same bytes on every machine: machine
# code for the devices that the kernels are tuned for and PTX for all others.
# An argument names another file to write.
set -eu
cd "$(dirname "$0")"
out=${1:-kernels.fatbin}
nvcc --version | grep -q 'release 11\.8' || { echo "build.sh: nvcc 11.8 is needed" >&2; exit 1; }
nvcc -std=c++17 -O3 --fatbin \
  -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 \
  -gencode arch=compute_70,code=compute_70 -gencode arch=compute_90,code=compute_90 \
  -o "$out" kernels.cu
