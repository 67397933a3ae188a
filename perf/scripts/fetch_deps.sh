#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Copies the headers that tests need and a peer of the benchmarks, from this machine's Debian
# packages, to a folder for a machine without internet: perf/scripts/on_gpu_machine.sh --deps DIR.
set -euo pipefail

if (($# < 1)) || [[ $1 == -* ]]; then
  echo "usage: perf/scripts/fetch_deps.sh DIR [--openblas]    (40 MB more, to compare with)" >&2
  exit 2
fi
folder=$1

need() {
  [[ -e $1 ]] || { echo "missing $1; sudo apt-get install -y $2" >&2; exit 1; }
}

need /usr/include/doctest/doctest.h doctest-dev
libraries=/usr/lib/$(gcc -print-multiarch)
mkdir -p "$folder/include/doctest" "$folder/lib"
cp /usr/include/doctest/*.h "$folder/include/doctest/"
if [[ ${2:-} == --openblas ]]; then
  need "$libraries/libopenblas.so.0" libopenblas0-pthread
  for name in libopenblas.so.0 libgfortran.so.5 libquadmath.so.0; do
    cp --dereference "$libraries/$name" "$folder/lib/"
  done
fi
du -sh "$folder"
