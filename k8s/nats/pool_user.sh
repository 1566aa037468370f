#!/bin/sh
# pool_user.sh POOL [PARTITIONS [SERVER…]]: prints a user `worker_POOL` for the list in authorization.conf, in place of `worker`:
# it takes the calls of this pool, and no other's, and offers the tools of the MCP servers named, and no others'. Its password
# comes from TOOLWAY_NATS_WORKER_<POOL>_PASSWORD (`-` as `_`). PARTITIONS as given to `toolway migrate` (1).
set -eu
pool=$1
partitions=${2:-1}
[ $# -lt 2 ] || shift
shift
case $pool in *[!A-Za-z0-9_-]*|"") echo "pool_user.sh: '$pool' is not a pool" >&2; exit 2 ;; esac
name=$(printf %s "$pool" | tr - _)
variable=$(printf 'TOOLWAY_NATS_WORKER_%s_PASSWORD' "$name" | tr '[:lower:]' '[:upper:]')

queues() {
  part=0
  while [ "$part" -lt "$partitions" ]; do
    for lane in normal bulk; do
      printf '            "$JS.API.CONSUMER.MSG.NEXT.CALLS.%s-%s-%s", "$JS.ACK.CALLS.%s-%s-%s.>"\n' "$pool" "$lane" "$part" "$pool" "$lane" "$part"
    done
    part=$((part + 1))
  done
}

cat <<END
    {
      user: worker_$name, password: \$$variable
      permissions: {
        publish: { allow: [
            "event.*.*.*", "blob.*.*.*"
            "worker.$pool.*"
$(for server in "$@"; do printf '            "$KV.toolsets.%s.*"\n' "$server"; done)
            "\$KV.permits.*"
            "lookup", "_INBOX.toolway-gateway.*.ask.*"
            "ctl.*", "_INBOX.toolway-worker.*.ask.*"
            "\$KV.clocks.worker.*", "\$JS.API.STREAM.MSG.GET.KV_clocks"
$(queues)
            "\$JS.API.STREAM.INFO.*", "\$JS.API.CONSUMER.INFO.*.*", "\$JS.API.CONSUMER.NAMES.CALLS"
            "\$JS.API.STREAM.MSG.GET.EVENTS", "\$JS.API.STREAM.MSG.GET.KV_specs", "\$JS.API.STREAM.MSG.GET.KV_switches"
            "\$JS.API.STREAM.MSG.GET.KV_toolsets", "\$JS.API.STREAM.MSG.GET.KV_policies", "\$JS.API.STREAM.MSG.GET.KV_permits"
            "\$JS.API.DIRECT.GET.CALLS", "\$JS.API.DIRECT.GET.EVENTS", "\$JS.API.DIRECT.GET.BLOBS"
            "\$JS.API.DIRECT.GET.KV_specs", "\$JS.API.DIRECT.GET.KV_switches", "\$JS.API.DIRECT.GET.KV_toolsets", "\$JS.API.DIRECT.GET.KV_policies"
            "\$JS.API.DIRECT.GET.KV_permits"
        ] }
        subscribe: { allow: ["_INBOX.toolway-worker.>", "ctl.*", "bucket.switches.>", "bucket.policies.>", "bucket.permits.>"] }
      }
    }
END
