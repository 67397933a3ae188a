#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds, tests and measures on a machine with a GPU, which needs nvcc, g++, cmake and python3 but
# no internet; writes logs, results.json, report.html and overview.svg to one folder.
set -uo pipefail

usage() {
  cat <<'TEXT'
usage: perf/scripts/on_gpu_machine.sh --out DIR [options]
  --parts LIST       of build,test,sanitize,measure,targets,matmul; default: build,test,measure
  --tools LIST       of compute-sanitizer's; default: memcheck,racecheck,initcheck,synccheck
  --files REGEX      only test files whose name matches, for the sanitizer
  --deps DIR         headers of doctest and libraries of peers, from perf/scripts/fetch_deps.sh
  --quick            measure small sizes only
  --filter REGEX     measure only matching benchmarks
  --build-dir DIR    default: build/gpu
  --jobs N           default: the machine's cores
The report takes the commit from git, or from TANDEM_COMMIT if there is none.
TEXT
}

out=
parts=build,test,measure
tools=memcheck,racecheck,initcheck,synccheck
files=
deps=
build_dir=build/gpu
jobs=$(nproc)
filter=
measure_options=()
while (($#)); do
  case $1 in
    --out) out=$(realpath -m "$2"); shift 2 ;;
    --parts) parts=$2; shift 2 ;;
    --tools) tools=$2; shift 2 ;;
    --files) files=$2; shift 2 ;;
    --deps) deps=$(realpath "$2"); shift 2 ;;
    --quick) measure_options+=(--quick); shift ;;
    --filter) filter=$2; measure_options+=(--filter "$2"); shift 2 ;;
    --build-dir) build_dir=$(realpath -m "$2"); shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
[[ -n $out ]] || { usage >&2; exit 2; }

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
mkdir -p "$out"
command -v nvcc >/dev/null || PATH=$PATH:/usr/local/cuda/bin

# cuBLAS, a peer, may come with Python packages rather than with the toolkit.
wheels=$(python3 -c 'import nvidia, glob; print(*(f for p in nvidia.__path__
  for f in glob.glob(p + "/*/lib")))' 2>/dev/null)
for folder in $wheels ${deps:+"$deps/lib"}; do
  LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder
done
export LD_LIBRARY_PATH

failed=()
has() { [[ ,$parts, == *,$1,* ]]; }

# step NAME COMMAND...: runs a command, keeps its output in NAME.log and prints how it ended.
step() {
  local name=$1 status
  shift
  SECONDS=0
  "$@" >"$out/$name.log" 2>&1
  status=$?
  if ((status == 0)); then
    echo "== $name: passed in $SECONDS s"
  else
    echo "== $name: FAILED with $status after $SECONDS s; the end of $name.log:"
    tail -n 25 "$out/$name.log"
    failed+=("$name")
  fi
  return $status
}

# Continues after errors, so that one run shows all of them.
build() {
  local options=(-DCMAKE_BUILD_TYPE=Release '-DTANDEM_BACKENDS=serial;openmp;cuda'
                 -DTANDEM_BACKEND=cuda -DCMAKE_CUDA_ARCHITECTURES=native
                 -DTANDEM_TEST_TIER=full)
  local keep_going=(-k)
  if command -v ninja >/dev/null; then
    options+=(-G Ninja)
    keep_going=(-k 0)
  fi
  if [[ -n $deps ]]; then options+=("-DCMAKE_PREFIX_PATH=$deps"); fi
  cmake -S . -B "$build_dir" "${options[@]}" &&
    cmake --build "$build_dir" --parallel "$jobs" -- "${keep_going[@]}"
}

run_tests() {
  ctest --test-dir "$build_dir" --parallel 4 --no-tests=error --output-on-failure \
    --output-junit "$out/test_results.xml" --test-output-size-passed 1000000 \
    --test-output-size-failed 10000000
}

{ nvidia-smi; nvcc --version; g++ --version; cmake --version; lscpu; } >"$out/machine.log" 2>&1
nvidia-smi -L || failed+=("no GPU")

if has build; then step build build || true; fi
if has test; then
  step test run_tests || true
  python3 -B tests/checks/count_results.py "$out/test_results.xml" || true
fi
if has sanitize; then
  step sanitize python3 -B tests/sanitize_gpu.py --binary "$build_dir/tests/tandem_tests_cuda" \
    --out "$out/sanitize" --tools "$tools" ${files:+--files "$files"} || true
  grep -vE '^clean ' "$out/sanitize.log" || true
fi
if has measure; then
  perf/run --no-build --build-dir "$build_dir" --out "$out" "${measure_options[@]}" 2>&1 |
    tee "$out/measure.log"
  ((PIPESTATUS[0] == 0)) || failed+=(measure)
fi
if has targets; then
  perf/run --no-build --targets --build-dir "$build_dir" --out "$out" \
    ${filter:+--filter "$filter"} 2>&1 | tee "$out/targets.log"
  ((PIPESTATUS[0] == 0)) || failed+=(targets)
fi
if has matmul; then
  perf/run --no-build --targets --matmul --build-dir "$build_dir" --out "$out" \
    ${filter:+--filter "$filter"} 2>&1 | tee "$out/matmul_targets.log"
  ((PIPESTATUS[0] == 0)) || failed+=(matmul)
fi

if ((${#failed[@]})); then
  echo "== failed: ${failed[*]}"
  exit 1
fi
echo "== all parts passed; see $out"
