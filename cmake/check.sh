#!/usr/bin/env bash
# Holds the sources to the layout and to the rules of the house; each check says at its top what it finds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bad=0
for check in layout circles readmes namespaces types names lengths functions classes clocks coroutines pure simulation errors error_pages words; do
  python3 "cmake/check_$check.py" >&2 || bad=1
done

[ $bad = 0 ] && echo "check: includes, READMEs, namespaces, names, lengths, classes, clocks, coroutines, errors and words are right"
exit $bad
