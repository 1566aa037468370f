#!/usr/bin/env bash
# Builds k8s/Dockerfile with buildah, without a daemon or a registry: its base is a Debian that debootstrap makes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
usage: ./run image [--base CODENAME] [--tag NAME] [--preset PRESET] [--storage DIRECTORY] [--ccache DIRECTORY]
       ./run image --probe [--storage DIRECTORY]

  --base     Debian's codename, bookworm or trixie (trixie)
  --tag      of the image (toolway:0.1.0)
  --preset   of CMake (release)
  --storage  where base and images are kept (build/image)
  --ccache   a ccache directory to build with, for example ~/.cache/ccache: it only helps if the base is this machine's release
  --probe    only checks whether images can be built here at all, with one of a single program
TEXT
}

base=trixie tag=toolway:0.1.0 preset=release storage=build/image ccache= task=build
while [ $# -gt 0 ]; do
  case "$1" in
    --base) base=$2 ;; --tag) tag=$2 ;; --preset) preset=$2 ;; --storage) storage=$2 ;; --ccache) ccache=$2 ;;
    --probe) task=probe; shift; continue ;;
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

# Debian 13's buildah asks for more processes and files than a root without CAP_SYS_RESOURCE may give; Debian 12's gives up
# all processes but 32,768 before it looks.
least() { if [ "$2" != unlimited ] && [ "$2" -lt "$1" ]; then echo "$2:$2"; else echo "$1:$1"; fi; }
limits=(--ulimit "nofile=$(least 1048576 "$(ulimit -Hn)")" --ulimit "nproc=$(least 32768 "$(ulimit -Hu)")")
echo "${limits[*]}" >"$storage/limits"
in_storage() { buildah --root "$storage/images" --runroot "$storage/run" --storage-driver "${driver}" "$@"; }
driver=vfs
if grep -q overlay /proc/filesystems && [ "$(stat -f -c %T "$storage")" != overlayfs ]; then driver=overlay; fi
echo "$driver" >"$storage/driver"
# vfs copies everything below a layer.
layers=(--layers="$([ "$driver" = overlay ] && echo true || echo false)")
isolation=(--isolation "${BUILDAH_ISOLATION:-chroot}")

if [ "$task" = probe ]; then
  context=$(mktemp -d)
  trap 'rm -rf "$context"' EXIT
  mkdir "$context/bin"
  cp -L /bin/true "$context/bin/"
  (cd / && ldd /bin/true | grep -o '/[^ ]*' | xargs -I{} cp -L --parents {} "$context")
  printf 'FROM scratch\nCOPY . /\nRUN ["/bin/true"]\n' >"$context/Dockerfile"
  in_storage build "${isolation[@]}" "${limits[@]}" --layers=false --file "$context/Dockerfile" --tag toolway-probe "$context"
  in_storage rmi toolway-probe
  exit
fi

if ! in_storage inspect --type image "toolway-base:$base" >/dev/null 2>&1; then
  say "making a base of Debian $base"
  k8s/make_debian.sh "$base" "$storage/rootfs"
  made=$(in_storage from scratch)
  in_storage copy --quiet "$made" "$storage/rootfs" / >/dev/null
  in_storage commit --quiet "$made" "toolway-base:$base" >/dev/null
  in_storage rm "$made" >/dev/null
  rm -rf "$storage/rootfs"
fi

volumes=()
if [ -n "$ccache" ]; then
  mkdir -p "$ccache"
  # ccache hashes the language of warnings, and without the size it would cut a larger cache down.
  settings="CCACHE_BASEDIR=$(ccache --get-config base_dir) CCACHE_MAXSIZE=$(ccache --get-config max_size)"
  [ "$(ccache --get-config hash_dir)" = true ] || settings+=" CCACHE_NOHASHDIR=1"
  for name in LANG LC_ALL LC_CTYPE LC_MESSAGES; do [ -z "${!name+set}" ] || settings+=" $name=${!name}"; done
  volumes=(--volume "$(realpath "$ccache"):/root/.cache/ccache" --build-arg CACHE_SETTINGS="$settings")
fi
say "building $tag on Debian $base"
in_storage build "${isolation[@]}" "${limits[@]}" --pull=never "${layers[@]}" --file k8s/Dockerfile --tag "$tag" \
  --build-arg BASE="localhost/toolway-base:$base" --build-arg SOURCE="$PWD" --build-arg PRESET="$preset" \
  --build-arg REVISION="$(git rev-parse HEAD 2>/dev/null || true)" "${volumes[@]}" .
say "built: buildah --root $storage/images --runroot $storage/run --storage-driver $driver push $tag docker-archive:FILE:$tag"
