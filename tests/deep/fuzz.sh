#!/usr/bin/env bash
# Every fuzz target with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer, one after the other.
# usage: tests/deep/fuzz.sh [SECONDS-OF-EACH [TARGET…]]     600 s; all of tests/fuzz/*_fuzz.cc
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly seconds=${1:-600}
targets=("${@:2}")
if [ ${#targets[@]} = 0 ]; then
  for source in tests/fuzz/*_fuzz.cc; do targets+=("$(basename "$source" _fuzz.cc)"); done
fi

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
install() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends "$@" >/dev/null; }
command -v clang++ >/dev/null || install clang
major=$(clang++ -dumpversion | cut -d. -f1)
[ -n "$(find /usr/lib -name 'libclang_rt.fuzzer*.a' -path "*$major*" -print -quit)" ] || install "libclang-rt-$major-dev"

cmake -B build-fuzz -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DCMAKE_CXX_COMPILER=clang++ \
  -DTOOLWAY_SANITIZE=address,undefined >/dev/null
NINJA_STATUS='@%f/%t/%e@ ' ninja -C build-fuzz "${targets[@]/#/fuzz_}" 2>&1 | python3 cmake/progress.py >&2
source tests/deep/sanitizers.sh

failed=()
for target in "${targets[@]}"; do
  found=$PWD/build-fuzz/found/$target
  mkdir -p "$found/corpus"
  printf '• fuzzing %s for %s s\n' "$target" "$seconds" >&2
  # What it learns stays in build-fuzz; an input that it fails on is kept next to that.
  build-fuzz/tests/fuzz/"fuzz_$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$found/" "$found/corpus" "tests/fuzz/corpus/$target" >"$found/log" 2>&1 ||
    { failed+=("$target"); tail -n 40 "$found/log" >&2; continue; }
  grep -E 'number_of_executed_units|average_exec_per_sec' "$found/log" >&2
done
[ ${#failed[@]} = 0 ] || { echo "run: fuzzing finds a failure in ${failed[*]} (inputs are in build-fuzz/found)" >&2; exit 1; }
