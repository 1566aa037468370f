#!/usr/bin/env bash
# Builds k8s/Dockerfile with buildah, without a daemon or a registry: its base is a Debian that debootstrap makes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
usage: ./run image [--base CODENAME] [--tag NAME] [--preset PRESET] [--storage DIRECTORY] [--ccache DIRECTORY]

  --base     Debian's codename, bookworm or trixie (trixie)
  --tag      of the image (toolway:0.1.0)
  --preset   of CMake (release)
  --storage  where base and images are kept (build/image)
  --ccache   a compiler's cache to build with, for example ~/.cache/ccache: it serves a base of this machine's release
TEXT
}

base=trixie tag=toolway:0.1.0 preset=release storage=build/image ccache=
while [ $# -gt 0 ]; do
  case "$1" in
    --base) base=$2 ;; --tag) tag=$2 ;; --preset) preset=$2 ;; --storage) storage=$2 ;; --ccache) ccache=$2 ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift 2
done
mkdir -p "$storage"
storage=$(realpath "$storage")

say() { printf '\033[2m• %s\033[0m\n' "$*" >&2; }

for program in buildah debootstrap crun; do
  command -v "$program" >/dev/null && continue
  say "installing buildah, debootstrap and crun"
  apt-get -qq update
  DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends buildah debootstrap crun >/dev/null
  break
done

in_storage() { buildah --root "$storage/images" --runroot "$storage/run" --storage-driver "${driver}" "$@"; }
driver=vfs
if grep -q overlay /proc/filesystems && [ "$(stat -f -c %T "$storage")" != overlayfs ]; then driver=overlay; fi
echo "$driver" >"$storage/driver"

# The suites of Debian that this machine's apt knows, of release `base`: no address stands here.
sources() {
  local here
  here=$(. /etc/os-release && echo "$VERSION_CODENAME")
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u |
    awk -v here="$here" -v base="$base" '$3 ~ "^" here "(-updates|-security)?$" { sub(here, base, $3); print }'
}

if ! in_storage inspect --type image "toolway-base:$base" >/dev/null 2>&1; then
  say "making a base of Debian $base"
  rm -rf "$storage/rootfs"
  debootstrap --variant=minbase --include=ca-certificates "$base" "$storage/rootfs" \
    "$(sources | awk -v base="$base" '$3 == base { print $2; exit }')" >"$storage/debootstrap.log" ||
    { tail -n 20 "$storage/debootstrap.log" >&2; exit 1; }
  sources >"$storage/rootfs/etc/apt/sources.list"
  # Its proxies too, and whether its dates are to be believed.
  apt-config dump | grep -E '^Acquire::(https?::|Check-)' >"$storage/rootfs/etc/apt/apt.conf.d/90as-here" || true
  made=$(in_storage from scratch)
  in_storage copy --quiet "$made" "$storage/rootfs" / >/dev/null
  in_storage commit --quiet "$made" "toolway-base:$base" >/dev/null
  in_storage rm "$made" >/dev/null
  rm -rf "$storage/rootfs"
fi

volumes=()
if [ -n "$ccache" ]; then
  mkdir -p "$ccache"
  volumes=(--volume "$(realpath "$ccache"):/root/.cache/ccache" --build-arg CCACHE_BASEDIR="$(ccache --get-config base_dir)")
  [ "$(ccache --get-config hash_dir)" = true ] || volumes+=(--build-arg CCACHE_NOHASHDIR=1)
fi
say "building $tag on Debian $base"
in_storage build --isolation "${BUILDAH_ISOLATION:-chroot}" --pull=never --layers --file k8s/Dockerfile --tag "$tag" \
  --build-arg BASE="localhost/toolway-base:$base" --build-arg SOURCE="$PWD" --build-arg PRESET="$preset" \
  --build-arg REVISION="$(git rev-parse HEAD 2>/dev/null || true)" "${volumes[@]}" .
say "built: buildah --root $storage/images --runroot $storage/run --storage-driver $driver push $tag docker-archive:FILE:$tag"
