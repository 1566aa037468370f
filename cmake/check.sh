#!/usr/bin/env bash
# Holds the sources to the layout: includes run one way only, files stay short.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bad=0
if ! python3 cmake/check_layout.py >&2; then bad=1; fi
if ! python3 cmake/check_namespaces.py >&2; then bad=1; fi
if ! python3 cmake/check_functions.py >&2; then bad=1; fi
if ! python3 cmake/check_classes.py >&2; then bad=1; fi
if ! python3 cmake/check_errors.py >&2; then bad=1; fi

while read -r count file; do
  if [ "$file" != total ] && [ "$count" -gt 400 ]; then
    echo "$file: $count lines; at 400 a source file is two files" >&2
    bad=1
  fi
done < <(find base proto local bus mcp tools monitoring persistence workers gateway cli tests \
           -name '*.h' -o -name '*.cc' | xargs wc -l)

# Two types of one name in one namespace are one type to the linker, which keeps the functions of either.
twice=$(find base proto local bus mcp tools monitoring persistence workers gateway cli -name '*.h' -print0 |
  xargs -0 awk '
    FNR == 1 { space = "" }
    /^namespace [a-z0-9_:]+ \{/ { space = $2 }
    /^\}  \/\/ namespace/ { space = "" }
    space != "" && /^(class|struct|enum class) [A-Za-z0-9_]+( final)?( :[^;{]*)? ?\{/ {
      name = $2 == "class" ? $3 : $2
      of = space "::" name
      if (of in seen && seen[of] != FILENAME) print of " is in " seen[of] " and in " FILENAME
      seen[of] = FILENAME
    }')
if [ -n "$twice" ]; then
  echo "$twice" >&2
  bad=1
fi

# Each error code that a client can meet has its remedy.
for code in $(sed -nE 's/.*return "([a-z_]+)";.*/\1/p' base/error.cc); do
  if ! grep -q "^### \`$code\`$" docs/errors.md; then
    echo "docs/errors.md has no heading for error code $code" >&2
    bad=1
  fi
done

if ! python3 cmake/check_words.py >&2; then bad=1; fi

[ $bad = 0 ] && echo "check: include directions, namespaces, lengths of files and functions, classes, error pages and words are right"
exit $bad
