#!/usr/bin/env bash
# Runs a command in a clean clone of the last commit on a bare Debian, made by debootstrap and then thrown away. As root.
# usage: tests/deep/debian.sh CODENAME [COMMAND…]     CODENAME: bookworm or trixie; the command is `./run test`, if none is given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly release=${1:?bookworm or trixie}
shift
[ $# -gt 0 ] || set -- ./run test
[ "$(id -u)" = 0 ] || { echo "run: only root can make a Debian of its own" >&2; exit 1; }
command -v debootstrap >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get -qq install -y debootstrap >/dev/null

mkdir -p build/debian
root=$(mktemp -d "$(realpath build/debian)/$release.XXXXXX")
trap 'rm -rf --one-file-system "$root" "$root.log"' EXIT
printf '• making a bare Debian %s\n' "$release" >&2
k8s/make_debian.sh "$release" "$root"
git clone --quiet --no-hardlinks . "$root/root/toolway"
# How this machine reaches registries.
for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt /etc/pip.conf ~/.npmrc; do
  [ ! -f "$file" ] || cp -L --parents "$file" "$root"
done

# Not chroot: the kernel refuses user namespaces there, and so sandboxes. Ending this script ends everything inside.
unshare --mount --pid --fork --kill-child -- bash -euc '
  root=$1; shift
  mount --make-rprivate /
  mount --bind "$root" "$root"
  for shared in dev sys; do mount --rbind "/$shared" "$root/$shared"; done
  mount -t proc proc "$root/proc"
  cd "$root"
  pivot_root . mnt
  umount -l /mnt
  cd /root/toolway
  exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" \
    ${CI:+CI="$CI"} ${TOOLWAY_WITHOUT:+TOOLWAY_WITHOUT="$TOOLWAY_WITHOUT"} "$@"
' bash "$root" "$@"
