#!/usr/bin/env bash
# Everything that takes hours, one after the other; the results on one page, build/deep/report.md.
# usage: tests/deep/check.sh [STEP…]     all of them without a name
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly into=build/deep
readonly all=(tidy asan tsan simulation tokens chat mutants chaos fuzz nats debian)
mkdir -p $into

# The supported release that this machine does not run.
other_debian() { if grep -q '^VERSION_CODENAME=trixie' /etc/os-release; then echo bookworm; else echo trixie; fi; }

command_of() {
  case $1 in
    tidy) echo "python3 cmake/analyse.py build tidy" ;;
    asan | tsan) echo "./run test $1" ;;
    simulation) echo "./run chaos --simulate --schedules 50000" ;;
    tokens) echo "tests/deep/tokens.sh 10000" ;;
    chat) echo "tests/deep/chat.sh 100000 1000" ;;
    mutants) echo "./run mutants" ;;
    chaos) echo "./run chaos --minutes 60 --rate 480 --agents 32 --users 8 --fault-every 3 --session-idle 20" ;;
    fuzz) echo "tests/deep/fuzz.sh 600" ;;
    nats) echo "tests/deep/nats_servers.sh" ;;
    debian) echo "tests/deep/debian.sh $(other_debian)" ;;
    *) return 1 ;;
  esac
}

steps=("$@")
[ $# -gt 0 ] || steps=("${all[@]}")
for step in "${steps[@]}"; do
  command_of "$step" >/dev/null || { echo "run: there is no step '$step'; the steps are ${all[*]}" >&2; exit 2; }
done

page=$into/report.md
{
  echo "# Deep check of $(git describe --always --dirty)"
  echo
  echo "| step | command | result | minutes | log |"
  echo "|---|---|---|---|---|"
} >$page
failed=0
for step in "${steps[@]}"; do
  command=$(command_of "$step")
  printf '• %s: %s\n' "$step" "$command" >&2
  began=$SECONDS
  status=0
  $command >"$into/$step.log" 2>&1 </dev/null || status=$?
  result=passed
  if [ $status != 0 ]; then result="failed, status $status"; failed=1; fi
  printf '• %s: %s\n' "$step" "$result" >&2
  echo "| $step | \`$command\` | $result | $(((SECONDS - began + 30) / 60)) | $into/$step.log |" >>$page
done
cat $page
exit $failed
