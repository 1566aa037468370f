#!/usr/bin/env bash
# runtime_packages.sh PROGRAM: the Debian packages of the libraries PROGRAM is linked with, one per line.
set -euo pipefail
ldd "$1" | awk '$2 == "=>" { print $3 }' | while read -r library; do
  # What dpkg knows is the path before or after /usr was merged.
  real=$(realpath "$library")
  { dpkg-query --search "$real" "${real#/usr}" 2>/dev/null || true; } | head -n 1 | cut -d : -f 1
done | sort -u
