#!/usr/bin/env bash
# The suites that talk to nats-server, with one server of each supported line instead of the installed one.
# usage: tests/deep/nats_servers.sh [VERSION…]     needs Go 1.21 or newer, which builds the servers
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

versions=("$@")
[ $# -gt 0 ] || versions=(2.9.10 2.9.25 2.10.27 2.11.17 2.12.15 2.15.2)
command -v go >/dev/null || { echo "run: there is no go here, and the nats-servers are built with it" >&2; exit 1; }

failed=()
for version in "${versions[@]}"; do
  bin=$PWD/build/nats-servers/$version
  if [ ! -x "$bin/nats-server" ]; then
    printf '• building nats-server %s\n' "$version" >&2
    # A module may ask for a newer Go than this one; the proxy has that, too.
    GOBIN=$bin GOTOOLCHAIN=auto go install "github.com/nats-io/nats-server/v2@v$version" || { failed+=("$version"); continue; }
  fi
  printf '• testing with %s\n' "$("$bin/nats-server" --version)" >&2
  TOOLWAY_NATS_SERVER=$bin/nats-server ./run test '^(contract_|integration_)' || failed+=("$version")
done
[ ${#failed[@]} = 0 ] || { echo "run: tests fail with nats-server ${failed[*]}" >&2; exit 1; }
