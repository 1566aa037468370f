#!/usr/bin/env bash
# Makes a bare Debian in a directory, for images and for tests. As root; needs debootstrap.
# usage: k8s/make_debian.sh CODENAME DIRECTORY     its log: DIRECTORY.log
set -euo pipefail
readonly release=$1 into=$2

# The Debian suites that this machine's apt knows, for this release: no address is written here.
suites() {
  local here
  here=$(. /etc/os-release && echo "$VERSION_CODENAME")
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u |
    awk -v here="$here" -v release="$release" '$3 ~ "^" here "(-updates|-security)?$" { sub(here, release, $3); print }'
}

rm -rf "$into"
mkdir -p "$(dirname "$into")"
debootstrap --variant=minbase --include=ca-certificates "$release" "$into" \
  "$(suites | awk -v release="$release" '$3 == release { print $2; exit }')" >"$into.log" ||
  { tail -n 20 "$into.log" >&2; exit 1; }
suites >"$into/etc/apt/sources.list"
# This machine's proxies too, and whether to trust its dates.
apt-config dump | grep -E '^Acquire::(https?::|Check-)' >"$into/etc/apt/apt.conf.d/90as-here" || true
# What a crash cuts short is made again: dpkg need not wait for the disk.
echo force-unsafe-io >"$into/etc/dpkg/dpkg.cfg.d/90no-sync"
