#!/usr/bin/env bash
# The unit tests of what the last day's commits touched, under AddressSanitizer and UndefinedBehaviorSanitizer.
# A report of a sanitizer fails it. A test that only fails is shown: here tests run many times slower, and have passed without.
# usage: tests/deep/sanitize_touched.sh SECONDS     what CI has left; with too little it says so and ends with 0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly left=$1 enough=900
say() { printf '• %s\n' "$*" >&2; }

# Folders that have unit tests and that the commits of the day before the newest one (it included) touched.
touched() {
  local newest folder
  newest=$(git log -1 --format=%ct)
  git log --since=$((newest - 86400)) --name-only --format= -- '*.cc' '*.h' |
    sed -E 's,^tests/unit/,,' | cut -d/ -f1 | sort -u |
    while read -r folder; do [ ! -d "tests/unit/$folder" ] || echo "$folder"; done
}

if ! folders=$(touched); then say "git does not say what the last day's commits touched: nothing runs under a sanitizer"; exit 0; fi
if [ -z "$folders" ]; then say "the last day's commits touched no folder that has unit tests: nothing to run under a sanitizer"; exit 0; fi
mapfile -t folders <<<"$folders"
if [ "$left" -lt $enough ]; then
  say "no time left to test ${folders[*]} under AddressSanitizer; ./run test asan does"
  exit 0
fi

say "testing ${folders[*]} under AddressSanitizer"
cmake --preset asan -DTOOLWAY_WERROR=OFF >/dev/null
programs=("${folders[@]/%/_tests}")
programs=("${programs[@]/#/unit_}")
status=0
timeout $((left - enough / 3)) ninja -C build-asan --quiet "${programs[@]}" >&2 || status=$?
if [ $status = 124 ]; then say "CI's time ended while building for AddressSanitizer; ./run test asan does the rest"; exit 0; fi
if [ $status != 0 ]; then say "the build for AddressSanitizer failed"; exit 0; fi
names=$(IFS='|'; echo "${folders[*]}")
source tests/deep/sanitizers.sh
log=$(mktemp)
trap 'rm -f "$log"' EXIT
timeout --foreground "$((enough / 3))" ctest --test-dir build-asan --output-on-failure --no-tests=error -j "$(nproc)" -R "^unit_($names)\\." |
  tee "$log" || status=$?
if grep -Eq 'ERROR: (Address|Leak)Sanitizer|runtime error: ' "$log"; then say "a sanitizer reports a defect: see above"; exit 1; fi
if [ $status = 124 ]; then say "CI's time ended while testing under AddressSanitizer; ./run test asan does the rest"; exit 0; fi
if [ $status != 0 ]; then say "tests failed under AddressSanitizer, without a report of it: see above"; fi
